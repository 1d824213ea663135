"""Layers of changes on one text: what a person takes finds its place by where its characters come from (R-EDIT-4)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from time import process_time

import pytest

from orange_jupyter.core.changes.pieces import Splice
from orange_jupyter.core.changes.splices import Fate, Layer, Tied, compose, needs, ordered, settle, spliced

BASE = "春季融雪。The factor is 4.1.\n末行"


def at(start: int, end: int, text: str) -> Splice:
    return Splice(start=start, end=end, text=text)


def change(text: str, old: str, new: str) -> Splice:
    start = text.index(old)
    return at(start, start + len(old), new)


Key = tuple[int, int]


@dataclass(eq=False)
class Mark:
    """A character of the history: which splice brought it, and which took it away."""

    character: str
    by: Key | None = None
    gone: Key | None = None


@dataclass
class History:
    """The same layers kept in another way: every character that ever was, in order, none ever removed."""

    marks: list[Mark]
    layers: list[tuple[Splice, ...]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(one.character for one in self.marks if one.gone is None)

    def add(self, layer: tuple[Splice, ...]) -> None:
        number = len(self.layers)
        self.layers.append(layer)
        for place, splice in reversed(list(enumerate(layer))):
            seen = [one for one in self.marks if one.gone is None]
            for one in seen[splice.start : splice.end]:
                one.gone = (number, place)
            if splice.end > splice.start:
                index = self.marks.index(seen[splice.end - 1]) + 1
            else:
                index = len(self.marks) if splice.end == len(seen) else self.marks.index(seen[splice.end])
            self.marks[index:index] = [Mark(one, (number, place)) for one in splice.text]

    def with_only(self, keys: set[Key]) -> str:
        return "".join(
            one.character for one in self.marks if (one.by is None or one.by in keys) and one.gone not in keys
        )


def histories(seed: int, count: int) -> Iterator[tuple[random.Random, str, History]]:
    """Random layers over a text without two equal characters."""
    chance = random.Random(seed)
    for _ in range(count):
        fresh = map(chr, range(0x4E00, 0x9FFF))
        base = "".join(next(fresh) for _ in range(chance.randint(0, 14)))
        history = History([Mark(one) for one in base])
        for _ in range(chance.randint(1, 4)):
            layer: list[Splice] = []
            place = 0
            while place <= len(history.text) and len(layer) < 4:
                start = chance.randint(place, len(history.text))
                end = min(start + chance.choice([0, 0, 1, 2]), len(history.text))
                text = "".join(next(fresh) for _ in range(chance.randint(0 if end > start else 1, 2)))
                layer.append(at(start, end, text))
                place = end + 1
            history.add(tuple(layer))
        yield chance, base, history


def keys(history: History, layers: list[int], chosen: dict[int, list[int]] | None = None) -> set[Key]:
    of = chosen or {}
    return {(n, place) for n in layers for place in of.get(n, range(len(history.layers[n])))}


def test_all_layers_together_are_the_text_as_proposed() -> None:
    for _, base, history in histories(1, 500):
        assert compose(base, [Layer(one) for one in history.layers]) == history.text


def test_a_taken_part_and_the_waiting_rest_put_on_later_are_the_whole() -> None:
    """R-EDIT-4, R-CHG-12: over random layers, wherever nothing is tied."""
    whole = 0
    for chance, base, history in histories(2, 3000):
        fates = [chance.choice([Fate.TAKEN, Fate.WAITING]) for _ in history.layers]
        layers = [Layer(one, fate) for one, fate in zip(history.layers, fates, strict=True)]
        taken = [n for n, fate in enumerate(fates) if fate is Fate.TAKEN]
        try:
            found = settle(base, layers)
        except Tied:
            continue
        assert found.text == history.with_only(keys(history, taken))
        text = base
        for number in taken:
            text = spliced(text, found.splices[number])
        assert text == found.text
        later = compose(found.text, [Layer(found.splices[n]) for n in range(len(layers)) if n not in taken])
        waiting = [n for n in range(len(layers)) if n not in taken and n + 1 not in found.tied]
        assert later == history.with_only(keys(history, taken + waiting))
        whole += not found.tied and 0 < len(taken) < len(layers)
    assert whole > 300


def test_hunks_that_were_left_out_are_gone_and_the_others_stand_where_they_belong() -> None:
    """R-CHG-12: some splices of some layers."""
    partly = 0
    for chance, base, history in histories(3, 3000):
        chosen = {n: [p for p in range(len(one)) if chance.random() < 0.7] for n, one in enumerate(history.layers)}
        layers = [Layer(one, chosen=tuple(one[p] for p in chosen[n])) for n, one in enumerate(history.layers)]
        try:
            text = compose(base, layers)
        except Tied:
            continue
        assert text == history.with_only(keys(history, list(range(len(layers))), chosen))
        partly += text != history.text
    assert partly > 300


def test_a_layer_left_out_moves_the_later_ones() -> None:
    first = (change(BASE, "春季", "夏季和秋季"),)
    text = spliced(BASE, first)
    second = (change(text, "4.1", "4.6"),)
    found = settle(BASE, [Layer(first, Fate.WAITING), Layer(second)])
    assert found.text == BASE.replace("4.1", "4.6")
    assert spliced(found.text, found.splices[0]) == BASE.replace("4.1", "4.6").replace("春季", "夏季和秋季")


def test_a_layer_that_builds_on_what_was_not_taken_is_tied() -> None:
    first = (change(BASE, "4.1", "4.6 mm"),)
    second = (change(spliced(BASE, first), "mm", "毫米"),)
    for fate in (Fate.WAITING, Fate.DROPPED):
        with pytest.raises(Tied) as caught:
            settle(BASE, [Layer(first, fate), Layer(second)])
        assert caught.value.number == 2
    assert settle(BASE, [Layer(first, Fate.DROPPED), Layer(second, Fate.WAITING)]).tied == (2,)
    assert needs(len(BASE), [first, second]) == (1,)


def test_a_layer_needs_only_what_it_builds_on() -> None:
    first = (change(BASE, "春季", "夏"),)
    second = (change(spliced(BASE, first), "4.1", "4.6"),)
    third = (change(spliced(spliced(BASE, first), second), "4.6", "5"),)
    assert needs(len(BASE), [first, second]) == ()
    assert needs(len(BASE), [first, second, third]) == (2,)


def test_what_a_person_wrote_is_not_what_a_later_layer_built_on() -> None:
    """R-CHG-12: a later change of the proposed text is tied, one beside it is not."""
    first = (change(BASE, "4.1", "4.6"),)
    second = (change(spliced(BASE, first), "4.6", "4.7"),)
    third = (change(spliced(spliced(BASE, first), second), "末行", "最后"),)
    mine = (at(first[0].start, first[0].end, "5.5"),)
    layers = [Layer(first, chosen=mine), Layer(second, Fate.WAITING), Layer(third, Fate.WAITING)]
    found = settle(BASE, layers)
    assert found.text == BASE.replace("4.1", "5.5")
    assert found.tied == (2,)
    assert spliced(found.text, found.splices[2]) == BASE.replace("4.1", "5.5").replace("末行", "最后")


def test_an_insertion_is_tied_where_its_neighbours_are_apart() -> None:
    first = (at(1, 3, ""),)
    between = (at(1, 1, "雪"),)
    with pytest.raises(Tied):
        compose("abcd", [Layer(first, Fate.DROPPED), Layer(between)])


@pytest.mark.parametrize(("cut", "place"), [((3, 6), 3), ((0, 3), 0)])
def test_what_was_put_at_an_end_of_the_text_is_never_put_inside_it(cut: tuple[int, int], place: int) -> None:
    """An append after a deletion of the last lines: without that deletion its place is not after the line before."""
    first = (at(*cut, ""),)
    append = (at(place, place, "雪"),)
    with pytest.raises(Tied):
        compose("abcdef", [Layer(first, Fate.WAITING), Layer(append)])
    assert needs(6, [first, append]) == (1,)


def test_an_insertion_into_an_empty_text_needs_an_empty_text() -> None:
    assert compose("", [Layer((at(0, 0, "雪"),))]) == "雪"
    with pytest.raises(Tied):
        compose("a", [Layer((at(0, 1, ""),), Fate.DROPPED), Layer((at(0, 0, "雪"),))])


@pytest.mark.parametrize("pair", [((0, 2), (1, 3)), ((1, 1), (1, 1)), ((1, 1), (1, 2))])
def test_splices_that_overlap_or_insert_at_one_point_are_no_layer(
    pair: tuple[tuple[int, int], tuple[int, int]],
) -> None:
    with pytest.raises(ValueError, match="overlapping"):
        ordered([at(*one, "x") for one in pair])


def test_two_thousand_places_in_two_layers_find_theirs_quickly() -> None:
    """What took seconds with a search through all pieces for each place."""
    size = 2000
    first = tuple(at(n * 10, n * 10 + 3, "abcd") for n in range(size))
    second = tuple(at(n * 11 + 6, n * 11 + 8, "q") for n in range(size))
    begin = process_time()
    settle("x" * size * 10, [Layer(first), Layer(second)])
    assert process_time() - begin < 1
