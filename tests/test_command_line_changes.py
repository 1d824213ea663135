"""`changes` on the command line as other programs drive it: R-HL-2, R-SCH-10, R-CHG-8, R-CHG-10, R-PERM-9, R-PLAN-2."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys

import pytest

from orange_jupyter.__main__ import main

FIELDS = {
    *("operationId", "changeSetId", "kind", "knowledgeBaseId", "path", "state", "summary", "charsBefore", "charsAfter"),
    *("affectedFiles", "dependsOn", "warnings", "createdAt"),
}
KEY = "sk-ant-api03-" + "Q7x" * 20
KILLS = ("rename", "renameat2", "unlinkat")
"""Calls that change the disk: one that keeps the journal, one that exchanges the file, one that drops the old one."""
PROGRAM = (sys.executable, "-m", "orange_jupyter")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A knowledge base and an installation of its own; the working folder is another one."""
    for name in ("home", "cache"):
        monkeypatch.setenv(f"ORANGE_{name.upper()}", str(tmp_path / name))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_bytes("\ufeff# 率定\r\n取 4.1 mm\r\n末".encode())
    (tmp_path / "notes" / "b.md").write_bytes(b"# B\n\nfactor 4.1\n")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return tmp_path


@pytest.fixture
def run(place, capfdbinary):
    """Run one command line in this process: (status, the JSON document or text)."""

    def once(*words):
        status = main(list(words))
        out, err = capfdbinary.readouterr()
        assert b"Traceback" not in out + err
        once.err = err.decode()
        return status, json.loads(out) if "--json" in words else out.decode() + err.decode()

    return once


@pytest.fixture
def edit(place, run):
    """Propose that 4.1 becomes 4.6 in a note, or another change: the operation's id."""

    def propose(path="a.md", *options, **changes):
        arguments = {"operation": "replace", "path": path, "oldText": "4.1", "newText": "4.6"} | changes
        arguments = {name: value for name, value in arguments.items() if value is not None}
        tier = () if "--tier" in options else ("--tier", "workspace-write")
        words = ("tool", "edit", json.dumps(arguments), "--kb", str(place / "notes"), *tier, *options, "--json")
        status, document = run(*words)
        assert status == 0, document
        return document["operationId"]

    return propose


def process(*words):
    """Another process: (status, its document)."""
    done = subprocess.run([*PROGRAM, *words], capture_output=True, text=True, timeout=60, check=False)
    assert "Traceback" not in done.stderr
    return done.returncode, json.loads(done.stdout)


def states(document):
    return [one["state"] for one in document["results"]]


def operations(document):
    return [one for some in document["changeSets"] for one in some["operations"]]


def test_each_step_may_be_a_process_of_its_own(place):
    """R-CHG-10, R-SCH-10, R-CHG-9: propose, list, show, apply, undo; `changes` needs no --kb; the bytes come back."""
    note = place / "notes" / "a.md"
    before = note.read_bytes()
    arguments = json.dumps({"operation": "replace", "path": "a.md", "oldText": "4.1", "newText": "4.6"})
    options = ("--kb", str(place / "notes"), "--tier", "workspace-write", "--json")
    _, made = process("tool", "edit", arguments, *options)
    status, listed = process("changes", "list", "--json")
    (only,) = listed["changeSets"]
    (one,) = only["operations"]
    assert (status, only["changeSetId"], one["operationId"]) == (0, made["changeSetId"], made["operationId"])
    assert set(one) == {*FIELDS, "baseHash"}
    assert (one["state"], one["path"], one["kind"]) == ("pending", "a.md", "replace")
    assert one["baseHash"] == f"sha256:{hashlib.sha256(before).hexdigest()}"
    _, shown = process("changes", "show", made["operationId"], "--json")
    assert "-取 4.1 mm\r\n+取 4.6 mm\r\n" in operations(shown)[0]["diff"]
    assert process("changes", "apply", made["operationId"], "--json") == (
        0, {"ok": True, "results": [{"operationId": made["operationId"], "state": "applied"}]},
    )  # fmt: skip
    assert note.read_bytes() == before.replace(b"4.1", b"4.6")
    _, listed = process("changes", "list", "--json")
    applied = operations(listed)[0]
    assert set(applied) == {*FIELDS, "baseHash", "appliedHash", "decidedAt"}
    assert applied["appliedHash"] == f"sha256:{hashlib.sha256(note.read_bytes()).hexdigest()}"
    assert process("changes", "undo", "--json")[1]["results"][0]["state"] == "undone"
    assert note.read_bytes() == before


