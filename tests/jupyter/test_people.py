"""Who is in front of a cell and where it stands, from what the kernel was sent."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from orange_jupyter.jupyter.failure import failure
from orange_jupyter.jupyter.people import Front, front_of, where_of


@dataclass
class Sent:
    """A kernel that holds an execute_request."""

    message: dict[str, Any]

    def get_parent(self, channel: str) -> dict[str, Any]:
        return self.message if channel == "shell" else {}


@dataclass
class Shell:
    kernel: Sent | None = None
    simple_prompt: bool = True
    user_ns: dict[str, Any] = field(default_factory=dict)


@pytest.mark.parametrize(
    ("shell", "front"),
    [
        (Shell(Sent({"content": {"allow_stdin": True}})), Front.NOTEBOOK),
        (Shell(Sent({"content": {"allow_stdin": False}})), Front.NOBODY),
        (Shell(Sent({"content": {}})), Front.NOBODY),
        (Shell(Sent({})), Front.NOBODY),
        (Shell(simple_prompt=False), Front.TERMINAL),
        (Shell(simple_prompt=True), Front.NOBODY),
        (object(), Front.NOBODY),
    ],
)
def test_a_person_is_there_only_where_the_front_end_says_so(shell: Any, front: Front) -> None:
    """R-APPR-4, A18: what does not take input has nobody; in doubt there is nobody."""
    assert front_of(shell) is front
    assert front.person is (front is not Front.NOBODY)


def test_a_cell_stands_in_its_notebooks_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Facts: JPY_SESSION_NAME is the notebook's path in Lab; headless the working folder is the notebook's."""
    folder = tmp_path / "研究 笔记"
    folder.mkdir()
    notebook = str(folder / "周报.ipynb")
    shell = Shell(Sent({"metadata": {"cellId": "c-1"}}))
    there = where_of(shell, notebook=notebook, locale="zh_CN.UTF-8")
    assert (there.notebook, there.cell_id, there.folder, there.language) == (notebook, "c-1", str(folder), "zh")
    monkeypatch.chdir(tmp_path)
    for name in (None, "", "console-1", "relative.ipynb"):
        where = where_of(Shell(), notebook=name, locale="")
        assert (where.notebook, where.cell_id, where.folder, where.language) == (None, None, str(tmp_path), "en")


def test_an_error_shows_words_and_never_markup() -> None:
    """R-UI-7, A20: what a file or server said is text in every form."""
    shown = failure("<script>x</script> *a* [b](http://e.test) $1", "see `C:\\x` &amp; <b>")
    assert "<script>" not in shown["text/html"]
    assert "&lt;script&gt;" in shown["text/html"]
    assert "\\<script\\>" in shown["text/markdown"]
    assert "\\[b\\]\\(http" in shown["text/markdown"]
    assert shown["text/plain"] == "Orange: <script>x</script> *a* [b](http://e.test) $1\nsee `C:\\x` &amp; <b>"
