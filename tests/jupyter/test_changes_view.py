"""The pages of a review: escaped, bounded, readable without style; what stays in a notebook has no secret."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from orange_jupyter.core.changes.values import Choice, HunkChoice, Kind, OpState
from orange_jupyter.core.codes import Code
from orange_jupyter.core.masking import Masker
from orange_jupyter.jupyter.changes.board import OPEN_OPERATIONS, Board
from orange_jupyter.jupyter.changes.cards import Outcome
from orange_jupyter.jupyter.changes.record import Kept, below, change_record
from tests.jupyter.changes import NOW, other, text_change

HOSTILE = "<img src=x onerror=alert(1)>\"'&<script>x</script>"
SECRET = "sk-ant-api03-" + "aB3dE6gH9j" * 9
NOTE = "".join(f"line {number}\n" for number in range(1, 41))


class Reader(HTMLParser):
    """What a page holds: its tags, attributes and text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.names: set[str] = set()
        self.words = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.names |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.words += data


def board(*shown, language="en", older=0) -> Board:
    made = Board(language)
    made.take(shown, older)
    return made


def page(made: Board) -> str:
    return "".join(made.draw().pieces.values())


def test_a_change_has_a_link_to_its_file_and_a_deletion_its_size() -> None:
    """Screen 5: Open file beside the encoding, live and in the record; what goes to the trash says how large it is."""
    edit = replace(text_change("op_1", NOTE, NOTE.replace("line 3\n", "three\n")), link='b<"&/度.md')
    shown = page(board(edit, other("op_2", Kind.DELETE, proposal={"size": 1_234})))
    assert 'data-act="file" data-link="b&lt;&quot;&amp;/度.md" aria-label="Open file ' in shown
    assert "1.2 KB" in shown
    assert "data-link" not in page(board(replace(edit, link="")))
    folder = other("op_3", Kind.DELETE, affected_files=3, proposal={"size": 412})
    assert "3 files, 412 B" in page(board(folder))
    saved = change_record(Kept([edit], {}, "en", Masker().spans, NOW))["text/html"]
    assert '<a href="b%3C%22%26/%E5%BA%A6.md">Open file</a>' in saved


def test_a_change_shows_its_hunks_counts_marks_and_words() -> None:
    """R-CHG-2, R-CHG-12, screen 5: intra-line marks; "removed" and "added" are words, not only signs and colours."""
    after = NOTE.replace("line 3\n", "line three\n").replace("line 30\n", "line 30\nline 30b\n")
    shown = page(board(text_change("op_1", NOTE, after)))
    assert '<span class="oj-vh">removed </span>−</td><td>line <del>3</del>' in shown
    assert '<span class="oj-vh">added </span>+</td><td>line <ins>three</ins>' in shown
    assert "Hunk 1 of 2, lines 1–5" in shown
    assert "Hunk 2 of 2, lines 29–33" in shown
    assert '<span class="oj-add">+2</span> <span class="oj-del">−1</span>' in shown
    assert "UTF-8, LF kept" in shown
    assert shown.count('data-tick="hunk"') == 2


def test_side_by_side_has_a_unified_form_for_narrow_places() -> None:
    """DESIGN.md, Narrow: side by side becomes unified by itself."""
    made = board(text_change("op_1", NOTE, NOTE.replace("line 3\n", "line three\n")))
    made.split = True
    shown = page(made)
    assert shown.count("is-split") == shown.count("is-uni") == 1
    assert shown.index("oj-hide-s") < shown.index("is-split") < shown.index("oj-show-s") < shown.index("is-uni")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_of_a_file_a_path_or_a_model_becomes_html(language) -> None:
    """R-UI-7, A07: in the live pages and in the record."""
    shown = (
        text_change("op_1", f"a {HOSTILE}\nb\n", f"c {HOSTILE}\nb\n", path=HOSTILE, warnings=(HOSTILE,), child=HOSTILE),
        other("op_2", Kind.MOVE, path=HOSTILE, destination=HOSTILE, affected_files=3),
        other("op_3", Kind.CREATE_FILE, path=HOSTILE, proposal={"content": f"{HOSTILE}\n"}),
        text_change("op_4", f"a {HOSTILE}\n", "c\n", state=OpState.STALE, proposal={"error": HOSTILE}),
        text_change("op_5", f"a {HOSTILE}\n", "c\n", state=OpState.FAILED, proposal={"error": HOSTILE}),
        other("op_6", Kind.DELETE, path=HOSTILE, state=OpState.APPLIED, decided_at=NOW),
    )
    made = board(*shown, language=language)
    made.disk["op_4"] = f"d {HOSTILE}\n"
    made.outcomes["op_6"] = Outcome(HOSTILE, (HOSTILE,))
    kept = change_record(Kept(shown, made.outcomes, language, Masker().spans, NOW, "oj-x"))
    for one in (page(made), kept["text/html"]):
        read = Reader(one)
        assert not {"img", "script"} & set(read.tags)
        assert not any(name.startswith("on") for name in read.names)
        assert HOSTILE in read.words


