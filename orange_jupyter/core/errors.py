"""Errors, who acts on which, and the closed list of codes (R-ALL-1, R-SCH-1).

OrangeError
├─ ToolError        becomes the `ok: false` envelope of a tool call; the model acts on it
│  ├─ ArgumentError     invalid_argument, unknown_tool, malformed_arguments
│  ├─ RightsError       denied_…, approval_…, needs_person, protected_path, permission_changed …
│  ├─ PathError         not_found, outside_workspace, link_escape, invalid_path …
│  ├─ ReadError         unsupported_type, out_of_range, encrypted, damaged, parser_limit …
│  ├─ ChangeError       no_match, stale_source, target_exists …
│  ├─ RunError          timed_out, cancelled, busy …
│  ├─ WebError          blocked_address, bad_scheme, offline …
│  └─ EvidenceError     invalid_ref, out_of_scope, not_available
├─ ConfigError      a setting is wrong: names file, line and key; the person mends it
├─ ModelError       the model server did not answer as it should; ends the turn, the question is kept
├─ SessionError     busy in another kernel, unknown name
├─ StoreError       the store is newer than this program, or cannot be written
└─ UsageError       a wrong option or word in a magic or on the command line; names the nearest right one
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from orange_jupyter.core.codes import Code


class OrangeError(Exception):
    """Anything this product raises on purpose; `str(error)` is one plain sentence for a person.

    `code` is what a document of the command line says.
    """

    code: Code = Code.INTERNAL

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ToolError(OrangeError):
    """A tool call that failed or was refused.

    `details` are facts for a program (bounds, counts, candidates); `fields` are result fields that were
    obtained before the failure and stand beside `error` in the envelope.
    """

    def __init__(
        self,
        code: Code,
        message: str,
        *,
        hint: str | None = None,
        details: Mapping[str, Any] | None = None,
        fields: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.code = code
        self.details = dict(details or {})
        self.fields = dict(fields or {})


class ArgumentError(ToolError):
    """The call's arguments are wrong; nothing happened."""


class RightsError(ToolError):
    """The policy, a person or the lack of one refused the call; nothing happened."""


class PathError(ToolError):
    """A path leads nowhere, out of the workspace, or to something that is not a regular file."""


class ReadError(ToolError):
    """The file is there, but its content cannot be given as asked."""


class ChangeError(ToolError):
    """A change cannot be proposed or applied; the files are as they were."""


class RunError(ToolError):
    """Something that ran was stopped, failed or is busy."""


class WebError(ToolError):
    """An address is refused, or the web did not give what was asked for."""


class EvidenceError(ToolError):
    """A reference to kept evidence cannot be resolved."""


class ConfigError(OrangeError):
    """A setting cannot be used. `file`, `line` (from 1, or None) and `key` say where."""

    code = Code.INVALID_ARGUMENT

    def __init__(
        self,
        message: str,
        *,
        file: str,
        line: int | None = None,
        key: str | None = None,
        hint: str | None = None,
    ) -> None:
        place = f"{file}, line {line}" if line else file
        about = f"{place}: {key}: {message}" if key else f"{place}: {message}"
        super().__init__(about, hint=hint)
        self.file = file
        self.line = line
        self.key = key


class ModelFault(StrEnum):
    """What went wrong with a model server, as the views name it."""

    UNREACHABLE = "unreachable"
    KEY_REFUSED = "key_refused"
    UNKNOWN_MODEL = "unknown_model"
    NO_CREDIT = "no_credit"
    CONTENT_FILTER = "content_filter"
    CONTEXT_TOO_LONG = "context_too_long"
    NOT_A_MODEL_SERVER = "not_a_model_server"
    BAD_REQUEST = "bad_request"
    CUT_STREAM = "cut_stream"
    TIMED_OUT = "timed_out"
    SERVER_ERROR = "server_error"

    @property
    def code(self) -> Code:
        """The code of the closed list that fits."""
        return _FAULT_CODES.get(self, Code.HTTP_ERROR)


_FAULT_CODES = {
    ModelFault.UNREACHABLE: Code.OFFLINE,
    ModelFault.TIMED_OUT: Code.TIMED_OUT,
    ModelFault.CONTEXT_TOO_LONG: Code.TOO_LARGE,
}


class ModelError(OrangeError):
    """The model's server failed for good; the person's question is kept in the session."""

    def __init__(self, fault: ModelFault, message: str, *, hint: str | None = None, tries: int = 1) -> None:
        super().__init__(message, hint=hint)
        self.fault = fault
        self.code = fault.code
        self.tries = tries


class SessionError(OrangeError):
    """A session cannot be used now: unknown (the default code), busy in another kernel, or nothing was said."""

    def __init__(self, message: str, *, hint: str | None = None, code: Code = Code.NOT_FOUND) -> None:
        super().__init__(message, hint=hint)
        self.code = code


class StoreError(OrangeError):
    """The store cannot be used: written by a newer version, unreadable or not writable."""

    code = Code.IO_ERROR


class UsageError(OrangeError):
    """A word or option that does not exist or does not fit."""

    def __init__(self, message: str, *, hint: str | None = None, code: Code = Code.INVALID_ARGUMENT) -> None:
        super().__init__(message, hint=hint)
        self.code = code


class CommandLineError(UsageError):
    """A command line that cannot be understood: unknown command, tool or option, bad JSON (exit status 2)."""
