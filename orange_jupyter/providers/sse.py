"""Server-sent events from bytes: only their data, which is all that chat completions use.

Written for speed and for what real servers send: CRLF, CR, comments, `data:` without a space, several data lines,
a character split over two chunks, a missing blank line at the end. A test compares it with httpx-sse.
"""

from __future__ import annotations

import codecs

LONGEST_LINE = 32 * 1024 * 1024
"""Characters of one unfinished line; more is no event stream of a chat."""


class EventData:
    """Takes bytes, gives the data of each complete event. One object a response."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._inside_character = False
        self._pieces: list[str] = []
        self._held = 0
        self._data: list[str] = []
        self._after_cr = False

    def feed(self, chunk: bytes) -> list[str]:
        """The data of the events that end in this chunk. Raises ValueError for a line without end."""
        text = self._one_newline(self._decoded(chunk))
        if text.startswith("data: ") and text.endswith("\n\n") and not self._pieces and not self._data:
            only = text[6:-2]
            if "\n" not in only:  # one event a chunk, as most servers send them
                return [only]
        lines = text.split("\n")
        if len(lines) == 1:
            self._hold(text)
            return []
        if self._pieces:
            self._pieces.append(lines[0])
            lines[0] = "".join(self._pieces)
            self._pieces.clear()
            self._held = 0
        self._hold(lines.pop())
        return self._events(lines)

    def end(self) -> list[str]:
        """The data of an event whose blank line never came."""
        last = "".join(self._pieces) + self._decoder.decode(b"", True)
        self._pieces.clear()
        return self._events([last, ""])

    def _decoded(self, chunk: bytes) -> str:
        """The characters that are complete; the plain decoder is three times as fast where none is cut."""
        if not self._inside_character:
            try:
                return chunk.decode()
            except UnicodeDecodeError:
                pass
        text = self._decoder.decode(chunk)
        self._inside_character = bool(self._decoder.getstate()[0])
        return text

    def _hold(self, text: str) -> None:
        if text:
            self._pieces.append(text)
            self._held += len(text)
            if self._held > LONGEST_LINE:
                raise ValueError("a line without end")

    def _one_newline(self, text: str) -> str:
        """CRLF and CR become LF; a LF after a CR that ended the last chunk belongs to it."""
        if self._after_cr and text:
            self._after_cr = False
            text = text.removeprefix("\n")
        if "\r" in text:
            self._after_cr = text.endswith("\r")
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        return text

    def _events(self, lines: list[str]) -> list[str]:
        done: list[str] = []
        data = self._data
        for line in lines:
            if not line:
                if data:
                    done.append(data[0] if len(data) == 1 else "\n".join(data))
                    data.clear()
            elif line.startswith("data:"):
                data.append(line[6:] if line.startswith("data: ") else line[5:])
        return done
