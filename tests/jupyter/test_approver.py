"""The approver with stages that are real but small: who is asked, what counts, what is withdrawn."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Literal

import pytest

from orange_jupyter.core.approval import ApprovalRequest, Outcome, TierRequest
from orange_jupyter.core.grant import Effect, Tier
from orange_jupyter.core.ports import Answer
from orange_jupyter.jupyter.approver import STAGE, NotebookApprover, Reply, Request
from orange_jupyter.jupyter.people import Front
from orange_jupyter.jupyter.strings import Language

DIGEST = "d" * 64


@dataclass
class Table:
    """A stage that keeps what it was told. `typed` is what the person types; None where no input is taken."""

    front: Front = Front.NOTEBOOK
    language: Language = "en"
    draws: bool = True
    typed: str | None = None
    shown: list[Request] = field(default_factory=list)
    ended: list[Outcome] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def show(self, request: Request) -> None:
        self.shown.append(request)

    def withdraw(self, request: Request, outcome: Outcome) -> None:
        self.ended.append(outcome)

    async def drawn(self) -> Literal[True]:
        if not self.draws:
            await asyncio.get_running_loop().create_future()
        return True

    async def prompt(self, text: str) -> str | None:
        self.asked.append(text)
        return self.typed


def call(operation: str = "op_1", target: str = "make\u202e docs") -> ApprovalRequest:
    return ApprovalRequest(
        operation_id=operation,
        session_id="s",
        turn_id="t",
        permission_version=3,
        tool="exec",
        effect=Effect.RUN,
        operation="run",
        target=target,
        arguments='{"command":"make"}',
        facts=(("working folder", "/kb"),),
        digest=DIGEST,
    )


def tier(wanted: Tier = Tier.FULL_AUTO) -> TierRequest:
    return TierRequest(
        operation_id="op_t", session_id="s", current=Tier.WORKSPACE_WRITE, wanted=wanted, permission_version=3
    )


@pytest.fixture
def approver() -> NotebookApprover:
    return NotebookApprover(handshake=0.05)


async def asking(approver: NotebookApprover, stage: Table, request: ApprovalRequest) -> asyncio.Task[Answer]:
    STAGE.set(stage)
    task = asyncio.create_task(approver.ask(request))
    async with asyncio.timeout(5):
        while not stage.shown:
            await asyncio.sleep(0)
    return task


async def test_the_first_fitting_answer_counts_and_only_once(approver: NotebookApprover) -> None:
    """R-APPR-3, A04, A05."""
    stage = Table()
    task = await asking(approver, stage, call())
    assert approver.take(Reply("op_1", "0" * 64, Outcome.APPROVED)) == "card.expired"
    assert approver.take(Reply("op_1", "é", Outcome.APPROVED)) == "card.expired"
    assert approver.take(Reply("op_1", DIGEST, Outcome.NEEDS_PERSON)) == "card.expired"
    assert approver.take(Reply("op_0", DIGEST, Outcome.APPROVED)) == "card.expired"
    assert not task.done()
    assert approver.take(Reply("op_1", DIGEST, Outcome.DENIED, "不行")) is None
    assert approver.take(Reply("op_1", DIGEST, Outcome.APPROVED)) == "card.answered"
    assert await task == Answer(Outcome.DENIED, DIGEST, "不行")
    assert approver.take(Reply("op_1", DIGEST, Outcome.APPROVED)) == "card.answered"
    assert stage.ended == [Outcome.DENIED]


async def test_cancelling_withdraws_the_card_and_a_late_click_hears_why(approver: NotebookApprover) -> None:
    """R-PERM-8, A02, A21."""
    stage = Table()
    task = await asking(approver, stage, call())
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled()
    assert stage.ended == [Outcome.CANCELLED]
    assert approver.take(Reply("op_1", DIGEST, Outcome.APPROVED)) == "card.rights_changed"


@pytest.mark.parametrize("stage", [None, Table(front=Front.NOBODY)])
async def test_without_a_person_the_answer_is_needs_person_at_once(
    approver: NotebookApprover, stage: Table | None
) -> None:
    """R-APPR-4, A18: also for a question that belongs to no cell."""
    STAGE.set(stage)
    assert (await approver.ask(call())).outcome is Outcome.NEEDS_PERSON
    assert await approver.confirm(tier()) is Outcome.NEEDS_PERSON
    assert stage is None or not stage.shown


@pytest.mark.parametrize(
    ("typed", "outcome"),
    [("yes", Outcome.APPROVED), (" yes ", Outcome.APPROVED), ("y", Outcome.DENIED), ("", Outcome.DENIED), (None, None)],
)
async def test_a_card_that_nobody_draws_is_asked_at_a_prompt(
    approver: NotebookApprover, typed: str | None, outcome: Outcome | None
) -> None:
    """R-APPR-4: everything of the card in words, invisible characters as escapes; no input taken is nobody."""
    stage = Table(draws=False, typed=typed)
    STAGE.set(stage)
    answer = await approver.ask(call())
    assert answer.outcome is (outcome or Outcome.NEEDS_PERSON)
    assert "make\\u202e docs" in stage.asked[0]
    assert "Working folder: /kb" in stage.asked[0]
    assert "Type yes to allow it" in stage.asked[0]


@pytest.mark.parametrize(
    ("typed", "outcome"), [("是", Outcome.APPROVED), ("yes", Outcome.APPROVED), ("不", Outcome.DENIED)]
)
async def test_a_prompt_speaks_the_sessions_language(approver: NotebookApprover, typed: str, outcome: Outcome) -> None:
    """R-UI-8: call and tier in Chinese; every label of the card is there."""
    stage = Table(front=Front.TERMINAL, typed=typed, language="zh")
    STAGE.set(stage)
    assert (await approver.ask(call())).outcome is outcome
    await approver.confirm(tier())
    assert "运行这条命令？" in stage.asked[0]
    assert "工作目录：/kb" in stage.asked[0]
    assert "输入 是 表示允许" in stage.asked[0]
    assert "不再询问" in stage.asked[1]
    assert "输入 full-auto 表示允许" in stage.asked[1]


async def test_what_is_over_says_how_it_ended(approver: NotebookApprover) -> None:
    """A03: answered, cancelled, or not known here at all; nothing while it waits."""
    stage = Table()
    task = await asking(approver, stage, call())
    assert approver.why("op_1") is None
    approver.take(Reply("op_1", DIGEST, Outcome.DENIED))
    assert approver.why("op_1") == "card.answered"
    await task
    assert approver.why("op_1") == "card.answered"
    assert approver.why("op_of_another_kernel") == "card.expired"


@pytest.mark.parametrize(
    ("typed", "outcome"),
    [("full-auto", Outcome.APPROVED), ("full-confirm", Outcome.DENIED), ("yes", Outcome.DENIED)],
)
async def test_a_full_tier_takes_its_own_name_in_a_terminal(
    approver: NotebookApprover, typed: str, outcome: Outcome
) -> None:
    """R-PERM-3: what it opens is named first."""
    stage = Table(front=Front.TERMINAL, typed=typed)
    STAGE.set(stage)
    assert await approver.confirm(tier()) is outcome
    assert "There is no sandbox" in stage.asked[0]
    assert "Nothing will ask" in stage.asked[0]
    assert not stage.shown


async def test_two_questions_wait_side_by_side(approver: NotebookApprover) -> None:
    """Each answer finds its own."""
    one, other = Table(), Table()
    first = await asking(approver, one, call("op_1"))
    second = await asking(approver, other, call("op_2"))
    approver.take(Reply("op_2", DIGEST, Outcome.APPROVED))
    approver.take(Reply("op_1", DIGEST, Outcome.DENIED))
    assert ((await first).outcome, (await second).outcome) == (Outcome.DENIED, Outcome.APPROVED)
