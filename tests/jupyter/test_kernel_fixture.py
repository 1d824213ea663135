"""The kernel fixture itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kernels import Kernel, execute
from tests.lab import write_notebook


@pytest.mark.kernel
def test_a_kernel_answers_updates_displays_and_reports_errors(kernel: Kernel) -> None:
    assert kernel.run("print('你好'); 1 + 1").text == "你好\n2"
    shown = kernel.run("from IPython.display import display\nd = display('a', display_id=True); d.update('b')")
    assert shown.outputs[0]["data"]["text/plain"] == "'b'"
    failed = kernel.run("1 / 0")
    assert (failed.status, failed.error) == ("error", "ZeroDivisionError: division by zero")
    asked = "print(get_ipython().kernel.get_parent('shell')['content']['allow_stdin'])"
    assert kernel.run(asked, people=True).text == "True\n"
    assert kernel.run(asked).text == "False\n"


@pytest.mark.kernel
def test_a_notebook_is_executed_headless_in_its_own_folder(tmp_path: Path) -> None:
    written = tmp_path / "a folder" / "笔记.ipynb"
    write_notebook(written, ["import os; print(os.path.basename(os.getcwd()))"])
    assert execute(written).cells[0].outputs[0]["text"] == "a folder\n"
