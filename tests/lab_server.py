"""One JupyterLab server and one Chromium for a whole test run; `tests.lab` is what a person does in them."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright

T = TypeVar("T")

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
QUIET_SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True},
    "docmanager-extension/plugin": {"autosave": False},
}


@dataclass
class Chromium:
    """Chromium and the thread that owns it; `submit` runs a function there, `call` waits for its result."""

    executable: str
    thread: ThreadPoolExecutor
    playwright: Playwright
    browser: Browser

    def submit(self, function: Callable[..., T], *args: Any, **named: Any) -> Future[T]:
        """Run on Playwright's thread."""
        return self.thread.submit(function, *args, **named)

    def call(self, function: Callable[..., T], *args: Any, **named: Any) -> T:
        """Run on Playwright's thread and give back the result."""
        return self.submit(function, *args, **named).result()


@dataclass(frozen=True)
class LabServer:
    """A running JupyterLab on loopback with folders of its own; `root` holds the notebooks."""

    url: str
    token: str
    root: Path
    home: Path
    log: Path

    def folder_for(self, request: pytest.FixtureRequest) -> Path:
        """A new empty folder named after the test; a second try gets one of its own."""
        name = request.node.name[:80].replace("/", "-")
        tries = (self.root / (f"{name}-{number}" if number else name) for number in range(9))
        folder = next(one for one in tries if not one.exists())
        folder.mkdir(parents=True)
        return folder


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chromium]:
    """One Chromium for the run, on a thread of its own."""
    executable = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if executable is None:
        pytest.skip("there is no Chromium on this machine")
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="playwright")

    def start() -> tuple[Playwright, Browser]:
        playwright = sync_playwright().start()
        return playwright, playwright.chromium.launch(executable_path=executable, args=CHROMIUM_FLAGS)

    playwright, browser = thread.submit(start).result()
    found = Chromium(executable, thread, playwright, browser)
    yield found
    found.call(browser.close)
    found.call(playwright.stop)
    thread.shutdown()


@pytest.fixture(scope="session")
def lab_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabServer]:
    """One JupyterLab for the run: private folders, a token, loopback, no news; an ORANGE_HOME of its own."""
    home = tmp_path_factory.mktemp("lab")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = LabServer(f"http://127.0.0.1:{port}/", secrets.token_hex(16), home / "root", home, home / "server.log")
    server.root.mkdir()
    _write_settings(home / "settings")
    with server.log.open("wb") as log:
        process = subprocess.Popen(
            _command(server, port), env=_environment(home), cwd=server.root, stdout=log, stderr=log
        )
        try:
            _wait_up(server, process)
            yield server
        finally:
            process.terminate()
            process.wait(timeout=20)


def _write_settings(folder: Path) -> None:
    for name, values in QUIET_SETTINGS.items():
        plugin, key = name.split("/")
        target = folder / "@jupyterlab" / plugin / f"{key}.jupyterlab-settings"
        target.parent.mkdir(parents=True)
        target.write_text(json.dumps(values), encoding="utf-8")


def _environment(home: Path) -> dict[str, str]:
    own = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
        "ORANGE_HOME": "orange-home",
        "ORANGE_CACHE": "orange-cache",
    }
    return os.environ | {name: str(home / part) for name, part in own.items()} | {"LANG": "C.UTF-8"}


def _command(server: LabServer, port: int) -> list[str]:
    return [
        sys.executable,
        "-m",
        "jupyterlab",
        "--no-browser",
        "--allow-root",
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        f"--ServerApp.root_dir={server.root}",
        "--ServerApp.terminals_enabled=False",
        f"--IdentityProvider.token={server.token}",
        "--LabApp.expose_app_in_browser=True",
        "--JupyterNotebookApp.expose_app_in_browser=True",
        "--LabApp.extension_manager=readonly",
        "--LabApp.news_url=None",
    ]


def _wait_up(server: LabServer, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        try:
            with urlopen(f"{server.url}api/status?token={server.token}", timeout=2):
                return
        except (URLError, OSError):
            process.poll()
            time.sleep(0.2)
    raise AssertionError(f"JupyterLab did not start:\n{server.log.read_text(encoding='utf-8')[-3000:]}")
