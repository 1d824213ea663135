"""Finds out what a path that a model or person wrote means on this disk (R-ALL-3, R-SCH-4, R-SCOPE-1).

Only names are looked at here; whether a link leads out is decided when the file is opened. Synchronous.
"""

from __future__ import annotations

import errno
import os
import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import PathError
from orange_jupyter.core.paths import MAX_PATH_BYTES, KnowledgeBase, Place, shown_name, split
from orange_jupyter.local.files import scandir_in
from orange_jupyter.local.opening import LOOK, RootFolder, real_path

Bases = Sequence[KnowledgeBase]


def resolve(path: str, bases: Bases) -> Place:
    """The place of a path: in the first KB, `kbName/…` in another, or absolute; a missing file has a place too.

    `./` in front means the first KB whatever the others are called. A path that leads out of every KB gives an
    outside place with its real path. Raises PathError invalid_path, ambiguous_path, kb_unavailable.
    """
    _require_encodable(path)
    if path.startswith("/"):
        return _absolute(path, bases)
    if not bases:
        raise PathError(Code.KB_UNAVAILABLE, "No knowledge base is selected.", hint="Add one: `%orange kb add FOLDER`.")
    try:
        parts = split(path, longest=None)
    except PathError as error:
        if error.code is not Code.OUTSIDE_WORKSPACE:
            raise
        return _absolute(os.path.join(bases[0].root, path), bases)
    other = _named(parts[0], bases[1:]) if parts and not path.startswith("./") else None
    place = _inside(bases[0], parts, bases) if other is None else _inside(other, parts[1:], bases)
    if other is not None and parts[0] != other.id:
        _require_one_meaning(path, parts, bases[0], other)
    _require_length(path, place)
    return place


def place_in(base: KnowledgeBase, relative: str, bases: Bases) -> Place:
    """The place of a KB-relative path that is known to exist, moved to the innermost selected KB."""
    if not base.root:
        return Place(None, relative, shown_name(relative))
    home = innermost(os.path.join(base.root, relative), bases) or base
    if home.root != base.root:
        relative = os.path.join(base.root, relative)[len(home.root) + 1 :]
    return Place(home, relative, shown_name(written(home, relative, bases)))


def written(base: KnowledgeBase, relative: str, bases: Bases) -> str:
    """The path as it can be given back: relative for the first KB, `kbName/…` for the others (R-SCH-4).

    Where an entry of the first KB has another KB's name: `./…` for the first, the KB's id for the other.
    """
    if bases and base.id == bases[0].id:
        clash = _named(relative.partition("/")[0], bases[1:])
        return f"./{relative}" if clash else relative or "."
    name = base.id if bases and _is_taken(base, bases[0]) else base.name
    return f"{name}/{relative}" if relative else name


def innermost(real: str, bases: Bases) -> KnowledgeBase | None:
    """The selected KB that an absolute path lies in, the innermost of several, compared part by part (P01)."""
    around = [base for base in bases if real == base.root or real.startswith(base.root.rstrip("/") + "/")]
    return max(around, key=lambda base: len(base.root), default=None)


def _is_taken(base: KnowledgeBase, first: KnowledgeBase) -> bool:
    """Whether an entry of the first KB has another KB's name and is not that KB."""
    entry = os.path.join(first.root, base.name)
    return os.path.lexists(entry) and real_path(entry) != base.root


def _require_length(path: str, place: Place) -> None:
    """A path may be longer than the system takes at once, for it is walked; then it must be one that is there."""
    base = place.knowledge_base
    if len(path.encode("utf-8", "surrogateescape")) <= MAX_PATH_BYTES or base is None:
        return
    with RootFolder(base.root) as root:
        if not _there(root, place.relative):
            split(path)


def _require_encodable(path: str) -> None:
    try:
        path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise PathError(Code.INVALID_PATH, "The path holds half of a character (a lone surrogate).") from error


def _absolute(path: str, bases: Bases) -> Place:
    path = "/" + path.lstrip("/")
    try:
        split(path)  # NUL and length
    except PathError as error:
        if error.code is not Code.OUTSIDE_WORKSPACE:
            raise
    for form in (os.path.normpath(path), real_path(path)):
        base = innermost(form, bases)
        if base is not None:
            parts = tuple(part for part in form[len(base.root) :].split("/") if part)
            return _inside(base, parts, bases)
    real = real_path(path)
    return Place(None, real, shown_name(real))


