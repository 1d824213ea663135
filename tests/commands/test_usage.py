"""`%orange usage`: per turn, session and notebook; cost only where prices are known (issue 4 item 6, R-CTX-4, wire row 29)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from orange_jupyter.app import App
from orange_jupyter.core.events import StepFinished
from orange_jupyter.core.messages import Usage
from orange_jupyter.jupyter.options import parse_options
from orange_jupyter.jupyter.ports import CellRequest, CommandReply, Where
from orange_jupyter.office import NotebookOffice
from orange_jupyter.providers.usage import usage_of
from orange_jupyter.storage.transcript import Transcript
from tests.commands.model_server import Mind, thinking
from tests.commands.test_outward import View

Say = Callable[..., Awaitable[CommandReply]]


async def ask(office: NotebookOffice, line: str, text: str) -> None:
    folder = office.app.folder
    where = Where(str(Path(folder) / "a.ipynb"), None, folder)
    await office.send(CellRequest(text, parse_options(line), where), view=View())


async def test_turns_sessions_and_the_notebook_are_summed(app: App, office: NotebookOffice, say: Say) -> None:
    """The raw counts stay in the store; a turn without prices adds tokens and no cost."""
    async with thinking(Mind()) as server:
        prices = "prices = { input = 1000.0, output = 2000.0 }"
        base = f'provider = "openai_compatible"\nbase_url = "{server.url}"\nmodel = "m-1"'
        config = f"[models.priced]\n{base}\n{prices}\n[models.free]\n{base}\n"
        app.ground.folders.config.write_text(config, encoding="utf-8")
        await ask(office, "--model free", "hello")
        unpriced = await say("usage")
        await ask(office, "--model priced", "hello again")
        await ask(office, "--new --model priced", "hello")
        reply = await say("usage")
        chinese = await say("usage", "zh")
    assert unpriced.data is not None
    assert "cost" not in unpriced.data["usage"]
    assert "[models.NAME.prices]" in unpriced.markdown.replace("\\", "")
    assert reply.data is not None
    one = reply.data["usage"]
    assert one["cost"] == pytest.approx((one["inputTokens"] * 1000 + one["outputTokens"] * 2000) / 1e6)
    whole = reply.data["notebook"]
    assert (whole["sessions"], whole["turns"], reply.data["turns"]) == (2, 3, 1)
    assert whole["usage"]["inputTokens"] > unpriced.data["usage"]["inputTokens"] + one["inputTokens"]
    assert whole["usage"]["cost"] > one["cost"]
    assert [turn["turn"] for turn in reply.data["byTurn"]] == [1]
    assert "this notebook, 2 sessions" in reply.markdown
    assert "本笔记本，2 个会话" in chinese.markdown
    events = await Transcript(app.ground.database, (await say("status")).data["session"]["sessionId"]).events()  # type: ignore[index]
    raws = [event.usage.raw for event in events if isinstance(event, StepFinished)]
    assert raws[0]["prompt_tokens"] == one["inputTokens"]


async def test_the_embedded_model_uses_nothing(office: NotebookOffice, say: Say) -> None:
    await ask(office, "", "What is the melt factor?")
    reply = await say("usage")
    assert reply.data is not None
    assert (reply.data["usage"]["inputTokens"], reply.data["turns"]) == (0, 1)


def test_usages_with_the_same_counts_are_equal_and_a_sum_has_no_raw() -> None:
    """Wire row 29: raw is kept beside the counts and is no count itself; a huge one is not kept."""
    one = usage_of({"prompt_tokens": 3, "x": 1})
    assert (one, one.raw) == (Usage(input_tokens=3), {"prompt_tokens": 3, "x": 1})
    assert hash(one) == hash(Usage(input_tokens=3))
    assert (one + one).raw == {}
    assert usage_of({"prompt_tokens": 3, "x": "y" * 5_000}).raw == {}
    assert one != Usage(input_tokens=4)
