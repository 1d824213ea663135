"""Keeps the head and the tail of what a command writes, both streams together, and a little of it for a live view."""

from __future__ import annotations

from collections import deque

_MOST_RUNS = 16_384
"""Stretches of the tail, counted where the stream changes: bounds what single bytes in turn may cost."""
_SMALL = 4_096
LIVE_BYTES = 8_192
"""Bytes of one stream in one live piece: the last ones."""


class Capture:
    """`room` bytes in total: the first half of them that came and the last half, whichever stream they came by."""

    def __init__(self, room: int) -> None:
        self._head_left = room // 2
        self._tail_room = room - room // 2
        self._heads = (bytearray(), bytearray())
        self._tail: deque[tuple[int, bytes]] = deque()
        self._tail_size = 0
        self.counts = [0, 0]

    def add(self, stream: int, data: bytes) -> None:
        """Take what was read from stream 0 or 1."""
        self.counts[stream] += len(data)
        if self._head_left:
            self._heads[stream].extend(data[: self._head_left])
            taken = min(self._head_left, len(data))
            self._head_left -= taken
            data = data[taken:]
        if data:
            self._append(stream, data)

    def kept(self) -> tuple[bytes, bytes, bytes, bytes]:
        """Head and tail of stream 0, head and tail of stream 1."""
        tails = [b"".join(data for stream, data in self._tail if stream == wanted) for wanted in (0, 1)]
        return bytes(self._heads[0]), tails[0], bytes(self._heads[1]), tails[1]

    def _append(self, stream: int, data: bytes) -> None:
        self._tail_size += len(data)
        if self._tail and self._tail[-1][0] == stream and len(self._tail[-1][1]) < _SMALL:
            data = self._tail.pop()[1] + data
        self._tail.append((stream, data))
        while self._tail_size > self._tail_room:
            first, oldest = self._tail.popleft()
            left = oldest[self._tail_size - self._tail_room :]
            self._tail_size -= len(oldest) - len(left)
            if left:
                self._tail.appendleft((first, left))
        while len(self._tail) > _MOST_RUNS:
            self._tail_size -= len(self._tail.popleft()[1])


class Live:
    """What of one stream is to be shown next: the last LIVE_BYTES since it was last taken."""

    def __init__(self) -> None:
        self._data = b""
        self._skipped = 0

    def add(self, data: bytes) -> None:
        """Take what was read."""
        joined = self._data + data[-LIVE_BYTES:]
        self._skipped += len(self._data) + len(data) - min(len(joined), LIVE_BYTES)
        self._data = joined[-LIVE_BYTES:]

    def take(self) -> tuple[int, bytes]:
        """How many bytes were skipped, and those after them; empty when nothing came."""
        taken = self._skipped, self._data
        self._skipped, self._data = 0, b""
        return taken
