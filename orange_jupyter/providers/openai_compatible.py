"""Any OpenAI-compatible chat-completions server as a Model (R-MOD-1)."""

from __future__ import annotations

from orange_jupyter.providers.fold import Folding
from orange_jupyter.providers.sending import ServedModel
from orange_jupyter.providers.speech import Speech
from orange_jupyter.providers.wire import chat_body

CHAT = Speech(
    answer="chat completion",
    path="/chat/completions",
    endings=("/chat/completions",),
    address_form=(
        "The base URL ends before /chat/completions, for instance "
        "https://api.openai.com/v1, http://127.0.0.1:11434/v1 (Ollama), http://127.0.0.1:1234/v1 (LM Studio)."
    ),
    key_header="Authorization",
    key_prefix="Bearer ",
    body=chat_body,
    folding=Folding,
    formats=True,
)


class OpenAICompatible(ServedModel):
    """A Model over one address that speaks chat completions."""

    own_speech = CHAT
