"""A real store in a temporary folder, and a clock that tests move."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from orange_jupyter.storage.database import Database
from orange_jupyter.storage.lease import Leases
from orange_jupyter.storage.sessions import Sessions


class HandClock:
    """Time that moves only by hand."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> str:
        return f"2026-11-30T17:05:{int(self.seconds) % 60:02d}Z"

    def monotonic(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "我的 home"


@pytest.fixture
def database(home: Path) -> Iterator[Database]:
    opened = Database.open(home)
    yield opened
    opened.close()


@pytest.fixture
def leases(home: Path, clock: HandClock) -> Leases:
    return Leases(home, clock)


@pytest.fixture
def sessions(database: Database, clock: HandClock, leases: Leases) -> Sessions:
    return Sessions(database, clock, leases)
