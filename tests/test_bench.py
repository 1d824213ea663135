"""The table of `make bench`: its rows and what the last run wrote."""

from __future__ import annotations

import json

from benchmarks import Row, at_least, at_most
from benchmarks.run import LAST, names, table

KEYS = {"name", "value", "unit", "goal", "holds", "peer", "peer_value"}


def test_a_row_says_whether_its_goal_holds() -> None:
    assert at_most("load", 0.34, "ratio", 0.35).holds
    assert not at_most("load", 0.36, "ratio", 0.35).holds
    assert at_least("hits", 28, "of 35", 28, peer="plain", peer_value=27).holds
    assert not at_least("hits", 27, "of 35", 28).holds


def test_the_table_shows_a_missed_goal_and_the_peer() -> None:
    text = table(
        [at_most("load", 0.5, "ratio", 0.35, peer="kernel app", peer_value=0.7), Row("x", 1, "s", "<= 2", True)]
    )
    assert "NO" in text
    assert "kernel app  0.7" in text
    assert len({line.index("wanted") for line in text.splitlines()[:1]}) == 1


def test_the_benchmarks_are_found_and_the_last_run_has_their_form() -> None:
    assert {"load", "search"} <= set(names())
    rows = json.loads(LAST.read_text(encoding="utf-8"))
    assert rows
    assert all(set(row) == KEYS for row in rows)
