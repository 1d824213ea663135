"""Is a person there, and how can they be asked (R-APPR-4, notebook-facts "People or no people")."""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path
from typing import Any

from orange_jupyter.jupyter.ports import Where
from orange_jupyter.jupyter.strings import language_of


class Front(Enum):
    """What shows a cell's output: a notebook with a person, nobody, or a terminal."""

    NOTEBOOK = "notebook"
    NOBODY = "nobody"
    TERMINAL = "terminal"

    @property
    def person(self) -> bool:
        """Whether somebody can be asked at all."""
        return self is not Front.NOBODY


def front_of(shell: Any) -> Front:
    """The front of the cell that runs now. nbclient, `jupyter execute` and papermill send allow_stdin False."""
    kernel = getattr(shell, "kernel", None)
    if kernel is None:
        return Front.TERMINAL if getattr(shell, "simple_prompt", True) is False else Front.NOBODY
    return Front.NOTEBOOK if _content(kernel).get("allow_stdin") else Front.NOBODY


def where_of(shell: Any, *, notebook: str | None, locale: str) -> Where:
    """Where the cell that runs now stands.

    `notebook` is the value of JPY_SESSION_NAME (absent headless; then the working folder is the notebook's),
    `locale` the front end's or the environment's language.
    """
    kernel = getattr(shell, "kernel", None)
    path = Path(notebook) if notebook and notebook.endswith(".ipynb") and Path(notebook).is_absolute() else None
    folder = str(path.parent) if path and path.parent.is_dir() else os.getcwd()
    cell_id = _metadata(kernel).get("cellId") if kernel else None
    return Where(
        notebook=str(path) if path else None,
        cell_id=cell_id if isinstance(cell_id, str) else None,
        folder=folder,
        language=language_of(locale),
    )


def _content(kernel: Any) -> dict[str, Any]:
    return dict(kernel.get_parent("shell").get("content") or {})


def _metadata(kernel: Any) -> dict[str, Any]:
    return dict(kernel.get_parent("shell").get("metadata") or {})
