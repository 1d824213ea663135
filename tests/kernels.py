"""Real ipykernels without a browser: `start_kernel` gives kernels to talk to, `execute` runs whole notebooks.

Tests that use them are marked `kernel`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty
from typing import Any

import nbclient
import nbformat
import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager


@dataclass
class Cell:
    """What one execution gave: `outputs` as nbformat would store them, updated displays in place."""

    status: str = "running"
    outputs: list[dict[str, Any]] = field(default_factory=list)
    comms: list[dict[str, Any]] = field(default_factory=list)
    error: str = ""

    @property
    def text(self) -> str:
        """Streams and the plain text of every display, in order."""
        return "".join(str(o.get("text") or o.get("data", {}).get("text/plain", "")) for o in self.outputs)

    def take(self, kind: str, content: dict[str, Any]) -> None:
        """Take one message of the output channel."""
        match kind:
            case "stream":
                self.outputs.append({"output_type": "stream", "name": content["name"], "text": content["text"]})
            case "display_data" | "execute_result":
                self.outputs.append({"output_type": kind, **content})
            case "update_display_data":
                self._update(content)
            case "error":
                self.error = f"{content['ename']}: {content['evalue']}"
            case "clear_output":
                self.outputs.clear()
            case "comm_open" | "comm_msg" | "comm_close":
                self.comms.append({"kind": kind, **content})

    def _update(self, content: dict[str, Any]) -> None:
        wanted = content["transient"]["display_id"]
        for output in self.outputs:
            if output.get("transient", {}).get("display_id") == wanted:
                output["data"] = content["data"]


@dataclass
class Kernel:
    """A running kernel and its client."""

    manager: KernelManager
    client: BlockingKernelClient

    def run(self, code: str, *, people: bool = False, timeout: float = 60) -> Cell:
        """Execute code and wait for idle. `people` sends allow_stdin, as Lab does and nbclient does not."""
        return self.finish(self.send(code, people=people), timeout=timeout)

    def send(self, code: str, *, people: bool = False) -> str:
        """Start executing code; returns the message id for `finish`."""
        return str(self.client.execute(code, allow_stdin=people))

    def finish(self, message: str, *, timeout: float = 60) -> Cell:
        """Collect a started execution's outputs until the kernel is idle again."""
        cell = Cell()
        until = time.monotonic() + timeout
        while cell.status == "running":
            try:
                got = self.client.get_iopub_msg(timeout=max(0.01, until - time.monotonic()))
            except Empty:
                raise AssertionError(f"the cell did not finish in {timeout} s; so far: {cell.text!r}") from None
            if got["parent_header"].get("msg_id") != message:
                continue
            if got["msg_type"] == "status" and got["content"]["execution_state"] == "idle":
                cell.status = "error" if cell.error else "ok"
            cell.take(got["msg_type"], got["content"])
        return cell

    def interrupt(self) -> None:
        """Interrupt, as the toolbar's square does."""
        self.manager.interrupt_kernel()

    def restart(self) -> None:
        """Restart and wait until it answers."""
        self.manager.restart_kernel(now=False)
        self.client.wait_for_ready(timeout=60)


StartKernel = Callable[..., Kernel]


@pytest.fixture
def start_kernel(tmp_path: Path) -> Iterator[StartKernel]:
    """A function `start(cwd=…, env={…})` that starts a real kernel; all are shut down after the test."""
    started: list[Kernel] = []

    def start(cwd: Path | None = None, env: dict[str, str] | None = None) -> Kernel:
        manager = KernelManager(kernel_name="python3")
        manager.start_kernel(cwd=str(cwd or tmp_path), env=os.environ | kernel_folders(tmp_path) | (env or {}))
        client = manager.blocking_client()
        client.start_channels()
        client.wait_for_ready(timeout=60)
        started.append(Kernel(manager, client))
        return started[-1]

    yield start
    for kernel in started:
        kernel.client.stop_channels()
        kernel.manager.shutdown_kernel(now=True)
        kernel.manager.cleanup_resources()


@pytest.fixture
def kernel(start_kernel: StartKernel) -> Kernel:
    """One real kernel in the test's folder."""
    return start_kernel()


def kernel_folders(folder: Path) -> dict[str, str]:
    """Environment that keeps a kernel to a folder of its own."""
    return {
        "IPYTHONDIR": str(folder / "ipython"),
        "ORANGE_HOME": str(folder / "orange-home"),
        "ORANGE_CACHE": str(folder / "orange-cache"),
    }


def execute(notebook: Path, *, timeout: int = 120) -> nbformat.NotebookNode:
    """Execute a notebook headless, as `jupyter execute` does, in its own folder; raises CellExecutionError."""
    node = nbformat.read(notebook, as_version=4)
    client = nbclient.NotebookClient(node, timeout=timeout, resources={"metadata": {"path": str(notebook.parent)}})
    client.execute()
    return node
