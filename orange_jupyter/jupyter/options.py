"""The words on a `%%orange` line as one frozen value (R-NB-2); nothing in them is evaluated or expanded."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from orange_jupyter.core.errors import UsageError
from orange_jupyter.core.grant import Tier
from orange_jupyter.jupyter.strings import Language, Say, says

MAX_STEPS = 500
_HELP = """`%%orange [options]`, then your question on the lines below.

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
_HELP_ZH = """`%%orange [选项]`，问题写在下面的行里。

| 选项 | 含义 |
|---|---|
| `--tier TIER` | `workspace-readonly` 或 `workspace-write`，或比现在更低的级别 |
| `--plan`、`--no-plan` | 打开或关闭计划模式 |
| `--model NAME` | 换一个模型 |
| `--kb NAME…` | 选择知识库 |
| `--session NAME`、`--new` | 接着某个会话，或开始新会话 |
| `--image PATH…` | 把图片给模型看 |
| `--var NAME…` | 附上变量的值 |
| `--out NAME` | 把本轮结果存入变量 |
| `--detach` | 立即返回；用 `%orange wait` 等待 |
| `--steps N` | 最多 N 次模型请求，1 到 500 |
| `--json` | 以 JSON 显示本轮 |
| `--help` | 本说明 |

级别、计划模式、知识库和模型从本轮起对会话生效。"""


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
    parse: Callable[[str, Say], object] = lambda word, _: word
    value: object = True


def _tier(word: str, say: Say) -> Tier:
    if word not in list(Tier):
        raise UsageError(say("tier.unknown", word=word, near=near(word, list(Tier))), hint=", ".join(Tier))
    return Tier(word)  # the office refuses one that is above the session's: going down is allowed


def _steps(word: str, say: Say) -> int:
    if not (word.isascii() and word.isdigit() and 1 <= int(word) <= MAX_STEPS):
        raise UsageError(say("cell.steps", most=MAX_STEPS, word=word))
    return int(word)


def _name(word: str, say: Say) -> str:
    if not word.isidentifier():
        raise UsageError(say("cell.name", word=word))
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


def help_of_cell(language: Language) -> str:
    """What `%%orange --help` shows, as Markdown."""
    return _HELP if language == "en" else _HELP_ZH


def parse_options(line: str, language: Language = "en") -> Options:
    """The options of a `%%orange` line. Raises UsageError, in `language`, that names the nearest right word."""
    say = says(language)
    words = split(line, language)
    found: dict[str, object] = {}
    at = 0
    while at < len(words):
        name, has_value, value = words[at].partition("=")
        option = _known(name, say)
        given = _arguments(words, at + 1, option.takes)
        at += 1 + (0 if has_value else len(given))
        got = _value(name, option, [value] if has_value else given, say)
        before = found.get(option.fills, ())
        found[option.fills] = (*before, *got) if option.takes == "some" else got  # type: ignore[misc]  # both are tuples
    options = Options(**found)  # type: ignore[arg-type]  # each parser gives its field's type
    if options.new and options.session:
        raise UsageError(say("cell.both"))
    return options


def split(line: str, language: Language = "en") -> list[str]:
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
        raise UsageError(says(language)("cell.quote", quote=quote))
    return [*words, word] if open_word else words


def near(word: str, known: Iterable[str]) -> str:
    """The nearest right word for a wrong one, "" where none is near."""
    close = difflib.get_close_matches(word, [str(one) for one in known], n=1, cutoff=0.5)
    return close[0] if close else ""


def nearest(word: str, known: list[str] | list[Tier] | tuple[str, ...]) -> str:
    """ " Did you mean …?" for a wrong word, or nothing where none is near."""
    found = near(word, known)
    return f" Did you mean {found}?" if found else ""


def _known(name: str, say: Say) -> _Option:
    if name in OPTIONS:
        return OPTIONS[name]
    if not name.startswith("-"):
        message = say("cell.word", name=name, word=name, near=near("--" + name, OPTIONS))
        raise UsageError(message, hint=say("cell.word.hint"))
    raise UsageError(say("option", name=name, near=near(name, OPTIONS)), hint=say("cell.option.hint"))


def _arguments(words: list[str], at: int, takes: str) -> list[str]:
    if not takes:
        return []
    given: list[str] = []
    for word in words[at : at + 1 if takes == "one" else None]:
        if word.startswith("--"):
            break
        given.append(word)
    return given


def _value(name: str, option: _Option, given: list[str], say: Say) -> object:
    if not option.takes:
        if given:
            raise UsageError(say("cell.bare", name=name))
        return option.value
    if not given or not all(given):
        raise UsageError(say("cell.value", name=name), hint=say("cell.option.hint"))
    values = tuple(option.parse(word, say) for word in given)
    return values[0] if option.takes == "one" else values
