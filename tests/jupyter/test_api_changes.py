"""Changes from Python, in a notebook's kernel and in a plain script: R-NB-4, R-CHG-10, R-SCH-10, S03."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.jupyter.test_api import use_script
from tests.kernels import StartKernel

KEY = "sk-ant-api03-" + "Q7x" * 20
NOTE = f"# 融雪\n\nThe factor is 4.6.\nkey {KEY}\n"
EDIT = {"operation": "replace", "path": "melt.md", "oldText": "4.6", "newText": "4.8"}
PROPOSES = ({"calls": [{"name": "edit", "arguments": EDIT}]}, {"text": "Proposed."})
PROGRAM = """
from orange_jupyter import Session
from orange_jupyter.core.errors import RightsError
session = Session("work", kb="kb")
session.set_tier("workspace-write")
turn = session.ask("Please correct it")
(one,) = turn.changes
print(one.kind, one.path, one.state, turn.document()["changes"][0]["operationId"] == one.operation_id)
print([waits.operation_id for waits in session.changes] == [one.operation_id], len(session.changes))
diff = session.changes.diff(one.operation_id)
print("+The factor is 4.8." in diff, "sk-ant" in diff)
session.set_tier("workspace-readonly")
try:
    session.changes.apply()
except RightsError as error:
    print(error.code)
session.set_tier("workspace-write")
(done,) = session.changes.apply()
print(done.ok, done.operation.state, "4.8" in open("kb/melt.md").read(), len(session.changes))
(again,) = session.changes.apply(one.operation_id)
print(again.ok, again.code)
(undone,) = session.changes.undo()
print(undone.ok, undone.operation.state, "4.6" in open("kb/melt.md").read())
session.close()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    work = tmp_path / "我的 work"
    (work / "kb").mkdir(parents=True)
    (work / "kb" / "melt.md").write_text(NOTE, encoding="utf-8")
    (work / ".orange").mkdir()
    config = '[[knowledge_bases]]\nid = "kb_api"\nname = "notes"\npath = "kb"\n'
    (work / ".orange" / "config.toml").write_text(config, encoding="utf-8")
    return work


def test_a_script_looks_applies_and_undoes(folder: Path) -> None:
    """R-NB-4, R-SCH-8: what a turn proposed, its diff without secrets, decisions by the session's rights."""
    home = folder.parent / "home"
    use_script(folder, home, *PROPOSES)
    environ = dict(os.environ) | {"ORANGE_HOME": str(home), "ORANGE_CACHE": str(folder.parent / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "replace melt.md pending True",
        "True 1",
        "True False",
        "denied_by_tier",
        "True applied True 0",
        "False nothing_to_do",
        "True undone True",
    ]
    assert (folder / "kb" / "melt.md").read_text(encoding="utf-8") == NOTE


@pytest.mark.kernel
def test_a_cell_decides_from_python_and_by_line_and_a_new_kernel_knows(start_kernel: StartKernel, folder: Path) -> None:
    """R-CHG-10, R-NB-3: nobody is there, so nothing is applied until a line or a call says so."""
    use_script(folder, folder.parent / "orange-home", *PROPOSES, *PROPOSES)
    kernel = start_kernel(cwd=folder)
    kernel.run("%load_ext orange_jupyter\nfrom orange_jupyter import Session\ns = Session('work')")
    kernel.run("s.set_tier('workspace-write')")
    cell = kernel.run("t = await s.ask_async('correct it')\nprint(len(t.changes), [c.path for c in s.changes])")
    assert cell.text == "1 ['melt.md']\n", cell.error
    assert (folder / "kb" / "melt.md").read_text(encoding="utf-8") == NOTE
    kernel.run("%orange session use work")
    cell = kernel.run("%orange changes")
    assert "melt.md" in str(cell.outputs)
    assert KEY not in str(cell.outputs)
    kernel.restart()
    kernel.run("%load_ext orange_jupyter\nfrom orange_jupyter import Session\ns = Session('work')")
    cell = kernel.run("print([str(o.operation.state) for o in s.changes.apply()])")
    assert cell.text == "['applied']\n", cell.error
    assert "4.8" in (folder / "kb" / "melt.md").read_text(encoding="utf-8")
