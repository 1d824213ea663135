"""A knowledge base and a function that runs one tool call through the whole dispatch."""

from __future__ import annotations

import pytest

from orange_jupyter.app import App, ForThisRun
from orange_jupyter.cli.tool import call
from orange_jupyter.core.grant import Tier
from orange_jupyter.terminal import Yes


@pytest.fixture
async def kb(tmp_path):
    """`kb.root` is the folder, `await kb(tool, **arguments)` the uncut envelope, `kb.result` what a model gets."""
    root = tmp_path / "kb"
    root.mkdir()
    environ = {"ORANGE_HOME": str(tmp_path / "home"), "ORANGE_CACHE": str(tmp_path / "cache"), "HOME": str(tmp_path)}
    apps = {}

    async def run(tool, tier=Tier.WORKSPACE_READONLY, **arguments):
        if tier not in apps:
            apps[tier] = await App.open(
                environ, str(root), Yes(), run=ForThisRun(tier=tier, folders=(str(root), *run.more), patience=60.0)
            )
        app = apps[tier]
        opened = next(iter(app._opened.values()), None) or await app.create()
        ran = await call(app, opened, tool, arguments)
        run.result = ran.result
        run.decision = ran.decision
        return ran.envelope

    run.root = root
    run.tmp = tmp_path
    run.more = ()
    yield run
    for app in apps.values():
        await app.close()
