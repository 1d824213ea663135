"""A virtual model: a name with an ordered list of models, the next one tried when one fails for good (R-MOD-9)."""

from __future__ import annotations

from collections.abc import Callable

from orange_jupyter.core.deltas import Delta, ModelRetry, ReasoningDelta, Restarted, TextDelta
from orange_jupyter.core.document import PictureLimits
from orange_jupyter.core.errors import ModelError, ModelFault, UsageError
from orange_jupyter.core.messages import Reply, Request, Role
from orange_jupyter.core.ports import Model, ModelInfo

_STAYS = frozenset({ModelFault.CONTEXT_TOO_LONG, ModelFault.CONTENT_FILTER})
"""Faults of the question, not of the model: another one must not be asked behind the person's back."""


class Virtual:
    """A Model over others. A turn that fell over stays with the model that answered; a new question begins at the top.

    Raises UsageError for an empty list. The reply's `model` is that of the model which replied.
    """

    def __init__(self, name: str, members: tuple[Model, ...], *, pictures: PictureLimits | None = None) -> None:
        """`pictures` are the limits until a member has replied; by default those of the first."""
        if not members:
            raise UsageError(f"model {name} has no models behind it", hint='set any_of = ["first", "second"]')
        self._name = name
        self._members = members
        self._first = 0
        self._pictures = pictures or members[0].info.pictures

    @property
    def info(self) -> ModelInfo:
        """What holds for all: every host that may receive text, the smallest window, vision where one has it.

        Pictures are held to the limits of the member that replied last (R-IMG-2).
        """
        known = [member.info for member in self._members]
        outputs = [one.max_output for one in known if one.max_output]
        seeing = any(one.vision for one in known)
        return ModelInfo(
            name=self._name,
            model=", ".join(one.name for one in known),
            host=", ".join(dict.fromkeys(one.host for one in known if one.host)),
            context_window=min(one.context_window for one in known),
            max_output=min(outputs) if outputs else None,
            vision=seeing,
            vision_reason="" if seeing else known[0].vision_reason,
            pictures=self._pictures,
            embedded=all(one.embedded for one in known),
        )

    async def respond(self, request: Request, emit: Callable[[Delta | ModelRetry], None]) -> Reply:
        """The first reply. Raises ModelError: the question's own fault at once, else when every model failed."""
        goes_on = bool(request.messages) and request.messages[-1].role is Role.TOOL
        start = self._first if goes_on else 0
        failed: list[tuple[str, ModelError]] = []
        for number, member in enumerate(self._members[start:], start=start):
            watch = _Watch(emit)
            try:
                reply = await member.respond(request, watch)
            except ModelError as error:
                if error.fault in _STAYS:
                    raise
                failed.append((member.info.name, error))
                self._fall_over(number, error, watch)
                continue
            self._first, self._pictures = number, member.info.pictures
            return _told(reply, member.info.name, failed)
        raise _none_answered(failed)

    async def close(self) -> None:
        """Close every model."""
        for member in self._members:
            await member.close()

    def _fall_over(self, number: int, error: ModelError, watch: _Watch) -> None:
        """Tell that the next model is asked; what was seen of a half answer is dropped openly."""
        if number + 1 == len(self._members):
            return
        reason = f"{error.message} Next: {self._members[number + 1].info.name}."
        if watch.shown:
            watch.emit(Restarted(reason=reason))
        watch.emit(ModelRetry(attempt=number + 2, of=len(self._members), seconds=0.0, reason=reason))


class _Watch:
    """Passes on what a model emits, and knows whether some of it still stands before the person."""

    def __init__(self, emit: Callable[[Delta | ModelRetry], None]) -> None:
        self.emit = emit
        self.shown = False

    def __call__(self, delta: Delta | ModelRetry) -> None:
        if isinstance(delta, TextDelta | ReasoningDelta):
            self.shown = True
        elif isinstance(delta, Restarted):
            self.shown = False
        self.emit(delta)


def _told(reply: Reply, name: str, failed: list[tuple[str, ModelError]]) -> Reply:
    """The reply with a line for the person when it is not the first model's."""
    if not failed:
        return reply
    reasons = " ".join(f"{other}: {error.message}" for other, error in failed)
    return reply.model_copy(update={"notices": (f"{name} replied. {reasons}", *reply.notices)})


def _none_answered(failed: list[tuple[str, ModelError]]) -> ModelError:
    last = failed[-1][1]
    if len(failed) == 1:
        return last
    reasons = " ".join(f"{name}: {error.message}" for name, error in failed)
    tries = sum(error.tries for _, error in failed)
    return ModelError(last.fault, f"None of {len(failed)} models answered. {reasons}", hint=last.hint, tries=tries)
