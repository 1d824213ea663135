"""The product in the real Notebook 7 on the newest kernel: approve while the cell runs, deny, stop (R-UI-2)."""

from __future__ import annotations

import json

import pytest

from tests.jupyter.test_product_in_lab import files, use
from tests.notebook7 import Notebook7

pytestmark = pytest.mark.browser

LONG = {"text": "The gauge record has a gap. 记录有缺口。 " * 400, "chunk": 6, "delay": 0.02}


def test_a_question_an_approval_and_stop_in_notebook_7(notebook7: Notebook7) -> None:
    """R-UI-2, R-PERM-3, R-APPR-1, R-SESS-4, R-SAVE-1: ask, enter a full tier, approve while the cell runs, stop."""
    lab = notebook7
    read = {"calls": [{"name": "read", "arguments": {"path": str(lab.folder / "out" / "plan.txt")}}]}
    search = {"calls": [{"name": "search", "arguments": {"query": "degree-day factor"}}]}
    answer = {"text": "结论：取 **4.6** mm [{{last.citations.0.citationId}}]。"}
    cells = [
        "%load_ext orange_jupyter",
        use("reader"),
        "%%orange --model reader\n度日因子？",
        "%orange tier full-confirm",
        "%%orange\nread it",
        "%%orange\ntalk",
        "1 + 1",
    ]
    lab.open(
        cells, "周报 7.ipynb", files=files("reader", search, answer, read, {"text": "It says: {{last.content}}"}, LONG)
    )
    for index in range(3):
        lab.run(index)
    lab.wait_output(2, "Sources")
    lab.enter_full(3)
    lab.run(4, wait=False)
    lab.wait_output(4, "Read a file outside the knowledge bases?")
    assert lab.running(4)
    lab.shot("notebook7-approval", 4)
    lab.page.wait_for_timeout(450)
    lab.click(4, "Approve once")
    lab.wait_finished(4)
    lab.wait_output(4, "It says: CANARY outside")
    lab.run(5, wait=False)
    lab.wait_output(5, "The gauge record has a gap.")
    lab.click(5, "Stop")
    lab.wait_finished(5)
    lab.wait_output(5, "Stopped by you")
    lab.run(6)
    assert lab.outputs(6)[0]["data"]["text/plain"] == "2"
    lab.shot("notebook7-record", 4)
    saved = json.dumps(lab.save(), ensure_ascii=False)
    assert "widget-view" not in saved
    assert '"nonce"' not in saved