def test_invisible_characters_are_escapes_and_counted() -> None:
    """R-APPR-2: what is approved is what is there."""
    shown = page(board(text_change("op_1", "a b\n", "a\u202e\u200bb\n", path="x\u202ey.md")))
    assert '<span class="oj-esc">\\u202e</span><span class="oj-esc">\\u200b</span>' in shown
    assert "2 invisible characters are shown as escapes" in shown
    assert "\u202e" not in shown
    assert "\u200b" not in shown


def test_crlf_a_missing_newline_and_mixed_endings_have_words() -> None:
    """R-EDIT-2: a change of an ending is seen."""
    shown = page(board(text_change("op_1", "a\r\nb\r\nc", "a\r\nB\r\nc")))
    assert "UTF-8, CRLF kept" in shown
    assert "mixed line ends" in page(board(text_change("op_1", "a\r\nb\nc\n", "a\r\nB\nc\n")))


def test_dependent_operations_are_tied_and_explained() -> None:
    """R-CHG-2: a file in a folder that is created."""
    folder = other("op_1", Kind.CREATE_FOLDER, path="new", needed_by=1)
    child = other("op_2", Kind.MOVE, path="a", destination="new/a", affected_files=41, depends_on=("op_1",))
    drawing = board(folder, child).draw()
    assert "needed by 1" in drawing.pieces["row:op_1"]
    assert 'class="is-child"' in drawing.pieces["row:op_2"]
    assert "Needs New folder new; they are selected together." in drawing.pieces["row:op_2"]
    assert "41 files" in drawing.pieces["row:op_2"]
    assert drawing.operations["op_2"]["needs"] == ["op_1"]


def test_what_was_not_shown_is_not_selected_by_itself() -> None:
    """R-APPR-2: a folded diff is ticked by a person, not by us."""
    large = text_change("op_1", "".join(f"{n}\n" for n in range(900)), "".join(f"{n}.\n" for n in range(900)))
    made = board(large, text_change("op_2", "a\n", "b\n"))
    operations = made.draw().operations
    assert [operations[name]["on"] for name in ("op_1", "op_2")] == [False, True]
    assert "Large diff, 1,800 lines in 1 hunk, folded." in page(made)
    made.unfold("op_1", "all")
    assert page(made).count("<tr") == 1200 + 2
    assert "600 more lines are not shown." in page(made)
    made.unfold("op_1", "more")
    assert page(made).count("<tr") == 1800 + 2
    made.unfold("op_1", "fold")
    assert "folded" in page(made)


def test_a_large_rewrite_is_drawn_in_bounded_steps() -> None:
    """Bounded DOM: 5 MB never reach the browser at once; each step stays under 200 ms."""
    old = "".join(f"row {number} with a value of {number * 7}\n" for number in range(151_000))
    made = board(text_change("op_1", old, old.replace("with", "having"), kind=Kind.REWRITE))
    assert len(old) > 5_000_000
    assert len(page(made)) < 10_000
    spent = []
    for how in ("first", "all", "more", "fold", "first"):
        made.unfold("op_1", how)
        begun = time.process_time()
        drawn = page(made)
        spent.append(time.process_time() - begun)
        assert drawn.count("<tr") <= {"first": 410, "all": 1210, "more": 2410, "fold": 0}[how]
        assert how == "fold" or ("having" in drawn and "<del>" in drawn)
    assert max(spent) < 1.0  # see the figures; a busy machine takes more
    print("steps of a 5 MB rewrite, ms:", [round(one * 1000) for one in spent])


def test_two_hundred_operations_send_the_first_diffs_only() -> None:
    """Bounded DOM: the others come when they are opened, and are not selected before."""
    some = [text_change(f"op_{n}", NOTE, NOTE.replace("line 5\n", f"line {n}!\n"), path=f"n{n}.md") for n in range(200)]
    made = board(*some)
    begun = time.process_time()
    drawing = made.draw()
    print("200 operations, ms:", round((time.process_time() - begun) * 1000))
    assert sum(name.startswith("file:") for name in drawing.pieces) == OPEN_OPERATIONS
    assert sum(one["on"] for one in drawing.operations.values()) == OPEN_OPERATIONS
    made.unfold("op_150", "open")
    assert "<ins>150!</ins>" in made.draw().pieces["file:op_150"]


def test_a_hunk_with_a_persons_words_is_drawn_as_it_would_be_written() -> None:
    """R-CHG-12."""
    one = text_change("op_1", NOTE, NOTE.replace("line 3\n", "line three\n"))
    made = board(one)
    written = made.write(one, 1, "mine\nand mine")
    assert "<ins>mine</ins>" in written
    assert "edited by you" in written
    assert "edited by you" in page(made)
    assert made.draw().operations["op_1"]["edits"] == {"1": "mine\nand mine"}
    assert "line <ins>three</ins>" in made.write(one, 1, None)
    assert made.draw().operations["op_1"]["edits"] == {}
    made.write(one, 1, "mine")
    made.take([replace(one, digest="another")])
    assert "edited by you" not in page(made)


