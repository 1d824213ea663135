"""Bytes of notes become text once, and say when they are a guess."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ReadError
from orange_jupyter.documents.text import decode
from tests.documents.samples import ENGLISH, FRENCH, GERMAN, JAPANESE, SIMPLIFIED, TRADITIONAL

LEGACY = [
    ("gb18030", SIMPLIFIED),
    ("gb18030", TRADITIONAL),
    ("big5", TRADITIONAL),
    ("shift_jis", JAPANESE),
    ("cp1252", FRENCH),
    ("cp1252", GERMAN),
    ("cp1252", ENGLISH),
]


@pytest.mark.parametrize(("encoding", "text"), LEGACY)
def test_a_legacy_note_of_300_characters_reads_right_and_sure(encoding: str, text: str) -> None:
    """R-READ-13, C11: correct text, the encoding is named, and writing it back gives every byte again."""
    assert len(text) >= 300
    data = text.encode(encoding)
    found = decode(data)
    assert (found.text, found.encoding, found.uncertain, found.warning) == (text, encoding, False, None)
    assert found.encode(found.text) == data


@given(st.data(), st.sampled_from(LEGACY), st.sampled_from(["\n", "\r\n"]))
def test_any_mix_of_sentences_of_a_legacy_note_reads_right(
    data: st.DataObject, case: tuple[str, str], newline: str
) -> None:
    """R-READ-13: other orders, headings, newlines and English words between do not change the answer."""
    encoding, text = case
    lines = text.splitlines()
    chosen = data.draw(st.lists(st.sampled_from(lines), min_size=8, max_size=12))
    english = data.draw(
        st.lists(st.sampled_from(["# Notes 2026", "see `read_file` and a.b.c", "- [ ] todo"]), max_size=3)
    )
    whole = newline.join([*english, *chosen])
    found = decode(whole.encode(encoding))
    assume(len(whole) >= 300)
    assert (found.text, found.uncertain) == (whole, False)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff"), max_size=200))
def test_utf8_and_utf16_with_a_mark_round_trip_every_text(text: str) -> None:
    """R-READ-13: any text, newlines untouched; the BOM is not part of it and comes back on encoding."""
    for mark, encoding in (
        (b"", "utf-8"),
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        data = mark + text.encode(encoding)
        found = decode(data)
        assert (found.text, found.encoding, found.bom, found.uncertain) == (text, encoding, mark, False)
        assert found.encode(text) == data


@pytest.mark.parametrize(("encoding", "text"), LEGACY)
def test_a_short_legacy_note_is_read_with_a_warning(encoding: str, text: str) -> None:
    """R-READ-13, C11: fewer than 300 characters are a guess, and the warning says so."""
    found = decode(text[:120].encode(encoding))
    assert found.text == text[:120]
    assert found.uncertain
    assert (found.warning or "").startswith("encoding_uncertain")


def test_eight_bytes_of_gb18030_read_with_the_setting_of_the_knowledge_base() -> None:
    """R-READ-13, C11: with `encoding` set, any length reads and is sure."""
    found = decode("会议记录".encode("gb18030"), "GB18030")
    assert (found.text, found.encoding, found.uncertain) == ("会议记录", "gb18030", False)


def test_utf8_wins_over_the_setting_where_it_is_valid() -> None:
    """R-READ-13: a UTF-8 note in a GB18030 knowledge base is still read as UTF-8."""
    assert decode("会议记录 notes".encode(), "gb18030").text == "会议记录 notes"


@pytest.mark.parametrize("setting", ["no-such-code", "hex", "utf-8"])
def test_a_setting_that_does_not_fit_is_an_error(setting: str) -> None:
    """R-READ-13: unknown names, codecs that are not text, and bytes that the setting cannot read."""
    with pytest.raises(ReadError) as caught:
        decode(b"caf\xe9 bien", setting)
    assert caught.value.code is Code.ENCODING_UNKNOWN
    assert caught.value.hint


def test_one_bad_byte_in_utf8_stays_visible_and_uncertain() -> None:
    """C11: UTF-8 with a bad byte is not taken for another encoding; no U+FFFD; it will not be edited."""
    data = SIMPLIFIED.encode()
    found = decode(data[:30] + b"\xff" + data[30:])
    assert found.text.replace("\\xff", "") == SIMPLIFIED
    assert found.uncertain
    assert "\ufffd" not in found.text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_read_as_a_guess(encoding: str) -> None:
    """C11: UTF-16 without BOM: right, with the warning."""
    found = decode("Meeting notes 会议\n".encode(encoding))
    assert (found.text, found.encoding, found.uncertain) == ("Meeting notes 会议\n", encoding, True)


@pytest.mark.parametrize(
    "data",
    [
        b"text\0more text",
        b"PK\x03\x04\x14\0\0\0\x08\0" + bytes(range(256)) * 4,
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\xfe\xff" * 40,
        bytes(range(1, 256)) * 3,
        codecs.BOM_UTF16_LE + b"a\0\0\0b\0",
    ],
)
def test_binary_content_is_refused(data: bytes) -> None:
    """D07, R-READ-13: a .md that is binary is a type mismatch that says what to do."""
    with pytest.raises(ReadError) as caught:
        decode(data)
    assert caught.value.code is Code.TYPE_MISMATCH
    assert caught.value.hint


def test_a_mark_that_lies_is_an_error() -> None:
    """R-READ-13: a file that says UTF-8 and is not fails clearly instead of being guessed."""
    with pytest.raises(ReadError) as caught:
        decode(codecs.BOM_UTF8 + b"caf\xe9")
    assert caught.value.code is Code.ENCODING_UNKNOWN
    assert "byte 6" in caught.value.message


@given(st.binary(max_size=400))
def test_any_bytes_give_text_or_a_typed_error(data: bytes) -> None:
    """R-READ-13, D02: nothing else is raised, and U+FFFD is only there if the file itself holds it."""
    try:
        found = decode(data)
    except ReadError:
        return
    assert "\ufffd" not in found.text or "\ufffd".encode(found.encoding) in data


def test_big_text_is_decoded_in_linear_time() -> None:
    """D11: ten MB of one line take well under the time limit of a test."""
    data = ("这是一行很长的文字" * 500_000).encode("gb18030")
    assert decode(data).encoding == "gb18030"
