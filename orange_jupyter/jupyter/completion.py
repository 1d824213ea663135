"""Completion of `%orange` and `%%orange`: subcommands, options and the values they take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

from IPython.core.completer import SimpleCompletion, context_matcher

if TYPE_CHECKING:
    from orange_jupyter.jupyter.notebook import Notebook
    from orange_jupyter.jupyter.ports import Candidates

PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp")
TIERS = ("workspace-readonly", "workspace-write", "full-confirm", "full-auto")
SUBCOMMANDS: dict[str, tuple[str, ...]] = {
    "status": (),
    "kb": ("add", "list", "select", "rename", "remove", "scan"),
    "model": ("list", "use", "add", "key", "test"),
    "tier": TIERS,
    "plan": ("on", "off"),
    "session": ("list", "use", "new", "rename", "delete", "export"),
    "changes": ("list", "show", "apply", "reject", "undo"),
    "undo": (),
    "show": (),
    "wait": (),
    "usage": (),
    "stop": (),
    "doctor": (),
    "help": (),
}
Values = Callable[["Candidates"], tuple[str, ...]]
_CELL_VALUES: dict[str, Values] = {
    "--tier": lambda _: TIERS[:2],
    "--model": lambda names: names.models,
    "--kb": lambda names: names.knowledge_bases,
    "--session": lambda names: names.sessions,
    "--image": lambda names: tuple(name for name in names.files if name.lower().endswith(PICTURES)),
    "--var": lambda names: names.variables,
}
_LINE_VALUES: dict[tuple[str, ...], tuple[int, Values]] = {
    # how many words may be names (99: any number), and which
    ("kb", "add"): (1, lambda names: names.folders),
    ("kb", "select"): (99, lambda names: names.knowledge_bases),
    ("kb", "rename"): (1, lambda names: names.knowledge_bases),
    ("kb", "remove"): (1, lambda names: names.knowledge_bases),
    ("kb", "scan"): (1, lambda _: ("rebuild",)),
    ("model", "use"): (1, lambda names: names.models),
    ("model", "key"): (1, lambda names: names.models),
    ("model", "test"): (1, lambda names: names.models),
    ("session", "use"): (1, lambda names: names.sessions),
    ("session", "delete"): (1, lambda names: names.sessions),
    ("session", "export"): (1, lambda names: names.sessions),
    ("changes", "show"): (99, lambda names: (*names.changes, *names.applied)),
    ("changes", "apply"): (99, lambda names: names.changes),
    ("changes", "reject"): (99, lambda names: names.changes),
    ("changes", "undo"): (99, lambda names: names.applied),
    ("undo",): (1, lambda names: names.applied),
    ("show",): (1, lambda names: names.files),
}
LINE_OPTIONS: dict[tuple[str, ...], tuple[str, ...]] = {
    ("kb", "add"): ("--name", "--encoding"),
    ("session", "export"): ("--to",),
    ("model", "add"): (
        *("--provider", "--base-url", "--model", "--key-env", "--context", "--max-output", "--vision", "--mode"),
        "--script",
        "--gguf",
    ),
}
OPTION_VALUES: dict[str, tuple[str, ...]] = {
    "--provider": ("openai_compatible", "anthropic", "embedded", "scripted"),
    "--mode": ("native", "envelope"),
    "--encoding": ("utf-8", "gb18030", "big5", "utf-16"),
}
_FLAGS = ("--vision",)


@dataclass(frozen=True, slots=True)
class Completed:
    """`words` may stand in the place of `begun`, the end of the line as it is written, quote and all."""

    begun: str
    words: tuple[str, ...]


def completions(line: str, options: tuple[str, ...], candidates: Candidates) -> Completed:
    """What may stand at the end of `line`, a `%orange` or `%%orange` line up to the cursor."""
    words, begun = _words(line)
    if not words:
        return Completed(begun, ())
    option, equals, value = begun.partition("=")
    if equals and option.startswith("--"):
        words, begun = [*words, option], value
    given = _cell(words[1:], options, candidates) if words[0] == "%%orange" else _line(words[1:], candidates)
    if equals and option.startswith("--"):
        given = tuple(word for word in given if not word.startswith("--"))
    typed = begun.lstrip("\"'").casefold()
    found = (quoted(word) for word in given if word.casefold().startswith(typed) and word != begun)
    return Completed(begun, tuple(found))


def _words(line: str) -> tuple[list[str], str]:
    """(whole words without their quotes, the last one as it is written, "" after a space)."""
    words: list[str] = []
    word, raw, quote = "", "", ""
    for character in line:
        if not quote and character.isspace():
            words, word, raw = ([*words, word] if raw else words), "", ""
            continue
        raw += character
        if quote:
            quote, word = ("", word) if character == quote else (quote, word + character)
        elif character in "\"'" and (len(raw) == 1 or raw[-2] == "="):
            quote = character
        else:
            word += character
    return words, raw


def _cell(words: list[str], options: tuple[str, ...], candidates: Candidates) -> tuple[str, ...]:
    last = next((word for word in reversed(words) if word.startswith("--")), "")
    values = _CELL_VALUES[last](candidates) if last in _CELL_VALUES else ()
    taken = len(words) - words.index(last) - 1 if last else 0
    if taken and last in ("--tier", "--model", "--session"):
        values = ()  # these take one
    free = () if words[-1:] == [last] and last in _CELL_VALUES else options
    used = set(words) - set(_CELL_VALUES)
    return (*values, *(option for option in free if option not in used))


def _line(words: list[str], candidates: Candidates) -> tuple[str, ...]:
    if not words:
        return tuple(SUBCOMMANDS)
    if len(words) == 1 and SUBCOMMANDS.get(words[0]):
        return SUBCOMMANDS[words[0]]
    for length in (2, 1):
        verb = tuple(words[:length])
        if verb in _LINE_VALUES or verb in LINE_OPTIONS:
            return _after(verb, words[length:], candidates)
    return ()


def _after(verb: tuple[str, ...], words: list[str], candidates: Candidates) -> tuple[str, ...]:
    """Names and options after a verb; after an option its values alone."""
    options = LINE_OPTIONS.get(verb, ())
    if words and words[-1] in options and words[-1] not in _FLAGS:
        return OPTION_VALUES.get(words[-1], ())
    names = sum(
        not word.startswith("--") and (at == 0 or words[at - 1] not in options or words[at - 1] in _FLAGS)
        for at, word in enumerate(words)
    )
    most, values = _LINE_VALUES.get(verb, (0, lambda _: ()))
    given = tuple(name for name in values(candidates) if name not in words) if names < most else ()
    return (*given, *(option for option in options if option not in words))


def quoted(word: str) -> str:
    """A name as it must be written: in quotes where it holds spaces or begins with one."""
    if not any(character.isspace() for character in word) and word[:1] not in ("'", '"'):
        return word
    return f"'{word}'" if '"' in word else f'"{word}"'


class Matcher:
    """The completer's matcher; on our lines the names of Python are left out."""

    def __init__(self, shell: Any, notebook: Callable[[], Notebook | None]) -> None:
        self._shell = shell
        self._notebook = notebook

    @context_matcher()  # type: ignore[untyped-decorator]  # IPython is untyped to mypy
    def match(self, context: Any) -> dict[str, Any]:
        """Completions for the text up to the cursor; none outside of our lines."""
        line = context.text_until_cursor.lstrip()
        if not line.startswith(("%orange ", "%%orange ", "%orange\t", "%%orange\t")):
            return {"completions": [], "suppress": False}
        from orange_jupyter.jupyter.options import OPTIONS
        from orange_jupyter.jupyter.ports import Candidates

        notebook = self._notebook()
        names = notebook.entrance.candidates() if notebook else Candidates()
        names = replace(names, variables=self._variables())
        done = completions(line, tuple(OPTIONS), names)
        # IPython takes Python's names out only where there is something instead: what was typed stands for nothing
        words = [SimpleCompletion(word) for word in done.words or (done.begun,)]
        return {"completions": words, "suppress": True, "matched_fragment": done.begun}

    def _variables(self) -> tuple[str, ...]:
        """The person's own variables; an object's own code is never asked."""
        space, hidden = self._shell.user_ns, self._shell.user_ns_hidden
        return tuple(
            sorted(
                name
                for name, value in space.items()
                if not name.startswith("_") and name not in hidden and not isinstance(value, ModuleType)
            )
        )

    def install(self) -> None:
        """Add this matcher to the shell's completer."""
        self._shell.Completer.custom_matchers.insert(0, self.match)

    def remove(self) -> None:
        """Take it away again."""
        self._shell.Completer.custom_matchers.remove(self.match)
