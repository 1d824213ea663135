"""One envelope, cut once for the model: R-SCH-5, R-SCH-6, R-CTX-2, R-ALL-1."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ReadError
from orange_jupyter.core.result import MODEL_CHARACTERS, clip, envelope, failure, fitting

TEXT = st.text(alphabet=st.characters(codec="utf-8"), max_size=400)


def citations(count: int, passage: str) -> dict[str, object]:
    return envelope(
        {
            "citations": [
                {"citationId": f"c{n}", "start": 100, "end": 100 + len(passage), "passage": passage}
                for n in range(count)
            ]
        }
    )


def test_search_shortens_its_passages_evenly_before_it_drops_a_citation():
    """R-CTX-2: sixteen long passages all stay, each as long as the others, and `end` is what is shown."""
    clipped = clip(citations(16, "雪线 melt " * 200), ref="tr_1")
    shown = json.loads(clipped.text)
    lengths = {len(item["passage"]) for item in shown["citations"]}
    assert len(shown["citations"]) == 16
    assert len(lengths) == 1
    assert all(item["end"] - item["start"] == len(item["passage"]) for item in shown["citations"])
    assert (shown["truncated"], shown["details_ref"]) == (True, "tr_1")


def test_a_listing_is_cut_at_whole_entries_with_the_cursor_after_them():
    """R-CTX-2: `nextCursor` belongs to what was really shown."""
    whole = envelope(
        {
            "entries": [{"path": f"笔记/{n:04d} " + "x" * 80} for n in range(120)],
            "total": 500,
            "nextCursor": "after-120",
        }
    )
    count = fitting(whole, "entries")
    clipped = clip(whole, ref=None, cursor=(count, f"after-{count}"))
    shown = json.loads(clipped.text)
    assert 0 < count < 120
    assert len(shown["entries"]) == count
    assert shown["nextCursor"] == f"after-{count}"
    assert len(clipped.text) <= MODEL_CHARACTERS


def test_pages_are_cut_from_the_end_and_the_offset_counts_in_the_joined_text():
    """R-CTX-2: what `nextOffset` gives is the first character that was not shown."""
    pages = ["a" * 3000, "二" * 3000, 'c"\n' * 2000]
    joined = "\n\n".join(pages)
    whole = envelope(
        {"pages": [{"page": n + 1, "text": text} for n, text in enumerate(pages)], "offset": 0, "nextOffset": None}
    )
    shown = json.loads(clip(whole, ref=None).text)
    seen = "\n\n".join(page["text"] for page in shown["pages"])
    assert seen == joined[: shown["nextOffset"]]
    assert 6000 < shown["nextOffset"] < len(joined)


def test_a_failure_keeps_what_was_obtained():
    """R-ALL-1, R-SCH-5: fields obtained stand beside the error."""
    error = ReadError(Code.OUT_OF_RANGE, "page 9 does not exist", details={"valid": [1, 3]}, fields={"pageCount": 3})
    assert failure(error) == {
        "ok": False,
        "error": {"code": "out_of_range", "message": "page 9 does not exist", "details": {"valid": [1, 3]}},
        "pageCount": 3,
    }


@settings(max_examples=60, deadline=None)
@given(content=TEXT, times=st.integers(1, 200), offset=st.integers(0, 10_000))
def test_what_the_model_gets_is_always_valid_json_within_the_bound(content, times, offset):
    """R-CTX-2, R-SCH-6: and the shown text is the start of the whole, never a changed one."""
    whole = envelope({"content": content * times, "offset": offset, "nextOffset": None, "title": content})
    clipped = clip(whole, ref="tr_x")
    shown = json.loads(clipped.text)
    assert len(clipped.text) <= MODEL_CHARACTERS
    assert (content * times).startswith(shown.get("content", ""))
    if clipped.clipped and "nextOffset" in shown and "content" in shown:
        assert shown["nextOffset"] == offset + len(shown["content"])


@settings(max_examples=40, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | TEXT,
        lambda inner: st.lists(inner, max_size=30) | st.dictionaries(st.text(max_size=8), inner, max_size=30),
        max_leaves=80,
    )
)
def test_any_structure_is_cut_to_valid_json(value):
    """R-SCH-6: whatever a later tool returns."""
    clipped = clip(envelope({"value": value, "results": [value] * 20, "text": str(value) * 30}), ref=None)
    assert len(clipped.text) <= MODEL_CHARACTERS
    assert json.loads(clipped.text)["ok"] is True
