"""`exec` through the whole dispatch with the real runner: R-EXEC-1, 6, 7, R-APPR-2, 3, R-PERM-5; A06, A10, E10–E14, S03."""

from __future__ import annotations

import asyncio
import os

import pytest

from orange_jupyter.core.grant import Tier
from tests.tools.changing import desk
from tests.tools.commanding import Room

AUTO, CONFIRM = Tier.FULL_AUTO, Tier.FULL_CONFIRM


@pytest.fixture
async def kb(tmp_path):
    room = Room(tmp_path)
    room.root.mkdir()
    yield room
    await room.close()


async def test_a_command_that_succeeds_gives_every_field(kb):
    """R-EXEC-1, R-EXEC-6, R-SCH-5: the first KB's root, output apart, true counts, untrusted."""
    got = await kb("exec", AUTO, command="pwd; echo 雪 >&2; touch new.md")
    assert got["ok"] is True
    assert got["stdout"] == f"{kb.root}\n"
    assert got["stderr"] == "雪\n"
    assert (got["exitCode"], got["timedOut"], got["cancelled"], got["truncated"]) == (0, False, False, False)
    assert (got["stdoutBytes"], got["stderrBytes"]) == (len(f"{kb.root}\n"), 4)
    assert got["cwd"] == "."
    assert got["shell"].startswith(("bash (", "sh ("))
    assert got["confinement"] == "none"
    assert got["untrusted"] is True
    assert got["changedFiles"] == [{"path": "new.md", "change": "added"}]
    assert "signal" not in got


@pytest.mark.parametrize(
    ("command", "code", "exit_code", "signal"),
    [("echo out; exit 3", "nonzero_exit", 3, None), ("kill -9 $$", "nonzero_exit", None, "SIGKILL")],
)
async def test_a_command_that_fails_is_no_success_and_keeps_its_fields(kb, command, code, exit_code, signal):
    """R-EXEC-6, E11."""
    got = await kb("exec", AUTO, command=command)
    assert got["ok"] is False
    assert got["error"]["code"] == code
    assert "may have had effects" in got["error"]["message"]
    assert (got["exitCode"], got.get("signal")) == (exit_code, signal)
    assert got["stdout"] == ("out\n" if exit_code else "")
    assert got["untrusted"] is True


async def test_a_command_over_its_time_is_timed_out(kb):
    """R-EXEC-6, E11: a status of its own, with what came until then."""
    got = await kb("exec", AUTO, command="echo first; sleep 60", timeoutSeconds=5)
    assert (got["error"]["code"], got["timedOut"], got["cancelled"]) == ("timed_out", True, False)
    assert got["stdout"] == "first\n"


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"command": "echo a\0b"}, "command"),
        ({"command": ""}, "command"),
        ({"command": " \n"}, "command"),
        ({"command": "雪" * 50_000}, "command"),
        ({"command": "x" * 100_001}, "command"),
        ({"command": "true", "timeoutSeconds": 4}, "timeoutSeconds"),
        ({"command": "true", "timeoutSeconds": 1801}, "timeoutSeconds"),
        ({"command": "true", "timeoutSeconds": "5"}, "timeoutSeconds"),
        ({"command": "true", "cwd": "a\0b"}, "cwd"),
        ({"command": "true", "shell": "zsh"}, "shell"),
    ],
)
async def test_arguments_out_of_bounds_start_nothing(kb, arguments, field):
    """R-SCH-2, E12."""
    got = await kb("exec", AUTO, **arguments)
    assert (got["error"]["code"], got["error"]["details"]["field"]) == ("invalid_argument", field)


@pytest.mark.parametrize("cwd", ["gone", "note.md", "/no/such/folder"])
async def test_a_working_folder_that_is_none_is_an_error(kb, cwd):
    """R-EXEC-1, E10: and nothing runs elsewhere."""
    (kb.root / "note.md").write_text("x")
    got = await kb("exec", AUTO, command="touch ran", cwd=cwd)
    assert got["error"]["code"] == "not_found"
    assert not list(kb.tmp.rglob("ran"))


