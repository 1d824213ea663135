"""The text of a config.toml: parsed with line numbers in its errors, edited without losing a comment."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from orange_jupyter.core.errors import ConfigError
from orange_jupyter.storage.folders import private_folder, write_private

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

BOM: Final = "\ufeff"
_HEADER: Final = re.compile(r"\s*\[\[?(?P<name>[^\]]+)\]\]?\s*(?:#.*)?$")
_KEY: Final = re.compile(
    r"\s*(?P<name>(?:[A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*'))*)\s*="
)
_NO_KEYS: Final = ("key", "api_key", "apikey", "token", "secret", "password")


def parse_toml(text: str, file: str) -> dict[str, Any]:
    """The file's tables. Raises ConfigError with the line where TOML breaks."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        found = re.search(r"at line (\d+)", str(problem))
        line = int(found.group(1)) if found else len(text.splitlines()) or 1
        reason = re.sub(r" \(at .*\)$", "", str(problem))
        raise ConfigError(f"this is not valid TOML: {reason}", file=file, line=line) from problem


def locate(text: str, path: tuple[str, ...]) -> int | None:
    """The line (from 1) where a setting stands, else that of the nearest table around it; None where neither is."""
    places: dict[tuple[str, ...], int] = {}
    for line, name in _names(text):
        for length in range(1, len(name) + 1):
            places.setdefault(name[:length], line)
        places[name] = min(line, places[name])
    return next((places[path[:length]] for length in range(len(path), 0, -1) if path[:length] in places), None)


def _names(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    table: tuple[str, ...] = ()
    closing: str | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if closing is None:
            if header := _HEADER.match(line):
                table = _dotted(header["name"])
                yield number, table
            elif key := _KEY.match(line):
                yield number, (*table, *_dotted(key["name"]))
        closing = _still_open(line, closing)


def _still_open(line: str, closing: str | None) -> str | None:
    """The quotes that end the multi-line string which is open after this line."""
    for quotes in ('"""', "'''"):
        if closing in (None, quotes) and line.count(quotes) % 2:
            return None if closing else quotes
    return closing


def _dotted(name: str) -> tuple[str, ...]:
    """The parts of a dotted key, read by the TOML parser itself."""
    try:
        value: Any = tomllib.loads(f"{name.strip()} = 0")
    except tomllib.TOMLDecodeError:
        return (name.strip(),)
    parts: list[str] = []
    while isinstance(value, dict):
        ((part, value),) = value.items()
        parts.append(part)
    return tuple(parts)


def wrong_key(path: tuple[str, ...], known: Sequence[str], *, file: str, line: int | None = None) -> ConfigError:
    """An unknown setting, with the nearest right one."""
    name = ".".join(path)
    if path[-1].lower() in _NO_KEYS and path[0] == "models":
        hint = "Keys are never kept here: name an environment variable as key_env, or run `%orange model key NAME`."
        return ConfigError("there is no such setting", file=file, line=line or None, key=name, hint=hint)
    near = difflib.get_close_matches(name, known, 1, 0.6)
    near = near or [one for one in known if one.rsplit(".", 1)[-1].lower() == path[-1].lower()]
    hint = f"Did you mean {near[0]}?" if near else "The settings are listed in the user guide."
    return ConfigError(
        f"there is no such setting. {hint}" if near else "there is no such setting",
        file=file,
        line=line or None,
        key=name,
        hint=hint,
    )


def wrong_value(path: tuple[str, ...], reason: str, known: Sequence[str], *, at: tuple[str, int | None]) -> ConfigError:
    """A value that cannot be used; `known` are the values that can, where they are few. `at` is (file, line)."""
    file, line = at
    hint = f"There are: {', '.join(known)}." if known else None
    return ConfigError(reason, file=file, line=line or None, key=".".join(path) or None, hint=hint)


def edit_toml(file: Path, change: Callable[[TOMLDocument], None], check: Callable[[str], object]) -> None:
    """Change a config.toml in one step, comments kept, mode 0600; a missing one is made.

    `check` gets the new text and raises ConfigError where it would not load; then nothing is written. A lock keeps
    two processes from losing each other's change. Raises ConfigError.
    """
    import tomlkit
    from filelock import FileLock, Timeout

    try:
        private_folder(file.parent)
        with FileLock(private_folder(file.parent / "locks") / "config.lock", timeout=5, mode=0o600):
            old = file.read_bytes().decode("utf-8").removeprefix(BOM) if file.exists() else ""
            parse_toml(old, str(file))
            document = tomlkit.parse(old)
            change(document)
            new = tomlkit.dumps(document)
            check(new)
            write_private(file, new.encode("utf-8"))
    except Timeout as problem:
        raise ConfigError("another process is changing it", file=str(file), hint="Try again.") from problem
    except (OSError, UnicodeDecodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "it is not UTF-8 text"
        raise ConfigError(f"cannot be changed: {reason}", file=str(file)) from problem
