"""`write`: proposes a new note or folder; nothing existing is ever overwritten (R-WRIT-*)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from orange_jupyter.core.changes.drafting import Draft
from orange_jupyter.core.changes.values import Kind
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError
from orange_jupyter.core.grant import Effect
from orange_jupyter.core.paths import file_type
from orange_jupyter.core.tool import Action, Arguments, Result, Tool, ToolContext
from orange_jupyter.tools.changing.answering import answered, refuse_masked, require_text, with_turn
from orange_jupyter.tools.changing.places import (
    Located,
    action_of,
    effect_of,
    folder_for,
    locate,
    place_in_base,
    require_free,
)

MOST = 5 * 1_048_576


class WriteArguments(Arguments):
    """What `write` takes (12-schemas.md)."""

    kind: Literal["file", "folder"] = Field(description="A note (.md, .markdown, .txt) or a folder.")
    target_path: str = Field(description="Where it is to be; its folder must be there or be proposed first.")
    content: str | None = Field(default=None, max_length=MOST, description="The whole text of the file.")
    knowledge_base_id: str | None = Field(default=None, description="Default: the first selected knowledge base.")

    @model_validator(mode="after")
    def _content_for_files(self) -> WriteArguments:
        if (self.kind == "file") != (self.content is not None):
            raise ValueError("content is required for a file and refused for a folder")
        return self


async def _located(context: ToolContext, arguments: WriteArguments) -> Located:
    path = arguments.target_path
    if arguments.kind == "folder":
        path = path.rstrip("/") or path
    return await locate(context, await place_in_base(context, path, arguments.knowledge_base_id))


async def _plan(context: ToolContext, arguments: WriteArguments) -> Action:
    located = await _located(context, arguments)
    kind = Kind.CREATE_FILE if arguments.kind == "file" else Kind.CREATE_FOLDER
    return action_of(effect_of(located.spot), kind, located)


async def _run(context: ToolContext, arguments: WriteArguments, _: Action) -> Result:
    located = await _located(context, arguments)
    if arguments.kind == "file" and file_type(located.spot.relative) not in ("markdown", "txt"):
        raise ChangeError(
            Code.UNSUPPORTED_TYPE,
            f"{located.place.shown} is not .md, .markdown or .txt; other files are not written.",
            hint="Give it one of these endings.",
        )
    content = arguments.content or ""
    refuse_masked((content,))
    require_text(content)
    await require_free(context, located)
    depends_on = await folder_for(context, located)
    base = located.place.knowledge_base
    kind = Kind.CREATE_FILE if arguments.kind == "file" else Kind.CREATE_FOLDER
    what = f"new file, {len(content):,} characters" if arguments.kind == "file" else "new folder"
    draft = Draft(
        kind=kind,
        knowledge_base_id=base.id if base else "",
        path=located.place.shown,
        spot=located.spot,
        summary=f"{what}: {located.place.shown}",
        chars=(0, len(content)),
        depends_on=depends_on,
        content=arguments.content,
    )
    return await answered(context, await context.changes.propose(with_turn(context, draft)))


WRITE = Tool(
    name="write",
    description="Propose a new note (.md, .markdown, .txt) or folder. The person reviews it; nothing is overwritten.",
    arguments=WriteArguments,
    effects=(Effect.PROPOSE, Effect.LASTING),
    plan=_plan,
    run=_run,
    target=lambda arguments: arguments.target_path,
)
