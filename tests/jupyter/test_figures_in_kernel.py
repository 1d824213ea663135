"""When a record's figures come: after the answer, once, and Stop does not wait for them (R-SAVE-1, R-SESS-3)."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.jupyter.page import Page
from tests.jupyter.test_product_in_lab import CONFIG, use
from tests.jupyter.two_columns import two_columns
from tests.kernels import Kernel, StartKernel

pytestmark = pytest.mark.kernel

SEARCH = {"calls": [{"name": "search", "arguments": {"query": "annual value underestimated June melt"}}]}
ANSWER = {"text": "By 19 % [{{tool.search.citations.0.citationId}}]."}


def records(kernel: Kernel, message: str) -> list[str]:
    """The HTML of every record that one cell sends, in order."""
    sent: list[str] = []
    while True:
        got = kernel.client.get_iopub_msg(timeout=60)
        if got["parent_header"].get("msg_id") != message:
            continue
        if got["msg_type"] in ("display_data", "update_display_data"):
            sent.append(got["content"]["data"].get("text/html", ""))
        if got["msg_type"] == "status" and got["content"]["execution_state"] == "idle":
            return sent


def test_the_figures_are_sent_once_after_the_record_without_them(start_kernel: StartKernel, tmp_path: Path) -> None:
    """R-SAVE-1, R-UI-1: no step sends a picture; headless too (R-HL-1)."""
    (tmp_path / "kb").mkdir()
    (tmp_path / "kb" / "meng-2019.pdf").write_bytes(two_columns())
    (tmp_path / ".orange").mkdir()
    (tmp_path / ".orange" / "config.toml").write_text(CONFIG, encoding="utf-8")
    search = [SEARCH] * 3
    (tmp_path / "gauge.json").write_text(json.dumps({"replies": [*search, ANSWER]}), encoding="utf-8")
    kernel = start_kernel(env={"LANG": "C.UTF-8"})
    for line in ("%load_ext orange_jupyter", use("gauge")):
        assert kernel.run(line).status == "ok"
    sent = records(kernel, kernel.send("%%orange --model gauge\nBy how much?"))
    assert [one.count("<img") for one in sent][-2:] == [0, 1]
    assert sum(one.count("<img") for one in sent) == 1
    assert all("By 19 %" in one for one in sent[-2:])


def test_an_interrupt_does_not_wait_for_figures(orange: Kernel) -> None:
    """R-SESS-3, A19: the record with the answer is there; its pictures are given up."""
    page = Page(orange)
    cell = page.run("%%orange\ndraw")
    page.until(lambda: "[done]" in page.cells[cell].text)
    began = time.monotonic()
    orange.interrupt()
    page.finish(cell)
    assert time.monotonic() - began < 2
    assert "answer to: draw" in page.cells[cell].text
    assert "answer to: again" in orange.run("%%orange\nagain").text
