"""What the inspector knows of a file, and the port that gives it. A part is a page, a DOCX block or the one picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from orange_jupyter.core.document import Box, Picture
from orange_jupyter.jupyter.figures import Figure

UNITS = {"pdf": "page", "docx": "block", "image": "picture"}
"""What the parts of a file type are called."""


@dataclass(frozen=True, slots=True)
class Block:
    """A DOCX block as it may be shown: masked text, and its picture where it has one that is shown."""

    number: int
    kind: str
    text: str
    picture: Picture | None = None


@dataclass(frozen=True, slots=True)
class Leaf:
    """One part of a file as it is on the disk now.

    `before`, `marked` and `after` are its text, masked as `read` masks it, in three; `marked` is "" without a passage.
    `marks` are boxes in shares of the picture. `fault` says why a page has no picture. `hidden` counts masked values in
    this part, `lost` says that the passage does not stand here any more, `changed` that the file is another than was
    cited or first opened.
    """

    part: int
    count: int
    size: int
    before: str = ""
    marked: str = ""
    after: str = ""
    marks: tuple[Box, ...] = ()
    picture: Picture | None = None
    blocks: tuple[Block, ...] = ()
    columns: int = 1
    hidden: int = 0
    fault: str = ""
    lost: bool = False
    changed: bool = False

    @property
    def text(self) -> str:
        """The whole text of the part, masked."""
        return self.before + self.marked + self.after


@dataclass(frozen=True, slots=True)
class Sent:
    """A picture of a part that was sent to a model: in which turn and step, with how much of the part's text."""

    sha256: str
    media_type: str
    width: int
    height: int
    size: int
    turn: int
    step: int
    model: str
    tokens: int
    characters: int = 0
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Saw:
    """What the models of this session saw of a part: pictures, newest first; without one, why.

    `why` is "" , "vision" (the model does not see; `reason` says why), "failed" (it could not be made, or the turn
    ended before), "text" (only text was sent), "passage" (a search gave passages of it) or "never".
    """

    sent: tuple[Sent, ...] = ()
    why: str = "never"
    model: str = ""
    reason: str = ""
    turn: int = 0
    characters: int = 0


class Paper(Protocol):
    """One file that a person looks at. Its coroutines run on the runtime's loop and never block it.

    `name` is its path as shown, `base` its knowledge base, `link` a path relative to the notebook or None, `first` the
    part to open, `citation_id` the citation that it was opened from, "" without one.
    """

    name: str
    base: str
    file_type: str
    first: int
    link: str | None
    citation_id: str

    async def leaf(self, part: int) -> Leaf:
        """A part with a picture for the screen. The file is looked up and read anew. Raises ToolError: not_found,
        out_of_range, damaged, encrypted, parser_limit …"""
        ...

    async def figure(self, leaf: Leaf) -> Figure | None:
        """The part's picture as a saved notebook may keep it, small and with the passage marked; None without one."""
        ...

    async def saw(self, part: int) -> Saw:
        """What the models of this session saw of a part. Raises StoreError."""
        ...

    async def pixels(self, sha256: str) -> bytes:
        """The bytes of a picture that `saw` named. Raises EvidenceError not_available."""
        ...


@dataclass(frozen=True, slots=True)
class Others:
    """Which of several cited passages of the same page this one is; (1, 1) where it is the only one."""

    number: int = 1
    of: int = 1
