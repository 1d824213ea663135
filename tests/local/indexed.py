"""A notes folder with a real index over it, for the tests of the index."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any

from orange_jupyter.core.corpus import Hit, Hits, SearchQuery
from orange_jupyter.core.document import Extract
from orange_jupyter.core.paths import KnowledgeBase
from orange_jupyter.core.ports import Documents
from orange_jupyter.documents.extract import LocalDocuments
from orange_jupyter.documents.text import decode
from orange_jupyter.local.fileids import FileIds
from orange_jupyter.local.index import LocalLibrary
from orange_jupyter.local.index.background import Background
from orange_jupyter.local.index.library import Indexing


class CountingDocuments(LocalDocuments):
    """The real parsers, and a list of what was parsed."""

    def __init__(self) -> None:
        super().__init__()
        self.parsed: list[str] = []

    async def extract(self, data: bytes, file_type: str, *, name: str, encoding: str | None = None) -> Extract:
        self.parsed.append(name)
        return await super().extract(data, file_type, name=name, encoding=encoding)


class Indexed:
    """One knowledge base `notes` below `place`, its index and its file ids. Use as `async with`.

    `options` are those of `Indexing`; a search waits for all documents, if nothing else is said, on a slow machine too.
    """

    def __init__(self, place: Path, *inner: str, documents: Documents | None = None, **options: Any) -> None:
        self.place = place.resolve()
        self.root = self.place / "notes"
        self.root.mkdir(exist_ok=True)
        self.cache = self.place / "cache"
        self.base = KnowledgeBase("kb_notes", "notes", str(self.root))
        self.bases = (self.base, *(KnowledgeBase(f"kb_{name}", name, str(self.root / name)) for name in inner))
        self.documents = documents or CountingDocuments()
        self.file_ids = FileIds(self.place / "files.db")
        self.indexing = Indexing(options.pop("background", Background()), **{"patience": 60.0, **options})
        self.library = self.another_library()

    def another_library(self) -> LocalLibrary:
        """A library of the same process, over the same bases."""
        return LocalLibrary(self.bases, self.documents, self.file_ids, self.cache, indexing=self.indexing)

    async def __aenter__(self) -> Indexed:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.library.close()
        await self.documents.close()
        self.file_ids.close()

    def write(self, relative: str, text: str | bytes) -> Path:
        path = self.root / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    async def search(self, text: str, **filters: Any) -> Hits:
        """Search; every note's passage must stand in its file, at its place, at that moment."""
        hits = await self.library.search(SearchQuery(text, filters.pop("bases", ()), **filters))
        for hit in hits.hits:
            self.check(hit)
        return hits

    async def paths(self, text: str, **filters: Any) -> list[str]:
        """The files that a search finds, each once, best first."""
        hits = await self.search(text, **filters)
        return list(dict.fromkeys(hit.info.place.relative for hit in hits.hits))

    def check(self, hit: Hit) -> None:
        base = hit.info.place.knowledge_base
        assert base is not None
        if hit.info.file_type in ("markdown", "txt"):
            text = decode((Path(base.root) / hit.info.place.relative).read_bytes()).text
            assert hit.passage == text[hit.start : hit.end]
