"""IPython without a kernel: plain text, printed once; a person at a terminal is asked at a prompt."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pexpect

from tests.jupyter.conftest import LOAD, ROOT

START = LOAD.format(root=str(ROOT), more="")


def test_a_script_prints_the_record_once_and_asks_nobody(tmp_path: Path) -> None:
    """R-SAVE-2, R-APPR-4: `ipython file.ipy` without a terminal."""
    script = tmp_path / "脚本.ipy"
    script.write_text(f"{START}\n%orange status '水文 资料'\n%orange tier full-confirm\n", encoding="utf-8")
    environment = {"HOME": str(tmp_path), "IPYTHONDIR": str(tmp_path), "LANG": "C.UTF-8"}
    ran = subprocess.run(
        [sys.executable, "-m", "IPython", "--simple-prompt", "--no-banner", str(script)],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert ran.stdout.splitlines() == [
        "words status | 水文 资料",
        "Orange: Nobody is here to confirm full-confirm; the tier stays workspace-write.",
    ]


def test_a_person_at_a_terminal_types_the_answer(tmp_path: Path) -> None:
    """R-PERM-3, R-UI-2: an await in the terminal, the prompt on its own thread, the record once."""
    environment = {"HOME": str(tmp_path), "IPYTHONDIR": str(tmp_path), "LANG": "C.UTF-8", "TERM": "dumb"}
    arguments = ["-m", "IPython", "--no-banner", "--colors=nocolor", "--TerminalInteractiveShell.term_title=False"]
    terminal = pexpect.spawn(sys.executable, arguments, env=environment, encoding="utf-8", timeout=40)
    terminal.ptyproc.delayafterterminate = (
        2.0  # seconds that `close` gives the killed child; 0.1 is little on a busy machine
    )
    try:
        terminal.expect(r"In \[1\]: ")
        for line in START.splitlines():
            terminal.sendline(f"exec({line!r})")
        terminal.sendline("get_ipython().run_cell('%%orange\\nask')")
        terminal.expect("Type yes to allow it")
        terminal.sendline("yes")
        terminal.expect("approved")
        terminal.expect("turn 1")
        terminal.sendline("%orange ran")
        terminal.expect("ran 1")
    finally:
        terminal.close(force=True)
