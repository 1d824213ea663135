"""Tool calls that a model wrote as text because its server lacks an option: named, not executed (wire row 9)."""

from __future__ import annotations

import json
import re
from typing import Any

from orange_jupyter.core.messages import Finish, Reply, Text, ToolCall
from orange_jupyter.providers.arguments import parse_arguments
from orange_jupyter.providers.assemble import Assembler, ToolNames

_TAGGED = re.compile(r"<(tool_call|function_call)>\s*(\{.*?\})\s*</\1>", re.DOTALL)
_FENCED = re.compile(r"```(?:json|tool_call|tool_code)?\s*(\{.*?\})\s*```", re.DOTALL)
_MARKS = re.compile(
    r"<tool_call>|<function_call>|<function=[\w.-]+>|<｜(?:DSML|tool▁calls?▁begin)｜|\[TOOL_CALLS\]|<\|python_tag\|>|"
    r"<\|tool_calls?_section_begin\|>|<invoke name="
)

NOTICE = (
    "The model wrote a tool call as text, so nothing was run: its server does not translate tool calls. "
    "llama.cpp needs --jinja, vLLM --enable-auto-tool-choice and --tool-call-parser, "
    "Ollama and LM Studio a model whose template has tools."
)


def without_text_calls(reply: Reply, names: ToolNames, assembler: Assembler, *, recover: bool) -> Reply:
    """The reply with a notice for the person if its text holds a call; with `recover`, whole known calls become calls.

    Only a call of a declared tool with its closing tag is recovered.
    """
    text = "".join(part.text for part in reply.parts if isinstance(part, Text))
    if any(isinstance(part, ToolCall) for part in reply.parts) or not has_text_call(text, names):
        return reply
    found = _whole_calls(text, names) if recover else []
    if not found:
        return reply.model_copy(update={"notices": (*reply.notices, NOTICE)})
    for item in found:
        assembler.add({"function": item}, separate=True)
    kept = _TAGGED.sub("", text).strip()
    others = tuple(part for part in reply.parts if not isinstance(part, Text))
    parts = (*others, *((Text(text=kept),) if kept else ()), *assembler.finish())
    return reply.model_copy(update={"parts": parts, "finish": Finish.TOOL_CALLS})


def has_text_call(text: str, names: ToolNames) -> bool:
    """Whether the text holds a call: a known mark, or a fenced JSON object that names a declared tool."""
    if _MARKS.search(text):
        return True
    bare = text.strip()
    objects = [match.group(1) for match in _FENCED.finditer(text)] + ([bare] if bare.startswith("{") else [])
    return any(_call_in(written, names) is not None for written in objects)


def _whole_calls(text: str, names: ToolNames) -> list[dict[str, Any]]:
    calls = [_call_in(match.group(2), names) for match in _TAGGED.finditer(text)]
    return [call for call in calls if call is not None]


def _call_in(written: str, names: ToolNames) -> dict[str, Any] | None:
    value = parse_arguments(written)[0]
    if value is None:
        return None
    name = value.get("name")
    arguments = value.get("arguments", value.get("parameters"))
    if not isinstance(name, str) or not names.knows(name) or not isinstance(arguments, dict):
        return None
    return {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
