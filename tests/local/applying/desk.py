"""A person's disk for tests of applying: a KB, a home, a trash, and trees that say every byte, mode and time."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from orange_jupyter.core.changes.ports import Act, Applied, Step, StepResult
from orange_jupyter.core.changes.values import Spot
from orange_jupyter.local.applying.applier import LocalApplier
from orange_jupyter.local.protected import Protected


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def picture(folder: Path) -> dict[str, tuple]:
    """Every entry beneath a folder: kind and mode, content or link, attributes; files with their times."""
    found: dict[str, tuple] = {}
    for above, folders, files in os.walk(os.fsencode(folder)):
        for name in [*folders, *files]:
            path = os.path.join(above, name)
            state = os.lstat(path)
            relative = os.fsdecode(os.path.relpath(path, os.fsencode(folder)))
            xattrs = {
                one: os.getxattr(path, one, follow_symlinks=False) for one in os.listxattr(path, follow_symlinks=False)
            }
            if stat.S_ISLNK(state.st_mode):
                found[relative] = ("link", os.readlink(path), state.st_mtime_ns)
            elif stat.S_ISDIR(state.st_mode):
                found[relative] = ("folder", stat.S_IMODE(state.st_mode), xattrs)
            elif stat.S_ISREG(state.st_mode):
                content = Path(os.fsdecode(path)).read_bytes()
                found[relative] = ("file", stat.S_IMODE(state.st_mode), content, xattrs, state.st_mtime_ns)
            else:
                found[relative] = ("special", stat.S_IFMT(state.st_mode))
    return found


class Desk:
    """One person's disk beneath `base`."""

    def __init__(self, base: Path, root: Path | None = None) -> None:
        self.base = base.resolve()
        self.root = root or self.base / "kb"
        self.home = self.base / "home"
        self.data = self.base / "data"
        for folder in (self.root, self.data):
            folder.mkdir(parents=True, exist_ok=True)

    def applier(self, **options) -> LocalApplier:
        return LocalApplier(self.home, self.protected, data_home=str(self.data), **options)

    @property
    def protected(self) -> Protected:
        return Protected(str(self.base / "person"), (str(self.home),))

    def put(self, relative: str, data: bytes = b"old\n", mode: int = 0o644) -> Path:
        path = self.root / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(mode)
        return path

    def spot(self, relative: str) -> Spot:
        return Spot(root=str(self.root), relative=relative)

    def write(self, relative: str, data: bytes, old: bytes = b"old\n", **more) -> Step:
        return Step(Act.WRITE, ("op_w",), self.spot(relative), data=data, expected=sha(old), **more)

    def create(self, relative: str, data: bytes = b"new\n", **more) -> Step:
        return Step(Act.CREATE_FILE, ("op_c",), self.spot(relative), data=data, **more)

    def folder(self, relative: str, **more) -> Step:
        return Step(Act.CREATE_FOLDER, ("op_f",), self.spot(relative), **more)

    def move(self, relative: str, target: str, expected: str = "", **more) -> Step:
        return Step(Act.MOVE, ("op_m",), self.spot(relative), target=self.spot(target), expected=expected, **more)

    def trash(self, relative: str, expected: str = "", operation: str = "op_t", **more) -> Step:
        return Step(Act.TRASH, (operation,), self.spot(relative), expected=expected, **more)

    def restore(self, relative: str, kept: str = "op_t", **more) -> Step:
        return Step(Act.RESTORE, ("op_r",), self.spot(relative), kept=kept, **more)

    async def apply(self, *steps: Step, **options) -> tuple[StepResult, ...]:
        """Apply, forget, and see that nothing of ours is left."""
        applier = self.applier(**options)
        applied: Applied = await applier.apply(steps)
        await applier.forget(applied.batch_id)
        self.require_clean()
        return applied.results

    def require_clean(self) -> None:
        """No temporary file in the KB, no journal, no unfinished copy, no note in the trash without its entry."""
        left = [name for name in picture(self.base) if ".orange-" in name]
        assert not left, left
        journal = self.home / "changes" / "journal"
        assert not journal.is_dir() or not os.listdir(journal)
        kept = self.home / "changes" / "kept"
        assert not kept.is_dir() or not [name for name in os.listdir(kept) if name.startswith(".")]
        self.require_whole_trash()

    def require_whole_trash(self) -> None:
        notes = {path.name.removesuffix(".trashinfo") for path in self.data.glob("Trash/info/*")}
        assert notes == {path.name for path in self.data.glob("Trash/files/*")}

    def in_trash(self) -> list[str]:
        return sorted(path.name for path in self.data.glob("Trash/files/*"))
