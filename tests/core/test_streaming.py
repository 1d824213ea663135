"""What streams to the views: secrets that come letter by letter are masked, everything else arrives as it is (R-ALL-5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_jupyter.core.deltas import Delta, ModelRetry, Progress, ReasoningDelta, Restarted, TextDelta
from orange_jupyter.core.masking import MASK, Masker
from orange_jupyter.core.streaming import LONGEST, MaskedStream

KEY = "Zk/9+canary==q7Tq0vX3~mW8rB5"


def heard(*deltas: Delta, secrets: tuple[str, ...] = (KEY,)) -> list[Delta]:
    found: list[Delta] = []
    stream = MaskedStream(found.append, Masker(secrets).mask)
    for delta in deltas:
        stream(delta)
    stream.flush()
    return found


def text(found: list[Delta]) -> str:
    return "".join(one.text for one in found if isinstance(one, TextDelta))


@pytest.mark.parametrize("before", ["key ", "钥匙", "", "a=\n"])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_a_key_that_comes_in_pieces_is_never_shown(before: str, size: int) -> None:
    said = f"{before}{KEY} 好 done"
    pieces = [TextDelta(text=said[place : place + size]) for place in range(0, len(said), size)]
    assert text(heard(*pieces)) == f"{before}⟦masked⟧ 好 done"


@given(st.lists(st.text(max_size=12), max_size=20), st.booleans())
def test_text_without_secrets_arrives_whole_and_in_order(pieces: list[str], thinking: bool) -> None:
    found = heard(*((ReasoningDelta if thinking else TextDelta)(text=piece) for piece in pieces), secrets=())
    assert "".join(one.text for one in found if isinstance(one, TextDelta | ReasoningDelta)) == Masker().mask(
        "".join(pieces)
    )


def test_only_the_word_that_is_being_written_waits() -> None:
    found: list[Delta] = []
    stream = MaskedStream(found.append, Masker((KEY,)).mask)
    for piece in ("绿茶", " is", " gre", "en"):
        stream(TextDelta(text=piece))
    assert text(found) == "绿茶 is "
    stream.flush()
    assert text(found) == "绿茶 is green"


def test_a_word_without_end_does_not_hold_the_stream_up() -> None:
    found: list[Delta] = []
    stream = MaskedStream(found.append, Masker((KEY,)).mask)
    for _ in range(3 * LONGEST):
        stream(TextDelta(text="x"))
    assert len(text(found)) > LONGEST


def test_reasoning_text_and_other_deltas_keep_their_order() -> None:
    found = heard(
        ReasoningDelta(text=KEY[:9]),
        ReasoningDelta(text=KEY[9:]),
        TextDelta(text="half"),
        Restarted(reason=f"bad {KEY}"),
        ModelRetry(attempt=2, of=5, seconds=1.0, reason=f"busy {KEY}"),
        Progress(what="x", done=1),
        TextDelta(text="whole"),
    )
    assert [one.kind for one in found] == ["reasoning_delta", "restarted", "model_retry", "progress", "text_delta"]
    assert KEY not in repr(found)
    assert text(found) == "whole"


def test_a_key_is_known_by_the_words_before_it_also_when_they_came_first() -> None:
    """R-ALL-5: no known shape, only "key is" makes it one."""
    key = "c30123456789abcdef0123456789abcd"
    heard: list[str] = []
    stream = MaskedStream(lambda delta: heard.append(delta.text), Masker().mask)
    for word in f"Your api key is {key} and so on. ".split(" "):
        stream(TextDelta(text=f"{word} "))
    stream.flush()
    assert key not in "".join(heard)
    assert "".join(heard).split() == ["Your", "api", "key", "is", MASK, "and", "so", "on."]
