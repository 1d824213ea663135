"""Kept results, pictures and citations of a session."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from blockbuster import blockbuster_ctx

from orange_jupyter.core.codes import Code
from orange_jupyter.core.corpus import Hit
from orange_jupyter.core.errors import EvidenceError, StoreError
from orange_jupyter.core.keeping import Blobs, Citations, Evidence, Reads
from orange_jupyter.core.masking import Masker
from orange_jupyter.core.paths import FileInfo, KnowledgeBase, Place
from orange_jupyter.storage.blobs import FileBlobs
from orange_jupyter.storage.citations import SessionCitations
from orange_jupyter.storage.database import Database
from orange_jupyter.storage.evidence import WHOLE_BYTES, SessionEvidence
from orange_jupyter.storage.reads import SessionReads
from orange_jupyter.storage.sessions import Sessions

TEXT = "笔记🍊" + "x" * 30_000 + "末尾"


async def code_of(evidence: Evidence, ref: str, offset: int = 0) -> Code:
    with pytest.raises(EvidenceError) as caught:
        await evidence.piece(ref, offset, 10)
    return caught.value.code


async def test_a_result_is_read_in_pieces_by_characters(database: Database, sessions: Sessions) -> None:
    """R-EVID-2: next_offset until the end; offsets in code points."""
    evidence: Evidence = SessionEvidence(database, (await sessions.create()).session_id)
    ref = await evidence.keep("call_1", "read", TEXT)
    assert ref.startswith("tr_")
    offset, pieces, sizes = 0, [], []
    while True:
        piece = await evidence.piece(ref, offset, 12_000)
        pieces.append(piece.content)
        sizes.append(len(piece.content))
        assert (piece.offset, piece.total_chars, piece.source_tool) == (offset, len(TEXT), "read")
        assert (piece.content_type, piece.storage_kind) == ("application/json", "inspectable")
        if piece.next_offset is None:
            break
        offset = piece.next_offset
    assert "".join(pieces) == TEXT
    assert sizes == [12_000, 12_000, 6_005]
    assert (await evidence.piece(ref, 2, 1)).content == "🍊"


async def test_a_new_kernel_reads_evidence_of_earlier_runs(database: Database, sessions: Sessions, home: Path) -> None:
    """R-EVID-2."""
    session_id = (await sessions.create()).session_id
    ref = await SessionEvidence(database, session_id).keep("call_1", "read", TEXT)
    other = Database.open(home)
    assert (await SessionEvidence(other, session_id).piece(ref, 0, 4)).content == "笔记🍊x"
    other.close()


async def test_a_limit_out_of_bounds_is_clamped_and_an_offset_is_not(database: Database, sessions: Sessions) -> None:
    """S08: limit 10^9 and 0; offset -1 and past the end."""
    evidence = SessionEvidence(database, (await sessions.create()).session_id)
    ref = await evidence.keep("call_1", "read", "a" * 100_000)
    assert len((await evidence.piece(ref, 0, 10**9)).content) == 48_000
    assert len((await evidence.piece(ref, 0, 0)).content) == 1
    at_end = await evidence.piece(ref, 100_000, 5)
    assert (at_end.content, at_end.next_offset) == ("", None)
    assert await code_of(evidence, ref, -1) is Code.OUT_OF_RANGE
    assert await code_of(evidence, ref, 100_001) is Code.OUT_OF_RANGE


@pytest.mark.parametrize(
    "ref",
    [
        "/etc/passwd",
        "../orange.db",
        "tr_",
        "tr_../../a",
        "C:\\a",
        "tr_ABCDEFGHIJKLMNOP",
        "tr_aaaaaaaaaaaaaaaa\n",
        "",
        "％",
    ],
)
async def test_what_is_no_ref_is_invalid(database: Database, sessions: Sessions, ref: str) -> None:
    """R-EVID-3, S08: path-like and malformed."""
    evidence = SessionEvidence(database, (await sessions.create()).session_id)
    assert await code_of(evidence, ref) is Code.INVALID_REF


async def test_refs_of_others_missing_ones_and_dropped_ones_differ(database: Database, sessions: Sessions) -> None:
    """R-EVID-3, S08: out_of_scope, not_found (also an edited ref), not_available."""
    mine = SessionEvidence(database, (await sessions.create()).session_id, session_bytes=25)
    other = SessionEvidence(database, (await sessions.create()).session_id)
    ref = await mine.keep("call_1", "read", "secret of mine")
    assert await code_of(other, ref) is Code.OUT_OF_SCOPE
    assert await code_of(mine, ref[:-1] + ("a" if ref[-1] != "a" else "b")) is Code.NOT_FOUND
    newer = await mine.keep("call_2", "read", "a newer text")
    assert await code_of(mine, ref) is Code.NOT_AVAILABLE
    assert (await mine.piece(newer, 0, 50)).content == "a newer text"


async def test_a_result_over_two_megabytes_is_a_view_that_says_so(database: Database, sessions: Sessions) -> None:
    """R-EVID-1, R-EVID-2: `projected`, a preview is never presented as the whole."""
    evidence = SessionEvidence(database, (await sessions.create()).session_id)
    whole = await evidence.keep("call_1", "exec", "b" * WHOLE_BYTES)
    assert (await evidence.piece(whole, 0, 1)).storage_kind == "inspectable"
    text = "头" + "中" * WHOLE_BYTES + "尾"
    ref = await evidence.keep("call_2", "exec", text)
    first = await evidence.piece(ref, 0, 10)
    assert first.storage_kind == "projected"
    assert first.content.startswith("头中")
    assert first.total_chars < len(text)
    end = await evidence.piece(ref, first.total_chars - 5, 10)
    assert end.content == "中中中中尾"
    middle = await evidence.piece(ref, first.total_chars // 2 - 200, 400)
    assert f"of {len(text):,} characters were not kept" in middle.content


async def test_no_key_is_kept_in_evidence_or_citations(database: Database, sessions: Sessions) -> None:
    """R-EVID-1, R-ALL-5, S01."""
    key = "ghp_" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3d"
    session_id = (await sessions.create()).session_id
    mask = Masker().mask
    await SessionEvidence(database, session_id, mask=mask).keep("call_1", "read", f"key {key}")
    (citation,) = await SessionCitations(database, session_id, mask=mask).number((replace(HIT, passage=key),))
    assert citation.passage == key
    assert not any(key.encode() in file.read_bytes() for file in database.file.parent.iterdir() if file.is_file())


async def test_text_that_cannot_be_encoded_is_kept_as_escapes(database: Database, sessions: Sessions) -> None:
    evidence = SessionEvidence(database, (await sessions.create()).session_id)
    ref = await evidence.keep("call_1", "read", "caf\udce9\0.md")
    assert (await evidence.piece(ref, 0, 50)).content == "caf\\udce9\0.md"


BASE = KnowledgeBase(id="kb_1", name="笔记", root="/n")
INFO = FileInfo(
    place=Place(BASE, "a b/论文.pdf", "a b/论文.pdf"),
    file_type="pdf",
    size=10,
    mtime_ns=1_796_058_300_500_000_000,
    inode=7,
    file_id="f_abcdefghijklmnop",
    page_count=3,
)
HIT = Hit(
    info=INFO,
    title="论文",
    heading_path=("一", "二"),
    passage="文",
    start=5,
    end=6,
    score=0.5,
    content_hash="sha256:a",
    page=2,
)


async def test_citations_are_numbered_and_the_same_passage_keeps_its_id(database: Database, sessions: Sessions) -> None:
    """12-schemas, Citation: c1, c2, … unique in the session, the same for the same passage and content."""
    session_id = (await sessions.create()).session_id
    citations: Citations = SessionCitations(database, session_id)
    others = [
        replace(HIT, start=4),
        replace(HIT, end=9),
        replace(HIT, page=3),
        replace(HIT, page=None, block=2),
        replace(HIT, content_hash="sha256:b"),
        replace(HIT, info=replace(INFO, file_id="f_other")),
    ]
    first = await citations.number((HIT, *others))
    assert [one.citation_id for one in first] == [f"c{number}" for number in range(1, 8)]
    again = await SessionCitations(database, session_id).number(
        (others[3], replace(HIT, score=0.9), replace(HIT, start=1))
    )
    assert [one.citation_id for one in again] == ["c5", "c1", "c8"]
    assert again[1].score == 0.9
    known = await citations.known()
    assert list(known) == [f"c{number}" for number in range(1, 9)]
    assert known["c1"] == again[1]
    elsewhere = SessionCitations(database, (await sessions.create()).session_id)
    assert [one.citation_id for one in await elsewhere.number((HIT,))] == ["c1"]
    assert await citations.number(()) == ()


async def test_a_citation_carries_all_its_fields(database: Database, sessions: Sessions) -> None:
    """12-schemas, Citation."""
    citations = SessionCitations(database, (await sessions.create()).session_id)
    (one,) = await citations.number((HIT,))
    assert one.as_json() == {
        "citationId": "c1",
        "fileId": "f_abcdefghijklmnop",
        "knowledgeBaseId": "kb_1",
        "knowledgeBase": "笔记",
        "path": "a b/论文.pdf",
        "fileType": "pdf",
        "title": "论文",
        "headingPath": ["一", "二"],
        "page": 2,
        "passage": "文",
        "start": 5,
        "end": 6,
        "score": 0.5,
        "updatedAt": "2026-11-30T17:05:00Z",
        "contentHash": "sha256:a",
    }
    outside = replace(INFO, place=Place(None, "/o/x.md", "/o/x.md"), file_id=None)
    (two,) = await citations.number((replace(HIT, info=outside),))
    assert (two.citation_id, two.file_id, two.knowledge_base, two.path) == ("c2", "", "", "/o/x.md")


async def test_a_picture_is_kept_once_and_privately(home: Path) -> None:
    """R-UI-4, S04: exact bytes, mode 0600."""
    blobs: Blobs = FileBlobs(home)
    with blockbuster_ctx("orange_jupyter"):
        sha256 = await blobs.put(b"\x89PNG pixels", "image/png")
        assert await blobs.put(b"\x89PNG pixels", "image/png") == sha256
        assert await blobs.get(sha256) == b"\x89PNG pixels"
    files = [file for file in home.rglob("*") if file.is_file()]
    assert [file.name for file in files] == [f"{sha256}.png"]
    assert stat.S_IMODE(files[0].stat().st_mode) == 0o600
    assert stat.S_IMODE(files[0].parent.stat().st_mode) == 0o700
    files[0].write_bytes(b"\x89PNG PIXELS")
    with pytest.raises(EvidenceError) as caught:
        await blobs.get(sha256)
    assert caught.value.code is Code.NOT_AVAILABLE


@pytest.mark.parametrize(
    ("name", "code"), [("0" * 64, Code.NOT_AVAILABLE), ("../orange", Code.INVALID_REF), ("*", Code.INVALID_REF)]
)
async def test_a_picture_that_is_not_there(home: Path, name: str, code: Code) -> None:
    """S08."""
    with pytest.raises(EvidenceError) as caught:
        await FileBlobs(home).get(name)
    assert caught.value.code is code


async def test_a_picture_that_cannot_be_kept_says_where(tmp_path: Path) -> None:
    """R07."""
    (tmp_path / "blobs").write_text("in the way")
    with pytest.raises(StoreError, match="picture could not be kept"):
        await FileBlobs(tmp_path).put(b"x", "image/png")


async def test_evidence_never_blocks_the_loop(database: Database, sessions: Sessions) -> None:
    """R-UI-1."""
    evidence = SessionEvidence(database, (await sessions.create()).session_id)
    with blockbuster_ctx("orange_jupyter"):
        ref = await evidence.keep("call_1", "read", json.dumps({"a": 1}))
        await evidence.piece(ref, 0, 5)


async def test_the_last_state_read_of_a_file_is_remembered(database: Database, sessions: Sessions) -> None:
    """R-READ-2: a later piece can say `changed`; each session remembers its own."""
    session_id = (await sessions.create()).session_id
    reads: Reads = SessionReads(database, session_id)
    assert await reads.note("f_1", "sha256:a") is None
    assert await reads.note("f_1", "sha256:b") == "sha256:a"
    assert await SessionReads(database, session_id).note("f_1", "sha256:b") == "sha256:b"
    assert await SessionReads(database, (await sessions.create()).session_id).note("f_1", "sha256:c") is None
