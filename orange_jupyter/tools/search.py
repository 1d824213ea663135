"""`search`: passages of the selected knowledge bases, with citations (R-SRCH-*)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from orange_jupyter.core.codes import Code
from orange_jupyter.core.corpus import Hit, Hits, SearchQuery
from orange_jupyter.core.errors import ArgumentError, PathError, ToolError
from orange_jupyter.core.grant import Effect
from orange_jupyter.core.outside import OutsideFilter, OutsideMatch
from orange_jupyter.core.paths import KnowledgeBase, Place
from orange_jupyter.core.times import nanoseconds
from orange_jupyter.core.tool import Action, Arguments, Result, Tool, ToolContext

IMAGE_NOTICE = "Images have no searchable text (no OCR): find them with list, look at them with read."
INDEXING_NOTICE = (
    "Documents are still being indexed ({done} of {total} done); what the others say is missing here. "
    "Search again later, or read a document by its path."
)
OUTSIDE_TYPES = ("markdown", "txt")
FILTERS = ("path", "path_prefix", "tags", "file_types", "updated_after", "updated_before")


class SearchArguments(Arguments):
    """What `search` takes (12-schemas.md)."""

    target: Literal["notes", "web"] = Field(
        default="notes", description="Where to search.", json_schema_extra={"effects": {"web": "web"}}
    )
    query: str = Field(
        default="",
        max_length=1000,
        description='Words, a "phrase" in quotes, or an identifier. May be empty only with a filter.',
    )
    knowledge_base_ids: list[str] | None = Field(default=None, description="Ids or names; default: all selected.")
    path: str | None = Field(default=None, description="A folder or file to search in.")
    path_prefix: str | None = Field(default=None, description="Literal start of the path inside its knowledge base.")
    tags: list[str] | None = Field(default=None, description="All of them must be there.")
    file_types: list[Literal["markdown", "txt", "docx", "pdf", "image"]] | None = Field(default=None)
    updated_after: str | None = Field(default=None, description="Date or time, inclusive.")
    updated_before: str | None = Field(default=None, description="Date or time, exclusive.")
    limit: int = Field(default=4, ge=1, le=16, description="How many passages.")

    def filters(self) -> dict[str, Any]:
        """The filters that were given, by their camelCase names."""
        given = self.model_dump(by_alias=True, exclude_none=True)
        names = {name: field.alias or name for name, field in type(self).model_fields.items()}
        return {names[name]: given[names[name]] for name in FILTERS if given.get(names[name]) not in (None, [])}


async def _plan(context: ToolContext, arguments: SearchArguments) -> Action:
    if arguments.target == "web":
        return Action(Effect.WEB, "search web", arguments.query)
    if arguments.path is None:
        return Action(Effect.LOOK, "search", arguments.query)
    place = await context.workspace.place(arguments.path)
    if not place.outside:
        await context.workspace.stat(place)  # a place that is not there must not look like one without the words
        return Action(Effect.LOOK, "search", arguments.query, place=place)
    _refuse_outside_filters(arguments)
    facts = (("folder", place.shown), ("query", arguments.query))
    return Action(Effect.LOOK_OUTSIDE, "search outside", place.shown, facts=facts, place=place)


async def _run(context: ToolContext, arguments: SearchArguments, action: Action) -> Result:
    if arguments.target == "web":
        raise ToolError(Code.NO_BACKEND, "No web search backend is set up.")
    if not arguments.query.strip() and not arguments.filters():
        raise ArgumentError(
            Code.INVALID_ARGUMENT,
            "`query` is empty and no filter is given.",
            hint="Give words to search for, or a filter such as tags or fileTypes.",
            details={"field": "query"},
        )
    if action.place is not None and action.place.outside:
        return await _outside(context, arguments, action.place)
    return await _inside(context, arguments, action.place)


async def _outside(context: ToolContext, arguments: SearchArguments, place: Place) -> Result:
    """An unindexed scan of text files: at most 2,000 files and 10 s, then `partial` (12-schemas.md, search path).

    Its citations have no file id and no knowledge base; their path is absolute.
    """
    after, before = _times(arguments)
    only = OutsideFilter(arguments.path_prefix or "", tuple(arguments.file_types or ()), after, before)
    found = await context.workspace.scan_outside(place, arguments.query, limit=arguments.limit, only=only)
    citations = await context.citations.number(tuple(_outside_hit(match) for match in found.matches))
    fields: dict[str, Any] = {
        "citations": [citation.as_json() for citation in citations],
        "searched": {"knowledgeBases": [], "files": found.files, "filters": arguments.filters()},
    }
    if found.partial:
        fields["partial"] = True
    if not citations:
        fields["hint"] = _loosen(arguments, Hits((), found.files))
    summary = f"{_count(len(citations), 'passage') or 'nothing'} in {found.files} outside files"
    return Result(fields, summary, untrusted=True, citations=citations)


def _outside_hit(match: OutsideMatch) -> Hit:
    title = match.info.place.shown.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    return Hit(
        info=match.info,
        title=title,
        heading_path=(),
        passage=match.passage,
        start=match.start,
        end=match.end,
        score=float(match.score),
        content_hash=match.content_hash,
    )


def _refuse_outside_filters(arguments: SearchArguments) -> None:
    """Raises ArgumentError for what only an index knows. Outside, text is looked through word by word."""
    reason = ""
    if arguments.knowledge_base_ids:
        field, reason = "knowledgeBaseIds", "the path lies in none of the selected knowledge bases"
    elif arguments.tags:
        field, reason = "tags", "tags are known only inside the knowledge bases"
    elif set(arguments.file_types or ()) - set(OUTSIDE_TYPES):
        field, reason = "fileTypes", f"only text is searched there ({', '.join(OUTSIDE_TYPES)})"
    elif not arguments.query.strip():
        field, reason = "query", "words are needed there"
    if reason:
        raise ArgumentError(
            Code.INVALID_ARGUMENT,
            f"`{field}` does not fit a search outside the knowledge bases: {reason}.",
            hint="Leave it out, or search inside." if field != "query" else "Give words to search for.",
            details={"field": field},
        )


async def _inside(context: ToolContext, arguments: SearchArguments, place: Place | None) -> Result:
    bases = _selected(context.workspace.knowledge_bases, arguments.knowledge_base_ids)
    types = tuple(kind for kind in arguments.file_types or () if kind != "image")
    notices = (IMAGE_NOTICE,) if "image" in (arguments.file_types or ()) else ()
    named = [{"id": base.id, "name": base.name} for base in bases]
    searched: dict[str, Any] = {"knowledgeBases": named, "files": 0, "filters": arguments.filters()}
    if notices and not types:
        return Result({"citations": [], "searched": searched}, "images are not searched", notices=notices)
    hits = await context.library.search(_query(arguments, bases, (place, types)), context.progress)
    citations = await context.citations.number(hits.hits)
    fields: dict[str, Any] = {
        "citations": [citation.as_json() for citation in citations],
        "searched": searched | {"files": hits.files},
    }
    if hits.indexing is not None:
        fields["indexing"] = {"done": hits.indexing[0], "total": hits.indexing[1]}
        notices = (*notices, INDEXING_NOTICE.format(**fields["indexing"]))
    if not citations:
        fields["hint"] = _loosen(arguments, hits)
    return Result(fields, _summary(hits), warnings=hits.warnings, notices=notices, citations=citations)


def _selected(bases: tuple[KnowledgeBase, ...], wanted: list[str] | None) -> tuple[KnowledgeBase, ...]:
    if not wanted:
        return bases
    by_name = {name: base for base in bases for name in (base.name, base.id)}
    for name in wanted:
        if name not in by_name:
            raise PathError(
                Code.OUTSIDE_WORKSPACE,
                f"The knowledge base {name!r} is not selected.",
                hint=f"Selected: {', '.join(base.name for base in bases) or 'none'}.",
            )
    return tuple({by_name[name].id: by_name[name] for name in wanted}.values())


def _query(
    arguments: SearchArguments, bases: tuple[KnowledgeBase, ...], where: tuple[Place | None, tuple[str, ...]]
) -> SearchQuery:
    place, types = where
    after, before = _times(arguments)
    return SearchQuery(
        text=arguments.query,
        knowledge_base_ids=tuple(base.id for base in bases),
        folder=place,
        path_prefix=arguments.path_prefix,
        tags=tuple(tag.lstrip("#") for tag in arguments.tags or ()),
        file_types=types,
        updated_after=after,
        updated_before=before,
        limit=arguments.limit,
    )


def _times(arguments: SearchArguments) -> tuple[int | None, int | None]:
    after, before = arguments.updated_after, arguments.updated_before
    return (
        nanoseconds(after, "updatedAfter") if after is not None else None,
        nanoseconds(before, "updatedBefore") if before is not None else None,
    )


def _loosen(arguments: SearchArguments, hits: Hits) -> str:
    """What was searched and which filter to loosen (R-SRCH-8)."""
    filters = list(arguments.filters())
    if not hits.files:
        advice = f"Loosen {filters[0]}." if filters else "The knowledge bases hold no text files."
        return f"No file was searched. {advice}"
    if filters:
        return f"Nothing in {hits.files} files. Loosen {filters[-1]} first (filters: {', '.join(filters)})."
    return f"Nothing in {hits.files} files. Try fewer or other words, or the other language."


def _summary(hits: Hits) -> str:
    still = f", {hits.indexing[0]} of {hits.indexing[1]} documents indexed" if hits.indexing else ""
    return _found(hits) + still


def _found(hits: Hits) -> str:
    if not hits.hits:
        return f"nothing found in {hits.files} files"
    notes = {hit.info.file_id for hit in hits.hits if hit.info.file_type in ("markdown", "txt")}
    papers = {hit.info.file_id for hit in hits.hits} - notes
    parts = [_count(len(notes), "note"), _count(len(papers), "document")]
    return f"{_count(len(hits.hits), 'passage')} in {', '.join(part for part in parts if part)}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}" if number else ""


SEARCH = Tool(
    name="search",
    description="Search the selected knowledge bases. Returns passages with citation ids to cite as [c1].",
    arguments=SearchArguments,
    effects=(Effect.LOOK, Effect.LOOK_OUTSIDE, Effect.WEB),
    plan=_plan,
    run=_run,
    target=lambda arguments: arguments.query,
)