def _named(name: str, others: Bases) -> KnowledgeBase | None:
    for base in others:
        if name == base.id or unicodedata.normalize("NFC", base.name) == unicodedata.normalize("NFC", name):
            return base
    return None


def _require_one_meaning(path: str, parts: tuple[str, ...], first: KnowledgeBase, other: KnowledgeBase) -> None:
    if not _is_taken(replace(other, name=parts[0]), first):
        return
    rest = "/".join(parts[1:])
    raise PathError(
        Code.AMBIGUOUS_PATH,
        f"{shown_name(path)} fits both an entry of {first.name} and the knowledge base {other.name}.",
        hint=f"Write `./{shown_name('/'.join(parts))}` for the entry of {first.name}, "
        f"`{shown_name(f'{other.id}/{rest}')}` for the other.",
        details={"knowledgeBases": [first.id, other.id]},
    )


def _inside(base: KnowledgeBase, parts: tuple[str, ...], bases: Bases) -> Place:
    with RootFolder(base.root) as root:
        relative, note = _existing_form(root, parts)
    return replace(place_in(base, relative, bases), note=note)


def _existing_form(root: RootFolder, parts: tuple[str, ...]) -> tuple[str, str | None]:
    """The path as the disk spells it, and a note where that differs from what was asked (P11)."""
    asked = "/".join(parts)
    if not parts:
        return "", None
    if _there(root, asked):
        folder = "/".join(parts[:-1])
        twins = _equivalents(root, folder, parts[-1])
        if len(twins) > 1:
            _only(twins, folder)
        return asked, None
    found: list[str] = []
    for number, part in enumerate(parts):
        folder = "/".join(found)
        if not _there(root, f"{folder}/{part}" if folder else part):
            names = _equivalents(root, folder, part)
            if not names:
                return "/".join((*found, *parts[number:])), _form_note(found, parts)
            part = _only(names, folder)  # noqa: PLW2901 (the disk's spelling replaces the asked one)
        found.append(part)
    return "/".join(found), _form_note(found, parts)


def _there(root: RootFolder, relative: str) -> bool:
    try:
        fd = root.open(relative, LOOK | os.O_NOFOLLOW)
    except OSError as error:
        return not isinstance(error, FileNotFoundError) and error.errno != errno.ENAMETOOLONG
    os.close(fd)
    return True


def _equivalents(root: RootFolder, folder: str, name: str) -> list[str]:
    r"""Names in a folder that are the same text in another Unicode form, or are shown so because they cannot be
    printed (`\xff`); nothing is read for plain names."""
    wanted = unicodedata.normalize("NFC", name)
    if "\\" not in name and (name.isascii() or wanted == unicodedata.normalize("NFD", name)):
        return []
    try:
        names = scandir_in(root, folder)
    except PathError:
        return []
    return sorted(one for one in names if wanted == unicodedata.normalize("NFC", one) or name == shown_name(one))


def _only(names: list[str], folder: str) -> str:
    if len(names) == 1:
        return names[0]
    spelled = [f"{folder}/{name}" if folder else name for name in names]
    raise PathError(
        Code.AMBIGUOUS_PATH,
        "Several names are this text, in different Unicode forms or with characters that cannot be shown: "
        + "; ".join(ascii_form(one) for one in spelled)
        + ".",
        hint="Use the fileId that `list` gives for the one you mean.",
        details={"paths": [shown_name(one) for one in spelled]},
    )


def ascii_form(name: str) -> str:
    r"""A name with its combining marks visible (`e\u0301`), to tell two equal-looking names apart."""
    return "".join(
        f"\\u{ord(one):04x}" if unicodedata.combining(one) or unicodedata.decomposition(one) else one
        for one in shown_name(name)
    )


def _form_note(found: list[str], parts: tuple[str, ...]) -> str | None:
    if all(asked in (one, shown_name(one)) for one, asked in zip(found, parts, strict=False)):
        return None
    return f"The name on the disk has another Unicode form: {ascii_form('/'.join(found))} was taken."
