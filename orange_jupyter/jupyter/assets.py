"""The front end's files, as the widgets send them."""

from __future__ import annotations

from importlib.resources import files


def assets(*names: str) -> str:
    """Files of this package one after another, such as `elements.js`."""
    folder = files("orange_jupyter.jupyter")
    return "".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)
