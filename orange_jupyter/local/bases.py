"""Which knowledge bases are registered: in the person's ORANGE_HOME and in a project's `.orange` (R-NB-5).

A project file names folders inside its own project and nothing else; whatever more it says is ignored and listed
(K01). Synchronous; reads only, `registry` writes.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import PathError
from orange_jupyter.core.paths import KnowledgeBase, shown_name
from orange_jupyter.local.registered import CONFIG, Config, Entry, read_project, read_user

PROJECT_FOLDER = ".orange"


@dataclass(frozen=True, slots=True)
class Bases:
    """The registered KBs, the project's first, and a sentence for each thing that was ignored and why."""

    bases: tuple[KnowledgeBase, ...]
    ignored: tuple[str, ...] = ()
    project_file: str | None = None


def load_bases(home: str, folder: str) -> Bases:
    """Every registered KB as seen from a notebook's folder. `home` is ORANGE_HOME.

    A folder that is missing is kept: it is said where it is used. Raises ConfigError for a file that cannot be
    understood.
    """
    config = read_user(os.path.join(home, CONFIG))
    user = [_base(entry, entry_root(config, entry), "user") for entry in config.entries]
    project_file = find_project_file(home, folder)
    ignored: list[str] = []
    project = _project_bases(project_file, home, user, ignored) if project_file else []
    inside = {base.root for base in project}
    bases = _distinct([*project, *(base for base in user if base.root not in inside)])
    return Bases(bases, tuple(ignored), project_file)


def base_for_folder(path: str, registered: Sequence[KnowledgeBase] = ()) -> KnowledgeBase:
    """The KB for `--kb DIR`: one of `registered` with that folder, else its id derives from the real path (R-SCH-7).

    Raises PathError (not_found, kb_unavailable, no_access).
    """
    real = checked_folder(path)
    for base in registered:
        if base.root == real:
            return base
    name = free_name(folder_name(real), [base.name for base in registered])
    return KnowledgeBase(derived_base_id(real), name, real)


def find_project_file(home: str, folder: str) -> str | None:
    """`.orange/config.toml` in the folder or the nearest parent; never the one that is ORANGE_HOME (R-HL-3)."""
    real_home = os.path.realpath(home)
    here = os.path.realpath(folder)
    while True:
        inside = os.path.join(here, PROJECT_FOLDER)
        file = os.path.join(inside, CONFIG)
        if os.path.realpath(inside) != real_home and os.path.isfile(file):
            return file
        parent = os.path.dirname(here)
        if parent == here:
            return None
        here = parent


def checked_folder(path: str) -> str:
    """The real path of a folder that can be a KB. Raises PathError with what to do."""
    real = os.path.realpath(path)
    name = shown_name(path)
    if not os.path.exists(real):
        raise PathError(Code.NOT_FOUND, f"There is no folder {name}.", hint="Check the path, or make the folder first.")
    if not os.path.isdir(real):
        raise PathError(Code.KB_UNAVAILABLE, f"{name} is not a folder.", hint="Give the folder that holds the file.")
    if real in ("/", os.path.realpath(os.path.expanduser("~"))):
        raise PathError(
            Code.KB_UNAVAILABLE,
            f"{name} is {'the root of the disk' if real == '/' else 'your home folder'}, too much for a base of notes.",
            hint="Choose the folder with your notes.",
        )
    if not os.access(real, os.R_OK | os.X_OK):
        raise PathError(Code.NO_ACCESS, f"{name} cannot be read by this user.", hint="Change its access rights.")
    return real


def derived_base_id(real: str) -> str:
    """`kb_` and 16 base32 characters of the sha256 of a real path."""
    digest = hashlib.sha256(os.fsencode(real)).digest()
    return "kb_" + base64.b32encode(digest[:10]).decode().lower()


def folder_name(real: str) -> str:
    """A KB's name from its folder."""
    return shown_name(os.path.basename(real)) or "notes"


def free_name(wanted: str, taken: Sequence[str]) -> str:
    """The name, or `name-2`, `name-3` … where it is taken; compared without case (R-ALL-3)."""
    used = {name.casefold() for name in taken}
    name, number = wanted, 1
    while name.casefold() in used:
        number += 1
        name = f"{wanted}-{number}"
    return name


def entry_root(config: Config, entry: Entry) -> str:
    """The real path that an entry names."""
    return os.path.realpath(os.path.join(config.folder, os.path.expanduser(entry.path)))


def is_inside(real: str, folder: str) -> bool:
    """Whether a real path is a folder or lies in it."""
    return real == folder or real.startswith(folder.rstrip("/") + "/")


def _base(entry: Entry, real: str, source: str) -> KnowledgeBase:
    name = entry.name or folder_name(real)
    return KnowledgeBase(entry.id or derived_base_id(real), name, real, source, entry.encoding)


def _project_bases(file: str, home: str, user: Sequence[KnowledgeBase], ignored: list[str]) -> list[KnowledgeBase]:
    config = read_project(file)
    ignored += [f"{key} ignored: project file (it can name knowledge bases, nothing else)" for key in config.others]
    found = []
    for entry in config.entries:
        real = entry_root(config, entry)
        reason = _refused(real, config.folder, home)
        known = next((base for base in user if base.root == real), None)
        if known is not None:
            if reason is None:
                found.append(replace(known, source="project"))
        elif reason is not None:
            ignored.append(f"{shown_name(entry.path)} ignored: {reason}")
        elif any(base.id == entry.id for base in user):
            ignored.append(f"{shown_name(entry.path)} ignored: its id {entry.id} belongs to another knowledge base")
        else:
            found.append(_base(entry, real, "project"))
    return found


def _refused(real: str, project: str, home: str) -> str | None:
    if not is_inside(real, project):
        return "outside the project (you can add it: `%orange kb add`)"
    if is_inside(real, os.path.realpath(home)):
        return "it lies in the folder of this product's settings"
    if real in ("/", os.path.realpath(os.path.expanduser("~"))):
        return "a whole home folder or disk is too much for a knowledge base"
    return None


def _distinct(bases: Iterable[KnowledgeBase]) -> tuple[KnowledgeBase, ...]:
    """One KB a folder and an id, each with a name of its own; the first keeps what it has."""
    kept: list[KnowledgeBase] = []
    for base in bases:
        if any(base.root == other.root for other in kept):
            continue
        if any(base.id == other.id for other in kept):
            base = replace(base, id=derived_base_id(base.root))  # noqa: PLW2901 (the same KB under a free id)
        kept.append(replace(base, name=free_name(base.name, [other.name for other in kept])))
    return tuple(kept)
