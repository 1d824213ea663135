"""What a server's refusal means: status and body become a ModelError with plain words and a hint (wire rows 22-26)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from orange_jupyter.core.errors import ModelError, ModelFault
from orange_jupyter.core.masking import Masker
from orange_jupyter.providers.settings import ServerSettings
from orange_jupyter.providers.speech import Speech

RETRIED = frozenset({408, 409, 425, 429, 529})
"""Statuses under 500 that pass by themselves, and 529 ("overloaded"); every other 5xx too (R-MOD-4)."""

_STATUSES = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""Anthropic's error types and the statuses that it documents for them; inside a stream only the type comes."""

_SHOWN = 300
_KEY_LIKE = re.compile(r"\b(?:sk|pk|gsk|key|xai|AIza)[-_][A-Za-z0-9_*.-]{6,}|Bearer\s+\S+", re.IGNORECASE)

_CONTEXT = re.compile(
    r"context[_ ](?:length|window|size)|maximum context|context_length_exceeded|exceeds? the (?:available|maximum) "
    r"(?:context|number of (?:input )?tokens)|prompt is too long|too many (?:input |total )?tokens|"
    r"input (?:token count|length|is too long)|reduce the length|longer than the model|"
    r"request[_ ]too[_ ]large|exceed_context_size|n_ctx|greater than the context|maximum (?:prompt|input) length|"
    r"tokens? (?:in|of) .{0,40}exceed|range of input length|"
    r"(?:maximum )?model (?:token )?(?:length|limit)|max_model_len|max_new_tokens must be|"
    r"exceeds? the model'?s context|上下文.{0,8}(?:长度|超)|(?:输入|内容|prompt).{0,8}(?:过长|超长)|tokens?.{0,8}超过",
    re.IGNORECASE,
)
_CREDIT = re.compile(
    r"insufficient[_ ](?:quota|balance|credit|funds)|out of credit|exceeded your current quota|credit balance|"
    r"billing|payment required|arrearage|余额不足|欠费",
    re.IGNORECASE,
)
_FILTER = re.compile(
    r"content[_ ](?:filter|policy)|content management policy|ResponsibleAI|data_inspection_failed|"
    r"inappropriate content|sensitive|safety system",
    re.IGNORECASE,
)
_MODEL = re.compile(
    r"model_not_found|unknown model|invalid model|no such model|not a valid model|model.{0,80}(?:not found|does not "
    r"exist|not exist|is not available|not supported|not loaded)|try pulling it|no models? loaded|\"model: ",
    re.IGNORECASE | re.DOTALL,
)
_TOOLS = re.compile(r"\btools?\b|tool.?(?:calls?|choice|use)|function.?call", re.IGNORECASE)
_KEY = re.compile(r"api[_ -]?key|unauthori[sz]ed|authentication|invalid[_ ]token", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed try: the error for the person, whether another try can help, and the wait the server asked for.

    `shown`: the person has already seen text of this try. `text` and `status` are the server's refusal, without keys.
    """

    error: ModelError
    again: bool = False
    wait: float | None = None
    text: str = ""
    status: int = 0
    shown: bool = False


class Faults:
    """Words for one server; knows its address, its model and what must not be repeated."""

    def __init__(self, settings: ServerSettings, speech: Speech) -> None:
        self._settings = settings
        self._speech = speech

    @property
    def answer(self) -> str:
        """What an answer of this API is called."""
        return self._speech.answer

    def of_status(self, status: int, body: str, *, location: str = "") -> Failure:
        """An HTTP answer that is no success. Servers repeat the key in their refusals: it goes out first."""
        body = self._without_secrets(body)
        if 300 <= status < 400:
            return self._redirect(status, location)
        if _is_html(body) and status not in (401, 403) and not _passes(status):
            return self.no_model_server(f"answered with a web page (HTTP {status})")
        said = _message(body)
        error = self._classified(status, said, body)
        return Failure(
            error, again=_passes(status) and error.fault is ModelFault.SERVER_ERROR, text=body, status=status
        )

    def of_error(self, error: Any) -> Failure:
        """An `error` object that came under status 200 or inside the stream."""
        body = json.dumps({"error": error}, ensure_ascii=False)
        status = _status_of(error)
        if not 400 <= status < 600:
            overloaded = re.search(
                r"overloaded|rate.?limit|too many requests|unavailable|try again", body, re.IGNORECASE
            )
            status = 429 if overloaded else 500 if "server_error" in body else 400
        return self.of_status(status, body)

    def no_model_server(self, what: str) -> Failure:
        """Something else answers at this address."""
        return Failure(
            self._error(
                ModelFault.NOT_A_MODEL_SERVER, f"{what}; this is not a model's address", self._speech.address_form
            )
        )

    def unreachable(self, why: str, *, again: bool = True) -> Failure:
        """No connection."""
        hint = "Check that the server runs, and check the base URL and the network."
        return Failure(self._error(ModelFault.UNREACHABLE, f"cannot be reached: {why}", hint), again=again)

    def cut(self, why: str) -> Failure:
        """The answer ended before its end."""
        hint = "Send the question again. If it happens often, look at the server's log."
        return Failure(self._error(ModelFault.CUT_STREAM, f"did not finish: {why}", hint), again=True)

    def silent(self, seconds: float) -> Failure:
        """Nothing came within the limit."""
        hint = "The server may be overloaded or still loading the model. Send the question again."
        return Failure(self._error(ModelFault.TIMED_OUT, f"sent nothing for {seconds:g} seconds", hint))

    def filtered(self) -> Failure:
        """The server's filter left nothing of the answer."""
        hint = "Reword the question, or use another model."
        return Failure(self._error(ModelFault.CONTENT_FILTER, "ended the answer by its content filter", hint))

    def garbled(self, why: str) -> Failure:
        """Something in the stream that is no chunk of an answer."""
        hint = "Look at the server's log, or at the proxy before it."
        return Failure(self._error(ModelFault.SERVER_ERROR, f"sent what cannot be read: {why}", hint), again=True)

    def masked(self, text: str) -> str:
        """Text of a server without keys, on one line, at most 300 characters."""
        text = " ".join(self._without_secrets(text).split())
        return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"

    def _without_secrets(self, text: str) -> str:
        """Servers give a key back as it is, in a URL's form, or in base64 with the header around it (U08)."""
        return _KEY_LIKE.sub("[key]", Masker(self._settings.secrets).mask(text))

    def _error(self, fault: ModelFault, what: str, hint: str) -> ModelError:
        return ModelError(fault, f"The model server {self._settings.address} {what}.", hint=hint)

    def _redirect(self, status: int, location: str) -> Failure:
        there = self.masked(location.partition("?")[0]) or "another address"
        hint = f"The key is never sent on to another address. If {there} is right, set it as the base URL."
        what = f"redirects to {there} (HTTP {status})"
        return Failure(self._error(ModelFault.NOT_A_MODEL_SERVER, what, hint))

    def _classified(self, status: int, said: str, body: str) -> ModelError:
        shown = f": {self.masked(said)}" if said else ""
        match status:
            case 401 | 403:
                return self._key_refused(status)
            case 402:
                return self._no_credit(shown)
            case 407:
                return self._error(
                    ModelFault.UNREACHABLE,
                    "is behind a proxy that wants a login (HTTP 407)",
                    "Set `proxy` in the configuration.",
                )
            case 413 if not said:
                return self._too_long("")
            case 404 if not said or not _MODEL.search(body):
                what = "knows no such address (HTTP 404)"
                return self._error(ModelFault.NOT_A_MODEL_SERVER, what, self._speech.address_form)
        return self._by_words(status, shown, body)

    def _by_words(self, status: int, shown: str, body: str) -> ModelError:
        if _CREDIT.search(body):
            return self._no_credit(shown)
        if _CONTEXT.search(body) and status != 429:
            return self._too_long(shown)
        if _MODEL.search(body):
            what = f"does not know the model {self._settings.model!r}{shown}"
            return self._error(ModelFault.UNKNOWN_MODEL, what, "Check the model's exact id in the server's list.")
        if status < 500 and _FILTER.search(body):
            what = f"refused the request by its content filter{shown}"
            return self._error(ModelFault.CONTENT_FILTER, what, "Reword the question, or use another model.")
        if status in (0, 400) and _KEY.search(body):
            return self._key_refused(status)
        return self._plain(status, shown)

    def _plain(self, status: int, shown: str) -> ModelError:
        if status == 429:
            what = f"asks to slow down (HTTP 429){shown}"
            return self._error(ModelFault.SERVER_ERROR, what, "Wait a minute and send the question again.")
        if _passes(status):
            what = f"failed (HTTP {status}){shown}"
            return self._error(ModelFault.SERVER_ERROR, what, "Send the question again; the fault is the server's.")
        what = f"refused the request (HTTP {status}){shown}"
        hint = "The words above are the server's own."
        if _TOOLS.search(shown):
            hint = f"{hint} `%orange model test {self._settings.name}` finds out how this model can call tools."
        return self._error(ModelFault.BAD_REQUEST, what, hint)

    def _key_refused(self, status: int) -> ModelError:
        if not self._settings.key:
            what, begin = f"wants a key and none is set (HTTP {status})", "Set it"
        else:
            what = f"refused the key, or the key may not use the model {self._settings.model!r} (HTTP {status})"
            begin = "Set the key again"
        hint = f"{begin} with `%orange model key {self._settings.name}`, and check that it belongs to this server."
        return self._error(ModelFault.KEY_REFUSED, what, hint)

    def _no_credit(self, shown: str) -> ModelError:
        return self._error(
            ModelFault.NO_CREDIT,
            f"says that the account has no credit{shown}",
            "Top up the account, or use another model.",
        )

    def _too_long(self, shown: str) -> ModelError:
        hint = (
            "Begin a new session with `%orange session new`, or set the model's context window to what the server has."
        )
        return self._error(ModelFault.CONTEXT_TOO_LONG, f"says that the conversation is too long for it{shown}", hint)


def _status_of(error: Any) -> int:
    """The HTTP status that an error object means by its code or its type; 0 for none."""
    if not isinstance(error, dict):
        return 0
    code = error.get("code")
    if isinstance(code, int) or (isinstance(code, str) and code.isdecimal()):
        return int(code)
    return _STATUSES.get(str(error.get("type")), 0)


def _passes(status: int) -> bool:
    return status in RETRIED or 500 <= status < 600


def _is_html(body: str) -> bool:
    start = body[:200].lstrip("\ufeff \t\r\n").lower()
    return start.startswith(("<!doctype", "<html", "<head", "<?xml", "<body"))


def _message(body: str) -> str:
    """The server's own sentence, wherever it put it; "" for an empty body or a web page."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return "" if _is_html(body) else body.strip()
    return _sentence(value)


def _sentence(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return _sentence(value[0]) if value else ""
    if isinstance(value, dict):
        for key in ("error", "message", "msg", "detail", "details", "code"):
            found = _sentence(value.get(key))
            if found:
                return found
    return ""
