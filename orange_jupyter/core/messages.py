"""What is said between a person, the model and the tools: frozen values, serialised as they are.

The transcript, the context and the providers all speak in these; a provider turns them into its wire form.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Value(BaseModel):
    """Base of the frozen, strictly validated values that are written to the transcript."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Text(Value):
    """Plain or Markdown text."""

    kind: Literal["text"] = "text"
    text: str


class Reasoning(Value):
    """A model's reasoning; shown folded. `field` is the wire field it came in and may have to go back in."""

    kind: Literal["reasoning"] = "reasoning"
    text: str
    field: str = "reasoning_content"
    signature: str | None = None


class Image(Value):
    """A picture that was, or is to be, shown to a model. The bytes lie in the blob store under `sha256`.

    `path` is the file it comes from as `read` shows it, with the PDF page or the DOCX block; "" for other pictures.
    """

    kind: Literal["image"] = "image"
    sha256: str
    media_type: str
    width: int
    height: int
    caption: str = ""
    path: str = ""
    page: int | None = None
    block: int | None = None

    @property
    def picture_id(self) -> str:
        """`img_` and 16 digits of the hash: the name under which a result's payload lists the picture."""
        return f"img_{self.sha256[:16]}"


class ToolCall(Value):
    """One call as the model made it.

    `arguments` is the parsed JSON object, or None when `raw` is not one; `problem` then says at which
    character and why (wire rows 7, 8). `extra` keeps unknown keys that a server wants back (row 18).
    """

    kind: Literal["tool_call"] = "tool_call"
    id: str
    name: str
    arguments: dict[str, Any] | None
    raw: str = ""
    problem: str | None = None
    extra: dict[str, Any] = Field(default_factory=dict)


class ToolResult(Value):
    """What goes back to the model for one call: `content` is the clipped JSON envelope (R-CTX-2)."""

    kind: Literal["tool_result"] = "tool_result"
    call_id: str
    name: str
    content: str
    ok: bool
    images: tuple[Image, ...] = ()


Part = Annotated[Text | Reasoning | Image | ToolCall | ToolResult, Field(discriminator="kind")]


class Role(StrEnum):
    """Who speaks in a message."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Message(Value):
    """One message of a request; a `tool` message holds exactly one ToolResult."""

    role: Role
    parts: tuple[Part, ...]
    model: str | None = None

    @property
    def text(self) -> str:
        """The text parts, joined."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls, in the order of emission."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))


class Usage(Value):
    """Tokens of one request or a sum of them; cache and reasoning counts are subsets, never added twice.

    `raw` is what the server itself counted for one request (wire row 29); usages with the same counts are equal.
    """

    input_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cost: float | None = None
    raw: dict[str, Any] = Field(default_factory=dict, repr=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Usage) and self._counts() == other._counts()

    def __hash__(self) -> int:
        return hash(self._counts())

    def _counts(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in type(self).model_fields if name != "raw")

    def __add__(self, other: Usage) -> Usage:
        cost = None if self.cost is None and other.cost is None else (self.cost or 0.0) + (other.cost or 0.0)
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            cache_read_tokens=self.cache_read_tokens + other.cache_read_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
            cost=cost,
        )


class ToolSchema(Value):
    """One tool as it is declared to a model: JSON Schema `parameters`, already trimmed by the policy."""

    name: str
    description: str
    parameters: dict[str, Any]


class Request(Value):
    """One model request: the packed messages and the tools beside them."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSchema, ...] = ()


class Finish(StrEnum):
    """Why a reply ended, after normalisation; anything unknown is STOP (wire row 11)."""

    STOP = "stop"
    TOOL_CALLS = "tool_calls"
    LENGTH = "length"
    CONTENT_FILTER = "content_filter"


class Reply(Value):
    """A complete model reply. With Finish.LENGTH its tool calls must not run.

    `model` goes into the assistant Message, so that reasoning goes back to the same model only; `notices` are
    lines for the person (pictures dropped, a missing server option).
    """

    parts: tuple[Annotated[Text | Reasoning | ToolCall, Field(discriminator="kind")], ...]
    finish: Finish = Finish.STOP
    usage: Usage = Usage()
    model: str = ""
    notices: tuple[str, ...] = ()
