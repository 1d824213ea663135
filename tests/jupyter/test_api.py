"""The Python API where it is used: in a notebook with a person, in one without, and in plain scripts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.jupyter.page import Page
from tests.kernels import Kernel, StartKernel

NOTE = "# 融雪\n\nThe degree-day factor of run 17 is 4.6. 率定期取 4.6 mm。\n"
SLOW = {"text": "The gauge record has a gap. " * 400, "chunk": 4, "delay": 0.02}
APPROVER = "get_ipython().extension_of_orange.magics.notebook.entrance.approver"


def use_script(folder: Path, home: Path, *replies: dict[str, object]) -> None:
    """Make a scripted model the default of an installation."""
    script = folder / "replies.json"
    script.write_text(json.dumps({"replies": list(replies)}), encoding="utf-8")
    home.mkdir(exist_ok=True)
    model = f'default_model = "scripted"\n[models.scripted]\nprovider = "scripted"\nscript = "{script}"\n'
    (home / "config.toml").write_text(model, encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    work = tmp_path / "我的 work"
    (work / "kb").mkdir(parents=True)
    (work / "kb" / "melt.md").write_text(NOTE, encoding="utf-8")
    (work / "outside.txt").write_text("CANARY outside", encoding="utf-8")
    config = '[[knowledge_bases]]\nid = "kb_api"\nname = "notes"\npath = "kb"\n'
    (work / ".orange").mkdir()
    (work / ".orange" / "config.toml").write_text(config, encoding="utf-8")
    return work


@pytest.fixture
def orange(start_kernel: StartKernel, folder: Path) -> Kernel:
    read = {"calls": [{"name": "read", "arguments": {"path": str(folder / "outside.txt")}}]}
    said = {"text": "It says: {{last.content}}"}
    refused = {"text": "Refused: {{last.error.code}}"}
    use_script(folder, folder.parent / "orange-home", read, said, read, said, read, refused)
    kernel = start_kernel(cwd=folder)
    kernel.run("%load_ext orange_jupyter\nimport asyncio\nfrom orange_jupyter import Session")
    return kernel


def enter(page: Page, session: str = "s") -> None:
    """Enter full-confirm from Python: the card of `set_tier` or, where no page draws, the prompt."""
    cell = page.run(f"{session}.set_tier('full-confirm')")
    prompt = page.kernel.client.get_stdin_msg(timeout=30)["content"]["prompt"]
    assert "There is no sandbox" in prompt
    page.kernel.client.input("full-confirm")
    assert "full-confirm" in page.finish(cell, timeout=30).text


@pytest.mark.kernel
def test_questions_of_the_api_are_asked_in_the_notebook(orange: Kernel, folder: Path) -> None:
    """R-NB-4, R-APPR-1, R-APPR-4, R-PERM-3: by a card where the cell awaits, by a prompt where it blocks."""
    orange.run(f"{APPROVER}._handshake = 0.3\ns = Session()")
    blind = Page(orange, draws=False)
    enter(blind)
    page = Page(orange)
    orange.run(f"{APPROVER}._handshake = 20")
    cell = page.run("t = await s.ask_async('read it')\nprint(t.answer)")
    card = page.card()
    assert "outside.txt" in str(card)
    page.answer("approve", card)
    page.finish(cell, timeout=30)
    assert "It says: CANARY outside" in page.cells[cell].text
    assert "widget-view" not in str(page.cells[cell].outputs)
    orange.run(f"{APPROVER}._handshake = 0.3")
    for typed, said in (("yes", "It says: CANARY outside"), ("no", "Refused: approval_denied")):
        cell = blind.run("print(s.ask('again').answer)")
        prompt = orange.client.get_stdin_msg(timeout=30)["content"]["prompt"]
        assert "outside.txt" in prompt
        orange.client.input(typed)
        assert said in blind.finish(cell, timeout=30).text


@pytest.mark.kernel
def test_an_object_with_its_own_folders_asks_too_and_nobody_is_refused(orange: Kernel, folder: Path) -> None:
    """R-NB-4, A18: `Session(kb=…)` has an app of its own and the notebook's person; headless nobody is asked."""
    orange.run(f"{APPROVER}._handshake = 0.3\ns = Session(kb='kb')")
    enter(Page(orange, draws=False))
    cell = orange.run("t = s.ask('read it')\nprint(t.needs_person)")
    assert cell.text == "True\n"
    cell = orange.run("kinds = [type(e).__name__ async for e in s.stream('read it')]\nprint(kinds[0], kinds[-1])")
    assert cell.text == "TurnStarted TurnFinished\n"
    cell = orange.run("s.close()\nprint((await Session(kb='kb').ask_async('x')).stop_reason)")
    assert cell.status == "ok", cell.error


