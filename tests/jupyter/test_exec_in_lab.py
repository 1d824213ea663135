"""Commands in the real JupyterLab: approve, deny, watch, stop, and the receipts in the notebook that is opened again."""

from __future__ import annotations

import json
import os
import time

import pytest

from tests.jupyter.test_product_in_lab import files, use
from tests.lab import Lab

MADE = "for n in 1 2 3 4 5 6; do echo melt $n; sleep 0.4; done; echo '# new' > fresh.md"


def runs(command: str) -> dict[str, object]:
    """A model's reply that calls `exec`."""
    return {"calls": [{"name": "exec", "arguments": {"command": command}}]}


@pytest.mark.browser
def test_commands_are_approved_denied_watched_and_stopped(lab: Lab) -> None:
    """R-PERM-5, R-APPR-1…3, R-APPR-5, R-EXEC-4, 6, 10, 11, R-SAVE-1: and no process is left; the receipts stay."""
    endless = "echo begun; sleep 300 & sleep 300"
    replies = [
        runs(MADE),
        {"text": "Exit {{last.exitCode}}, changed {{last.changedFiles.0.path}}"},
        runs("touch denied.md"),
        {"text": "Refused: {{last.error.message}}"},
        runs(endless),
        {"text": "never"},
    ]
    questions = ["%%orange --model sh\nrun it", "%%orange\nmore", "%%orange\nstill more"]
    cells = ["%load_ext orange_jupyter", use("sh"), "%orange tier full-confirm", *questions]
    lab.open(cells, files=files("sh", *replies))
    lab.run(0)
    lab.run(1)
    lab.enter_full(2)
    lab.run(3, wait=False)
    lab.wait_output(3, "Run this command?")
    assert "in your real environment" in lab.output_text(3)
    assert str((lab.folder / "kb").resolve()) in lab.output_text(3)
    lab.page.wait_for_timeout(450)
    lab.click(3, "Approve once")
    lab.wait_output(3, "melt 2")
    assert "Exit 0" not in lab.output_text(3)
    lab.shot("exec-lab-live", 3)
    lab.wait_finished(3)
    lab.wait_output(3, "Exit 0, changed fresh.md")
    lab.run(4, wait=False)
    lab.wait_output(4, "touch denied.md")
    lab.page.wait_for_timeout(450)
    lab.click(4, "Deny…")
    lab.output(4).get_by_role("textbox").fill("not here")
    lab.click(4, "Deny with this reason")
    lab.wait_finished(4)
    lab.wait_output(4, "not here")
    assert not (lab.folder / "kb" / "denied.md").exists()
    lab.run(5, wait=False)
    lab.wait_output(5, "Run this command?")
    lab.page.wait_for_timeout(450)
    lab.click(5, "Approve once")
    lab.wait_output(5, "begun\n")
    lab.click(5, "Stop")
    lab.wait_finished(5)
    lab.wait_output(5, "Stopped by you")
    assert not left("sleep\x00300", seconds=2)
    saved = json.dumps(lab.save(), ensure_ascii=False)
    for words in ("Exit 0 after", "melt 6", "Stopped, may have had effects", "not here"):
        assert words in saved
    for word in ("widget-view", "digest", "nonce"):
        assert word not in saved
    lab.reload(kernel=False)
    for cell, words in ((3, "Exit 0 after"), (4, "denied"), (5, "Stopped, may have had effects")):
        lab.output(cell).get_by_text("tool call").first.click()
        lab.wait_output(cell, words)
        assert lab.output(cell).get_by_role("button").count() == 0
    lab.shot("exec-lab-reopened", 5)


def left(words: str, *, seconds: float) -> bool:
    """Whether a process with these arguments still lives after so long."""
    until = time.monotonic() + seconds
    while found := _alive(words):
        if time.monotonic() > until:
            return True
        time.sleep(0.05)
    return bool(found)


def _alive(words: str) -> bool:
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/cmdline", encoding="utf-8") as file:
                if file.read().startswith(words):
                    return True
        except OSError:
            continue
    return False
