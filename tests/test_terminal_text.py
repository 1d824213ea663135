"""What the command line prints cannot steer the terminal: R-APPR-2, R-HL-2; A07."""

from __future__ import annotations

import json

import pytest

from orange_jupyter.__main__ import main
from orange_jupyter.core.visible import for_terminal

EVIL = "walrus \x1b]0;owned\x07 \x1b[31mred\x9b2J \u202egnp.exe"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A knowledge base whose note holds terminal sequences."""
    for name in ("home", "cache"):
        monkeypatch.setenv(f"ORANGE_{name.upper()}", str(tmp_path / name))
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "esc.md").write_text(f"# {EVIL}\n\n海象 walrus body \x1b[2J\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ("search", "walrus", "--kb", "notes"),
        ("ask", "walrus", "--kb", "notes"),
        ("tool", "search", '{"query": "walrus"}', "--kb", "notes"),
        ("tool", "read", '{"path": "esc.md"}', "--kb", "notes"),
        ("tool", "read", '{"path": "no\\u001b[2J.md"}', "--kb", "notes"),
        ("model", "test", "no\x1b[2J"),
    ],
)
def test_no_command_prints_a_control_sequence(place, capfdbinary, words):
    """A07: notes, titles, errors and progress alike; newlines stay."""
    main(list(words))
    out, err = (part.decode() for part in capfdbinary.readouterr())
    assert out + err
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(out + err)


def test_json_is_what_it_was(place, capfdbinary):
    """R-SCH-10: the document holds the text as it is."""
    assert main(["search", "walrus", "--kb", "notes", "--json"]) == 0
    assert any("\x1b[2J" in one["passage"] for one in json.loads(capfdbinary.readouterr().out)["citations"])


def test_ordinary_text_is_printed_as_it_is():
    """Emoji with joiners, Persian, tabs and newlines; CRLF does not become an escape, a lone CR does."""
    text = "雪\t❤\ufe0f 👩\u200d💻 می\u200cروم\nend"
    assert for_terminal(text) == text
    assert for_terminal("a\r\nb\rc") == "a\nb\\u000dc"
