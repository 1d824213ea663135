"""benchmarks/soak.json holds every long count, complete and without a miss."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

from benchmarks.soak import COUNTS, FELT, SEED, SOAK, Count, run


def test_every_count_was_made_with_the_fixed_number_of_rounds() -> None:
    """R-SESS-2, R-SRCH-7, P05: `make soak` wrote n = of = N for each count; those by the clock may be missing."""
    rows = json.loads(SOAK.read_text(encoding="utf-8"))
    counts = {row["name"]: (row["n"], row["of"]) for row in rows}
    wanted = {count.name: (count.rounds, count.rounds) for count in (*COUNTS, *FELT)}
    assert counts.keys() >= {count.name for count in COUNTS}
    assert counts == {name: wanted[name] for name in counts}
    assert all(row["seed"] == SEED and re.fullmatch("[0-9a-f]{40}", row["commit"]) for row in rows)


def test_a_round_that_fails_is_counted() -> None:
    def start(folder: Path):
        return lambda chance: chance.random() < 0.5

    expected = sum(random.Random(SEED).random() < 0.5 for _ in range(1))
    assert run(Count("half", 1, start), 1) == expected
    assert 20 < run(Count("half", 100, start), 100) < 80
