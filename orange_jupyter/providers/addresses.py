"""The usual base URLs of well-known hosts, and what is odd about one that a person wrote (R-MOD-6). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import urlsplit

from orange_jupyter.providers.settings import is_loopback

USUAL: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "api.openai.com": ("https://api.openai.com/v1",),
        "api.deepseek.com": ("https://api.deepseek.com", "https://api.deepseek.com/v1"),
        "dashscope.aliyuncs.com": ("https://dashscope.aliyuncs.com/compatible-mode/v1",),
        "dashscope-intl.aliyuncs.com": ("https://dashscope-intl.aliyuncs.com/compatible-mode/v1",),
        "generativelanguage.googleapis.com": ("https://generativelanguage.googleapis.com/v1beta/openai",),
        "openrouter.ai": ("https://openrouter.ai/api/v1",),
        "api.mistral.ai": ("https://api.mistral.ai/v1",),
        "api.groq.com": ("https://api.groq.com/openai/v1",),
        "api.moonshot.cn": ("https://api.moonshot.cn/v1",),
        "open.bigmodel.cn": ("https://open.bigmodel.cn/api/paas/v4",),
    }
)
"""Chat-completions base URLs as the providers' own documentation gives them."""

_CHAT = "/chat/completions"


def oddity(base_url: str, *, chat: bool) -> tuple[str, str] | None:
    """(what is odd, what to write instead) or None. `chat`: an address of chat completions, not of the messages API."""
    parts = urlsplit(base_url)
    stem = base_url.partition("?")[0].rstrip("/")
    if stem.count(_CHAT) > 1:
        return "has /chat/completions twice", stem.partition(_CHAT)[0]
    if stem.endswith("/completions") and not stem.endswith(_CHAT):
        return "ends in /completions, which is the old API without messages", stem.removesuffix("/completions")
    if chat:
        stem = stem.removesuffix(_CHAT)
        usual = USUAL.get(parts.hostname or "")
        if usual and stem not in usual:
            return "is not the one that this provider documents", usual[0]
        if stem.endswith("/v1/v1"):
            return "has /v1 twice", stem.removesuffix("/v1")
    if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        return "is not encrypted: key and text can be read on their way", "https" + stem[4:]
    return None


def other_stem(base_url: str) -> str | None:
    """The base URL with `/v1` where it has none: worth a look when nothing answers at the one given."""
    stem = base_url.partition("?")[0].rstrip("/").removesuffix(_CHAT)
    return None if stem.rpartition("/")[2][:1] == "v" and stem[-1:].isdigit() else f"{stem}/v1"
