"""What a person waits for in JupyterLab: streamed text on the screen, and the tool after a click on Approve.

Wall times, because they are what a person feels; they mean something on an idle machine only.
"""

from __future__ import annotations

from statistics import median

from benchmarks import Row, at_least, at_most
from benchmarks.in_lab import CLICKS, OPERATIONS, STRETCH, STRETCHES, figures, windows


def rows() -> list[Row]:
    """R-UI-1 over a minute at 200 tokens a second (the worst stretch of 5 s), and the approval's way (median)."""
    seen = windows()
    span = f"{STRETCH * STRETCHES} s at 200 tokens/s, worst {STRETCH} s"
    waits = figures("approve")
    clicks = figures("changes")
    slowest = max(clicks, key=lambda name: clicks[name])
    review = f"slowest click in a review of {OPERATIONS} operations and a 5 MB note ({slowest})"
    return [
        at_least(f"painted updates, {span}", min(one.painted for one in seen), "a second", 10),
        at_most(f"longest browser task, {span}", max(one.longest for one in seen), "ms", 200),
        at_most(f"kernel process, {span}", max(one.kernel for one in seen), "of a core", 0.25),
        at_most(f"click on Approve to tool start, median of {CLICKS}", median(waits), "ms", 100),
        at_most(review, clicks[slowest], "ms", 200),
    ]
