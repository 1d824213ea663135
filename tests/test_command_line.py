"""The command line as other programs drive it: R-HL-2, R-SCH-10, R-SCH-4, R-PERM-2, R-PERM-5, R-APPR-4, R-ALL-1, R-HL-3."""

from __future__ import annotations

import io
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from orange_jupyter.__main__ import main

NOTE = "---\ntitle: Melt log\ntags: [snow]\n---\n# Melt log\n\nThe degree-day factor of run 17 is 4.6 mm per day.\n\n## 坡向\n\n北坡的融雪系数偏低，约为 2.8。\n"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A knowledge base, an outside folder, and an installation of its own."""
    for name in ("home", "cache"):
        monkeypatch.setenv(f"ORANGE_{name.upper()}", str(tmp_path / name))
    base = tmp_path / "notes"
    (base / "sub").mkdir(parents=True)
    (base / "melt.md").write_text(NOTE, encoding="utf-8")
    (base / "sub" / "其他.txt").write_text("完全无关的文字，讲的是城市道路。\n", encoding="utf-8")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "plan.txt").write_text("CANARY outside text", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(place, capfdbinary):
    """Run one command line in this process: (status, the JSON document or text)."""

    def once(*words: str, stdin: str | None = None) -> tuple[int, object]:
        before = sys.stdin
        if stdin is not None:
            sys.stdin = io.StringIO(stdin)
        try:
            status = main(list(words))
        finally:
            sys.stdin = before
        out, err = capfdbinary.readouterr()
        assert b"Traceback" not in out + err
        text = out.decode()
        return status, json.loads(text) if "--json" in words else text + err.decode()

    return once


def test_ask_answers_with_citations_that_open_the_passage(run, place):
    """R-HL-2, R-MOD-7, R-SRCH-4: the document has every field, the passage is byte-equal to the file at its range."""
    status, document = run("ask", "What is the degree-day factor of run 17?", "--kb", "notes", "--json")
    assert status == 0
    assert {"ok", "answer", "citations", "changes", "steps", "usage", "stopReason", "session", "turnId"} <= set(
        document
    )
    assert document["stopReason"] == "answer"
    citation = document["citations"][0]
    assert citation["path"] == "melt.md"
    assert (place / "notes" / "melt.md").read_text("utf-8")[citation["start"] : citation["end"]] == citation["passage"]
    assert f"[{citation['citationId']}]" in document["answer"]
    assert document["steps"][0]["calls"][0]["tool"] == "search"
    assert set(document["usage"]) >= {
        "inputTokens",
        "cacheReadTokens",
        "cacheWriteTokens",
        "outputTokens",
        "reasoningTokens",
    }
    assert document["session"]["tier"] == "workspace-readonly"


def test_a_text_answer_reads_well_in_a_terminal(run):
    """R-SAVE-2: plain text with numbered sources."""
    status, text = run("ask", "北坡的融雪系数是多少？", "--kb", "notes")
    assert status == 0
    assert "2.8" in text
    assert "[1] melt.md" in text


def test_a_question_without_an_answer_says_so(run):
    """R-MOD-7: nothing found is an answer, not a failure."""
    status, document = run("ask", "Who won the chess championship in Reykjavik?", "--kb", "notes", "--json")
    assert status == 0
    assert document["citations"] == []


@pytest.mark.parametrize(
    ("words", "status", "code"),
    [
        (("tool", "nope", "{}"), 2, "unknown_tool"),
        (("tool", "search", "{bad"), 2, "malformed_arguments"),
        (("tool", "search", "[]"), 2, "malformed_arguments"),
        (("frobnicate",), 2, "invalid_argument"),
        (("ask",), 2, "invalid_argument"),
        (("ask", "x", "--tier", "root"), 2, "invalid_argument"),
        (("ask", "x", "--wrong"), 2, "invalid_argument"),
        (("tool", "search", '{"query": "x", "limit": 17}'), 1, "invalid_argument"),
        (("tool", "search", '{"limit": "4", "query": "x"}'), 1, "invalid_argument"),
        (("tool", "read", '{"path": "melt.md", "page": 0}'), 1, "invalid_argument"),
        (("tool", "read", '{"path": "gone.md"}'), 1, "not_found"),
        (("tool", "read", '{"path": ""}'), 1, "invalid_path"),
        (("tool", "search", '{"query": "x", "target": "web"}'), 1, "denied_by_tier"),
        (("tool", "search", '{"query": "x", "knowledgeBaseIds": ["other"]}'), 1, "outside_workspace"),
        (("tool", "tool_result_read", '{"ref": "/etc/passwd"}'), 1, "invalid_ref"),
        (("session", "show", "nobody"), 1, "not_found"),
        (("ask", "  "), 1, "invalid_argument"),
        (("ask", "x", "--model", "nobody"), 1, "not_found"),
        (("model", "use", "nobody"), 1, "invalid_argument"),
        (("kb", "add", "missing-folder"), 1, "not_found"),
    ],
)
def test_every_failure_is_one_document_with_a_code_and_the_right_status(run, words, status, code):
    """R-SCH-10, R-SCH-2, A23: 2 for wrong usage, 1 for what failed or was refused; never a traceback."""
    kb = ("--kb", "notes") if words[0] in ("tool",) else ()
    got, document = run(*words, *kb, "--json")
    assert (got, document["ok"], document["error"]["code"]) == (status, False, code)
    assert document["error"]["message"]


@pytest.mark.parametrize(
    ("field", "value"), [("limit", 0), ("limit", -1), ("offset", -1), ("page", 10**9), ("block", 10**9)]
)
def test_a_number_out_of_range_names_its_range(run, field, value):
    """A23, R-READ-4: page 0, block 10^9 and the like."""
    _, document = run("tool", "read", json.dumps({"path": "melt.md", field: value}), "--kb", "notes", "--json")
    assert document["ok"] is False
    assert document["error"]["code"] in ("invalid_argument", "out_of_range", "unsupported_type")


def test_tool_arguments_may_come_from_standard_input(run):
    """R-SCH-10: `tool NAME -`."""
    status, document = run("tool", "list", "-", "--kb", "notes", "--json", stdin='{"depth": 1}')
    assert status == 0
    assert [entry["path"] for entry in document["entries"]] == ["melt.md", "sub"]


def test_an_outside_read_is_refused_in_a_workspace_tier_and_no_approval_helps(run, place):
    """R-PERM-2, P01: the person must change the tier; `--yes` does not."""
    path = json.dumps({"path": str(place / "outside" / "plan.txt")})
    status, document = run("tool", "read", path, "--kb", "notes", "--yes", "--json")
    assert (status, document["error"]["code"]) == (1, "outside_workspace")
    assert "%orange tier full-confirm" in document["error"]["message"]
    assert "CANARY" not in json.dumps(document)


def test_an_outside_read_under_full_confirm_needs_a_person(run, place):
    """R-APPR-4, R-PERM-5, R-READ-12: without a terminal it is refused; with `--yes` it is read as text."""
    path = json.dumps({"path": str(place / "outside" / "plan.txt")})
    options = ("--kb", "notes", "--tier", "full-confirm", "--json")
    status, refused = run("tool", "read", path, *options)
    assert (status, refused["error"]["code"]) == (1, "needs_person")
    status, read = run("tool", "read", path, *options, "--yes")
    assert (status, read["content"], read["untrusted"]) == (0, "CANARY outside text", True)
    status, again = run("tool", "read", path, *options)
    assert again["error"]["code"] == "needs_person"


def test_folders_that_cannot_be_made_cost_only_their_own_use(run, place, monkeypatch):
    """R-SRCH-10, R-HL-3: without a cache the index is in memory; without a home `doctor` still says what is wrong."""
    monkeypatch.setenv("ORANGE_CACHE", "/dev/null")
    status, found = run("search", "snow", "--kb", "notes", "--json")
    assert (status, [("in memory" in warning) for warning in found["warnings"]]) == (0, [True])
    _, document = run("doctor", "--kb", "notes", "--json")
    cache = next(one for one in document["checks"] if one["name"] == "Cache folder")
    assert (cache["status"], "ORANGE_CACHE" in cache["action"]) == ("warning", True)
    monkeypatch.setenv("ORANGE_HOME", "/dev/null")
    status, refused = run("search", "snow", "--kb", "notes", "--json")
    assert (status, refused["error"]["code"]) == (1, "io_error")
    status, document = run("doctor", "--json")
    assert (status, [one["name"] for one in document["checks"] if one["status"] == "failed"]) == (1, ["State folder"])


def test_an_outside_folder_is_searched_without_an_index(run, place):
    """R-SCOPE-2: unindexed scan of text, approved like any outside look."""
    arguments = json.dumps({"query": "canary", "path": str(place / "outside")})
    status, found = run("tool", "search", arguments, "--kb", "notes", "--tier", "full-auto", "--json")
    assert status == 0
    assert found["citations"][0]["passage"] == "CANARY outside text"
    assert not any(
        "CANARY" in file.read_bytes().decode("latin-1") for file in (place / "cache").rglob("*") if file.is_file()
    )


def test_a_tier_of_the_command_line_holds_for_that_run_only(run, place):
    """R-SCH-10, R-PERM-3, R-PERM-10."""
    run("tool", "list", "{}", "--kb", "notes", "--tier", "full-auto", "--json")
    _, sessions = run("session", "list", "--json")
    assert [one["tier"] for one in sessions["sessions"]] == ["workspace-readonly"]


def test_index_reports_true_figures(run, place):
    """R-SCH-10 `index`, R-SRCH-6: added, changed, removed; a file that cannot be read is listed, not fatal."""
    (place / "notes" / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    status, first = run("index", "--kb", "notes", "--json")
    base = first["knowledgeBases"][0]
    assert (status, first["added"], base["files"]) == (0, 3, 2)
    assert [one["path"] for one in base["failed"]] == ["broken.pdf"]
    (place / "notes" / "melt.md").write_text(NOTE + "\n新的一段。\n", encoding="utf-8")
    (place / "notes" / "sub" / "其他.txt").unlink()
    _, second = run("index", "--kb", "notes", "--json")
    assert (second["changed"], second["removed"]) == (1, 1)
    _, rebuilt = run("index", "--rebuild", "--kb", "notes", "--json")
    assert rebuilt["knowledgeBases"][0]["files"] == 1


def test_search_follows_the_disk(run, place):
    """R-SRCH-6, R-SRCH-8: new words are found by the next search, a deleted file never; an empty result says what to do."""
    (place / "notes" / "new.md").write_text("# 新笔记\n\n冰川末端退缩了十二米。\n", encoding="utf-8")
    _, found = run("search", "冰川末端", "--kb", "notes", "--json")
    assert found["citations"][0]["path"] == "new.md"
    (place / "notes" / "new.md").unlink()
    _, gone = run("search", "冰川末端", "--kb", "notes", "--json")
    assert all(one["path"] != "new.md" for one in gone["citations"])
    _, nothing = run("search", "zzzqqq", "--kb", "notes", "--type", "pdf", "--json")
    assert nothing["searched"]["filters"] == {"fileTypes": ["pdf"]}
    assert nothing["hint"]


def test_sessions_are_listed_shown_exported_and_deleted(run, place):
    """R-SESS-1, R-SCH-10."""
    run("ask", "What is the factor?", "--kb", "notes", "--json")
    _, listed = run("session", "list", "--json")
    session = listed["sessions"][0]
    assert set(session) >= {
        "sessionId",
        "title",
        "model",
        "tier",
        "plan",
        "memory",
        "knowledgeBases",
        "turns",
        "updatedAt",
    }
    _, shown = run("session", "show", session["sessionId"], "--json")
    events = shown["session"]["turns"][0]["events"]
    assert events[0]["turnId"] == shown["session"]["turns"][0]["turnId"]
    assert not any("_" in name for event in events for name in event)
    status, exported = run("session", "export", session["sessionId"], "--to", "out.md", "--json")
    assert status == 0
    assert "What is the factor?" in Path(exported["path"]).read_text("utf-8")
    status, again = run("session", "export", session["sessionId"], "--to", "out.md", "--json")
    assert (status, again["ok"]) == (1, False)
    status, _ = run("session", "delete", session["sessionId"], "--json")
    assert status == 0
    assert session["sessionId"] not in json.dumps(run("session", "list", "--json")[1])


def test_ask_goes_on_in_a_named_session(run):
    """R-SCH-10: `ask --session NAME`; a new name makes it."""
    run("ask", "What is the degree-day factor?", "--kb", "notes", "--session", "melt", "--json")
    _, second = run("ask", "And which run?", "--kb", "notes", "--session", "melt", "--json")
    assert second["session"]["title"] == "melt"
    _, listed = run("session", "list", "--json")
    assert [(one["title"], one["turns"]) for one in listed["sessions"]] == [("melt", 2)]


def test_models_are_added_used_and_listed(run, place):
    """R-MOD-2, R-SCH-10: `model add|use|list`; a key is never an argument."""
    status, added = run(
        "model",
        "add",
        "lab",
        "--base-url",
        "http://127.0.0.1:9/v1",
        "--model",
        "qwen",
        "--context",
        "8192",
        "--vision",
        "--json",
    )
    assert status == 0
    assert added["model"]["contextWindow"] == 8192
    assert run("model", "use", "lab", "--json")[0] == 0
    _, listed = run("model", "list", "--json")
    assert {one["name"]: one["selected"] for one in listed["models"]} == {"embedded": False, "lab": True}
    assert set(listed["models"][0]) >= {
        "name",
        "provider",
        "contextWindow",
        "maxOutput",
        "vision",
        "tools",
        "mode",
        "selected",
    }


def test_a_model_server_that_is_down_is_one_readable_line_and_the_question_is_kept(run, place, monkeypatch):
    """R-MOD-4, bad input: no traceback, and the session still has the question."""
    script = place / "script.json"
    script.write_text(
        json.dumps({"replies": [{"error": {"fault": "unreachable", "message": "The model server does not answer."}}]})
    )
    run("model", "add", "down", "--provider", "scripted", "--script", str(script), "--json")
    status, document = run(
        "ask", "Is anybody there?", "--kb", "notes", "--model", "down", "--session", "kept", "--json"
    )
    assert (status, document["stopReason"], document["error"]["code"]) == (1, "model_error", "offline")
    assert "does not answer" in document["error"]["message"]
    assert "Is anybody there?" in json.dumps(run("session", "show", "kept", "--json")[1])


def test_a_broken_configuration_names_file_line_and_key(run, place):
    """Bad input: and nothing is overwritten."""
    (place / "home").mkdir(mode=0o700, exist_ok=True)
    config = place / "home" / "config.toml"
    config.write_text('default_tier = "workspace-write"\ndefault_modle = "x"\n')
    status, text = run("ask", "x", "--kb", "notes")
    assert status == 1
    assert f"{config}, line 2: default_modle" in text
    assert "default_model" in text
    assert config.read_text().endswith('default_modle = "x"\n')


def test_state_and_cache_are_private_and_nowhere_else(run, place):
    """R-HL-3, S04: mode 700 and 600, only under ORANGE_HOME and ORANGE_CACHE; the KB is untouched."""
    before = {file: file.stat().st_mtime_ns for file in (place / "notes").rglob("*")}
    run("ask", "What is the factor?", "--kb", "notes", "--json")
    assert {file: file.stat().st_mtime_ns for file in (place / "notes").rglob("*")} == before
    for folder in (place / "home", place / "cache"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        for file in folder.rglob("*"):
            assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file
    assert sorted(entry.name for entry in place.iterdir()) == ["cache", "home", "notes", "outside"]


def test_a_key_in_a_note_is_masked_wherever_it_goes(run, place, monkeypatch):
    """R-ALL-5, U08, S02: a configured key and a token shape leave no trace in outputs or the store."""
    canary = "sk-ant-api03-" + "Q7x" * 20
    monkeypatch.setenv("LAB_KEY", "plain-canary-0123456789")
    run("model", "add", "lab", "--base-url", "http://127.0.0.1:9/v1", "--model", "m", "--key-env", "LAB_KEY", "--json")
    (place / "notes" / "keys.md").write_text(
        f"# Keys of the gauge\n\nThe gauge key is {canary} and plain-canary-0123456789.\n"
    )
    _, document = run("tool", "read", '{"path": "keys.md"}', "--kb", "notes", "--json")
    _, answer = run("ask", "What is the gauge key?", "--kb", "notes", "--json")
    seen = json.dumps([document, answer])
    stored = b"".join(file.read_bytes() for file in (place / "home").rglob("*") if file.is_file())
    for secret in (canary, "plain-canary-0123456789"):
        assert secret not in seen
        assert secret.encode() not in stored


def test_changed_is_said_when_a_file_changed_between_pieces(run, place):
    """R-READ-2: also when the pieces are read by two processes."""
    long = place / "notes" / "long.md"
    long.write_text("行\n" * 5000, encoding="utf-8")
    _, first = run("tool", "read", '{"path": "long.md"}', "--kb", "notes", "--json")
    _, second = run(
        "tool", "read", json.dumps({"path": "long.md", "offset": first["nextOffset"]}), "--kb", "notes", "--json"
    )
    assert "changed" not in second
    long.write_text("列\n" * 5000, encoding="utf-8")
    _, third = run(
        "tool", "read", json.dumps({"path": "long.md", "offset": first["nextOffset"]}), "--kb", "notes", "--json"
    )
    assert third["changed"] is True


def test_the_module_runs_as_a_program(place):
    """R-HL-2: `python -m orange_jupyter`, one JSON document on stdout, progress on stderr."""
    done = subprocess.run(
        [sys.executable, "-m", "orange_jupyter", "ask", "degree-day factor of run 17?", "--kb", "notes", "--json"],
        capture_output=True,
        text=True,
        timeout=60,
        env=dict(os.environ),
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["ok"] is True
    assert "search" in done.stderr


def test_a_key_that_is_typed_into_a_question_is_masked_everywhere(run, place, monkeypatch):
    """R-ALL-5: title, answer, steps, export and store; the model does not get it either."""
    monkeypatch.setenv("LAB_KEY", "plain-canary-0123456789")
    script = place / "echo.json"
    script.write_text(json.dumps({"replies": [{"text": "You said {{user}}"}]}))
    run("model", "add", "echo", "--provider", "scripted", "--script", str(script), "--key-env", "LAB_KEY", "--json")
    _, answer = run("ask", "Is plain-canary-0123456789 a good key?", "--kb", "notes", "--model", "echo", "--json")
    assert "You said Is" in answer["answer"]
    _, shown = run("session", "show", answer["session"]["sessionId"], "--json")
    assert "canary" not in json.dumps([answer, shown])
    assert b"plain-canary" not in b"".join(file.read_bytes() for file in (place / "home").rglob("*") if file.is_file())


@pytest.mark.parametrize("path", ["/etc/hostname-that-is-not-there", "/etc/passwd", "../nothere.md"])
def test_whether_an_outside_file_exists_is_not_told(run, path):
    """P01, P06, R-SCOPE-1: the same answer for both in a workspace tier."""
    _, document = run("tool", "read", json.dumps({"path": path}), "--kb", "notes", "--json")
    assert document["error"]["code"] == "outside_workspace"


def test_strange_input_is_a_document_and_no_traceback(run, place):
    """R-SCH-10, bad input: not UTF-8, deep JSON, a folder that is gone or cannot be written, a number that is none."""
    assert run("ask", "plum \udcff", "--json")[1]["error"]["code"] == "invalid_argument"
    assert run("tool", "search", "[" * 100_000, "--json")[1]["error"]["code"] == "malformed_arguments"
    assert (
        run("tool", "list", "{}", "--kb", "notes", "--save-images", "/proc/x", "--json")[1]["error"]["code"]
        == "io_error"
    )
    _, document = run("tool", "search", '{"query": "x", "limit": 1e999}', "--kb", "notes", "--json")
    assert "Infinity" not in json.dumps(document)
    gone = place / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    assert run("search", "melt", "--kb", str(place / "notes"), "--json")[1]["error"]["code"] == "not_found"


def test_a_failed_ask_leaves_no_session(run):
    """R-SESS-1: what never began is not listed."""
    run("ask", "  ", "--json")
    run("ask", "x", "--model", "nobody", "--json")
    run("ask", "x", "--image", "nope.png", "--json")
    assert run("session", "list", "--json")[1]["sessions"] == []


def test_tables_are_columns_in_a_terminal(run):
    """R-SAVE-2: no Markdown escapes; ids can be copied; the advice names the command of a terminal."""
    run("ask", "What is the factor?", "--kb", "notes", "--session", "a_b*c", "--json")
    status, text = run("session", "list")
    assert status == 0
    assert "a_b*c" in text
    assert "\\" not in text
    assert "orange-jupyter model add" in run("doctor")[1]


def test_a_closed_pipe_ends_quietly(place):
    """R-HL-2: `search … | true` and a full device."""
    for target in ("| true", ">/dev/full"):
        command = f'"{sys.executable}" -m orange_jupyter search melt --kb notes --json {target}'
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False)
        assert "Traceback" not in done.stderr