async def test_a_first_knowledge_base_that_is_gone_is_the_same_error(kb):
    """R-EXEC-1."""
    await kb("exec", AUTO, command="true")
    kb.root.rename(kb.tmp / "elsewhere")
    got = await kb("exec", AUTO, command="touch ran")
    assert got["error"]["code"] == "not_found"
    assert not list(kb.tmp.rglob("ran"))


async def test_a_full_tier_may_name_a_folder_outside(kb):
    """R-EXEC-1, R-ALL-3."""
    outside = kb.tmp / "outside"
    outside.mkdir()
    got = await kb("exec", AUTO, command="pwd", cwd=str(outside))
    assert got["stdout"] == f"{outside}\n"


@pytest.mark.parametrize("tier", [Tier.WORKSPACE_READONLY, Tier.WORKSPACE_WRITE])
async def test_a_workspace_tier_refuses(kb, tier):
    """R-SCH-8, R-PERM-2."""
    got = await kb("exec", tier, command="touch ran")
    assert got["error"]["code"] == "denied_by_tier"
    assert not (kb.root / "ran").exists()


async def test_output_is_masked_wherever_it_goes(kb):
    """S03, R-ALL-5: the model, the envelope and a failure's fields."""
    key = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3
    folder = kb.tmp / ".aws"
    folder.mkdir()
    secret = "wJalrXUtnFEMI7K7MDENG2bPxRfiCYzEXAMPLEKEY"
    (folder / "credentials").write_text(f"[default]\naws_secret_access_key = {secret}\n")
    for end in ("", "; exit 1"):
        got = await kb("exec", AUTO, command=f"echo {key[:20]}'{key[20:]}'; cat {folder}/credentials{end}")
        shown = str(got) + kb.ran.result.content
        assert "[default]" in shown
        assert secret not in shown
        assert key not in shown


async def test_after_a_command_lists_and_search_are_right_at_once(kb):
    """R-EXEC-7."""
    (kb.root / "old.md").write_text("about glaciers\n")
    await kb("search", AUTO, query="glaciers")
    got = await kb("exec", AUTO, command="mv old.md moved.md; echo 'on avalanches' > fresh.md")
    assert {(one["path"], one["change"]) for one in got["changedFiles"]} == {
        ("old.md", "removed"),
        ("moved.md", "added"),
        ("fresh.md", "added"),
    }
    found = await kb("search", AUTO, query="avalanches")
    assert [one["path"] for one in found["citations"]] == ["fresh.md"]
    listed = await kb("list", AUTO)
    assert {one["path"] for one in listed["entries"]} == {"moved.md", "fresh.md"}


async def test_many_changed_files_are_named_in_part_and_counted(kb):
    """12-schemas, `changedFiles`: bounded."""
    got = await kb("exec", AUTO, command="for n in $(seq 130); do echo x > n$n.md; done")
    assert len(got["changedFiles"]) == 100
    assert "30 more files changed." in got["notices"]


async def test_pending_changes_on_what_a_command_changed_become_stale(tmp_path):
    """R-EXEC-7, E14: at once, and only those; what is applied then says so too."""
    async with desk(tmp_path, tier=CONFIRM) as kb:
        for name in ("a.md", "b.md", "c.md"):
            (kb.root / name).write_text("one\n")
        changed = await kb.replace("a.md", "one", "two")
        kept = await kb.replace("b.md", "one", "two")
        taken = (await kb.write("new.md", "mine\n"))["operationId"]
        gone = (await kb.edit("delete", "c.md"))["operationId"]
        got = await kb("exec", command="echo three >> a.md; echo theirs > new.md; echo more >> c.md; touch b.md")
        assert got["ok"] is True
        assert await kb.states(changed, kept, taken, gone) == ["stale", "pending", "stale", "stale"]
        assert sum("is stale" in line for line in got["notices"]) == 3
        assert (await kb.edit("replace", "a.md", oldText="one", newText="x"))["error"]["code"] == "stale_source"


