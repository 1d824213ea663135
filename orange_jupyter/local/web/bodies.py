"""A response's body within limits: bytes after decompression, and how far it may blow up (N07)."""

from __future__ import annotations

import zlib
from typing import Final

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import WebError

ACCEPTED: Final = "gzip, deflate"
_FREE: Final = 1_048_576
_MOST_RATIO: Final = 100
_PIECE: Final = 262_144


class Body:
    """Takes what arrives, keeps at most `most` bytes of it decompressed. `cut` says why it stopped early, or is ""."""

    def __init__(self, encoding: str, most: int) -> None:
        """`encoding` is the Content-Encoding. Raises WebError http_error for one that was not asked for."""
        self._unpack = _unpacker(encoding)
        self._first = True
        self._deflate = encoding == "deflate"
        self._most = most
        self._arrived = 0
        self._kept = bytearray()
        self.cut = ""

    @property
    def data(self) -> bytes:
        """What was kept so far."""
        return bytes(self._kept)

    def feed(self, arrived: bytes) -> bool:
        """Take the next bytes; False when no more are wanted. Raises WebError http_error for broken compression."""
        self._arrived += len(arrived)
        if self._unpack is None:
            return self._keep(arrived)
        try:
            return self._feed_packed(arrived)
        except zlib.error:
            raise WebError(Code.HTTP_ERROR, "The answer's compression is broken.") from None

    def end(self) -> None:
        """All has arrived."""
        if self._unpack is not None and self._arrived and not self._unpack.eof:
            self.cut = "what was packed ends early"

    def _feed_packed(self, arrived: bytes) -> bool:
        left = self._opening(arrived)
        while left and self._unpack is not None and not self._unpack.eof:
            if not self._keep(self._unpack.decompress(left, _PIECE)):
                return False
            if len(self._kept) > max(_FREE, self._arrived * _MOST_RATIO):
                self.cut = f"it grows more than {_MOST_RATIO} times when unpacked"
                return False
            left = self._unpack.unconsumed_tail
        return True

    def _opening(self, arrived: bytes) -> bytes:
        """`deflate` is sent with the header of zlib or without; the first byte tells."""
        if self._first and arrived:
            self._first = False
            if self._deflate and arrived[0] & 0x0F != 8:
                self._unpack = zlib.decompressobj(-zlib.MAX_WBITS)
        return arrived

    def _keep(self, piece: bytes) -> bool:
        room = self._most - len(self._kept)
        self._kept += piece[:room]
        if len(piece) > room:
            self.cut = f"only its first {self._most:,} bytes were read"
            return False
        return True


def _unpacker(encoding: str) -> zlib._Decompress | None:
    match encoding:
        case "" | "identity":
            return None
        case "gzip" | "x-gzip":
            return zlib.decompressobj(zlib.MAX_WBITS | 16)
        case "deflate":
            return zlib.decompressobj()
        case _:
            raise WebError(
                Code.HTTP_ERROR, f"The answer is packed as {encoding[:40]!r}, which was not asked for and is not read."
            )
