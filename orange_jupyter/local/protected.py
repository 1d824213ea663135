"""Files that hold keys: never read, not even with approval (R-PERM-9, P15)."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import RightsError
from orange_jupyter.core.paths import shown_name

SYSTEM = ("/proc", "/sys", "/dev", "/run/secrets", "/run/credentials", "/etc/shadow", "/etc/gshadow", "/etc/shadow-",
          "/etc/gshadow-", "/etc/ssl/private")  # fmt: skip
UNDER_HOME = (
    ".aws", ".azure", ".gnupg", ".password-store", ".kube", ".docker", ".netrc", ".pgpass", ".git-credentials",
    ".npmrc", ".pypirc", ".mozilla", ".config/gcloud", ".config/gh", ".config/git/credentials", ".config/chromium",
    ".config/google-chrome", ".local/share/keyrings", ".local/share/kwalletd", ".local/share/python_keyring",
    ".local/share/jupyter/runtime", "Library/Keychains", "Library/Jupyter/runtime",
)  # fmt: skip
NAMES = frozenset({"jupyter_cookie_secret", "notebook_cookie_secret", "keyring_pass.cfg"})
OPEN_IN_SSH = frozenset({"config", "known_hosts", "known_hosts.old", "authorized_keys"})
PSEUDO = ("/proc", "/sys", "/dev")


@dataclass(frozen=True, slots=True)
class Protected:
    """Places that are never read. `home` is the person's home, `folders` more real or written paths to deny.

    The app passes ORANGE_HOME, its cache and the Jupyter runtime folder as `folders`.
    """

    home: str
    folders: tuple[str, ...] = ()
    _denied: tuple[tuple[str, ...], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        written = (*SYSTEM, *(os.path.join(self.home, name) for name in UNDER_HOME), *self.folders)
        object.__setattr__(self, "_denied", _forms(written))  # resolved once: `covers` is asked for each file

    def covers(self, real: str) -> bool:
        """Whether a real absolute path is one of them; compared without case, which can only protect more."""
        parts = _parts(real)
        return _by_name(parts) or self._in_ssh(parts) or any(parts[: len(deny)] == deny for deny in self._denied)

    def refuse(self, real: str) -> None:
        """Raises RightsError protected_path for such a path."""
        if self.covers(real):
            raise _refusal(real)

    def refuse_folders(self, real: str) -> None:
        """Raises RightsError protected_path for a real path in `folders` alone: a KB may hold other keys, masked."""
        parts = _parts(real)
        if any(parts[: len(deny)] == deny for deny in _forms(self.folders)):
            raise _refusal(real)

    def refuse_device(self, state: os.stat_result, real: str) -> None:
        """Raises RightsError protected_path for a file that lies in a mounted `/proc`, `/sys` or `/dev`."""
        for folder in PSEUDO:
            try:
                device = os.stat(folder).st_dev
            except OSError:
                continue
            if device == state.st_dev and device != os.stat("/").st_dev:
                raise _refusal(real)

    def _in_ssh(self, parts: tuple[str, ...]) -> bool:
        for home in {self.home, os.path.realpath(self.home)}:
            folder = (*_parts(home), ".ssh")
            if parts[: len(folder)] == folder and len(parts) > len(folder):
                return not (parts[-1] in OPEN_IN_SSH or parts[-1].endswith(".pub"))
        return parts[-2:-1] == (".ssh",) and parts[-1].startswith("id_") and not parts[-1].endswith(".pub")


def _forms(places: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(_parts(form) for place in places for form in {place, os.path.realpath(place)})


def _by_name(parts: tuple[str, ...]) -> bool:
    name = parts[-1] if parts else ""
    server = name.startswith(("jpserver-", "nbserver-", "kernel-")) and name.endswith(".json")
    config = name.startswith("jupyter_") and name.endswith(("_config.py", "_config.json"))
    host_key = name.startswith("ssh_host_") and name.endswith("_key")
    return name in NAMES or host_key or config or (server and "runtime" in parts)


def _parts(path: str) -> tuple[str, ...]:
    return tuple(part.casefold() for part in path.split("/") if part)


def _refusal(real: str) -> RightsError:
    return RightsError(
        Code.PROTECTED_PATH,
        f"{shown_name(real)} can hold keys and is never read, whatever was approved.",
        hint="Open it yourself if you need it.",
    )
