"""Where a change really acts: a place with its links resolved, inside a selected KB or refused (P02–P04, C14)."""

from __future__ import annotations

import os
from collections.abc import Sequence

from orange_jupyter.core.changes.values import Spot
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import PathError
from orange_jupyter.core.paths import KnowledgeBase, Place, shown_name
from orange_jupyter.local.opening import real_path
from orange_jupyter.local.placing import innermost


def spot_of(place: Place, bases: Sequence[KnowledgeBase], *, follow: bool = True) -> Spot:
    """The real root and path of a place, which need not exist yet; without `follow` its last part may be a link.

    Raises PathError outside_workspace, link_escape. What is opened later is checked again by the system.
    """
    if place.knowledge_base is None:
        raise PathError(
            Code.OUTSIDE_WORKSPACE,
            f"{place.shown} is outside the selected knowledge bases; nothing is changed there, in any tier.",
            hint="The person can add its folder with `%orange kb add`.",
        )
    path = os.path.join(place.knowledge_base.root, place.relative).rstrip("/")
    folder, name = os.path.split(path)
    real = real_path(path) if follow or not place.relative else os.path.join(real_path(folder), name)
    if follow and os.path.islink(path) and not os.path.lexists(real):
        raise _escape(place, "a link that leads to nothing")
    home = innermost(real, bases)
    if home is None:
        raise _escape(place, "or goes through, a link that leaves the knowledge base")
    return Spot(root=home.root, relative=real[len(home.root) :].lstrip("/"))


def _escape(place: Place, what: str) -> PathError:
    return PathError(Code.LINK_ESCAPE, f"{shown_name(place.relative)} is {what}; nothing is changed through it.")
