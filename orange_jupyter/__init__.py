"""Orange for Jupyter: an AI agent in your notebook, over your own notes. Imports nothing heavy (R-NB-1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from orange_jupyter.api import Session
    from orange_jupyter.core.ports import Approver
    from orange_jupyter.jupyter.ports import Office, Where

__version__ = "0.1.0"
__all__ = ["Session", "__version__", "load_ipython_extension", "unload_ipython_extension"]


class _Door:
    """The way from the notebook to the composition root, which is imported when first used."""

    def locale(self, *, lab: bool) -> str:
        from orange_jupyter.app import locale

        return locale(lab=lab)

    async def open(self, approver: Approver, where: Where) -> Office:
        from orange_jupyter.office import open_office

        return await open_office(approver, where)


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext orange_jupyter`: `%%orange` and `%orange` from now on. Loading twice is loading once."""
    from orange_jupyter.jupyter.extension import Extension, loaded

    if loaded(shell) is None:
        Extension(shell, _Door()).load()


def unload_ipython_extension(shell: Any) -> None:
    """`%unload_ext orange_jupyter`: everything as before; what runs is stopped."""
    from orange_jupyter.jupyter.extension import loaded

    extension = loaded(shell)
    if extension is not None:
        extension.unload()


def __getattr__(name: str) -> Any:
    if name == "Session":
        from orange_jupyter.api import Session

        return Session
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
