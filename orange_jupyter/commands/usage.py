"""`%orange usage`: tokens and cost of each turn, of the session, and of all sessions of the notebook (R-CTX-4)."""

from __future__ import annotations

from dataclasses import dataclass, field

from orange_jupyter.commands.standing import Standing, none, table
from orange_jupyter.core.events import Event, StepFinished, TurnFinished, TurnStarted
from orange_jupyter.core.messages import Usage
from orange_jupyter.jupyter.ports import CommandReply
from orange_jupyter.storage.transcript import Transcript
from orange_jupyter.turns import usage_document


@dataclass(frozen=True, slots=True)
class _Sum:
    """Some turns together."""

    usage: Usage = field(default_factory=Usage)
    steps: int = 0
    seconds: float = 0.0
    turns: int = 0

    def __add__(self, other: _Sum) -> _Sum:
        return _Sum(
            self.usage + other.usage, self.steps + other.steps, self.seconds + other.seconds, self.turns + other.turns
        )

    def row(self, name: object, *, priced: bool) -> tuple[object, ...]:
        """One line of the table; a cost only where it is known."""
        used = self.usage
        cost = ("" if used.cost is None else f"{used.cost:,.4f}",) if priced else ()
        counts = (used.input_tokens, used.cache_read_tokens, used.output_tokens, self.steps)
        return (name, *(f"{count:,}" for count in counts), f"{self.seconds:,.1f}", *cost)


async def usage(at: Standing, words: tuple[str, ...]) -> CommandReply:
    """What was used; a turn that was cut off counts by its finished steps."""
    none(words, "%orange usage", at.say)
    own = at.opened.record.session_id
    turns = await _turns(at, own)
    session = sum((turn for _, turn in turns), _Sum())
    others = [record for record in await at.app.ground.sessions.list() if _same_notebook(at, record.notebook)]
    ids = dict.fromkeys((own, *(record.session_id for record in others)))
    sums = [session if one == own else sum((turn for _, turn in await _turns(at, one)), _Sum()) for one in ids]
    notebook = sum(sums, _Sum())
    data = {
        "ok": True,
        "usage": usage_document(session.usage),
        "turns": len(turns),
        "byTurn": [
            {"turn": number, "steps": turn.steps, "usage": usage_document(turn.usage)} for number, turn in turns
        ],
        "notebook": {"sessions": len(ids), "turns": notebook.turns, "usage": usage_document(notebook.usage)},
    }
    return CommandReply(_shown(at, turns, (session, notebook, len(ids))), data)


def _shown(at: Standing, turns: list[tuple[int, _Sum]], together: tuple[_Sum, _Sum, int]) -> str:
    say = at.say
    session, notebook, count = together
    priced = notebook.usage.cost is not None
    rows = [turn.row(number, priced=priced) for number, turn in turns]
    rows.append(session.row(say("usage.session"), priced=priced))
    if at.where.notebook is not None:
        rows.append(notebook.row(say("usage.notebook", n=count), priced=priced))
    keys = ("turn", "in", "cached", "out", "steps", "seconds", *(("cost",) if priced else ()))
    shown = table([say(f"usage.{key}") for key in keys], rows)
    return shown if priced else f"{shown}\n\n{say('usage.unpriced')}"


def _same_notebook(at: Standing, notebook: str | None) -> bool:
    return notebook is not None and notebook == at.where.notebook


async def _turns(at: Standing, session_id: str) -> list[tuple[int, _Sum]]:
    """(number from 1, sum) of a session's turns."""
    found: list[_Sum] = []
    for event in await Transcript(at.app.ground.database, session_id).events():
        _count(found, event)
    return list(enumerate(found, 1))


def _count(found: list[_Sum], event: Event) -> None:
    match event:
        case TurnStarted():
            found.append(_Sum(turns=1))
        case StepFinished() if found:
            found[-1] += _Sum(event.usage, steps=1)
        case TurnFinished() if found:
            found[-1] += _Sum(seconds=event.seconds)
        case _:
            pass