@pytest.mark.kernel
def test_stop_and_interrupt_end_a_turn_of_the_api(start_kernel: StartKernel, folder: Path) -> None:
    """R-SESS-4, A21: an interrupt ends `await` and blocking calls within 2 s; the next call works."""
    slow = {**SLOW, "when": "slow", "always": True}  # an interrupt may come before the model was asked
    use_script(folder, folder.parent / "orange-home", slow, {"text": "fine", "when": "now"})
    kernel = start_kernel(cwd=folder)
    kernel.run("%load_ext orange_jupyter\nfrom orange_jupyter import Session")
    kernel.run("s = Session()")
    page = Page(kernel)
    for code in ("await s.ask_async('slow')", "s.ask('slow')"):
        cell = page.run(f"print('begun')\n{code}")
        page.until(lambda cell=cell: "begun" in page.cells[cell].text)
        began = time.monotonic()
        kernel.interrupt()
        page.finish(cell, timeout=10)
        assert time.monotonic() - began < 3
        assert page.cells[cell].status == "error"
    assert kernel.run("print(s.ask('now').answer)", timeout=30).text == "fine\n"


def plain(folder: Path, code: str) -> subprocess.Popen[str]:
    environ = os.environ | {"ORANGE_HOME": str(folder / "home"), "ORANGE_CACHE": str(folder / "cache")}
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", code],
        cwd=folder,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


ASKS = """
import asyncio, threading
from orange_jupyter import Session
s = Session(kb="kb")
print(s.ask("degree-day factor of run 17?").answer)
async def main():
    turn = await s.ask_async("degree-day factor of run 17?")
    print(turn.citations[0].path)
    kinds = [type(event).__name__ async for event in s.stream("率定期取多少？")]
    print(kinds[0], kinds[-1], "TextDelta" in kinds)
    async for event in s.stream("degree-day factor"):
        break
    print((await s.ask_async("degree-day factor of run 17?")).ok)
asyncio.run(main())
print("end")
"""


def test_a_plain_script_asks_streams_and_ends(folder: Path) -> None:
    """R-NB-4, R-NB-6: without IPython, blocking and inside a running loop, leaving a stream early; no thread hangs."""
    with plain(folder, ASKS) as running:
        out, err = running.communicate(timeout=60)
    assert running.returncode == 0, err
    assert "4.6" in out
    assert "melt.md" in out
    assert "TurnStarted TurnFinished True" in out
    assert out.endswith("True\nend\n")
    assert err == ""


@pytest.mark.parametrize("how", ["s.ask('x')", "asyncio.run(s.ask_async('x'))"])
def test_ctrl_c_ends_a_script_at_once(folder: Path, how: str) -> None:
    """R-SESS-4, ending things: within 2 s of the press, as KeyboardInterrupt."""
    use_script(folder, folder / "home", SLOW)
    code = f"import asyncio\nfrom orange_jupyter import Session\ns = Session(kb='kb')\ns.state\nprint('begun', flush=True)\n{how}"
    with plain(folder, code) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "begun\n"
        began = time.monotonic()
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=20)
    assert time.monotonic() - began < 2
    assert "KeyboardInterrupt" in err
    assert running.returncode in (130, -signal.SIGINT, 1)
