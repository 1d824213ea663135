"""A model file in the real Lab: the cell shows that it is being loaded, and Stop ends its server."""

from __future__ import annotations

import json
import os
import sys

import pytest

from tests.lab import Lab
from tests.providers.llama_stand_in import StandIn, install
from tests.providers.server import delta, stream

BODY = stream(delta(content="绿茶 is green tea."), delta("stop")).decode()
SET = "import os\nos.environ['PATH'] = {path!r}\nos.environ['LLAMA_ARG_STAND_IN'] = {plan!r}"


def cells(stand_in: StandIn) -> list[str]:
    path = os.pathsep.join((str(stand_in.folder), os.path.dirname(sys.executable), os.environ["PATH"]))
    return [
        SET.format(path=path, plan=json.dumps({"looks": 100_000, "body": BODY})),
        "%load_ext orange_jupyter\n%orange model add tiny --gguf '小模型 tiny.gguf'\n%orange model use tiny",
        "%%orange\nWhat is 绿茶?",
    ]


@pytest.mark.browser
def test_loading_is_shown_and_stop_ends_the_server(lab: Lab) -> None:
    """R-MOD-7, R-UI-1: in both themes and two widths."""
    stand_in = install(lab.folder / "programs")
    (lab.folder / "小模型 tiny.gguf").write_bytes(b"GGUF\x03\0\0\0" + bytes(2_000_000))
    lab.open(cells(stand_in))
    lab.width(900)
    for index in (0, 1):
        lab.run(index)
    lab.run(2, wait=False)
    lab.wait_output(2, "Loading the model 小模型 tiny.gguf (2 MB)")
    for dark in (False, True):
        lab.theme(dark=dark)
        for width in (900, 400):
            lab.width(width)
            lab.shot(f"loading-{'dark' if dark else 'light'}-{width}", 2)
    assert len(stand_in.running) == 1
    lab.output(2).get_by_role("button", name="Stop").first.click()
    lab.wait_finished(2)
    assert not stand_in.running
