"""Faults of system calls, once and lasting, and what a person's disk must look like afterwards, whatever was told."""

from __future__ import annotations

import asyncio
import os
import random
import re
import shutil
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from tests.local.applying.desk import Desk, picture
from tests.local.applying.tracing import WRITTEN, Call, Crew, Hand, calls, copy, furnish, recovered

OWNED: dict[str, tuple[frozenset[str], ...]] = {
    "three_files": (frozenset({"a.md"}), frozenset({"new.md"}), frozenset({"m.md", "sub/moved.md"})),
    "deletion": (frozenset({"d", "d 2"}),),
    "undoing": (frozenset({"d"}), frozenset({"a.md"}), frozenset({"m.md"})),
}
"""The places that each step of a scenario may change, in the KB and in the trash."""
PLACING = {"renameat2", "rename", "mkdir", "mkdirat", "unlink", "unlinkat", "rmdir"}
LOOKING = {"read", "openat", "openat2", "newfstatat", "getdents64", "readlinkat", "flistxattr", "fgetxattr", "lseek"}
TYPED = ("raised ChangeError ", "raised RunError ", "raised PathError ")
TEMPORARY = re.compile(r"(^|/)\.orange-[0-9a-f]+-\d+\.tmp(/|$)")
Part = dict[str, tuple]


@dataclass(frozen=True, slots=True)
class Fault:
    """An error that a call of a name gives at its nth time, or from then on."""

    call: str
    nth: int
    error: str
    lasting: bool = False

    @property
    def strace(self) -> tuple[str, str]:
        """The options that make it happen."""
        return "-e", f"inject={self.call}:error={self.error}:when={self.nth}{'+' if self.lasting else ''}"


def errors_of(call: Call) -> tuple[str, ...]:
    """The errors that a call may give on a disk that is full, broken, closed to this user, busy or another one."""
    if call.name == "flock":
        return ("EIO", "ENOLCK")
    if not call.changes:
        return ("EIO", "EACCES") if call.name.startswith("open") else ("EIO",)
    return ("EIO", "ENOSPC", "EACCES", *(("EBUSY", "EXDEV") if call.name in PLACING else ()))


def faulty(call: Call) -> bool:
    """Whether a fault of it can meet the applier: it changes the disk, locks, or looks at something of a person."""
    return call.changes or call.name == "flock" or call.name in LOOKING


@dataclass(frozen=True, slots=True)
class Scene:
    """A scenario, what it starts from and what it makes, part by part, and the calls of a whole run."""

    scenario: str
    template: Desk
    calls: tuple[Call, ...]
    old: tuple[Part, ...]
    new: tuple[Part, ...]


def parts(desk: Desk, scenario: str) -> tuple[Part, ...]:
    """What lies at each step's places, and last all the rest; files that are written without their times."""
    found: list[Part] = [{} for _ in range(len(OWNED[scenario]) + 1)]
    kb = {name: one[:-1] if name in WRITTEN else one for name, one in picture(desk.root).items()}
    found_in = [(desk.data / "Trash/files", picture(desk.data / "Trash/files")), *in_top_trash(desk)]
    trash = {name: one for _, pictured in found_in for name, one in pictured.items() if one[0] != "folder"}
    for where, entries in (("kb", kb), ("trash", trash)):
        for name, one in entries.items():
            if TEMPORARY.search(name):  # they may wait for recovery; afterwards none may be left
                continue
            owner = [n for n, owned in enumerate(OWNED[scenario]) if any(f"{name}/".startswith(f"{o}/") for o in owned)]
            found[owner[0] if owner else -1][f"{where}: {name}"] = one
    return tuple(found)


def in_top_trash(desk: Desk) -> list[tuple[Path, dict[str, tuple]]]:
    """What of this desk lies in the trash at the top of its disk, which takes it where the home trash cannot.

    Each as its place and what it is, under the name that it has in the home trash of a whole run.
    """
    top = desk.base
    while not top.is_mount():
        top = top.parent
    found = []
    for note in (top / f".Trash-{os.geteuid()}" / "info").glob("*.trashinfo"):
        try:
            told = note.read_text().split("Path=", 1)[-1].split("\n", 1)[0]
        except FileNotFoundError:  # another run's, just taken away
            continue
        if (top / unquote(told)).is_relative_to(desk.root):
            entry = note.parents[1] / "files" / note.name.removesuffix(".trashinfo")
            name = "d 2" if (desk.data / "Trash/files/d").exists() and unquote(told).endswith("/d") else Path(told).name
            all_of_it = {f"{name}/{own}": one for own, one in picture(entry).items()} if entry.is_dir() else {
                name: ("file", stat.S_IMODE(entry.stat().st_mode), entry.read_bytes(), {}, entry.stat().st_mtime_ns)
            }  # fmt: skip
            found.append((entry, all_of_it))
    return found


