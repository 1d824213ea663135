"""`tool_result_read`: reads kept evidence in pieces (R-EVID-2, R-EVID-3). Takes no path."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from orange_jupyter.core.grant import Effect
from orange_jupyter.core.result import as_json
from orange_jupyter.core.tool import Action, Arguments, Result, Tool, ToolContext

MOST = 48_000


class EvidenceArguments(Arguments):
    """What `tool_result_read` takes; its names keep their snake_case (R-SCH-2)."""

    model_config = ConfigDict(alias_generator=None)

    ref: str = Field(description="A details_ref, tr_….")
    offset: int = Field(default=0, ge=0, description="In characters.")
    limit: int = Field(default=12_000, ge=1, description="At most 48,000; a larger one is taken as that.")


async def _plan(_: ToolContext, arguments: EvidenceArguments) -> Action:
    return Action(Effect.LOOK, "read evidence", arguments.ref)


async def _run(context: ToolContext, arguments: EvidenceArguments, _: Action) -> Result:
    piece = await context.evidence.piece(arguments.ref, arguments.offset, min(arguments.limit, MOST))
    content, room = piece.content, MOST
    while len(as_json(content)) > room + 2:
        content = content[: len(content) - max(1, (len(as_json(content)) - room) // 2)]
    cut = len(content) < len(piece.content)
    following = piece.offset + len(content) if cut else piece.next_offset
    fields = {
        "content": content,
        "offset": piece.offset,
        "next_offset": following,
        "eof": following is None,
        "total_chars": piece.total_chars,
        "source_tool": piece.source_tool,
        "content_type": piece.content_type,
        "storage_kind": piece.storage_kind,
    }
    if cut:
        fields["envelope_clamped"] = True
    return Result(fields, f"{len(content):,} of {piece.total_chars:,} characters")


TOOL_RESULT_READ = Tool(
    name="tool_result_read",
    description="Read a kept result (details_ref) in pieces, from offset.",
    arguments=EvidenceArguments,
    effects=(Effect.LOOK,),
    plan=_plan,
    run=_run,
    target=lambda arguments: arguments.ref,
    clipped=False,
)
