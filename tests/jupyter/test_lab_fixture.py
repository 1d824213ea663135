"""The Lab fixture itself: a real JupyterLab, a real kernel, a real click."""

from __future__ import annotations

import asyncio

import pytest

from tests.lab import Lab

BUTTON = '''
import anywidget, asyncio, traitlets

class Button(anywidget.AnyWidget):
    _esm = """
    export default { render({ model, el }) {
      const button = document.createElement("button");
      button.textContent = "Press 请按";
      button.addEventListener("click", () => { model.set("pressed", model.get("pressed") + 1); model.save_changes(); });
      el.appendChild(button);
    } };
    """
    pressed = traitlets.Int(0).tag(sync=True)

button = Button()
button
'''
WAIT = """
for _ in range(400):
    if button.pressed:
        break
    await asyncio.sleep(0.05)
print("pressed", button.pressed)
"""


@pytest.mark.browser
def test_a_cell_runs_and_its_output_is_read(lab: Lab) -> None:
    lab.open(["1 + 1", "# md\n## 标题", "print('你好', 2 ** 10)"], name="一个 notebook.ipynb")
    lab.run(0)
    assert lab.outputs(0)[0]["data"]["text/plain"] == "2"
    lab.run_all()
    assert "你好 1024" in lab.output_text(2)
    assert lab.save()["cells"][0]["outputs"][0]["data"]["text/plain"] == "2"


@pytest.mark.browser
def test_a_cell_that_ends_with_an_error_fails_the_test_at_once(lab: Lab) -> None:
    lab.open(["# md\nwords", "1 / 0", "print('never')"])
    with pytest.raises(AssertionError, match="cell 1: ZeroDivisionError: division by zero"):
        lab.run_all()
    with pytest.raises(AssertionError, match="cell 1: ZeroDivisionError"):
        lab.run(1)


@pytest.mark.browser
def test_a_click_reaches_python_while_an_async_cell_waits(lab: Lab) -> None:
    lab.open([BUTTON, WAIT])
    lab.run(0)
    lab.run(1, wait=False)
    assert lab.running(1)
    lab.click(0, "Press 请按")
    lab.wait_finished(1)
    assert lab.output_text(1).strip() == "pressed 1"


@pytest.mark.browser
def test_a_saved_notebook_is_read_again_without_a_kernel_in_both_themes(lab: Lab) -> None:
    lab.open(["print('stays')", "import os; print(os.environ['ORANGE_HOME'])"])
    lab.run_all()
    assert str(lab.server.home) in lab.output_text(1)
    lab.save()
    lab.restart()
    lab.reload(kernel=False)
    for dark in (True, False):
        lab.theme(dark=dark)
        lab.width(400)
        assert lab.output_text(0).strip() == "stays"
    assert lab.shot("lab-fixture", 0).stat().st_size > 500
    lab.width(1200)


async def test_asynchronous_tests_still_run_after_a_browser_test() -> None:
    assert asyncio.get_running_loop().is_running()