def test_a_diff_of_show_is_one_that_git_applies(place, run, edit):
    """R-SCH-10: of an edited file with Windows lines, and of a new one."""
    edit(newText="4.6 mm\n新的一行")
    new = {"kind": "file", "targetPath": "new.md", "content": "eins\nzwei"}
    kb = ("--kb", str(place / "notes"), "--tier", "workspace-write")
    run("tool", "write", json.dumps(new), *kb, "--json")
    _, shown = run("changes", "show", "--json")
    copy = place / "copy"
    copy.mkdir()
    (copy / "a.md").write_bytes((place / "notes" / "a.md").read_bytes()[3:])  # a diff is of the text after the mark
    diff = "".join(one["diff"] for one in operations(shown))
    subprocess.run(["git", "apply", "-"], input=diff.encode(), cwd=copy, check=True, capture_output=True)
    run("changes", "apply", "--json")
    assert (copy / "a.md").read_bytes() == (place / "notes" / "a.md").read_bytes()[3:]
    assert (copy / "new.md").read_bytes() == (place / "notes" / "new.md").read_bytes() == b"eins\nzwei"


@pytest.mark.parametrize("verb", ["apply", "undo"])
def test_a_process_killed_in_the_middle_leaves_old_or_new_and_the_next_one_knows_which(place, edit, run, verb):
    """R-CHG-7, R-CHG-10: SIGKILL at calls that change the disk; the file and what the list says agree, nothing stays half."""
    note = place / "notes" / "b.md"
    texts = {"pending": b"# B\n\nfactor 4.1\n", "applied": b"# B\n\nfactor 4.6\n", "undone": b"# B\n\nfactor 4.1\n"}
    traced = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={','.join(KILLS)}", "-e"]
    killed, seen = 0, []
    for called in KILLS:
        name = edit("b.md")
        if verb == "undo":
            assert run("changes", "apply", name, "--json")[0] == 0
        words = [*traced, f"inject={called}:signal=SIGKILL:when=1", *PROGRAM, "changes", verb, name, "--json"]
        done = subprocess.run(words, capture_output=True, timeout=60, check=False)
        assert done.returncode in (0, -signal.SIGKILL, 128 + signal.SIGKILL)
        killed += done.returncode != 0
        seen.append(operations(run("changes", "list", "--json")[1])[-1]["state"])
        assert note.read_bytes() == texts[seen[-1]]
        assert sorted(one.name for one in note.parent.iterdir()) == ["a.md", "b.md"]
        again = {"pending": "reject", "applied": "undo"}.get(seen[-1])
        assert again is None or run("changes", again, name, "--json")[0] == 0
    assert killed == len(KILLS)
    assert len(set(seen)) == 2


def test_full_auto_applies_this_turns_changes_and_leaves_older_ones(place, run, edit):
    """R-CHG-8, C24: also a new one that builds on an older one waits with it."""
    older = edit("a.md")
    edit("b.md", "--tier", "full-auto")
    above = edit("a.md", "--tier", "full-auto", oldText="4.6", newText="4.7")
    _, listed = run("changes", "list", "--json")
    assert [(one["path"], one["state"]) for one in operations(listed)] == [
        ("a.md", "pending"), ("b.md", "applied"), ("a.md", "pending"),
    ]  # fmt: skip
    assert b"4.1" in (place / "notes" / "a.md").read_bytes()
    assert (place / "notes" / "b.md").read_bytes() == b"# B\n\nfactor 4.6\n"
    status, document = run("changes", "apply", above, "--json")
    assert (status, document["results"][0]["error"]["details"]["needs"]) == (1, [older])
    assert run("changes", "apply", older, above, "--json")[0] == 0
    assert b"4.7" in (place / "notes" / "a.md").read_bytes()


@pytest.mark.parametrize("tier", ["workspace-write", "full-confirm", "full-auto"])
def test_a_protected_name_is_changed_only_with_its_own_yes(place, run, tier):
    """A11, R-PERM-9: in any tier; with it, it is a change like others, which waits outside full-auto."""
    folder = place / "notes" / ".vscode"
    folder.mkdir()
    (folder / "x.md").write_text("factor 4.1\n")
    arguments = json.dumps({"operation": "replace", "path": ".vscode/x.md", "oldText": "4.1", "newText": "4.6"})
    words = ("tool", "edit", arguments, "--kb", str(place / "notes"), "--tier", tier, "--json")
    status, refused = run(*words)
    assert (status, refused["error"]["code"]) == (1, "needs_person")
    assert (folder / "x.md").read_text() == "factor 4.1\n"
    assert operations(run("changes", "list", "--json")[1]) == []
    status, made = run(*words, "--yes")
    assert (status, made["state"]) == (0, "applied" if tier == "full-auto" else "pending")
    assert (folder / "x.md").read_text() == ("factor 4.6\n" if tier == "full-auto" else "factor 4.1\n")


