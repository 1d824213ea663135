"""A tool as a value: name, arguments, effect and run; and the context it runs in.

A new tool is one file in `tools/` that makes one `Tool`, and one line in `tools.TOOLS`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic.alias_generators import to_camel

from orange_jupyter.core.changes.proposing import Changes
from orange_jupyter.core.corpus import Citation
from orange_jupyter.core.grant import Effect, Grant
from orange_jupyter.core.keeping import Blobs, Citations, Evidence, Reads
from orange_jupyter.core.masking import FindSecrets
from orange_jupyter.core.messages import Image
from orange_jupyter.core.paths import Place
from orange_jupyter.core.ports import Clock, Documents, Library, ModelInfo, ReportProgress, Workspace
from orange_jupyter.core.running import Runner
from orange_jupyter.core.shapes import secret_spans


class Arguments(BaseModel):
    """Base of every tool's arguments: frozen, strict (no coercion), unknown names refused (R-ALL-2, R-SCH-2).

    `null` for an optional parameter means "not given". A field or enum value that has another effect than the
    tool's first one carries it in `json_schema_extra={"effects": {…}}`, so that the policy can trim the schema.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, alias_generator=to_camel)

    @model_validator(mode="before")
    @classmethod
    def _null_is_not_given(cls, value: Any) -> Any:
        return {key: item for key, item in value.items() if item is not None} if isinstance(value, dict) else value


A = TypeVar("A", bound=Arguments)


@dataclass(frozen=True, slots=True)
class Action:
    """What one call would do, worked out before anything happens.

    The policy decides on `effect`, the person on the rest.

    `operation` names the card ("read outside"), `target` what it acts on; `facts` and `warnings` are rows of the
    card; `operands` are (path, content hash) of files whose change voids an approval; `place`
    is the resolved path that `run` must use, so that what was decided on is what is opened.
    """

    effect: Effect
    operation: str
    target: str
    facts: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()
    operands: tuple[tuple[str, str], ...] = ()
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool obtained. `fields` are the envelope's camelCase fields; `summary` is the tool line's right side.

    `cursor` is what `result.clip` needs to cut a listing: (entries that fit, the cursor after them).
    """

    fields: dict[str, Any]
    summary: str
    warnings: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    citations: tuple[Citation, ...] = ()
    images: tuple[Image, ...] = ()
    untrusted: bool = False
    cursor: tuple[int, str] | None = None


ShowOutput = Callable[[str, int], None]
"""(the newest of what the call wrote, masked; lines before it); on the loop, cheap, never raises."""


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool may use. Built for each call; the grant is the one in force now.

    A tool that shows a part of a text masks by `find_secrets` of the whole: a part of a key does not look like one.
    """

    session_id: str
    turn_id: str
    grant: Grant
    workspace: Workspace
    changes: Changes
    library: Library
    documents: Documents
    evidence: Evidence
    citations: Citations
    reads: Reads
    blobs: Blobs
    clock: Clock
    model: ModelInfo
    progress: ReportProgress
    runner: Runner
    find_secrets: FindSecrets = secret_spans
    show_output: ShowOutput = lambda _text, _left_out: None


@dataclass(frozen=True, slots=True)
class Tool(Generic[A]):
    """One tool. `effects` are all effects a call may have, the commonest first; `plan` finds the one of this call.

    `plan` and `run` raise ToolError. `plan` must have no side effect. `clipped` is False for tools with a limit
    of their own (R-CTX-2).
    """

    name: str
    description: str
    arguments: type[A]
    effects: tuple[Effect, ...]
    plan: Callable[[ToolContext, A], Awaitable[Action]]
    run: Callable[[ToolContext, A, Action], Awaitable[Result]]
    target: Callable[[A], str] = field(default=lambda _: "")
    clipped: bool = True
