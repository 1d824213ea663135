"""Tries again where that can help: back-off, jitter, what the server asked for, an open restart (wire rows 22, 23)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

from orange_jupyter.core.deltas import ModelRetry, Restarted
from orange_jupyter.core.errors import ModelError
from orange_jupyter.core.messages import Reply
from orange_jupyter.providers.faults import Failure
from orange_jupyter.providers.pieces import Emit
from orange_jupyter.providers.settings import Pacing

_FIRST_WAIT = 0.5
_LONGEST_OWN_WAIT = 8.0


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that a server asks to wait: `retry-after-ms`, `retry-after` in seconds or as a date; None if it does not.

    A date is counted from the server's own `date` when it sends one, so that a wrong clock here does not matter.
    """
    seconds = _number(headers.get("retry-after-ms"))
    if seconds is not None:
        return max(0.0, seconds / 1000)
    value = headers.get("retry-after")
    seconds = _number(value)
    if seconds is None:
        when = _date(value)
        if when is None:
            return None
        seconds = when - (_date(headers.get("date")) or now)
    return max(0.0, seconds)


def wait_before(attempt: int, asked: float | None, pacing: Pacing) -> float:
    """Seconds before the next try; `attempt` counts from 1. Never less than asked, up to the cap."""
    if asked is not None:
        return min(asked, pacing.longest_wait)
    backoff = min(_FIRST_WAIT * 2.0 ** (attempt - 1), _LONGEST_OWN_WAIT)
    return float(backoff * (0.75 + 0.5 * pacing.chance()))


async def keep_trying(once: Callable[[Emit], Awaitable[Reply | Failure]], emit: Emit, pacing: Pacing) -> Reply:
    """Up to five tries, each announced. After visible output one open restart, then the error. Raises ModelError."""
    restarted = False
    for attempt in range(1, pacing.attempts + 1):
        outcome = await once(emit)
        if isinstance(outcome, Reply):
            return outcome
        if not outcome.again or attempt == pacing.attempts or (outcome.shown and restarted):
            raise _counted(outcome.error, attempt, _asked_longer(outcome.wait, pacing))
        if outcome.shown:
            restarted = True
            emit(Restarted(reason=outcome.error.message))
        seconds = wait_before(attempt, outcome.wait, pacing)
        reason = outcome.error.message + _asked_longer(outcome.wait, pacing)
        emit(ModelRetry(attempt=attempt + 1, of=pacing.attempts, seconds=seconds, reason=reason))
        await pacing.sleep(seconds)
    raise AssertionError("attempts is at least 1")


def _asked_longer(asked: float | None, pacing: Pacing) -> str:
    """A sentence where the server asked for a longer wait than anybody would sit through, else nothing."""
    if asked is None or asked <= pacing.longest_wait:
        return ""
    return f" The server asked to wait {asked:,.0f} s."


def _counted(error: ModelError, tries: int, longer: str) -> ModelError:
    if tries == 1 and not longer:
        return error
    counted = f" ({tries} tries)" if tries > 1 else ""
    return ModelError(error.fault, f"{error.message}{counted}{longer}", hint=error.hint, tries=tries)


def _number(value: str | None) -> float | None:
    try:
        number = float(value) if value is not None else None
    except ValueError:
        return None
    return number if number is not None and abs(number) < 1e9 else None


def _date(value: str | None) -> float | None:
    try:
        when = parsedate_to_datetime(value) if value else None
    except ValueError:
        return None
    if when is None:
        return None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