def test_a_session_s_stored_rights_decide_and_a_run_s_do_not(place, run, edit):
    """R-SCH-10, R-PLAN-2: `--tier` of one run is not kept; rejecting is always allowed; the refusal says what to do."""
    name = edit("a.md", "--session", "field")
    status, refused = run("changes", "apply", name, "--session", "field", "--json")
    assert (status, refused["error"]["code"]) == (1, "denied_by_tier")
    assert "%orange tier" in refused["error"]["hint"]
    assert b"4.1" in (place / "notes" / "a.md").read_bytes()
    assert run("changes", "show", name, "--session", "field", "--json")[0] == 0
    status, unknown = run("changes", "apply", name, "--json")
    assert (status, unknown["error"]["code"]) == (1, "not_found")
    _, rejected = run("changes", "reject", "--session", "field", "--json")
    assert states(rejected) == ["rejected"]
    assert run("changes", "list", "--session", "nobody", "--json")[1]["error"]["code"] == "not_found"


def test_some_done_and_some_not_is_status_1_with_a_result_for_each(place, run, edit):
    """R-SCH-10: `ok` only if all succeeded; what could be done is done; a second time is no success either."""
    first, second = edit("a.md"), edit("b.md")
    (place / "notes" / "b.md").write_bytes(b"other\n")
    status, document = run("changes", "apply", "--json")
    assert (status, document["ok"], document["error"]["code"]) == (1, False, "stale_source")
    assert {one["operationId"]: one["state"] for one in document["results"]} == {first: "applied", second: "stale"}
    assert f"orange-jupyter changes reject {second}" in document["error"]["hint"]
    assert (place / "notes" / "b.md").read_bytes() == b"other\n"
    (place / "notes" / "a.md").write_bytes(b"written since\n")
    status, kept = run("changes", "undo", first, "--json")
    assert (status, kept["error"]["code"], states(kept)) == (1, "stale_source", ["applied"])
    assert f"changes show {first}" in kept["error"]["hint"]
    assert (place / "notes" / "a.md").read_bytes() == b"written since\n"
    status, again = run("changes", "apply", first, "--json")
    assert (status, again["results"][0]["error"]["code"]) == (1, "nothing_to_do")
    status, text = run("changes", "list")
    assert status == 0
    assert f"orange-jupyter changes reject {second}" in text
    assert "\\" not in text


def test_nothing_to_decide_is_said_plainly(run):
    """R-SCH-10: an installation without a session yet is not an error; nothing to undo is."""
    assert run("changes", "list", "--json") == (0, {"ok": True, "changeSets": []})
    assert run("changes", "apply", "--json") == (0, {"ok": True, "results": []})
    status, document = run("changes", "undo", "--json")
    assert (status, document["error"]["code"]) == (1, "nothing_to_do")
    assert run("changes", "aply", "--json")[0] == 2
    assert run("session", "list", "--json")[1]["sessions"] == []


def test_secrets_are_masked_in_every_form(place, run, edit):
    """S03, R-ALL-5: texts and documents may be piped and kept; the note keeps its own bytes."""
    note = place / "notes" / "b.md"
    note.write_text(f"# B\n\n{KEY} 4.1\n")
    edit("b.md")
    for words in (("changes", "list"), ("changes", "show"), ("changes", "show", "--json")):
        assert KEY not in json.dumps(run(*words)[1])
    assert "⟦masked⟧ 4.6" in run("changes", "show")[1]
    run("changes", "apply")
    assert note.read_text() == f"# B\n\n{KEY} 4.6\n"


def test_ask_leaves_changes_waiting_and_says_where(place, run):
    """R-APPR-4, R-SCH-10: `changes[]` are this turn's Operation objects; the line on stderr can be typed as it is."""
    edits = {"operation": "replace", "path": "a.md", "oldText": "4.1", "newText": "4.6"}
    script = place / "script.json"
    replies = [{"calls": [{"name": "edit", "arguments": edits}]}, {"text": "Proposed."}] * 2
    script.write_text(json.dumps({"replies": replies}))
    run("model", "add", "m", "--provider", "scripted", "--script", str(script), "--json")
    words = ("ask", "Please correct it", "--kb", str(place / "notes"), "--model", "m", "--json", "--tier")
    status, answer = run(*words, "workspace-write")
    (change,) = answer["changes"]
    assert (status, answer["ok"], change["state"], set(change)) == (0, True, "pending", {*FIELDS, "baseHash"})
    assert b"4.1" in (place / "notes" / "a.md").read_bytes()
    line = f"orange-jupyter changes show --session {answer['session']['sessionId']}"
    assert f"1 change is proposed and waits for you: {line}" in run.err
    assert operations(run(*line.split()[1:], "--json")[1])[0]["operationId"] == change["operationId"]
    status, answer = run(*words, "full-auto")
    assert [one["state"] for one in answer["changes"]] == ["applied"]
    assert "waits for you" not in run.err
    assert os.path.getsize(place / "notes" / "a.md")
