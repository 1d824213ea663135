"""Completion of `%orange` and `%%orange`: subcommands, options and the values they take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

from IPython.core.completer import SimpleCompletion, context_matcher

if TYPE_CHECKING:
    from orange_jupyter.jupyter.notebook import Notebook
    from orange_jupyter.jupyter.ports import Candidates

TIERS = ("workspace-readonly", "workspace-write", "full-confirm", "full-auto")
SUBCOMMANDS: dict[str, tuple[str, ...]] = {
    "status": (),
    "kb": ("add", "list", "select", "rename", "remove", "scan"),
    "model": ("list", "use", "add", "key", "test"),
    "tier": TIERS,
    "plan": ("on", "off"),
    "session": ("list", "use", "new", "rename", "delete", "export"),
    "show": (),
    "wait": (),
    "usage": (),
    "stop": (),
    "doctor": (),
    "help": (),
}
_CELL_VALUES: dict[str, Callable[[Candidates], tuple[str, ...]]] = {
    "--tier": lambda _: TIERS[:2],
    "--model": lambda names: names.models,
    "--kb": lambda names: names.knowledge_bases,
    "--session": lambda names: names.sessions,
    "--image": lambda names: names.files,
    "--var": lambda names: names.variables,
}
_LINE_VALUES: dict[tuple[str, ...], Callable[[Candidates], tuple[str, ...]]] = {
    ("kb", "select"): lambda names: names.knowledge_bases,
    ("kb", "rename"): lambda names: names.knowledge_bases,
    ("kb", "remove"): lambda names: names.knowledge_bases,
    ("kb", "scan"): lambda names: names.knowledge_bases,
    ("model", "use"): lambda names: names.models,
    ("model", "key"): lambda names: names.models,
    ("model", "test"): lambda names: names.models,
    ("session", "use"): lambda names: names.sessions,
    ("session", "rename"): lambda names: names.sessions,
    ("session", "delete"): lambda names: names.sessions,
    ("session", "export"): lambda names: names.sessions,
    ("show",): lambda names: names.files,
}


def completions(line: str, options: tuple[str, ...], candidates: Candidates) -> tuple[str, ...]:
    """Words that may stand at the end of `line`, a `%orange` or `%%orange` line up to the cursor."""
    words = line.split()
    begun = "" if line[-1:].isspace() else words.pop()
    if not words:
        return ()
    given = _cell(words[1:], options, candidates) if words[0] == "%%orange" else _line(words[1:], candidates)
    return tuple(quoted(word) for word in given if quoted(word).startswith(begun) and word != begun)


def _cell(words: list[str], options: tuple[str, ...], candidates: Candidates) -> tuple[str, ...]:
    last = next((word for word in reversed(words) if word.startswith("--")), "")
    values = _CELL_VALUES[last](candidates) if last in _CELL_VALUES else ()
    free = () if words[-1:] == [last] and values else options
    return (*values, *free)


def _line(words: list[str], candidates: Candidates) -> tuple[str, ...]:
    if not words:
        return tuple(SUBCOMMANDS)
    if len(words) == 1 and SUBCOMMANDS.get(words[0]):
        return SUBCOMMANDS[words[0]]
    for length in (2, 1):
        if tuple(words[:length]) in _LINE_VALUES:
            return _LINE_VALUES[tuple(words[:length])](candidates)
    return ()


def quoted(word: str) -> str:
    """A name as it must be written: in quotes where it holds spaces."""
    return f'"{word}"' if any(character.isspace() for character in word) else word


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
        # IPython takes Python's names out only where there is something instead: what was typed stands for nothing
        typed = "" if line[-1:].isspace() else line.split()[-1]
        found = completions(line, tuple(OPTIONS), names) or (typed,)
        return {"completions": [SimpleCompletion(word) for word in found], "suppress": True}

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
