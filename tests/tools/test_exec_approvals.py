"""What a click on a command's card can do: R-PERM-3…5, R-PERM-8, R-PERM-10, R-APPR-2…4; case A02, A03, A06, A09's kin."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
from dataclasses import replace

import pytest

from orange_jupyter.core.approval import ApprovalRequest, Outcome, TierRequest
from orange_jupyter.core.declare import declare
from orange_jupyter.core.grant import Child, Grant, Switches, Tier
from orange_jupyter.core.ports import Answer
from orange_jupyter.jupyter.approver import STAGE, NotebookApprover, Reply
from orange_jupyter.tools import TOOLS, tools_for
from tests.jupyter.test_approver import Table
from tests.tools.commanding import Room

AUTO, CONFIRM = Tier.FULL_AUTO, Tier.FULL_CONFIRM


@pytest.fixture
async def kb(tmp_path):
    room = Room(tmp_path)
    room.root.mkdir()
    yield room
    await room.close()


def offered(**grant):
    return {schema.name: schema for schema in declare(tools_for("bash (/bin/bash)").values(), Grant(**grant))}


@pytest.mark.parametrize("tier", list(Tier))
@pytest.mark.parametrize("plan", [False, True])
@pytest.mark.parametrize("on", [False, True])
@pytest.mark.parametrize("child", [None, Child(name="r", tools=frozenset({"exec", "search"}))])
def test_exec_is_declared_only_where_it_can_run(tier, plan, on, child):
    """R-PERM-4, R-PERM-7, R-SCH-8: full tiers, no plan mode, the switch on, never a child."""
    there = "exec" in offered(tier=tier, plan=plan, switches=Switches(exec=on), child=child)
    assert there is (tier.full and not plan and on and child is None)


def test_the_shell_is_declared_and_that_nothing_is_kept():
    """R-EXEC-2, R-EXEC-3, R-SCH-1: the parameters are those of 12-schemas."""
    schema = offered(tier=AUTO)["exec"]
    assert "bash (/bin/bash)" in schema.description
    assert "no folder, variable or function is kept" in schema.description
    properties = schema.parameters["properties"]
    assert sorted(properties) == ["command", "cwd", "timeoutSeconds"]
    assert schema.parameters["required"] == ["command"]
    assert (properties["command"]["minLength"], properties["command"]["maxLength"]) == (1, 100_000)
    limit = properties["timeoutSeconds"]
    assert (limit["type"], limit["default"], limit["minimum"], limit["maximum"]) == ("integer", 120, 5, 1800)
    assert [tool.name for tool in TOOLS].count("exec") == 1


@pytest.mark.parametrize(("tier", "asks"), [(CONFIRM, 3), (AUTO, 0)])
async def test_full_confirm_asks_each_time_and_full_auto_never(kb, tier, asks):
    """R-PERM-5: no command is remembered."""
    for _ in range(3):
        assert (await kb("exec", tier, command="true"))["ok"] is True
    assert len(kb.person.asked) == asks


async def test_plan_mode_and_the_switch_refuse_before_anything_is_looked_at(kb):
    """R-PERM-4, R-PLAN-2, R-SCH-8: nobody is asked, nothing runs, and the reason says what to change."""
    _, opened = await kb.opened(CONFIRM)
    await opened.session.set_plan(True)
    assert (await kb("exec", CONFIRM, command="touch ran", cwd="gone"))["error"]["code"] == "denied_by_plan"
    await opened.session.set_plan(False)
    opened.session._parts = replace(opened.session._parts, switches=Switches(exec=False))
    got = await kb("exec", CONFIRM, command="touch ran", cwd="gone")
    assert got["error"]["code"] == "feature_off"
    assert "switches.exec" in got["error"]["message"]
    assert not kb.person.asked
    assert not (kb.root / "ran").exists()


async def test_two_hundred_false_approvals_run_nothing(kb):
    """R-APPR-2, R-APPR-3: forged, stale, replayed and mutated digests; other outcomes; rights that moved meanwhile."""
    rng = random.Random(7)
    seen: list[str] = []
    _, opened = await kb.opened(CONFIRM)

    class Forger:
        """Answers each question wrongly in another way."""

        async def ask(self, request: ApprovalRequest) -> Answer:
            seen.append(request.digest)
            kind = rng.randrange(6)
            if kind == 0:
                return Answer(Outcome.APPROVED, f"{rng.getrandbits(256):064x}")
            if kind == 1:
                return Answer(Outcome.APPROVED, rng.choice(seen[:-1] or ["0" * 64]))
            if kind == 2:
                at = rng.randrange(64)
                other = rng.choice([one for one in "0123456789abcdef" if one != request.digest[at]])
                return Answer(Outcome.APPROVED, request.digest[:at] + other + request.digest[at + 1 :])
            if kind == 3:
                return Answer(Outcome.APPROVED, rng.choice(["", request.digest.upper(), request.digest + " ", "null"]))
            if kind == 4:
                outcome = rng.choice([Outcome.DENIED, Outcome.CANCELLED, Outcome.EXPIRED, Outcome.NEEDS_PERSON])
                return Answer(outcome, request.digest)
            await opened.session.set_plan(True)
            await opened.session.set_plan(False)
            return Answer(Outcome.APPROVED, request.digest)

        async def confirm(self, request: TierRequest) -> Outcome:
            return Outcome.DENIED

    opened.session._parts = replace(opened.session._parts, approver=Forger())
    for number in range(200):
        got = await kb("exec", CONFIRM, command=f"touch ran{number}")
        assert got["error"]["code"] in (
            *("approval_mismatch", "approval_expired", "approval_denied", "needs_person", "permission_changed"),
        )
    assert len(seen) == 200
    assert len(set(seen)) == 200
    assert not list(kb.root.iterdir())


async def test_a_double_click_runs_once(tmp_path):
    """R-APPR-3: the first answer counts, the second does nothing and says why; so does one with a card's old digest."""
    approver, table = NotebookApprover(), Table()
    room = Room(tmp_path, approver)
    room.root.mkdir()
    STAGE.set(table)
    running = asyncio.create_task(room("exec", CONFIRM, command="echo x >> count"))
    while not table.shown:
        await asyncio.sleep(0.01)
    request = table.shown[0]
    click = Reply(request.operation_id, request.digest, Outcome.APPROVED)
    assert approver.take(Reply(request.operation_id, "0" * 64, Outcome.APPROVED)) == "card.expired"
    assert approver.take(click) is None
    assert approver.take(click) == "card.answered"
    assert (await running)["ok"] is True
    assert approver.take(click) == "card.answered"
    assert (room.root / "count").read_text() == "x\n"
    await room.close()


