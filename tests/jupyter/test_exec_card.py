"""The card of a command, its live output and its receipts: R-APPR-1, R-APPR-2, R-EXEC-6, 10, 11; A07, A08."""

from __future__ import annotations

import json

import pytest

from orange_jupyter.core.approval import ApprovalRequest
from orange_jupyter.core.deltas import Output
from orange_jupyter.core.events import CallFinished, CallStarted
from orange_jupyter.core.grant import Effect
from orange_jupyter.core.messages import ToolResult
from orange_jupyter.jupyter.commanded import translated
from orange_jupyter.jupyter.record import record
from orange_jupyter.jupyter.strings_exec import EXEC_WORDS
from orange_jupyter.jupyter.view import TurnView
from orange_jupyter.jupyter.widgets.approval import card, card_words
from orange_jupyter.jupyter.widgets.commands import command_segments
from tests.jupyter.test_controls import Wired
from tests.jupyter.turns import finished, started, view_of


def request(command: str, **more: object) -> ApprovalRequest:
    """A question about a command."""
    given: dict[str, object] = {
        "operation_id": "op_1",
        "session_id": "s",
        "turn_id": "t",
        "permission_version": 3,
        "tool": "exec",
        "effect": Effect.RUN,
        "operation": "run command",
        "target": command[:200],
        "arguments": json.dumps({"command": command}),
        "facts": (("working folder", "/kb"), ("confinement", "none: it may do all that you may")),
        "digest": "d" * 64,
    }
    return ApprovalRequest.model_validate(given | more)


def shown(command: str, language: str = "en") -> str:
    """The text of the card's block."""
    block = card(request(command), language, "n")["blocks"][0]  # type: ignore[arg-type]
    return "".join(piece for piece, _ in block["text"])


@pytest.mark.parametrize("sign", [*"\u202e\u2066\u200b\ufeff\U000e0041\u3164\u00ad\ufe0f\r\b\x1b"])
def test_invisible_characters_of_a_command_are_shown_and_counted(sign: str) -> None:
    """A07: every one as its escape, with the warning; nothing of the rest is lost."""
    drawn = card(request(f"echo a{sign}b # {sign}"), "en", "n")
    text = "".join(piece for piece, _ in drawn["blocks"][0]["text"])
    assert sign not in text
    number = ord(sign)
    escaped = f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
    assert text == f"echo a{escaped}b # {escaped}"
    assert "2 invisible characters" in "".join(piece for piece, _ in drawn["warnings"][0])


def test_a_command_hidden_below_blank_lines_is_in_sight() -> None:
    """A08: 500 blank lines are one counted mark; what follows stands right below; the length is said."""
    command = "echo harmless" + "\n" * 501 + "; rm -rf x"
    assert shown(command) == "echo harmless\n⋯ 500 blank lines ⋯\n; rm -rf x"
    assert "500 个空行" in shown(command, "zh")
    drawn = card(request(command), "en", "n")["blocks"][0]
    assert drawn["length"] == f"All of it: 502 lines, {len(command)} characters."


def test_a_command_pushed_out_of_sight_by_blanks_is_in_sight() -> None:
    """A08: the same within a line, with any blank; a few blanks stay."""
    for blank in " \t\u3000":
        assert shown(f"ls{blank * 3000}; rm -rf x") == "ls⋯ 3,000 blanks ⋯; rm -rf x"
    assert shown("if x; then\n\n\n    y" + " " * 59 + "z") == "if x; then\n\n\n    y" + " " * 59 + "z"


@pytest.mark.parametrize(
    "command", ["x" * 50_000, "cat <<E\n" + "line\n" * 5000 + "E\n", "a", "\n\n\n\n\n\n", " " * 80 + "x"]
)
def test_nothing_of_a_command_is_cut(command: str) -> None:
    """A08, R-APPR-1: the pieces make the whole again, marks stand for what they count."""
    pieces = command_segments(command, "en")
    for piece, look in pieces:
        assert look == "gap" or piece in command
    plain = "".join(piece for piece, look in pieces if not look)
    assert plain.replace("\n", "").replace(" ", "") == command.replace("\n", "").replace(" ", "")


def test_the_card_has_every_argument_and_fact_and_says_what_is_approved() -> None:
    """R-APPR-1, R-EXEC-10; no row repeats the command."""
    arguments = json.dumps({"command": "make", "cwd": "sub", "timeoutSeconds": 30})
    words = card_words(request("make", arguments=arguments), "en")
    for part in (
        "Run this command?",
        "Working folder: /kb",
        "cwd: sub",
        "timeoutSeconds: 30",
        "in your real environment",
    ):
        assert part in words
    assert "Target" not in words
    assert "没有：你能做的，它都能做" in card_words(request("make"), "zh")


def test_every_sentence_of_the_tool_is_known_in_chinese() -> None:
    """R-UI-8: with its values, whatever they hold."""
    values = {"path": "a is a link to b.", "real": "/x, y", "count": "50", "name": "bash (/bin/bash)"}
    for key, (english, chinese) in EXEC_WORDS.items():
        if key.startswith("exec.said.") and "path" not in english:
            assert translated(english.format(**values), "zh") == chinese.format(**values)
    said = "docs/x is a link to /kb/.orange/config.toml, which is protected."
    assert translated(said, "zh") == "docs/x 是指向受保护位置 /kb/.orange/config.toml 的链接。"
    assert translated("anything else", "zh") == "anything else"


