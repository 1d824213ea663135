"""The Anthropic messages API as a Model (R-MOD-1): Anthropic itself and the servers that speak like it."""

from __future__ import annotations

from orange_jupyter.providers.messages_fold import MessagesFolding
from orange_jupyter.providers.messages_wire import messages_body
from orange_jupyter.providers.sending import ServedModel
from orange_jupyter.providers.speech import Speech

MESSAGES = Speech(
    answer="message of the messages API",
    path="/v1/messages",
    endings=("/messages", "/v1"),
    address_form="The base URL ends before /v1/messages, for instance https://api.anthropic.com.",
    key_header="x-api-key",
    headers=(("anthropic-version", "2023-06-01"),),
    body=messages_body,
    folding=MessagesFolding,
    listing="/v1/models",
)


class AnthropicMessages(ServedModel):
    """A Model over one address that speaks the messages API."""

    own_speech = MESSAGES
