"""API keys: from the environment, the system keyring, or ORANGE_HOME/keys.toml with mode 600 (R-MOD-2, S04).

A key is held in a value whose repr does not show it; people see its last four characters.
"""

from __future__ import annotations

import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final, Protocol

from orange_jupyter.core.errors import ConfigError, StoreError, UsageError
from orange_jupyter.storage.folders import private_folder, write_private

SERVICE: Final = "orange-jupyter"


class Source(StrEnum):
    """Where a key was found or is kept."""

    ENVIRONMENT = "environment"
    KEYRING = "keyring"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A model's key. `value` never goes into a repr, a log or a view."""

    value: str = field(repr=False)
    source: Source

    @property
    def tail(self) -> str:
        """How it is shown: `…` and the last four characters, of a short key none."""
        return "…" + (self.value[-4:] if len(self.value) >= 12 else "")


class Ring(Protocol):
    """A system keyring, by model name. A failing one answers None or False; it never raises."""

    def get(self, name: str) -> str | None:
        """The key, or None."""
        ...

    def set(self, name: str, value: str) -> bool:
        """Keep a key; False where that failed."""
        ...

    def delete(self, name: str) -> bool:
        """Forget a key; False where there was none."""
        ...


class Keys:
    """The keys of one ORANGE_HOME. Calls may wait for the system's keyring: use them off the event loop."""

    def __init__(self, home: Path, environ: Mapping[str, str], *, ring: Ring | None) -> None:
        self._file = home / "keys.toml"
        self._environ = environ
        self._ring = ring

    @property
    def has_keyring(self) -> bool:
        """Whether keys are kept in a keyring of this system; else in a file with mode 600."""
        return self._ring is not None

    def find(self, name: str, key_env: str | None = None) -> ApiKey | None:
        """The key of model `name`: the variable `key_env` first, then keyring, then file; None where there is none.

        Raises ConfigError where keys.toml is readable by others or broken.
        """
        if key_env and (value := self._environ.get(key_env, "").strip()):
            return ApiKey(value, Source.ENVIRONMENT)
        if self._ring is not None and (value := self._ring.get(name) or ""):
            return ApiKey(value, Source.KEYRING)
        value = self._read().get(name, "")
        return ApiKey(value, Source.FILE) if value else None

    def set(self, name: str, value: str) -> Source:
        """Keep a key in the keyring, else in the file; says where. Raises UsageError, ConfigError, StoreError."""
        key = value.strip()
        if not key or not key.isascii() or not key.isprintable() or " " in key:
            raise UsageError("A key is one word of plain ASCII characters; this is not one.", hint="Copy it again.")
        kept = self._read()
        if self._ring is not None and self._ring.set(name, key):
            if kept.pop(name, None) is not None:
                self._write(kept)
            return Source.KEYRING
        self._write(kept | {name: key})
        return Source.FILE

    def delete(self, name: str) -> bool:
        """Forget a key in keyring and file; whether there was one. Raises ConfigError, StoreError."""
        kept = self._read()
        in_file = kept.pop(name, None) is not None
        if in_file:
            self._write(kept)
        in_ring = self._ring is not None and self._ring.delete(name)
        return in_file or in_ring

    def known_secrets(self, models: Mapping[str, str | None]) -> tuple[str, ...]:
        """The exact values to mask: the keys of `models` (name → `key_env`) wherever they lie, and all in the file."""
        found = {key.value for name, key_env in models.items() if (key := self.find(name, key_env))}
        if self._ring is not None:
            found |= {value for name in models if (value := self._ring.get(name))}
        return tuple(sorted(found | set(self._read().values())))

    def _read(self) -> dict[str, str]:
        try:
            mode = stat.S_IMODE(self._file.stat().st_mode)
            if mode & 0o077:
                raise ConfigError(
                    f"others can read it (mode {mode:03o}), so it is not used",
                    file=str(self._file),
                    hint=f"Run `chmod 600 {self._file}`, and replace the keys if this machine is shared.",
                )
            found = tomllib.loads(self._file.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except OSError as problem:
            raise ConfigError(f"cannot be read: {problem.strerror}", file=str(self._file)) from problem
        except ValueError:
            # Without the cause: a parser's message may quote the line.
            raise ConfigError("this is not valid TOML", file=str(self._file), hint="Set the keys again.") from None
        keys = found.get("keys", {})
        return {name: value for name, value in keys.items() if isinstance(value, str)} if isinstance(keys, dict) else {}

    def _write(self, keys: Mapping[str, str]) -> None:
        import tomlkit

        document = tomlkit.dumps({"keys": dict(sorted(keys.items()))})
        try:
            private_folder(self._file.parent)
            write_private(self._file, document.encode("utf-8"))
        except OSError as problem:
            raise StoreError(
                f"The key could not be kept in {self._file}: {problem.strerror}.",
                hint="Name an environment variable as key_env instead.",
            ) from problem


class SystemRing:
    """The keyring of this desktop through the `keyring` package."""

    def get(self, name: str) -> str | None:
        """The key, or None where there is none or the keyring does not answer."""
        import keyring
        from keyring.errors import KeyringError

        try:
            found: str | None = keyring.get_password(SERVICE, name)
        except KeyringError:
            return None
        return found

    def set(self, name: str, value: str) -> bool:
        """Keep a key; False where the keyring is locked or failing."""
        import keyring
        from keyring.errors import KeyringError

        try:
            keyring.set_password(SERVICE, name, value)
        except KeyringError:
            return False
        return True

    def delete(self, name: str) -> bool:
        """Forget a key; False where there was none."""
        import keyring
        from keyring.errors import KeyringError

        try:
            keyring.delete_password(SERVICE, name)
        except KeyringError:
            return False
        return True


def system_ring() -> Ring | None:
    """This machine's keyring, or None where the package finds none that works (a server, a container)."""
    import keyring

    # The fail and null back ends have priority 0 and below; a chain of none as well.
    return SystemRing() if keyring.get_keyring().priority > 0 else None
