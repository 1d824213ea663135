"""The words on a `%%orange` line as one frozen value (R-NB-2); nothing in them is evaluated or expanded."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass

from orange_jupyter.core.errors import UsageError
from orange_jupyter.core.grant import Tier

CELL_CANNOT_RAISE = "A cell, a file or Run All cannot raise the tier."
MAX_STEPS = 500
HELP = """`%%orange [options]`, then your question on the lines below.

| option | meaning |
|---|---|
| `--tier TIER` | `workspace-readonly` or `workspace-write`, or lower than now |
| `--plan`, `--no-plan` | plan mode on or off |
| `--model NAME` | another model |
| `--kb NAME…` | select knowledge bases |
| `--session NAME`, `--new` | go on in a session, or begin a new one |
| `--image PATH…` | show pictures to the model |
| `--var NAME…` | attach the values of variables |
| `--out NAME` | keep the turn's result in a variable |
| `--detach` | return at once; `%orange wait` joins |
| `--steps N` | at most N model requests, 1 to 500 |
| `--json` | show the turn as JSON |
| `--help` | this help |

Tier, plan, knowledge bases and model hold for the session from this turn on."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a `%%orange` line asks for; None and empty mean "as the session is"."""

    tier: Tier | None = None
    plan: bool | None = None
    model: str | None = None
    knowledge_bases: tuple[str, ...] = ()
    session: str | None = None
    new: bool = False
    images: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    out: str | None = None
    detach: bool = False
    steps: int | None = None
    json: bool = False
    help: bool = False


@dataclass(frozen=True, slots=True)
class _Option:
    """One option: the field it fills, how its words become the value, and how many words it takes."""

    fills: str
    takes: str = ""
    parse: Callable[[str], object] = str
    value: object = True


def _tier(word: str) -> Tier:
    if word not in list(Tier):
        raise UsageError(f"There is no tier “{word}”.{nearest(word, list(Tier))}", hint=", ".join(Tier))
    return Tier(word)  # the office refuses one that is above the session's: going down is allowed


def _steps(word: str) -> int:
    if not (word.isascii() and word.isdigit() and 1 <= int(word) <= MAX_STEPS):
        raise UsageError(f"--steps takes a whole number from 1 to {MAX_STEPS}, not “{word}”.")
    return int(word)


def _name(word: str) -> str:
    if not word.isidentifier():
        raise UsageError(f"“{word}” is not the name of a variable.")
    return word


OPTIONS: dict[str, _Option] = {
    "--tier": _Option("tier", "one", _tier),
    "--plan": _Option("plan"),
    "--no-plan": _Option("plan", value=False),
    "--model": _Option("model", "one"),
    "--kb": _Option("knowledge_bases", "some"),
    "--session": _Option("session", "one"),
    "--new": _Option("new"),
    "--image": _Option("images", "some"),
    "--var": _Option("variables", "some", _name),
    "--out": _Option("out", "one", _name),
    "--detach": _Option("detach"),
    "--steps": _Option("steps", "one", _steps),
    "--json": _Option("json"),
    "--help": _Option("help"),
}


def parse_options(line: str) -> Options:
    """The options of a `%%orange` line. Raises UsageError that names the nearest right word."""
    words = split(line)
    found: dict[str, object] = {}
    at = 0
    while at < len(words):
        name, has_value, value = words[at].partition("=")
        option = _known(name)
        given = _arguments(words, at + 1, option.takes)
        at += 1 + (0 if has_value else len(given))
        _take(found, name, option, [value] if has_value else given)
    options = Options(**found)  # type: ignore[arg-type]  # each parser gives its field's type
    if options.new and options.session:
        raise UsageError("--new begins a new session and --session goes on in one: use one of them.")
    return options


def split(line: str) -> list[str]:
    """Words at spaces (the wide CJK space too); quotes keep spaces; no backslash and no dollar means anything.

    Raises UsageError for a quote that is not closed.
    """
    words: list[str] = []
    word, quote, open_word = "", "", False
    for character in line:
        if quote:
            quote, word = ("", word) if character == quote else (quote, word + character)
        elif character in "\"'" and (not open_word or word.endswith("=")):
            quote, open_word = character, True
        elif character.isspace():
            words, word, open_word = ([*words, word], "", False) if open_word else (words, "", False)
        else:
            word, open_word = word + character, True
    if quote:
        raise UsageError(f"A quote {quote} is not closed.")
    return [*words, word] if open_word else words


def nearest(word: str, known: list[str] | list[Tier] | tuple[str, ...]) -> str:
    """ " Did you mean …?" for a wrong word, or nothing where none is near."""
    close = difflib.get_close_matches(word, [str(one) for one in known], n=1, cutoff=0.5)
    return f" Did you mean {close[0]}?" if close else ""


def _known(name: str) -> _Option:
    if name in OPTIONS:
        return OPTIONS[name]
    if not name.startswith("-"):
        raise UsageError(
            f"“{name}” is not an option.{nearest('--' + name, tuple(OPTIONS))}",
            hint="Write the question on the lines below %%orange.",
        )
    raise UsageError(f"There is no option {name}.{nearest(name, tuple(OPTIONS))}", hint="%%orange --help shows all.")


def _arguments(words: list[str], at: int, takes: str) -> list[str]:
    if not takes:
        return []
    given: list[str] = []
    for word in words[at : at + 1 if takes == "one" else None]:
        if word.startswith("--"):
            break
        given.append(word)
    return given


def _take(found: dict[str, object], name: str, option: _Option, given: list[str]) -> None:
    if not option.takes:
        if given:
            raise UsageError(f"{name} takes no value.")
        found[option.fills] = option.value
        return
    if not given or not all(given):
        raise UsageError(f"{name} needs a value.", hint="%%orange --help shows how.")
    values = [option.parse(word) for word in given]
    before = found.get(option.fills, ())
    found[option.fills] = values[0] if option.takes == "one" else (*before, *values)  # type: ignore[misc]
