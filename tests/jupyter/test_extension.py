"""Loading and unloading: silent, idempotent, light, undone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import json, sys
import ipykernel.kernelapp
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
before = set(sys.modules)
count = lambda: (len(shell.input_transformers_cleanup), len(shell.input_transformers_post),
                 len(shell.Completer.custom_matchers), sorted(shell.magics_manager.magics["cell"]))
first = count()
shell.run_line_magic("load_ext", "orange_jupyter")
new = sorted(set(sys.modules) - before)
loaded = count()
import orange_jupyter
orange_jupyter.load_ipython_extension(shell)
again = count()
shell.run_line_magic("unload_ext", "orange_jupyter")
undone = count() == first and shell.find_cell_magic("orange") is None
shell.run_line_magic("load_ext", "orange_jupyter")
print(json.dumps([new, loaded == again, undone, count() == loaded, sorted(orange_jupyter.__all__)]))
"""
HEAVY = {
    *("pymupdf", "docx", "playwright", "mcp", "httpx", "PIL", "ipywidgets", "anywidget", "pydantic", "markdown_it"),
    *("nh3", "keyring", "tomlkit", "jieba"),
}


def test_loading_is_light_silent_idempotent_and_undone(tmp_path: Path) -> None:
    """R-NB-1: %load_ext brings none of the heavy packages and prints nothing; unloading leaves the shell as it was."""
    environment = {"HOME": str(tmp_path), "IPYTHONDIR": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning:orange_jupyter", "-c", PROGRAM],
        env=environment,
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    (line,) = ran.stdout.splitlines()
    new, same, undone, back, names = json.loads(line)
    assert not HEAVY & set(new)
    assert (same, undone, back) == (True, True, True)
    assert names == ["Session", "__version__", "load_ipython_extension", "unload_ipython_extension"]
