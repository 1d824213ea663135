"""One command as the kernel talks of it with the host: the request, the pieces, the result."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import RunError
from orange_jupyter.core.running import CAPTURED_BYTES, Confinement, OnOutput, Ran, Stream
from orange_jupyter.local.commands import frames
from orange_jupyter.local.commands.output import LivePieces, whole

_STREAMS: Final = (Stream.STDOUT, Stream.STDERR)
_END_SECONDS: Final = 3.0
"""How long a cancelled command is waited for; the host ends it also when nobody waits."""


@dataclass(frozen=True, slots=True)
class Request:
    """What the host is asked to run, for at most `seconds`."""

    argv: Sequence[str]
    env: Mapping[str, str] = field(repr=False)
    seconds: float
    confinement: Confinement

    def frame(self) -> bytes:
        """As it is sent."""
        body = {"argv": list(self.argv), "env": dict(self.env), "seconds": self.seconds, "room": CAPTURED_BYTES}
        return frames.frame(frames.REQUEST, json.dumps(body).encode("ascii"))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the host told in the end: a wait status (None: no shell ended by itself), why, counts and texts."""

    status: int | None
    ending: str
    counts: tuple[int, int]
    texts: tuple[str, str]
    kept: int

    def to_value(self, seconds: float, confinement: Confinement) -> Ran:
        """As the port gives it. A shell that was killed together with its supervisor counts as killed."""
        ended = self.ending != "itself"
        exit_code, number = None, None
        if not ended and self.status is not None and os.WIFEXITED(self.status):
            exit_code = os.WEXITSTATUS(self.status)
        elif not ended:
            number = int(signal.SIGKILL) if self.status is None else os.WTERMSIG(self.status)
        return Ran(
            exit_code=exit_code,
            signal=number,
            stdout=self.texts[0],
            stderr=self.texts[1],
            stdout_bytes=self.counts[0],
            stderr_bytes=self.counts[1],
            seconds=seconds,
            timed_out=self.ending == "timed_out",
            cancelled=self.ending == "cancelled",
            truncated=sum(self.counts) > self.kept,
            confinement=confinement,
        )


class Conversation:
    """The kernel's end of a command's socket. Closing it, or only the way to the host, ends the command."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, sock: socket.socket) -> Conversation:
        """Take over a connected socket; it is closed if that fails."""
        try:
            return cls(*await asyncio.open_connection(sock=sock))
        except BaseException:
            sock.close()
            raise

    async def hold(self, request: Request, heard: OnOutput | None) -> Outcome:
        """Run the request to its end. Cancelled: waits until the host has ended everything, at most some seconds.

        Raises RunError: io_error (the shell cannot be started), output_lost (the host was ended from outside).
        """
        try:
            self._writer.write(request.frame())
            return await self._listen(heard)
        except asyncio.CancelledError:
            await self._wait_for_end()
            raise
        except (asyncio.IncompleteReadError, ConnectionError):
            raise RunError(
                Code.OUTPUT_LOST,
                "The process that watches over commands was ended; the command was ended too, its output is lost.",
                hint="The command may have had effects. Look at them before it is run again.",
            ) from None
        finally:
            self._writer.close()
            with suppress(ConnectionError):
                await self._writer.wait_closed()

    async def _listen(self, heard: OnOutput | None) -> Outcome:
        pieces = (LivePieces(), LivePieces())
        while True:
            kind, body = await self._frame()
            if kind == frames.RESULT:
                break
            stream, skipped, data = frames.parse_piece(body)
            if heard is not None:
                _tell(heard, stream, pieces[stream].feed(skipped, data, time.monotonic()))
        for stream, rest in enumerate(pieces):
            if heard is not None:
                _tell(heard, stream, rest.finish(time.monotonic()))
        kept = [(await self._frame())[1] for _ in range(4)]
        return await asyncio.to_thread(_outcome, json.loads(body), kept)

    async def _frame(self) -> tuple[bytes, bytes]:
        kind, length = frames.HEAD.unpack(await self._reader.readexactly(frames.HEAD.size))
        return kind, await self._reader.readexactly(length)

    async def _wait_for_end(self) -> None:
        """Say that nobody wants the command any more and read until the host has closed."""
        with suppress(OSError, RuntimeError):  # the host may be gone already
            self._writer.write_eof()
        with suppress(TimeoutError, ConnectionError):
            async with asyncio.timeout(_END_SECONDS):
                while await self._reader.read(65_536):
                    continue


def _tell(heard: OnOutput, stream: int, text: str) -> None:
    if text:
        heard(_STREAMS[stream], text)


def _outcome(told: Mapping[str, object], kept: Sequence[bytes]) -> Outcome:
    error, status, counts = told["error"], told["status"], told["counts"]
    assert isinstance(error, int)
    assert isinstance(counts, list)
    if error:
        why = os.strerror(error) if error > 0 else "the system refused"
        raise RunError(Code.IO_ERROR, f"The shell could not be started ({why}).", hint="Nothing was run.")
    return Outcome(
        status=status if isinstance(status, int) else None,
        ending=str(told["ending"]),
        counts=(counts[0], counts[1]),
        texts=(whole(kept[0], kept[1], counts[0]), whole(kept[2], kept[3], counts[1])),
        kept=sum(map(len, kept)),
    )