def empty_top_trash(desk: Desk) -> None:
    """Take this desk's own entries out of the trash at the top of the disk."""
    for entry, _ in in_top_trash(desk):
        (entry.parents[1] / "info" / f"{entry.name}.trashinfo").unlink()
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


def staged(crew: Crew, template: Desk, scenario: str) -> Scene:
    """A scenario run once without a fault."""
    whole = copy(template, template.base.parent / f"whole-{scenario}")
    assert crew.run(whole, scenario).startswith("applied")
    old, new = parts(template, scenario), parts(whole, scenario)
    assert old[-1] == new[-1]
    assert all(one != other for one, other in zip(old[:-1], new[:-1], strict=True))
    return Scene(scenario, template, tuple(call for call in calls(whole) if faulty(call)), old, new)


def outcome(desk: Desk, scene: Scene, warned: tuple[bool, ...] = ()) -> list[bool]:
    """Which steps are done, by the disk; each is all old or all new, but for attributes of what warns of them."""
    found = parts(desk, scene.scenario)
    assert found[-1] == scene.old[-1]
    done: list[bool] = []
    for number, three in enumerate(zip(found[:-1], scene.old[:-1], scene.new[:-1], strict=True)):
        part, old, new = map(bare, three) if warned and warned[number] else three
        assert part in (old, new), (number, part, old, new)
        done.append(part == new)
    return done


def bare(part: Part) -> Part:
    """Without what a warning tells of: modes and attributes."""
    return {name: tuple(one[2:3] if one[0] == "file" else one[:1]) for name, one in part.items()}


def met(hand: Hand, desk: Desk, scene: Scene, fault: Fault) -> bool:
    """Let a run meet a fault: typed, nothing lost, nothing told that is not so, nothing left. Whether all was done."""
    said = hand.run(desk, scene.scenario, *fault.strace)
    assert "INJECTED" in (desk.base / "strace.log").read_text(), "the fault was not met"
    first, *rest = said.splitlines()
    assert all(line.startswith(TYPED) for line in rest), said
    told = [one.split(":") for one in first.split()[1:]] if first.startswith("applied") else []
    warned = tuple(one[0] == "True" and one[2] != "0" for one in told)
    done = outcome(desk, scene, warned)
    if told:
        sure = [one[3] == "" for one in told]  # what could neither be done nor undone nor looked at says so
        assert all(sure) or fault.lasting, said
        assert [one[0] == "True" for one in told] == [a and b for a, b in zip(done, sure, strict=True)], (said, done)
        assert all(one[0] == "True" or one[1] not in ("", "internal") for one in told), said
    else:
        assert first.startswith(TYPED), said
        assert not any(done), (said, done)
    if (desk.home / "changes/journal").is_dir():
        recovered(desk)
    desk.require_clean()
    assert outcome(desk, scene, warned) == done, said
    empty_top_trash(desk)
    return all(done)


def met_alone(hand: Hand, number: int, scene: Scene, fault: Fault) -> bool:
    """As `met`, on a copy of the scene's desk, which goes afterwards."""
    desk = copy(scene.template, scene.template.base.parent / f"{scene.scenario}-{number}")
    try:
        done = met(hand, desk, scene, fault)
    except AssertionError as error:
        error.add_note(f"{scene.scenario}: {fault}")
        raise
    shutil.rmtree(desk.base)
    return done


def met_all(crew: Crew, scene: Scene, faults: list[Fault]) -> None:
    """Each fault in a run of its own; prints `N of N`."""

    done = crew.each(lambda hand, number, fault: met_alone(hand, number, scene, fault), faults)
    names = sorted({fault.call for fault in faults})
    print(f"{scene.scenario}: {len(done)} of {len(faults)} faults of {', '.join(names)}; {done.count(False)} told")


def lasting(folder: Path) -> Callable[[random.Random], bool]:
    """C02, C03, C04: any call fails with any error, once or from then on; typed, nothing lost, nothing left.

    One round a call of what is given back. The processes end with this one.
    """
    crew, scenes = Crew(1), {}
    for scenario in OWNED:
        template = furnish(folder / scenario / "template")
        asyncio.run(template.apply(template.trash("d", operation="op_kept")))
        if scenario != "undoing":
            furnish(template.base)
        scenes[scenario] = staged(crew, template, scenario)

    def once(chance: random.Random) -> bool:
        scene = scenes[chance.choice(list(scenes))]
        name = chance.choice(sorted({call.name for call in scene.calls}))
        call = chance.choice([call for call in scene.calls if call.name == name])
        fault = Fault(call.name, call.nth, chance.choice(errors_of(call)), lasting=chance.random() < 0.75)
        crew.each(lambda hand, number, one: met_alone(hand, number, scene, one), [fault])
        return True

    return once