def ran(**fields: object) -> CallFinished:
    """A finished command."""
    ok = bool(fields.pop("ok", False))
    decision = str(fields.pop("decision", "approved"))
    envelope = {"ok": ok, "exitCode": 0, "stdout": "", "stderr": "", "durationSeconds": 4.1, **fields}
    return CallFinished(
        call_id="c1",
        tool="exec",
        arguments={"command": "make all"},
        ok=ok,
        decision=decision,
        summary="what the tool said",
        seconds=4.1,
        result=ToolResult(call_id="c1", name="exec", content="{}", ok=ok),
        envelope=envelope,
    )


BEGUN = CallStarted(call_id="c1", tool="exec", arguments={"command": "make all"}, target="make all")
LONG = "".join(f"line {n}\n" for n in range(2000))


def forms(view: TurnView, language: str = "en") -> list[str]:
    """The record as HTML, Markdown and plain text."""
    bundle = record(view, language, number=1, session="s", places={})  # type: ignore[arg-type]
    return [str(bundle[kind]) for kind in ("text/html", "text/markdown", "text/plain")]


@pytest.mark.parametrize(
    ("fields", "words", "chinese"),
    [
        ({"ok": True, "stdoutBytes": 2000, "stderrBytes": 114}, "Exit 0 after 4.1 s, output 2,114 bytes", "退出码 0"),
        ({"exitCode": 3}, "Exit 3 after 4.1 s, may have had effects", "可能已有影响"),
        ({"exitCode": None, "signal": "SIGKILL"}, "Ended by SIGKILL after 4.1 s, may have had effects", "SIGKILL"),
        ({"exitCode": None, "timedOut": True}, "Time limit reached after 4.1 s, may have had effects", "时间上限"),
        ({"exitCode": None, "cancelled": True}, "Stopped, may have had effects", "已停止"),
        ({"ok": True, "changedFiles": [{"path": "a"}]}, "1 file changed", "1 个文件有改动"),
    ],
)
def test_the_receipt_says_how_a_command_ended_in_every_form(
    fields: dict[str, object], words: str, chinese: str
) -> None:
    """R-EXEC-6, R-EXEC-10: four statuses, none of them like success; effects of what failed are not denied."""
    view = view_of([started(), BEGUN, ran(**fields), finished()])
    for form in forms(view):
        assert words in form.replace("\\", "")
        assert "make all" in form
    for form in forms(view, "zh"):
        assert chinese in form


def test_a_call_that_did_not_run_has_the_tools_own_words() -> None:
    """R-APPR-5: a denied command is no command that ended."""
    view = view_of([started(), BEGUN, ran(decision="denied"), finished()])
    for form in forms(view):
        assert "what the tool said" in form
        assert "Exit 0" not in form


def test_output_in_the_record_is_text_and_bounded() -> None:
    """R-EXEC-11, R-SAVE-1: head and tail, no HTML, no steering characters; the same in each form."""
    view = view_of([started(), BEGUN, ran(ok=True, stdout=LONG, stderr="<img src=x>\u202e![a](b)"), finished()])
    html, markdown, plain = forms(view)
    for form in (html, markdown, plain):
        assert "\u202e" not in form
        assert "line 0" in form
        assert "line 1999" in form
        assert "line 1000" not in form
    assert "<img" not in html
    assert "![a](b)" not in markdown
    assert "characters left out" in html
    assert len(html) - len(forms(view_of([started(), BEGUN, ran(ok=True), finished()]))[0]) < 60_000


def test_a_command_that_its_line_does_not_say_whole_is_in_the_record() -> None:
    """R-APPR-1, R-SAVE-1: folded, with its line breaks, as text; a short one is not said twice."""
    command = "cd sub\n" + "echo <b>one</b>\n" * 20 + "rm -rf x\u202e"
    begun = CallStarted(call_id="c1", tool="exec", arguments={"command": command}, target=command[:200])
    html = forms(view_of([started(), begun, ran(ok=True), finished()]))[0]
    assert "<summary>Command</summary>" in html
    assert "rm -rf x" in html
    assert "<b>one</b>" not in html
    assert "\u202e" not in html
    assert "<summary>Command</summary>" not in forms(view_of([started(), BEGUN, ran(ok=True), finished()]))[0]


def test_many_commands_keep_the_record_small() -> None:
    """R-SAVE-1: only the newest twenty show their output."""
    events = []
    for number in range(60):
        done = ran(ok=True, stdout=LONG).model_copy(update={"call_id": f"c{number}"})
        events += [BEGUN.model_copy(update={"call_id": f"c{number}"}), done]
    html, markdown, _ = forms(view_of([started(), *events, finished()]))
    assert html.count('class="oj-out"') == 20
    assert len(html) < 400_000
    assert len(markdown) < 40_000


def test_live_output_takes_the_place_of_what_was_shown_and_goes_at_the_end() -> None:
    """R-EXEC-11: one entry below its line, replaced; an answer that comes late changes nothing."""
    view = view_of([started(), BEGUN])
    wired = Wired()
    for text in ("one\n", "two <b>\u202e\n"):
        view = view.deltas([Output(call_id="c1", text=text, left_out=7)])
    wired.push(view, now=True)
    (entry,) = [item for name, item in wired.sent[-1]["items"].items() if name.startswith("output-")]
    assert (entry["text"], entry["before"]) == ("two <b>\\u202e\n", "7 lines before")
    done = view.hear(ran(ok=True))
    assert done.deltas([Output(call_id="c1", text="late")]) == done
    wired.push(done, now=True)
    assert not [name for name in wired.sent[-1]["order"] if name.startswith("output-")]


def test_a_command_whose_end_nobody_saw_may_have_had_effects() -> None:
    """R-EXEC-10: the kernel was killed while it ran."""
    view = view_of([started(), BEGUN]).interrupted()
    for form in forms(view):
        assert "may have had effects" in form
