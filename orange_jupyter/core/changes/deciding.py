"""From a person's choices to steps on the disk: what is tied, what each file becomes. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from orange_jupyter.core.changes.hunks import taken
from orange_jupyter.core.changes.overlay import covers
from orange_jupyter.core.changes.ports import Act, Step
from orange_jupyter.core.changes.splices import Fate, Layer, Splices, Tied, settle
from orange_jupyter.core.changes.values import Choice, Kind, Proposal, Spot, TextBase
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError
from orange_jupyter.core.result import canonical

_ACTS = {
    Kind.CREATE_FILE: Act.CREATE_FILE,
    Kind.CREATE_FOLDER: Act.CREATE_FOLDER,
    Kind.MOVE: Act.MOVE,
    Kind.RENAME: Act.MOVE,
    Kind.DELETE: Act.TRASH,
}


@dataclass(frozen=True, slots=True)
class Batch:
    """What is to be done on the disk, and what could not be chosen, with why, by operation id.

    `files` are the texts that writes make, by chain; `splices` those of the operations in them.
    """

    steps: tuple[Step, ...] = ()
    refused: Mapping[str, ChangeError] = field(default_factory=dict)
    splices: Mapping[str, Splices] = field(default_factory=dict)


def digest(proposal: Proposal) -> str:
    """What a choice is bound to: everything that decides what would be written."""
    body = proposal.model_dump(mode="json", include={"spot", "target", "base", "splices", "content", "fingerprint"}) | {
        "operation": proposal.id,
        "kind": str(proposal.operation.kind),
    }
    return hashlib.sha256(canonical(body).encode("utf-8", "surrogatepass")).hexdigest()


def text_of(base: TextBase, data: bytes) -> str:
    """The text of kept bytes."""
    return data[len(base.bom) // 2 :].decode(base.encoding)


def bytes_of(base: TextBase, text: str) -> bytes:
    """A text in the file's encoding, byte order mark first. Raises ChangeError encoding_unknown."""
    try:
        return bytes.fromhex(base.bom) + text.encode(base.encoding)
    except UnicodeEncodeError as error:
        shown = ascii(error.object[error.start : error.start + 1])
        raise ChangeError(
            Code.ENCODING_UNKNOWN,
            f"The file is {base.encoding}, which has no {shown}; nothing was changed.",
            hint="Leave such characters out, or the person can save the file as UTF-8 first.",
        ) from None


def splices_chosen(proposal: Proposal, choice: Choice, below: str) -> Splices:
    """The splices a person takes of an operation on the text `below` it. Raises ChangeError out_of_range."""
    return taken(below, proposal.splices, choice.hunks)


def tied_to(chosen: Sequence[str], proposals: Sequence[Proposal]) -> dict[str, ChangeError]:
    """The chosen operations that need one that is neither chosen nor applied, with the reason."""
    known = {one.id: one for one in proposals}
    refused: dict[str, ChangeError] = {}
    for name in chosen:
        for needed in known[name].operation.depends_on:
            other = known.get(needed)
            missing = other is None or (other.state.open and (needed not in chosen or needed in refused))
            if missing or (other is not None and other.state in ("rejected", "withdrawn", "undone")):
                about = other.operation.summary if other else needed
                refused[name] = ChangeError(
                    Code.PARENT_MISSING,
                    f"This builds on another change ({about}) that was not selected.",
                    hint="Select both, or reject this one.",
                    details={"needs": needed},
                )
    return refused


def layered(chain: Sequence[Proposal], below: Sequence[str], choices: Mapping[str, Choice]) -> list[Layer]:
    """The layers of a file's pending operations; `below` are the texts as proposed under each of them.

    One of which a person leaves out all waits.
    """
    made = []
    for proposal, text in zip(chain, below, strict=True):
        choice = choices.get(proposal.id)
        chosen = splices_chosen(proposal, choice, text) if choice else ()
        fate = Fate.TAKEN if chosen else Fate.WAITING
        made.append(Layer(proposal.splices, fate, chosen if chosen else None))
    return made


def tied_layers(base: str, layers: list[Layer]) -> tuple[list[Layer], tuple[int, ...]]:
    """The layers with those waiting that were taken but build on what was not; and their numbers."""
    found: list[int] = []
    while True:
        try:
            settle(base, layers)
        except Tied as tied:
            found.append(tied.number)
            layers = [Layer(one.proposed, Fate.WAITING) if number == tied.number else one
                      for number, one in enumerate(layers, 1)]  # fmt: skip
        else:
            return layers, tuple(found)


def step_of(proposal: Proposal, written: Mapping[Spot, str], before: Sequence[Step]) -> Step:
    """The step of an operation that is no text edit; `written` are the sha256 that earlier steps give to spots."""
    kind = proposal.operation.kind
    expected = written.get(proposal.spot, proposal.fingerprint)
    data = (proposal.content or "").encode() if kind is Kind.CREATE_FILE else b""
    return Step(
        act=_ACTS[kind],
        operations=(proposal.id,),
        spot=proposal.spot,
        target=proposal.target,
        data=data,
        expected="" if kind in (Kind.CREATE_FILE, Kind.CREATE_FOLDER) else expected,
        kept=proposal.id if kind is Kind.DELETE else "",
        after=needed_steps(proposal, before),
    )


def needed_steps(proposal: Proposal, before: Sequence[Step]) -> tuple[int, ...]:
    """The earlier steps of the batch that this operation depends on, or that change what it acts on."""
    needed = set(proposal.operation.depends_on)
    return tuple(
        number
        for number, step in enumerate(before)
        if needed & set(step.operations) or step.spot == proposal.spot or covers(proposal.spot, step.spot)
    )
