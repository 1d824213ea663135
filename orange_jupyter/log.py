"""The log that an `internal` error refers to: ORANGE_HOME/orange.log, private, bounded, masked (R-ALL-5, U08)."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from logging.handlers import RotatingFileHandler
from pathlib import Path

BYTES = 1_048_576
LOGGER = "orange_jupyter"


class _Masked(logging.Formatter):
    """Formats a record, traceback included, and masks the whole of it."""

    def __init__(self, mask: Callable[[str], str]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")
        self._mask = mask

    def format(self, record: logging.LogRecord) -> str:
        return self._mask(super().format(record))


def open_log(home: Path, mask: Callable[[str], str]) -> logging.Handler | None:
    """Write this package's warnings and errors to the log; None where it cannot be written."""
    file = home / "orange.log"
    try:
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
        handler = RotatingFileHandler(file, maxBytes=BYTES, backupCount=1, encoding="utf-8", errors="backslashreplace")
    except OSError:
        return None
    handler.setLevel(logging.WARNING)
    handler.setFormatter(_Masked(mask))
    logging.getLogger(LOGGER).addHandler(handler)
    return handler


def close_log(handler: logging.Handler | None) -> None:
    """Take the handler off and close its file."""
    if handler is not None:
        logging.getLogger(LOGGER).removeHandler(handler)
        handler.close()
