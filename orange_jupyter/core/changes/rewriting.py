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
    begins = bounds(text)
    new = lines_of(content)
    blocks = changed(plain_lines(text), plain_lines(content))
    if not blocks:
        raise ChangeError(Code.NOTHING_TO_DO, "The file already has this content; nothing would change.")
    done: list[Splice] = []
    for block in blocks:
        span = begins[block.old], begins[block.old_end]
        done.append(
            Splice(start=span[0], end=span[1], text=fitted(text, span, "".join(new[block.new : block.new_end])))
        )
    return tuple(done)