def test_on_the_command_line_yes_approves_and_nobody_refuses(tmp_path):
    """R-APPR-4, R-PERM-3, R-HL-2, S03: one call, envelope as printed, exit status; no tier from anywhere but the flag."""
    root = tmp_path / "kb"
    root.mkdir()
    places = {"ORANGE_HOME": str(tmp_path / "home"), "ORANGE_CACHE": str(tmp_path / "cache"), "HOME": str(tmp_path)}
    environ = places | {"PATH": "/usr/local/bin:/usr/bin:/bin", "OPENAI_API_KEY": "sk-proj-" + "a1B2c3D4e5F6" * 4}

    def tool(*options: str) -> tuple[int, dict]:
        arguments = json.dumps({"command": "touch ran; printenv; exit 4"})
        words = [sys.executable, "-m", "orange_jupyter", "tool", "exec", arguments]
        ran = subprocess.run(
            [*words, "--kb", str(root), *options], env=environ, cwd=root, capture_output=True, text=True, check=False
        )
        return ran.returncode, json.loads(ran.stdout)

    status, refused = tool("--tier", "full-confirm", "--json")
    assert (status, refused["error"]["code"]) == (1, "needs_person")
    assert not (root / "ran").exists()
    status, got = tool("--tier", "full-confirm", "--yes", "--json")
    assert (status, got["error"]["code"], got["exitCode"]) == (1, "nonzero_exit", 4)
    assert (root / "ran").exists()
    assert "HOME=" in got["stdout"]
    assert "OPENAI" not in got["stdout"]
