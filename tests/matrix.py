"""The kernels of the matrix: an environment for each ipykernel, made when first needed, and a page that clicks (R-UI-2).

An environment is one ipykernel in a folder of its own, put before the installed one on the kernel's path. Folders stay
in the checkout's ignored `.venvs`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty
from typing import Any

from jupyter_client.manager import KernelManager

from tests.jupyter.conftest import load_fake
from tests.jupyter.page import Page
from tests.kernels import Cell, Kernel, kernel_folders

VERSIONS = ("6.31.0", "7.3.0", "7.4.0")
CACHE = Path(__file__).parents[1] / ".venvs"


def environment(version: str) -> Path:
    """The folder that holds this ipykernel; installed once, complete or not at all."""
    folder = CACHE / f"ipykernel-{version}"
    if folder.is_dir():
        return folder
    CACHE.mkdir(exist_ok=True)
    making = Path(tempfile.mkdtemp(dir=CACHE, prefix="making-"))
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    wanted = ["--target", str(making), f"ipykernel=={version}"]
    try:
        done = subprocess.run([*pip, *wanted], check=False, capture_output=True, text=True, timeout=100)
        assert done.returncode == 0, f"ipykernel {version} was not installed: {done.stderr[-1000:]}"
        with suppress(OSError):  # another run was quicker
            making.rename(folder)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return folder


@contextmanager
def started(version: str, folder: Path) -> Iterator[Kernel]:
    """A kernel of this ipykernel with Orange and the fake office loaded."""
    manager = KernelManager(kernel_name="python3")
    path = {"PYTHONPATH": str(environment(version))}
    manager.start_kernel(cwd=str(folder), env=os.environ | kernel_folders(folder) | path)
    client = manager.blocking_client()
    client.start_channels()
    kernel = Kernel(manager, client)
    try:
        client.wait_for_ready(timeout=60)
        assert kernel.run("import ipykernel; print(ipykernel.__version__)").text == f"{version}\n"
        load_fake(kernel)
        yield kernel
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
        manager.cleanup_resources()


def subshell(kernel: Kernel) -> str:
    """A subshell as Lab makes one for its widgets; "" where the kernel never answers (before 7)."""
    client = kernel.client
    request = client.session.msg("create_subshell_request")
    client.control_channel.send(request)
    try:
        while (reply := client.get_control_msg(timeout=0.5))["parent_header"].get("msg_id") != request["msg_id"]:
            continue
    except Empty:
        return ""
    return str(reply["content"]["subshell_id"])


@dataclass
class Tab(Page):
    """A page whose comm messages name a subshell; it notes in which order cells begin and end, and their replies."""

    subshell: str = ""
    steps: list[tuple[str, str]] = field(default_factory=list)

    def take(self, got: dict[str, Any]) -> None:
        super().take(got)
        parent = got["parent_header"].get("msg_id", "")
        if parent not in self.cells:
            return
        if got["msg_type"] == "execute_input":
            self.steps.append(("begins", parent))
        if got["msg_type"] == "status" and got["content"]["execution_state"] == "idle":
            self.steps.append(("ends", parent))

    def click(self, content: dict[str, Any], *, comm: str = "") -> None:
        self.send({"comm_id": comm or self.controls, "data": {"method": "custom", "content": content}})

    def send(self, content: dict[str, Any]) -> str:
        """Send a comm message as the page does; returns its id."""
        client = self.kernel.client
        message = client.session.msg("comm_msg", content)
        if self.subshell:
            message["header"]["subshell_id"] = self.subshell
        client.shell_channel.send(message)
        return str(message["msg_id"])

    def run_in_subshell(self, code: str) -> str:
        """Start a cell in the page's subshell, as a console of its own does; returns its id."""
        client = self.kernel.client
        message = client.session.msg("execute_request", {"code": code, "silent": False, "allow_stdin": True})
        message["header"]["subshell_id"] = self.subshell
        self.cells[message["msg_id"]] = Cell()
        client.shell_channel.send(message)
        return str(message["msg_id"])

    def reply(self, cell: str) -> str:
        """The status that the kernel replied for a cell; replies before it are passed over."""
        while True:
            try:
                got = self.kernel.client.get_shell_msg(timeout=20)
            except Empty:
                raise AssertionError("the kernel never replied to the cell") from None
            if got["parent_header"].get("msg_id") == cell:
                return str(got["content"]["status"])

    def replied(self, requests: set[str]) -> list[str]:
        """These requests in the order in which the kernel replied to them."""
        seen: list[str] = []
        while len(seen) < len(requests):
            got = self.kernel.client.get_shell_msg(timeout=20)["parent_header"].get("msg_id", "")
            seen += [got] if got in requests else []
        return seen

    def streaming(self) -> bool:
        """Whether the controls show the beginning of an answer."""
        return any("said" in name for name in self.entries)
