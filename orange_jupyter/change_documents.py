"""Changes as documents for programs (R-SCH-10), without secrets: such texts are piped, logged and saved."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pydantic.alias_generators import to_camel

from orange_jupyter.core.changes.applying import Decided
from orange_jupyter.core.changes.hiding import Hide, hider
from orange_jupyter.core.changes.lines import lines_of
from orange_jupyter.core.changes.pieces import Splice
from orange_jupyter.core.changes.showing import Shown
from orange_jupyter.core.changes.splices import spliced
from orange_jupyter.core.changes.unified import unified
from orange_jupyter.core.changes.values import Kind, Operation, Proposal
from orange_jupyter.core.errors import OrangeError
from orange_jupyter.core.masking import MASK, FindSecrets

Mask = Callable[[str], str]
_HEAD = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def operation_masked(operation: Operation, mask: Mask) -> Operation:
    """The operation with secrets in its names and sentences hidden."""
    return operation.model_copy(
        update={
            "path": mask(operation.path),
            "destination": None if operation.destination is None else mask(operation.destination),
            "summary": mask(operation.summary),
            "warnings": tuple(mask(line) for line in operation.warnings),
        }
    )


def operation_document(operation: Operation, mask: Mask = str) -> dict[str, Any]:
    """An `Operation` of the schema; what is not known is left out."""
    whole = operation_masked(operation, mask).model_dump(mode="json", exclude_none=True)
    return {to_camel(name): value for name, value in whole.items()}


def sets_document(proposals: Sequence[Proposal], mask: Mask, diffs: dict[str, str] | None = None) -> list[Any]:
    """`changeSets[]` in the order of their first operation; with `diffs` (by id) each operation has its `diff`."""
    sets: dict[str, dict[str, Any]] = {}
    for one in proposals:
        name = one.operation.change_set_id
        new = {"changeSetId": name, "sessionId": one.session_id, "operations": []}
        diff = {"diff": diffs.get(one.id, "")} if diffs is not None else {}
        sets.setdefault(name, new)["operations"].append(operation_document(one.operation, mask) | diff)
    return list(sets.values())


def results_document(decided: Sequence[Decided], mask: Mask, way_out: Callable[[Decided], str]) -> dict[str, Any]:
    """`results[]`; `ok` only if all succeeded, else `error` is the first one's, which every failure has (R-SCH-10).

    `way_out` says what to do about an error.
    """
    results = []
    for one in decided:
        error = {"error": _error(one.error, mask, way_out(one))} if one.error is not None else {}
        results.append({"operationId": one.proposal.id, "state": str(one.proposal.state), **error})
    failed = [one["error"] for one in results if "error" in one]
    document: dict[str, Any] = {"ok": not failed, **({"error": failed[0]} if failed else {}), "results": results}
    warnings = [f"{one.proposal.id}: {mask(line)}" for one in decided for line in one.warnings]
    notices = [f"{one.proposal.id}: {mask(one.note)}" for one in decided if one.note]
    return document | ({"warnings": warnings} if warnings else {}) | ({"notices": notices} if notices else {})


def _error(error: OrangeError, mask: Mask, hint: str) -> dict[str, Any]:
    about: dict[str, Any] = {"code": str(error.code), "message": mask(error.message)}
    if hint:
        about["hint"] = mask(hint)
    needs = getattr(error, "details", {}).get("needs")
    return about | ({"details": {"needs": needs}} if needs else {})


def diff_of(shown: Shown, find: FindSecrets, mask: Mask) -> str:
    """The unified diff of one operation with secrets hidden; "" where it changes no text, or that is not kept."""
    operation = shown.proposal.operation
    splices, below = shown.proposal.splices, shown.below
    if below is None:
        return ""
    if operation.kind is Kind.CREATE_FILE:
        splices = (Splice(start=0, end=0, text=shown.proposal.content or ""),)
    path = mask(operation.path)
    diff = unified(below, splices, path)
    if operation.kind is Kind.CREATE_FILE:
        diff = diff.replace(f"--- a/{path}", "--- /dev/null", 1)
    after = spliced(below, splices)
    hide = hider(find, operation.path, shown.proposal.spot.relative)
    old, new = (lines_of(_hidden(text, hide)) for text in (below, after))
    return "".join(_masked(diff, old, new))


def _hidden(text: str, hide: Hide) -> str:
    """The text with secrets hidden and every line in its place: a part of a key alone does not look like one."""
    pieces: list[str] = []
    at = 0
    for first, last in hide(text):
        covered = (f"{MASK}\r" if line.endswith("\r") else MASK for line in text[first:last].split("\n"))
        pieces += [text[at:first], "\n".join(covered)]
        at = last
    return "".join([*pieces, text[at:]])


def _masked(diff: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """The diff with each line of the texts taken from their masked forms."""
    before = after = -1
    for line in lines_of(diff):
        if found := _HEAD.match(line):
            before, after = (_first(found.group(n), found.group(n + 1)) for n in (1, 3))
            yield line
        elif before < 0 or line.startswith("\\"):
            yield line
        elif line.startswith("+"):
            yield f"+{_ended(new[after])}"
            after += 1
        else:
            yield f"{line[0]}{_ended(old[before])}"
            before += 1
            after += line.startswith(" ")


def _first(number: str, count: str | None) -> int:
    """The index from 0 of a hunk's first line; one without lines names the line before it."""
    return int(number) if count == "0" else int(number) - 1


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n"
