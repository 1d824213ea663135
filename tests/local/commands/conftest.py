"""A runner over the real system, ended after the test."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest_asyncio

from orange_jupyter.core.running import Sandbox
from orange_jupyter.local.commands.runner import LocalRunner, RunnerSettings

MakeRunner = Callable[..., LocalRunner]


@pytest_asyncio.fixture
async def make_runner() -> AsyncIterator[MakeRunner]:
    """Makes a runner: variables (this process's), names the person adds, `sandbox`, `network`."""
    made: list[LocalRunner] = []

    def make(environ=None, added=(), sandbox=Sandbox.OFF, network=True) -> LocalRunner:
        settings = RunnerSettings(dict(os.environ) if environ is None else environ, added, sandbox, network)
        made.append(LocalRunner(settings))
        return made[-1]

    yield make
    for runner in made:
        await runner.close()


@pytest_asyncio.fixture
async def runner(make_runner: MakeRunner) -> LocalRunner:
    """A runner as it is by default."""
    return make_runner()


@pytest_asyncio.fixture
async def folder(tmp_path: Path) -> str:
    """A folder to run in, by its real path."""
    return os.path.realpath(tmp_path)
