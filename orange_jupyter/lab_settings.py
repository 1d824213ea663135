"""The language that a person chose in JupyterLab or Notebook 7, read where Lab keeps it (R-UI-8)."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

_FILE = Path("lab", "user-settings", "@jupyterlab", "translation-extension", "plugin.jupyterlab-settings")
_LOCALE = re.compile(r'^\s*(?!//)[{\s]*"locale"\s*:\s*"([A-Za-z_@.-]{2,32})"', re.MULTILINE)
_BYTES = 100_000


def lab_locale(environ: Mapping[str, str]) -> str:
    """Such as `zh_CN`; "" where nothing was chosen, or the file is elsewhere or unreadable.

    A kernel is not told Lab's language, but nearly always runs beside the server. The file is JSON with comments.
    """
    try:
        with _file(environ).open("rb") as file:
            found = _LOCALE.search(file.read(_BYTES).decode("utf-8", "replace"))
    except OSError:
        return ""
    return found[1] if found and found[1] != "default" else ""


def _file(environ: Mapping[str, str]) -> Path:
    """As jupyterlab finds it: a settings folder of its own, else below Jupyter's configuration."""
    own = environ.get("JUPYTERLAB_SETTINGS_DIR")
    if own:
        return Path(own, *_FILE.parts[2:])
    home = environ.get("HOME") or os.path.expanduser("~")
    return Path(environ.get("JUPYTER_CONFIG_DIR") or Path(home, ".jupyter")) / _FILE
