"""`make bench`: runs every benchmark, prints one table, writes benchmarks/last.json; status 1 when a goal is missed.

`python -m benchmarks.run load search` runs only these and leaves last.json alone.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import sys
from pathlib import Path

import benchmarks
from benchmarks import Row

LAST = Path(__file__).parent / "last.json"


def names() -> list[str]:
    """Modules of this package, `run` and `soak` left out."""
    return sorted(m.name for m in pkgutil.iter_modules(benchmarks.__path__) if m.name not in ("run", "soak"))


def collect(wanted: list[str]) -> list[Row]:
    """The rows of the named modules that have any."""
    found: list[Row] = []
    for name in wanted:
        module = importlib.import_module(f"benchmarks.{name}")
        if hasattr(module, "rows"):
            print(f"{name} …", file=sys.stderr, flush=True)
            found += [row if isinstance(row, Row) else Row(**row) for row in module.rows()]
    return found


def table(rows: list[Row]) -> str:
    """The rows as aligned text."""
    head = ("goal", "value", "unit", "wanted", "holds", "peer", "peer's value")
    lines = [
        head,
        *((r.name, f"{r.value:g}", r.unit, r.goal, "yes" if r.holds else "NO", r.peer, _peer(r)) for r in rows),
    ]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def _peer(row: Row) -> str:
    return "" if row.peer_value is None else f"{row.peer_value:g}"


def main(arguments: list[str]) -> int:
    """Run all, or the named ones."""
    rows = collect(arguments or names())
    print(table(rows))
    if not arguments:
        text = json.dumps([row.as_json() for row in rows], ensure_ascii=False, indent=2)
        LAST.write_text(text + "\n", encoding="utf-8")
    return 0 if all(row.holds for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
