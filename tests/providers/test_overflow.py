"""A conversation that is too long, in the words of many servers: one plain error until it can be compacted (wire row 24)."""

from __future__ import annotations

import json

import pytest

from orange_jupyter.core.errors import ModelFault
from orange_jupyter.providers.faults import Faults
from orange_jupyter.providers.openai_compatible import CHAT
from tests.providers.wires import settings

TOO_LONG = (
    (400, "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."),
    (400, "Your input exceeds the context window of this model. Please adjust your input and try again."),
    (400, "prompt is too long: 210000 tokens > 200000 maximum"),
    (400, "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length"),
    (400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
    (400, "Please reduce the length of the messages or completion."),
    (400, "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens"),
    (400, "request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it"),
    (500, "context size exceeded"),
    (
        400,
        "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens",
    ),
    (400, "The number of tokens to keep from the initial prompt is greater than the context length."),
    (400, "Input is too long for requested model."),
    (400, "Prompt contains 40000 tokens, too large for model with 32768 maximum context length"),
    (400, "Range of input length should be [1, 129024]"),
    (400, "The decoder prompt (length 9000) is longer than the maximum model length of 4096."),
    (400, "`inputs` tokens + `max_new_tokens` must be <= 4096. max_new_tokens must be lowered"),
    (400, "Invalid request: Your request exceeded model token limit: 8192"),
    (400, "the prompt exceeds the model's context"),
    (400, "输入内容过长，超过模型最大上下文长度"),
    (400, "Prompt 超长"),
    (400, "tokens 总数超过模型限制"),
    (413, "Request too large for model `x`: Limit 6000, Requested 9000, please reduce the length"),
    (413, ""),
)
OTHER = (
    (400, "max_tokens is too large: 99999. This model supports at most 4096 completion tokens"),
    (400, "tool name is too long"),
    (429, "Rate limit reached: too many tokens per min"),
    (401, "maximum context length"),
)


def fault(status: int, words: str) -> tuple[ModelFault, str, str]:
    body = json.dumps({"error": {"message": words}}, ensure_ascii=False) if words else ""
    error = Faults(settings("http://127.0.0.1:9/v1"), CHAT).of_status(status, body).error
    return error.fault, error.message, error.hint or ""


@pytest.mark.parametrize(("status", "words"), TOO_LONG)
def test_every_wording_is_one_plain_error_that_says_what_to_do(status: int, words: str) -> None:
    kind, message, hint = fault(status, words)
    assert kind is ModelFault.CONTEXT_TOO_LONG
    assert "the conversation is too long" in message
    assert "%orange session new" in hint


@pytest.mark.parametrize(("status", "words"), OTHER)
def test_other_refusals_are_not_taken_for_it(status: int, words: str) -> None:
    assert fault(status, words)[0] is not ModelFault.CONTEXT_TOO_LONG
