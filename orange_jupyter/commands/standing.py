"""What a command works with, and what it answers: Markdown for people, a document for programs."""

from __future__ import annotations

import html
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from orange_jupyter.app import App, Opened
from orange_jupyter.core.errors import UsageError
from orange_jupyter.core.ports import ReportProgress
from orange_jupyter.jupyter.options import near
from orange_jupyter.jupyter.ports import CommandReply, Where
from orange_jupyter.jupyter.strings import Say, says

ENGLISH = says("en")
_MARKED = re.compile(r"([\\`*_{}\[\]()#+!|~>$-])")


def _quiet(_what: str, _done: int, _total: int | None) -> None:
    """Nobody looks on."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a command stands: the installation, the session it is about, and who can be asked or told."""

    app: App
    where: Where
    opened: Opened
    use: Callable[[Opened], None]
    secret: Callable[[str], Awaitable[str | None]]
    progress: ReportProgress = _quiet

    @property
    def say(self) -> Say:
        """The words of the commands in the person's language."""
        return says(self.where.language)


Run = Callable[[Standing, tuple[str, ...]], Awaitable[CommandReply]]


@dataclass(frozen=True, slots=True)
class Command:
    """One word after `%orange`: how it is written, what it is for, what it does."""

    usage: str
    summary: str
    summary_zh: str
    run: Run


def plain(text: object) -> str:
    """Any text as literal Markdown: nothing in it marks up, links or becomes HTML (R-UI-7)."""
    escaped = html.escape(" ".join(str(text).split()), quote=False)
    return _MARKED.sub(r"\\\1", escaped)


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table of literal texts."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(plain(cell) for cell in row) + " |" for row in rows)])


def choose(words: tuple[str, ...], verbs: Sequence[str], what: str, say: Say = ENGLISH) -> tuple[str, tuple[str, ...]]:
    """The verb and the rest; without words the first verb. Raises UsageError that names the nearest."""
    if not words:
        return verbs[0], ()
    if words[0] in verbs:
        return words[0], words[1:]
    message = say("verb", what=what, word=words[0], near=near(words[0], verbs))
    raise UsageError(message, hint=say("verb.hint", verbs=", ".join(verbs)))


def one(words: tuple[str, ...], usage: str, say: Say = ENGLISH) -> str:
    """The one word that is needed. Raises UsageError with the usage."""
    if len(words) != 1 or not words[0].strip():
        raise UsageError(say("one", usage=usage))
    return words[0]


def none(words: tuple[str, ...], usage: str, say: Say = ENGLISH) -> None:
    """Refuse words that mean nothing here."""
    if words:
        raise UsageError(say("none", word=words[0], usage=usage))


def take(
    words: tuple[str, ...], options: Sequence[str], usage: str, say: Say = ENGLISH
) -> tuple[tuple[str, ...], dict[str, str]]:
    """The words without `--option VALUE` pairs, and those pairs. Raises UsageError that names the nearest option."""
    rest: list[str] = []
    given: dict[str, str] = {}
    index = 0
    while index < len(words):
        word = words[index]
        index += 1
        if not word.startswith("--"):
            rest.append(word)
            continue
        name, has_value, value = word.partition("=")
        if name not in options:
            raise UsageError(say("option", name=name, near=near(name, options)), hint=usage)
        if not has_value:
            if index >= len(words):
                raise UsageError(say("option.value", name=name, usage=usage))
            value = words[index]
            index += 1
        given[name] = value
    return tuple(rest), given
