"""The words of a shell command that may be paths: what a person would take for the files it works on (A06, A10). Pure.

No shell is imitated: variables and substitutions stay as they are, so this finds most operands, never surely all.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_SPLIT: Final = re.compile(r"[^\s;|&<>()'\"`]+")
_PUNCTUATION: Final = frozenset("();<>|&")
_HOME: Final = re.compile(r"\$(?:HOME\b|\{HOME\})")
_HERE: Final = re.compile(r"^\$(?:PWD\b|\{PWD\})")
_DEEPEST: Final = 2


@dataclass(frozen=True, slots=True)
class Words:
    """Words in order, each once; `folders` are those that follow `cd` or `pushd`: later words may count from there."""

    words: tuple[str, ...]
    folders: tuple[str, ...]


def words_of(command: str) -> Words:
    """What may be a path: words, what redirections name, values of options and assignments, words of quoted scripts."""
    words: dict[str, None] = {}
    folders: dict[str, None] = {}
    before = ""
    for token in _tokens(command, 0):
        if before in ("cd", "pushd") and not token.startswith("-"):
            folders[_expanded(token)] = None
        for form in _forms(token):
            words[_expanded(form)] = None
        before = token
    return Words(tuple(words), tuple(folders))


def _tokens(command: str, depth: int) -> Iterator[str]:
    for token in _split(command):
        if not _PUNCTUATION.issuperset(token):
            yield token
            if depth < _DEEPEST and any(one.isspace() for one in token.strip()):
                yield from _tokens(token, depth + 1)


def _split(command: str) -> list[str]:
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        return list(lexer)
    except ValueError:  # a quote without its end: the shell refuses it, or it stands in a here-document
        return _SPLIT.findall(command)


def _forms(token: str) -> Iterator[str]:
    if len(token) > 4_096 or "\n" in token:
        return
    yield token
    _, given, value = token.partition("=")
    if given and value:
        yield value
    if token[0] == "@" and len(token) > 1:
        yield token[1:]
    if token[0] == "-" and len(token) > 2 and token[1] != "-":
        yield token[2:]


def _expanded(word: str) -> str:
    return _HERE.sub(".", _HOME.sub("~", word))
