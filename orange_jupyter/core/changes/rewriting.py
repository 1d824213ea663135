"""A complete new content as splices by lines: what stays the same keeps its bytes (R-EDIT-5, R-EDIT-2, C09)."""

from __future__ import annotations

from orange_jupyter.core.changes.lines import bounds, changed, lines_of, plain_lines
from orange_jupyter.core.changes.matching import fitted
from orange_jupyter.core.changes.pieces import Splice
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError


def rewritten(text: str, content: str) -> tuple[Splice, ...]:
    """The splices of whole lines, in code points, that turn `text` into `content`.

    Lines that are the same but for their ending keep theirs; new ones take the ending of what they replace or of their
    neighbour (`matching.fitted`). The last line ends as in `content`. Raises ChangeError nothing_to_do.
    """
    done = line_splices(text, (0, len(text)), content)
    if not done:
        raise ChangeError(Code.NOTHING_TO_DO, "The file already has this content; nothing would change.")
    return done


def line_splices(text: str, span: tuple[int, int], content: str) -> tuple[Splice, ...]:
    """The splices that turn the whole lines `[start, end)` of `text` into `content`; none where they are that."""
    own = text[span[0] : span[1]]
    begins = [span[0] + begin for begin in bounds(own)]
    new = lines_of(content)
    done: list[Splice] = []
    for block in changed(plain_lines(own), plain_lines(content)):
        start, end = begins[block.old], begins[block.old_end]
        given = "".join(new[block.new : block.new_end])
        done.append(Splice(start=start, end=end, text=fitted(text, (start, end), given)))
    return tuple(done)
