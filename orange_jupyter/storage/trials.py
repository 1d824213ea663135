"""What `model test` found of each model, kept in ORANGE_HOME/tested.json (R-MOD-6); nothing secret stands in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from orange_jupyter.core.errors import StoreError
from orange_jupyter.storage.folders import private_folder, write_private

FILE_NAME: Final = "tested.json"


class Found(BaseModel):
    """One check as it ended."""

    model_config = ConfigDict(frozen=True)

    name: str
    ok: bool
    message: str


class Trial(BaseModel):
    """One `model test`: when, over which address, in which mode the model works, and its checks."""

    model_config = ConfigDict(frozen=True)

    at: str
    base_url: str
    model: str
    mode: str
    checks: tuple[Found, ...]

    def of(self, name: str) -> Found | None:
        """The check of that name."""
        return next((one for one in self.checks if one.name == name), None)


_TRIALS = TypeAdapter(dict[str, Trial])


class Trials:
    """The trials of one ORANGE_HOME. Reads and writes a file: call it off the loop."""

    def __init__(self, home: Path) -> None:
        self._file = home / FILE_NAME

    def of(self, name: str, base_url: str, model: str) -> Trial | None:
        """The last trial of model `name`, if it was about this address and id. A broken file counts as none."""
        found = self._read().get(name)
        return found if found is not None and (found.base_url, found.model) == (base_url, model) else None

    def keep(self, name: str, trial: Trial) -> None:
        """Replace the trial of `name`. Raises StoreError."""
        trials = self._read() | {name: trial}
        text = json.dumps({key: one.model_dump() for key, one in trials.items()}, ensure_ascii=False, indent=1)
        try:
            private_folder(self._file.parent)
            write_private(self._file, text.encode())
        except OSError as problem:
            raise StoreError(f"{self._file} cannot be written: {problem.strerror}.") from problem

    def _read(self) -> dict[str, Trial]:
        try:
            return _TRIALS.validate_json(self._file.read_bytes())
        except (OSError, ValidationError):
            return {}
