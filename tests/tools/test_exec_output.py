"""What a command writes while it runs, and what its words name: R-EXEC-11, S03, A06, A10."""

from __future__ import annotations

import asyncio
import os

import pytest

from orange_jupyter.core.grant import Tier
from orange_jupyter.core.paths import KnowledgeBase
from orange_jupyter.core.running import Stream
from orange_jupyter.core.shapes import secret_spans
from orange_jupyter.local.operands import MOST_FILES, Standpoint, look_at
from orange_jupyter.tools.running import live as timing
from orange_jupyter.tools.running.live import CHARACTERS, LINES, LiveOutput
from orange_jupyter.tools.running.words import words_of
from tests.tools.commanding import Room

KEY = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3


async def test_live_output_comes_while_the_command_runs_and_is_masked(tmp_path):
    """R-EXEC-11, S03: pieces in their order; a key that comes in two halves is never shown, whole or in part."""
    room = Room(tmp_path)
    room.root.mkdir()
    command = (
        f"echo first; sleep 0.4; printf %s {KEY[:25]}; sleep 0.2; echo {KEY[25:]}; sleep 0.4; echo last; sleep 0.3"
    )
    await room("exec", Tier.FULL_AUTO, command=command)
    texts = [one.text for one in room.shown]
    assert texts[0] == "first\n"
    assert texts[-1].startswith("first\n")
    assert texts[-1].endswith("last\n")
    assert not [one for one in texts if KEY[8:25] in one or KEY[25:] in one]
    assert any("masked" in one for one in texts)
    await room.close()


async def test_live_output_is_bounded_however_much_comes():
    """R-EXEC-11: the newest lines and characters, the lines before them counted, ten showings a second at most."""
    shown: list[tuple[str, int]] = []
    live = LiveOutput(lambda text, left: shown.append((text, left)), secret_spans)
    count = 0
    clock = asyncio.get_running_loop().time
    begun = clock()
    for _ in range(30):
        for _ in range(200):
            live(Stream.STDOUT, f"line {count}\n")
            count += 1
        await asyncio.sleep(0.02)
    await asyncio.sleep(timing.INTERVAL + 0.05)
    assert len(shown) <= (clock() - begun) / timing.INTERVAL + 1
    for text, left in shown:
        assert text.count("\n") <= LINES
        assert len(text) <= CHARACTERS
        assert f"line {left}\n" in text
    assert shown[-1][0].endswith(f"line {count - 1}\n")
    live(Stream.STDERR, "x" * 200_000)
    await asyncio.sleep(timing.INTERVAL + 0.05)
    assert len(shown[-1][0]) == CHARACTERS
    live.close()
    assert live.so_far()["truncated"] is True


async def test_an_unfinished_line_is_shown_when_nothing_follows():
    """R-EXEC-11: a word waits for its end, since it may be the beginning of a key, but not for ever."""
    shown: list[str] = []
    live = LiveOutput(lambda text, _: shown.append(text), secret_spans)
    live(Stream.STDOUT, "step 50%")
    await asyncio.sleep(timing.INTERVAL + timing.QUIET + 0.2)
    live.close()
    assert shown == ["step ", "step 50%"]


async def test_no_half_of_a_key_stands_beside_a_cut(tmp_path):
    """S03, R-EXEC-5: a key that the cut goes through, and the end of a private key whose beginning is left out."""
    room = Room(tmp_path)
    room.root.mkdir()
    half = 524_288
    lines = "".join(f"{'Qk9EWQ' * 10}{number:04}\n" for number in range(40))
    key = f"-----BEGIN PRIVATE KEY-----\n{lines}-----END PRIVATE KEY-----\n"
    for text in ("x " * (half // 2 - 10) + KEY + " y" * half, "x " * half + key + "y " * ((half - 1_000) // 2)):
        (room.root / "big.txt").write_text(text)
        got = await room("exec", Tier.FULL_AUTO, command="cat big.txt")
        assert (got["ok"], got["truncated"], got["stdoutBytes"]) == (True, True, len(text))
        assert KEY[:12] not in got["stdout"]
        assert "Qk9EWQ" not in got["stdout"]
        assert "bytes left out" in got["stdout"]
        assert len(room.ran.result.content) <= 9_000
        assert len(room.heard[-1].envelope["stdout"]) < 41_000
    await room.close()


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("bash run.sh", {"run.sh"}),
        ("cat <in.txt>out.txt 2>>err.txt", {"in.txt", "out.txt", "err.txt"}),
        ("make -fMakefile --file=other.mk CC=gcc", {"Makefile", "other.mk", "gcc"}),
        ("curl -d @body.json x", {"body.json"}),
        ("bash -c 'sh \"my script.sh\" && rm b.txt'", {"my script.sh", "b.txt"}),
        ("cat $HOME/a ${HOME}/b ~/c $PWD/d", {"~/a", "~/b", "~/c", "./d"}),
        ("echo 'unfinished; cat a.md", {"a.md"}),
        ("a&&b||c;d|e&(f)", set("abcdef")),
        ("cat <<E\nrun.sh\nE\n", {"run.sh"}),
        ("env X=1 python 报告.py", {"报告.py"}),
    ],
)
def test_the_words_of_a_command_are_found(command, wanted):
    """A06: plain, quoted, redirected, as values, in nested scripts, in what no shell would take."""
    assert wanted <= set(words_of(command).words)


