"""The knowledge base as it would be after the pending operations: where a path's content lies (R-READ-14, R-EDIT-4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from orange_jupyter.core.changes.values import Kind, Proposal, Spot

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Standing:
    """What a path means with the pending operations done.

    `spot` is where its content lies on the disk now. `created` is the pending operation that makes it (then the disk
    has nothing yet), `gone` the one that takes it away. `through` are the operations that give it this path.
    """

    spot: Spot
    created: Proposal | None = None
    gone: Proposal | None = None
    through: tuple[str, ...] = ()


def standing(spot: Spot, pending: Sequence[Proposal]) -> Standing:
    """Follow a path back through the pending operations, the latest first."""
    through: list[str] = []
    for proposal in reversed(pending):
        kind = proposal.operation.kind
        if kind.moves and proposal.target is not None and covers(proposal.target, spot):
            spot = moved(spot, proposal.target, proposal.spot)
            through.append(proposal.id)
        elif (kind.moves or kind is Kind.DELETE) and covers(proposal.spot, spot):
            return Standing(spot, gone=proposal, through=tuple(through))
        elif kind in (Kind.CREATE_FILE, Kind.CREATE_FOLDER) and proposal.spot == spot:
            return Standing(spot, created=proposal, through=(*through, proposal.id))
    return Standing(spot, through=tuple(through))


def layers(found: Standing, pending: Sequence[Proposal]) -> tuple[Proposal, ...]:
    """The pending text operations on the very file that was found, in their order.

    A file that is to be created where another one was moved away from has the same spot and is another file.
    """
    return tuple(
        one
        for number, one in enumerate(pending)
        if one.operation.kind.text and _same(standing(one.spot, pending[:number]), found)
    )


def freed(spot: Spot, pending: Sequence[Proposal]) -> tuple[str, ...]:
    """The pending operations without which something else lies at a spot: those that take it away."""
    found = standing(spot, pending)
    return () if found.gone is None else (*found.through, found.gone.id)


def taken_out(folder: Spot, pending: Sequence[Proposal]) -> tuple[str, ...]:
    """The pending operations that save something from a folder: moves of what lies in it to elsewhere."""
    return tuple(
        one.id
        for one in pending
        if one.operation.kind.moves
        and one.target is not None
        and covers(folder, one.spot)
        and not covers(folder, one.target)
    )


def landing(spot: Spot, later: Iterable[Proposal]) -> Spot:
    """Where what lies at a spot will lie after these operations."""
    for one in later:
        if one.operation.kind.moves and one.target is not None and covers(one.spot, spot):
            spot = moved(spot, one.spot, one.target)
    return spot


def drift(folder: Spot, pending: Sequence[Proposal]) -> tuple[tuple[Proposal, ...], tuple[Proposal, ...]]:
    """The pending operations that bring files into a folder, and those that take some out of what lies in it now.

    Of a thing that is moved several times the first move stands for all.
    """
    coming: list[Proposal] = []
    going: list[Proposal] = []
    for number, one in enumerate(pending):
        kind, later = one.operation.kind, pending[number + 1 :]
        before = covers(folder, landing(one.spot, later))
        if kind is Kind.CREATE_FILE and before:
            coming.append(one)
        elif kind is Kind.DELETE and before:
            going.append(one)
        elif kind.moves and one.target is not None and not standing(one.spot, pending[:number]).through:
            there = landing(one.target, later)
            if not covers(there, folder) and before != covers(folder, there):
                (going if before else coming).append(one)
    return tuple(coming), tuple(going)


def taken_along(known: Mapping[Spot, T], source: Spot, target: Spot) -> dict[Spot, T]:
    """What is known of spots, after what lay at `source` was moved to `target`."""
    return {moved(spot, source, target) if covers(source, spot) else spot: what for spot, what in known.items()}


def _same(one: Standing, other: Standing) -> bool:
    ids = [found.created.id if found.created else "" for found in (one, other)]
    return one.spot == other.spot and ids[0] == ids[1]


def covers(folder: Spot, spot: Spot) -> bool:
    """Whether a spot is `folder` or lies in it."""
    if folder.root != spot.root:
        return False
    return folder.relative in ("", spot.relative) or spot.relative.startswith(f"{folder.relative}/")


def moved(spot: Spot, source: Spot, target: Spot) -> Spot:
    """Where a spot at or in `source` lies when that is at `target`."""
    rest = spot.relative[len(source.relative) :].lstrip("/")
    relative = "/".join(part for part in (target.relative, rest) if part)
    return Spot(root=target.root, relative=relative)