def test_a_conflict_shows_both_versions_and_its_ways_out() -> None:
    """R-CHG-4: a text has three ways, a taken name two; nothing is selected."""
    stale = text_change(
        "op_1", "a\nb\n", "a\nB\n", state=OpState.STALE, path="log.md", proposal={"code": Code.STALE_SOURCE}
    )
    taken = other(
        "op_2", Kind.RENAME, path="a.md", destination="b.md", state=OpState.STALE, proposal={"code": Code.TARGET_EXISTS}
    )
    made = board(stale, taken)
    made.disk["op_1"] = "a\nbeta\n"
    drawing = made.draw()
    text = drawing.pieces["card:op_1"]
    assert "log.md changed on disk" in text
    assert ">beta</pre>" in text
    assert ">B</pre>" in text
    assert re.findall('data-way="(.*?)"', text) == ["again", "overwrite", "drop"]
    assert re.findall('data-way="(.*?)"', drawing.pieces["card:op_2"]) == ["elsewhere", "drop"]
    assert "b.md exists by now" in drawing.pieces["card:op_2"]
    assert not any(name.startswith("row:") for name in drawing.pieces)


def test_afterwards_each_decision_is_a_receipt_and_what_was_applied_can_be_undone() -> None:
    """R-CHG-9, screen 5."""
    choice = Choice(
        operation_id="op_1", digest="d", hunks=(HunkChoice(number=2, taken=False), HunkChoice(number=1, text="x"))
    )
    shown = (
        text_change("op_1", NOTE, NOTE + "x\n", state=OpState.APPLIED, decided_at=NOW, proposal={"choice": choice}),
        other("op_2", Kind.DELETE, state=OpState.APPLIED, decided_at=NOW),
        other("op_3", Kind.DELETE, state=OpState.REJECTED, decided_at=NOW),
        text_change("op_4", NOTE, NOTE + "y\n", state=OpState.UNDONE, decided_at="2026-12-01T06:05:00Z"),
    )
    made = board(*shown)
    made.outcomes["op_2"] = Outcome("in the system trash")
    cards = page(made)
    assert "1 hunk left out, 1 edited by you" in cards
    assert "in the system trash" in cards
    assert "back to the text before it" in cards
    assert 'data-op="op_1 op_2"' in cards
    assert cards.count('data-act="undo"') == 3
    assert "oj-files" not in cards


def test_the_record_has_every_decision_masked_and_no_button() -> None:
    """R-SAVE-1, R-SEC-4: HTML, Markdown, text; a key that stands in a note is not written into the notebook."""
    shown = (
        text_change("op_1", f"a\nkey {SECRET}\nc\n", f"a!\nkey {SECRET}\nc\n```\n"),
        other("op_2", Kind.DELETE, path=f"{SECRET}.md", state=OpState.APPLIED, decided_at=NOW, warnings=(SECRET,)),
    )
    kept = change_record(Kept(shown, {}, "en", Masker().spans, NOW, "oj-x", older=2))
    for form in ("text/html", "text/markdown", "text/plain"):
        assert SECRET not in kept[form], form
        assert "⟦masked:1⟧" in kept[form], form
    read = Reader(kept["text/html"])
    assert not {"button", "input"} & set(read.tags)
    assert "Pending" in read.words
    assert "Applied" in read.words
    assert "Review it with %orange changes" in read.words
    assert "2 older changes wait too" in read.words
    assert "````diff" in kept["text/markdown"]
    assert "- a\n" in kept["text/plain"]
    assert "\n\n" not in kept["text/html"]


def test_the_record_is_bounded() -> None:
    """R-SAVE-1: 200 operations on long notes stay a few hundred kB."""
    long = "".join(f"{n} {'x' * 300}\n" for n in range(500))
    one = text_change("op_0", long, long.replace("x\n", "y\n"))
    named = one.proposal.operation.model_copy(update={"operation_id": "op_n"})
    some = [replace(one, proposal=one.proposal.model_copy(update={"operation": named}))] * 200
    begun = time.process_time()
    kept = change_record(Kept(some, {}, "en", Masker().spans, NOW, "oj-x"))
    print("record of 200 operations, ms:", round((time.process_time() - begun) * 1000))
    assert len(kept["text/html"]) < 500_000
    assert "100 more changes" in kept["text/html"]


def test_the_record_of_the_turn_stays_above_it() -> None:
    before = {"text/html": "<p>t</p>", "text/markdown": "t\n", "text/plain": "t\n", "application/x": {"a": 1}}
    both = below(before, {"text/html": "<p>c</p>", "text/markdown": "c\n", "text/plain": "c\n"})
    assert both["text/markdown"] == "t\n\nc\n"
    assert both["application/x"] == {"a": 1}
    assert below(None, {"text/plain": "c"}) == {"text/plain": "c"}


def test_pieces_keep_their_order() -> None:
    some = [text_change(f"op_{n}", "a\n", f"{n}\n") for n in range(5)]
    names = [name for name in board(*some).draw().pieces if name.startswith("row:")]
    assert all(one < two for one, two in pairwise(names))