def test_folders_that_a_command_goes_to_are_known():
    """A06: later words may count from there."""
    assert words_of("cd sub && pushd 'other one'; cd -").folders == ("sub", "other one")


def test_operands_are_bounded_and_said_to_be(tmp_path):
    """A06: at most 50 files, 20 MB each; what is not compared is said; devices and pipes are not opened."""
    for number in range(60):
        (tmp_path / f"f{number}").write_text(str(number))
    with open(tmp_path / "big", "wb") as file:
        file.truncate(21 * 1_048_576)
    os.mkfifo(tmp_path / "pipe")
    stand = Standpoint(str(tmp_path), (), (KnowledgeBase("kb", "kb", str(tmp_path)),))
    found = look_at(("big", "pipe", "/dev/zero", "f*", "gone", "\0", "x" * 5000), stand)
    assert len(found.files) == MOST_FILES
    assert not found.files["big"].startswith("sha256:")
    assert found.files["f0"].startswith("sha256:")
    assert {"pipe", "/dev/zero"}.isdisjoint(found.files)
    said = "\n".join(found.warnings)
    assert "big is too large to be compared" in said
    assert "Only 50 of the files" in said


def test_links_of_the_system_itself_are_no_news(tmp_path):
    """A10: /bin/sh is a link on most systems; one in a knowledge base to the same place is named."""
    (tmp_path / "tool").symlink_to("/bin/sh")
    stand = Standpoint(str(tmp_path), (), (KnowledgeBase("kb", "kb", str(tmp_path)),))
    assert not look_at(("/bin/sh", "/usr/bin/python3", "/dev/stdin"), stand).warnings
    assert "tool is a link to" in look_at(("tool",), stand).warnings[0]


def test_the_worst_link_is_never_crowded_out(tmp_path):
    """A10: many harmless links and words hide nothing: the worst stands first, the rest is counted, limits are said."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "note.md").write_text("x")
    for number in range(300):
        (tmp_path / f"a{number:03}").symlink_to("note.md")
    (tmp_path / "zz").symlink_to(".git/config")
    stand = Standpoint(str(tmp_path), (), (KnowledgeBase("kb", "kb", str(tmp_path)),))
    found = look_at((".",), stand)
    assert found.warnings[0] == f"./zz is a link to {tmp_path}/.git/config, which is protected."
    assert found.warnings[-1] == "281 more links and protected places are not named here."
    crowded = look_at((*(f"w{number}" for number in range(2_000)), "zz"), stand)
    assert "names too much to look at" in crowded.warnings[-1]


def test_what_is_looked_at_for_a_hostile_command_is_bounded(tmp_path):
    """A06: 100,000 characters of words, folders, quotes and stars: nobody waits for a card, and what is left out is said."""
    for number in range(500):
        (tmp_path / f"n{number}").write_text("x")
    stand = KnowledgeBase("kb", "kb", str(tmp_path))
    for command in ("cd n* && " * 11_000, "* " * 50_000, "'" + "a b " * 24_000 + "'", "./* " * 25_000, "x" * 100_000):
        words = words_of(command)
        found = look_at(words.words, Standpoint(str(tmp_path), words.folders, (stand,)))
        assert len(found.files) <= MOST_FILES
        assert found.entries > -2_000 * 9
