"""`edit`: proposes a change to what is there; a person reviews it before anything touches the disk (R-EDIT-*)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from orange_jupyter.core.changes.matching import Edit
from orange_jupyter.core.changes.values import Kind
from orange_jupyter.core.grant import Effect
from orange_jupyter.core.paths import Place
from orange_jupyter.core.tool import Action, Arguments, Result, Tool, ToolContext
from orange_jupyter.tools.changing.answering import fields_of
from orange_jupyter.tools.changing.moving import delete, move, plan_delete, plan_move
from orange_jupyter.tools.changing.places import action_of, effect_of, locate
from orange_jupyter.tools.changing.texts import TextChange, change_text

MOST = 5 * 1_048_576
_FIELDS = {
    "replace": {"old_text", "new_text"},
    "append": {"content"},
    "rewrite": {"content"},
    "multi_replace": {"edits"},
    "move": {"destination"},
    "rename": {"destination"},
    "delete": set[str](),
    "withdraw": {"operation_id"},
}
_OPTIONAL = {"replace": {"occurrence"}, "move": {"destination_knowledge_base_id"}}
_NAMES = {"old_text", "new_text", "occurrence", "content", "edits", "destination", "destination_knowledge_base_id",
          "operation_id"}  # fmt: skip
_CAMEL = {
    "old_text": "oldText",
    "new_text": "newText",
    "operation_id": "operationId",
    "destination_knowledge_base_id": "destinationKnowledgeBaseId",
}


class EditItem(Arguments):
    """One replacement of `multi_replace`."""

    old_text: str = Field(min_length=1, max_length=MOST)
    new_text: str = Field(max_length=MOST)
    occurrence: int | None = Field(default=None, ge=1)


class EditArguments(Arguments):
    """What `edit` takes (12-schemas.md)."""

    operation: Literal["replace", "append", "multi_replace", "rewrite", "move", "rename", "delete", "withdraw"]
    path: str | None = Field(default=None, description="A path as search or list gave it.")
    file_id: str | None = Field(default=None, description="The fileId that search or list gave.")
    old_text: str | None = Field(
        default=None, min_length=1, max_length=MOST, description="replace: exactly as it stands in the file."
    )
    new_text: str | None = Field(default=None, max_length=MOST, description="replace: taken literally.")
    occurrence: int | None = Field(
        default=None, ge=1, description="replace: which one, from 1; default: it must be the only one."
    )
    edits: list[EditItem] | None = Field(
        default=None, min_length=1, max_length=100, description="multi_replace: all or none, each on the original text."
    )
    content: str | None = Field(
        default=None, max_length=MOST, description="append, rewrite: the text; append adds no newline of its own."
    )
    destination: str | None = Field(
        default=None, description="move: the new path, or a folder to move into; rename: the new name."
    )
    destination_knowledge_base_id: str | None = Field(default=None, description="move: another knowledge base.")
    operation_id: str | None = Field(default=None, description="withdraw: your own pending operation.")

    @model_validator(mode="after")
    def _fits_its_operation(self) -> EditArguments:
        given = {name for name in _NAMES if getattr(self, name) is not None}
        needed = _FIELDS[self.operation]
        missing, extra = needed - given, given - needed - _OPTIONAL.get(self.operation, set())
        if missing:
            raise ValueError(f"{self.operation} needs {_named(missing)}")
        if extra:
            raise ValueError(f"{self.operation} does not take {_named(extra)}")
        if self.operation == "withdraw":
            if self.path is not None or self.file_id is not None:
                raise ValueError("withdraw takes operationId alone")
        elif (self.path is None) == (self.file_id is None):
            raise ValueError("give exactly one of path, fileId")
        return self


def _named(names: set[str]) -> str:
    return ", ".join(sorted(_CAMEL.get(name, name) for name in names))


async def _place(context: ToolContext, arguments: EditArguments) -> Place:
    if arguments.file_id is not None:
        return await context.workspace.by_id(arguments.file_id)
    return await context.workspace.place(arguments.path or "")


async def _plan(context: ToolContext, arguments: EditArguments) -> Action:
    if arguments.operation == "withdraw":
        return Action(Effect.PROPOSE, "withdraw a pending change", arguments.operation_id or "")
    kind, place = Kind(arguments.operation), await _place(context, arguments)
    if kind.moves:
        return await plan_move(context, kind, place, _to(arguments))
    if kind is Kind.DELETE:
        return await plan_delete(context, place)
    located = await locate(context, place)
    return action_of(effect_of(located.spot), kind, located)


async def _run(context: ToolContext, arguments: EditArguments, action: Action) -> Result:
    if arguments.operation == "withdraw":
        gone = await context.changes.withdraw(arguments.operation_id or "")
        return Result(fields_of(gone), f"withdrawn: {gone.operation.summary}")
    kind = Kind(arguments.operation)
    place = action.place or await _place(context, arguments)
    if kind.moves:
        return await move(context, kind, place, _to(arguments))
    if kind is Kind.DELETE:
        return await delete(context, place)
    return await change_text(context, place, TextChange(kind, _edits(arguments), arguments.content or ""))


def _to(arguments: EditArguments) -> tuple[str, str | None]:
    return arguments.destination or "", arguments.destination_knowledge_base_id


def _edits(arguments: EditArguments) -> tuple[Edit, ...]:
    if arguments.edits is not None:
        return tuple(Edit(old_text=one.old_text, new_text=one.new_text, occurrence=one.occurrence)
                     for one in arguments.edits)  # fmt: skip
    if arguments.old_text is None or arguments.new_text is None:
        return ()
    return (Edit(old_text=arguments.old_text, new_text=arguments.new_text, occurrence=arguments.occurrence),)


def _target(arguments: EditArguments) -> str:
    named = arguments.path or arguments.file_id or arguments.operation_id or ""
    return f"{named} → {arguments.destination}" if arguments.destination else named


EDIT = Tool(
    name="edit",
    description=(
        "Propose a change to a note (.md, .markdown, .txt): replace, multi_replace, append, rewrite; or move, rename, "
        "delete a file or folder. oldText must match exactly. The person reviews it before anything is written."
    ),
    arguments=EditArguments,
    effects=(Effect.PROPOSE, Effect.LASTING),
    plan=_plan,
    run=_run,
    target=_target,
)