async def test_stopping_the_call_ends_the_command_and_says_what_had_come(kb):
    """E11, R-EXEC-6: the turn is stopped; its record has a receipt with the output so far."""
    await kb("exec", AUTO, command="true")
    running = asyncio.create_task(kb("exec", AUTO, command="echo begun; touch half.md; sleep 60 & sleep 60"))
    while not (kb.root / "half.md").exists():
        await asyncio.sleep(0.02)
    await asyncio.sleep(0.2)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    ended = [event for event in kb.heard if event.kind == "call_finished"][-1]
    assert (ended.ok, ended.code) == (False, "cancelled")
    assert ended.envelope["stdout"] == "begun\n"
    assert ended.envelope["changedFiles"] == [{"path": "half.md", "change": "added"}]
    assert "stays" in ended.summary


async def test_links_and_protected_places_among_the_operands_are_named(kb):
    """A10: each with its real target, also a link that lies in a folder that is written to."""
    docs = kb.root / "docs"
    docs.mkdir()
    (kb.root / ".orange").mkdir()
    (kb.root / ".orange" / "config.toml").write_text("")
    (docs / "note.mp4").symlink_to(kb.root / ".orange" / "config.toml")
    outside = kb.tmp / "archive"
    outside.mkdir()
    (kb.root / "raw").symlink_to(outside)
    request = await kb.asked("exec", CONFIRM, command="cp note.mp4 docs/ && ls raw/latest > .git/hooks/x")
    said = "\n".join(request.warnings)
    assert f"docs/note.mp4 is a link to {kb.root}/.orange/config.toml, which is protected." in said
    (kb.root / ".git" / "hooks").mkdir(parents=True)
    request = await kb.asked("exec", CONFIRM, command="ls raw; echo x > .git/hooks/x")
    said = "\n".join(request.warnings)
    assert f"raw is a link to {outside}, outside the knowledge bases." in said
    assert ".git/hooks/x is protected" in said


@pytest.mark.parametrize(
    "command", ["bash run.sh", "cd sub && bash ../run.sh", 'bash -c "sh run.sh"', "cat < run.sh | sh"]
)
async def test_a_file_that_changed_after_it_was_shown_voids_the_approval(kb, command):
    """A06: bound by content, also behind a folder change, in a nested script and as a redirection."""
    (kb.root / "sub").mkdir()
    script = kb.root / "run.sh"
    script.write_text("touch ran\n")
    state = os.stat(script)

    async def meanwhile():
        script.write_text("touch bad\n")
        os.utime(script, ns=(state.st_atime_ns, state.st_mtime_ns))

    got = await kb.while_asked(meanwhile, "exec", CONFIRM, command=command)
    assert got["error"]["code"] == "approval_mismatch"
    assert not list(kb.tmp.rglob("bad"))
    got = await kb.while_asked(None, "exec", CONFIRM, command=command)
    assert got["ok"] is True
    assert list(kb.tmp.rglob("bad"))


async def test_a_working_folder_that_was_replaced_voids_the_approval(kb):
    """E10: by another folder or by a link."""
    sub = kb.root / "sub"
    for number in range(2):
        sub.mkdir()

        async def meanwhile(number=number):
            sub.rename(kb.tmp / f"away{number}")
            if number:
                sub.symlink_to(kb.tmp / f"away{number}")
            else:
                sub.mkdir()

        got = await kb.while_asked(meanwhile, "exec", CONFIRM, command="touch ran", cwd="sub")
        assert got["error"]["code"] in ("approval_mismatch", "link_escape", "not_found")
        assert not list(kb.tmp.rglob("ran"))
        sub.rmdir() if not number else sub.unlink()


async def test_every_call_asks_with_the_facts_of_the_command(kb):
    """R-PERM-5, R-APPR-1: in full-confirm each one, and the card's facts are of the command itself."""
    request = await kb.asked("exec", CONFIRM, command="echo 1", timeoutSeconds=30)
    facts = dict(request.facts)
    assert facts["working folder"] == str(kb.root)
    assert facts["time limit"].startswith("30 s")
    assert "bash" in facts["shell"] or "sh" in facts["shell"]
    assert facts["confinement"].startswith("none")
    before = len(kb.person.asked)
    await kb.asked("exec", CONFIRM, command="echo 1", timeoutSeconds=30)
    assert len(kb.person.asked) == before + 1
