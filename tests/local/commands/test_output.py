"""E06, R-EXEC-11: what a command writes becomes text; sequences go whole, also when they come in pieces."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from orange_jupyter.core.running import Command
from orange_jupyter.local.commands.controls import Controls, plain
from orange_jupyter.local.commands.output import LivePieces, whole
from orange_jupyter.local.commands.watch.capture import LIVE_BYTES, Capture, Live

ROWS = {
    "colour": ("\x1b[1;31mred\x1b[0m", "red"),
    "clear screen": ("a\x1b[2J\x1b[Hb", "ab"),
    "title, BEL": ("\x1b]0;owned\x07text", "text"),
    "link, ST": ("\x1b]8;;https://x.example\x1b\\click\x1b]8;;\x1b\\", "click"),
    "clipboard": ("\x1b]52;c;cm0gLXJmIC8=\x07safe", "safe"),
    "clipboard, C1": ("\x9d52;c;cm0gLXJmIC8=\x9csafe", "safe"),
    "DCS over lines": ("\x1bPq#0\n!10~\x1b\\after", "after"),
    "APC": ("\x1b_Gf=100;AAAA\x1b\\after", "after"),
    "PM and SOS": ("\x1b^x\x1b\\\x1bXy\x1b\\after", "after"),
    "C1 CSI": ("\x9b31mred\x9b0m", "red"),
    "other C1": ("a\x84\x8d\x96b", "ab"),
    "next line": ("a\x85b", "a\nb"),
    "BEL, NUL, DEL": ("a\x07\x00\x7fb", "ab"),
    "two-letter": ("\x1b7\x1b=\x1bMa\x1b(Bb\x1b#8c", "abc"),
    "escape in a CSI": ("\x1b[3\x1b[1mx", "x"),
    "letters after a broken CSI": ("\x1b[3\x01x", "x"),
    "aborted string": ("\x1b]0;x\x18y", "y"),
    "string without end": ("\x1b]0;title\nnext", "\nnext"),
    "string ended by a sequence": ("\x1b]0;x\x1b[31my", "y"),
    "form feed": ("a\x0cb", "a\nb"),
    "tab": ("a\tb\n", "a\tb\n"),
    "CR LF": ("a\r\nb\r\n", "a\nb\n"),
    "progress": ("10%\r 20%\r100%\ndone", "100%\ndone"),
    "progress, CR last": ("10%\r20%\r\n", "20%\n"),
    "progress with erase": ("\r\x1b[K1/2\r\x1b[K2/2\n", "2/2\n"),
    "overstrike": ("N\bNA\bAM\bME\bE", "NAME"),
    "spinner": ("|\b/\b-\b\\\b ok\n", " ok\n"),
    "Chinese and emoji": ("\x1b[32m热岛 🌳\x1b[0m", "热岛 🌳"),
    "half a sequence at the end": ("a\x1b[3", "a"),
    "ESC at the end": ("a\x1b", "a"),
}
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@pytest.mark.parametrize("name", ROWS)
def test_a_whole_text_is_plain(name: str) -> None:
    written, shown = ROWS[name]
    assert plain(written) == shown


@pytest.mark.parametrize("name", ROWS)
def test_a_sequence_that_is_cut_anywhere_is_taken_out(name: str) -> None:
    """Cut in two at every place, and character by character."""
    written, _ = ROWS[name]
    wanted = Controls().feed(written)
    for at in range(len(written) + 1):
        controls = Controls()
        assert controls.feed(written[:at]) + controls.feed(written[at:]) == wanted, at
    controls = Controls()
    assert "".join(map(controls.feed, written)) == wanted


@settings(max_examples=200, deadline=None)
@given(some.text(some.sampled_from("\x1b\x9b\x9d\x90[]P\\;0m\x07\x9c\n\r\ba\x18"), max_size=40), some.integers(0, 40))
def test_any_mixture_gives_the_same_in_pieces_and_no_control(text: str, at: int) -> None:
    controls = Controls()
    assert controls.feed(text[:at]) + controls.feed(text[at:]) == Controls().feed(text)
    assert not CONTROLS.search(plain(text))


def test_a_string_without_end_does_not_swallow_everything() -> None:
    assert plain("\x1bP" + "x" * 100_000 + "end").endswith("end")
    assert plain("\x1b[" + "1" * 100_000 + "m end").endswith(" end")


def test_the_cost_grows_with_the_text() -> None:
    """1 MiB of the worst: nothing but introducers, or one long line overwritten."""

    def cost(text: str) -> float:
        begun = time.process_time()
        plain(text)
        return time.process_time() - begun

    for unit in ("\x1b[", "\x1b]", "a\r", "a\b", "\x1bP\x1b", "\x9b0"):
        small, large = (max(cost(unit * count), 1e-3) for count in (20_000, 200_000))
        assert large / small < 60, unit


def test_head_and_tail_are_kept_of_both_streams_together() -> None:
    """R-EXEC-5: what came first and what came last, with the true counts."""
    capture = Capture(20)
    for stream, data in ((0, b"abcdef"), (1, b"ABCDEF"), (0, b"0123456789" * 3), (1, b"xyz")):
        capture.add(stream, data)
    assert capture.kept() == (b"abcdef", b"3456789", b"ABCD", b"xyz")
    assert capture.counts == [36, 9]


@settings(max_examples=200, deadline=None)
@given(some.lists(some.tuples(some.integers(0, 1), some.binary(min_size=1, max_size=30)), max_size=20))
def test_no_byte_is_changed_or_counted_wrong(pieces: list[tuple[int, bytes]]) -> None:
    capture = Capture(64)
    for stream, data in pieces:
        capture.add(stream, data)
    kept = capture.kept()
    for stream in (0, 1):
        written = b"".join(data for to, data in pieces if to == stream)
        head, tail = kept[2 * stream : 2 * stream + 2]
        assert capture.counts[stream] == len(written)
        assert written.startswith(head)
        assert written.endswith(tail)
    assert sum(map(len, kept)) == min(64, sum(capture.counts))


def test_single_bytes_in_turn_stay_small() -> None:
    """Two streams that write one byte each in turn: what is kept in a list of stretches is bounded."""
    capture = Capture(1_048_576)
    for number in range(1_200_000):
        capture.add(number % 2, b"x")
    assert len(capture._tail) <= 16_384


def test_a_cut_in_a_character_shows_no_half_of_it() -> None:
    data = "热".encode()
    shown = whole(b"a" + data[:2], data[1:] + b"b", 100)
    assert shown == "a\n[… 98 bytes left out …]\nb"
    assert whole(b"", b"", 0) == ""
    assert whole(b"\xff\xfea", b"", 3) == "��a"


def test_a_live_piece_is_bounded_and_counts_what_it_leaves_out() -> None:
    live = Live()
    for _ in range(3):
        live.add(b"a" * LIVE_BYTES)
    live.add(b"end")
    skipped, data = live.take()
    assert (skipped, len(data), data[-4:]) == (2 * LIVE_BYTES + 3, LIVE_BYTES, b"aend")
    assert live.take() == (0, b"")


def test_live_text_is_that_of_the_end_when_nothing_is_overwritten() -> None:
    """Any cut of the bytes, also inside a character or a sequence."""
    data = "\x1b[31m热岛\x1b[0m\r\nsecond line\n\x1b]0;t\x07third".encode()
    for size in range(1, 12):
        live = LivePieces()
        said = "".join(live.feed(0, data[at : at + size], 0.0) for at in range(0, len(data), size)) + live.finish(0.0)
        assert said == plain(data.decode()), size


def test_a_progress_line_is_shown_at_times_and_in_its_last_state() -> None:
    live = LivePieces()
    said = "".join(live.feed(0, f"\r{number}%".encode(), number / 10) for number in range(31))
    assert said == "0%\n10%\n20%\n30%"
    assert live.feed(0, b"\r99%", 3.01) == ""
    assert live.feed(0, b"\r100%\ndone", 3.02) == "\n100%\ndone"
    assert live.finish(3.03) == ""


def test_what_is_not_shown_live_is_said_and_no_half_line_follows() -> None:
    live = LivePieces()
    assert live.feed(0, b"begin", 0.0) == "begin"
    assert live.feed(12_345, b"of a line\nnext", 0.1) == "\n[… 12,355 bytes not shown while it runs …]\nnext"


async def test_a_real_command_gives_neither_sequences_nor_half_characters(runner, folder):
    """E06 through the whole way: result and live pieces hold no control but tab and newline."""
    heard: list[str] = []
    text = r"""
    printf 'a\033[2'; sleep 0.25; printf 'Jb\033]52;c;eA'; sleep 0.25; printf '==\007c\000\007\377d\302\2330m'
    printf '\347\203'; sleep 0.25; printf '\255\n'; printf '<script>alert(1)</script>\033P1\n2\033\\\n' >&2"""
    ran = await runner.run(Command(text, folder), lambda _, piece: heard.append(piece))
    assert (ran.stdout, ran.stderr) == ("abc�d热\n", "<script>alert(1)</script>\n")
    assert not CONTROLS.search("".join(heard))
    assert sorted("".join(heard)) == sorted(ran.stdout + ran.stderr)
