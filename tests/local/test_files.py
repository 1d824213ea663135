"""What is opened is what the system resolves beneath the folder, and nothing else."""

from __future__ import annotations

import errno
import os
import socket
import threading
import time
from pathlib import Path

import pytest

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import PathError, ReadError, RightsError
from orange_jupyter.core.paths import KnowledgeBase
from orange_jupyter.local.files import (
    read_beneath,
    read_in,
    read_outside,
    scandir_beneath,
    stat_beneath,
    stat_in,
    stat_outside,
)
from orange_jupyter.local.opening import Resolver, RootFolder, kernel_beneath, walk_real
from orange_jupyter.local.protected import Protected
from tests.local.conftest import CANARY, as_plain_user

MB = 1_048_576
RESOLVERS = pytest.mark.parametrize("resolver", [kernel_beneath, walk_real])


def read_with(resolver: Resolver, root: str, relative: str) -> bytes:
    with RootFolder(root, resolver) as folder:
        return read_in(folder, relative, limit=MB)[0]


def test_a_note_is_read_with_its_state(kb: KnowledgeBase) -> None:
    """R-READ-1."""
    data, state, changed = read_beneath(kb.root, "读书 笔记/红楼梦.md", limit=MB)
    assert data.decode() == "# 红楼梦\n"
    assert (state.st_size, changed) == (len(data), False)
    assert sorted(scandir_beneath(kb.root, "")) == ["a.md", "plan.txt", "读书 笔记"]


@RESOLVERS
@pytest.mark.parametrize("target", ["absolute", "relative", "folder", "chain"])
def test_a_link_that_leaves_the_kb_is_refused(
    resolver: Resolver, target: str, kb: KnowledgeBase, outside: Path
) -> None:
    """R-SCOPE-1, P02: by the kernel and by the fall-back, for file, folder and chained links."""
    root = Path(kb.root)
    if target == "folder":
        (root / "d").symlink_to(outside)
        asked = "d/secret.txt"
    elif target == "chain":
        (root / "one.md").symlink_to("two.md")
        (root / "two.md").symlink_to(outside / "secret.txt")
        asked = "one.md"
    else:
        (root / "one.md").symlink_to(outside / "secret.txt" if target == "absolute" else "../o/secret.txt")
        asked = "one.md"
    with pytest.raises(PathError) as refused:
        read_with(resolver, kb.root, asked)
    assert refused.value.code is Code.LINK_ESCAPE
    assert CANARY not in str(refused.value)


@RESOLVERS
@pytest.mark.parametrize("path", ["..", "../o/secret.txt", "a/../../o/secret.txt", "/etc/passwd"])
def test_dots_and_absolute_paths_do_not_leave_the_kb(
    resolver: Resolver, path: str, kb: KnowledgeBase, outside: Path
) -> None:
    """P06: even where a caller forgot to parse the path."""
    (Path(kb.root) / "a").mkdir()
    with pytest.raises(PathError) as refused:
        read_with(resolver, kb.root, path)
    assert refused.value.code in (Code.LINK_ESCAPE, Code.NOT_FOUND)


@RESOLVERS
def test_a_link_inside_the_kb_is_followed(resolver: Resolver, kb: KnowledgeBase) -> None:
    """R-SCOPE-1: in-KB links are allowed."""
    (Path(kb.root) / "读书 笔记" / "link.md").symlink_to("../a.md")
    assert read_with(resolver, kb.root, "读书 笔记/link.md") == b"# A\n"


def test_an_absolute_link_to_the_inside_says_what_to_do(kb: KnowledgeBase) -> None:
    """R-SCOPE-1: openat2 refuses it; the message names the path to use."""
    (Path(kb.root) / "link.md").symlink_to(Path(kb.root) / "a.md")
    with pytest.raises(PathError, match="absolute link") as refused:
        read_beneath(kb.root, "link.md", limit=MB)
    assert refused.value.code is Code.LINK_ESCAPE
    assert "a.md" in (refused.value.hint or "")


@RESOLVERS
@pytest.mark.parametrize("kind", ["fifo", "socket", "device", "device link", "folder"])
def test_what_is_no_file_is_refused_at_once(resolver: Resolver, kind: str, kb: KnowledgeBase) -> None:
    """R-SCOPE-3, P14: in less than a second, never opened for reading."""
    path = os.path.join(kb.root, "n.md")
    server = socket.socket(socket.AF_UNIX)
    with server:
        match kind:
            case "fifo":
                os.mkfifo(path)
            case "socket":
                here = os.open(kb.root, os.O_RDONLY)
                server.bind(f"/proc/self/fd/{here}/n.md")
                os.close(here)
            case "device":
                os.mknod(path, 0o600 | 0o020000, os.makedev(1, 5))
            case "device link":
                os.symlink("/dev/zero", path)
            case "folder":
                os.mkdir(path)
        began = time.monotonic()
        with pytest.raises(PathError) as refused:
            read_with(resolver, kb.root, "n.md")
    assert refused.value.code is Code.NOT_REGULAR_FILE
    assert time.monotonic() - began < 1


def test_missing_looping_and_odd_paths_have_their_codes(kb: KnowledgeBase) -> None:
    """P06, P17: each failure is typed."""
    root = Path(kb.root)
    (root / "x").symlink_to("y")
    (root / "y").symlink_to("x")
    (root / "nowhere.md").symlink_to("gone.md")
    for path, code in {
        "x": Code.NOT_FOUND,
        "nowhere.md": Code.NOT_FOUND,
        "gone.md": Code.NOT_FOUND,
        "a.md/b.md": Code.NOT_FOUND,
        "n" * 300: Code.INVALID_PATH,
        "a\0b": Code.INVALID_PATH,
    }.items():
        with pytest.raises(PathError) as refused:
            stat_beneath(kb.root, path)
        assert refused.value.code is code, path


def test_a_file_over_the_limit_is_not_read(kb: KnowledgeBase) -> None:
    """D11: a sparse file of 2 GB costs nothing; a file of just the limit is read."""
    with open(os.path.join(kb.root, "big.txt"), "wb") as big:
        big.truncate(2 * 1024 * MB)
    began = time.process_time()
    with pytest.raises(ReadError) as refused:
        read_beneath(kb.root, "big.txt", limit=20 * MB)
    assert refused.value.code is Code.TOO_LARGE
    assert refused.value.details == {"size": 2 * 1024 * MB, "limit": 20 * MB}
    assert time.process_time() - began < 0.5
    assert read_beneath(kb.root, "a.md", limit=4)[0] == b"# A\n"


@pytest.mark.parametrize("change", ["grows", "shrinks"])
def test_a_file_that_changes_while_it_is_read_is_said(change: str, kb: KnowledgeBase) -> None:
    """D11: a writer at work; the read is bounded and `changed_during_read` is set at least once in many reads."""
    path = os.path.join(kb.root, "log.txt")
    with open(path, "wb") as start:
        start.write(b"x" * 4 * MB)
    stop = threading.Event()

    def write() -> None:
        with open(path, "r+b") as log:
            size = 4 * MB
            while not stop.is_set():
                size = 4 * MB + (size + 1) % 1000 if change == "grows" else 3 * MB + (size + 1) % 1000
                log.truncate(size)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        until = time.monotonic() + 20
        seen = False
        while not seen and time.monotonic() < until:
            data, _, seen = read_beneath(kb.root, "log.txt", limit=8 * MB)
            assert len(data) <= 8 * MB
    finally:
        stop.set()
        writer.join()
    assert seen


@pytest.mark.parametrize("resolver", [kernel_beneath, walk_real])
def test_a_path_longer_than_the_system_allows_is_walked(resolver: Resolver, kb: KnowledgeBase) -> None:
    """P16: 400 folders deep, over PATH_MAX."""
    name = "很深的文件夹-folder"
    here = os.open(kb.root, os.O_RDONLY)
    for _ in range(250):
        os.mkdir(name, dir_fd=here)
        deeper = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(os.open("end.md", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)
    path = "/".join([name] * 250 + ["end.md"])
    assert len(os.fsencode(path)) > 4096
    if resolver is kernel_beneath:
        assert read_with(resolver, kb.root, path) == b""
        assert stat_beneath(kb.root, path).st_size == 0
    else:
        with RootFolder(kb.root, resolver) as folder:
            assert stat_in(folder, path).st_size == 0


def test_an_unreadable_file_is_no_access(kb: KnowledgeBase) -> None:
    """R-SRCH-10: as a user without root's rights."""
    os.chmod(os.path.join(kb.root, "a.md"), 0)
    code = """
import sys
from orange_jupyter.core.errors import ToolError
from orange_jupyter.local.files import read_beneath
try:
    read_beneath(sys.argv[1], "a.md", limit=10)
except ToolError as error:
    print(error.code)
"""
    assert as_plain_user(code, kb.root) == "no_access"


@RESOLVERS
@pytest.mark.parametrize("swapped", ["folder", "file"])
def test_a_race_of_swapped_links_never_reads_outside(
    resolver: Resolver, swapped: str, kb: KnowledgeBase, outside: Path
) -> None:
    """R-SCOPE-1, P02: 1,000 rounds against a thread that swaps a folder or file with a link out; no outside byte."""
    root = kb.root
    if swapped == "folder":
        os.mkdir(f"{root}/real")
        Path(f"{root}/real/secret.txt").write_text("inside", encoding="utf-8")
        os.symlink(outside, f"{root}/evil")
        asked, names = "d/secret.txt", ("real", "evil", "d")
    else:
        Path(f"{root}/real.txt").write_text("inside", encoding="utf-8")
        os.symlink(outside / "secret.txt", f"{root}/evil.txt")
        asked, names = "d.txt", ("real.txt", "evil.txt", "d.txt")
    good, bad, place = (f"{root}/{name}" for name in names)
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            for one in (good, bad):
                os.rename(one, place)
                os.rename(place, one)

    swapper = threading.Thread(target=swap)
    swapper.start()
    outcomes: list[str] = []
    try:
        for _ in range(1_000):
            try:
                outcomes.append(read_with(resolver, root, asked).decode())
            except PathError as error:
                outcomes.append(str(error.code))
    finally:
        stop.set()
        swapper.join()
    assert CANARY not in outcomes
    assert set(outcomes) <= {"inside", "link_escape", "not_found"}


def test_a_kb_whose_folder_became_a_link_is_unavailable(kb: KnowledgeBase, outside: Path) -> None:
    """R-SCOPE-1: the root itself is not followed elsewhere."""
    os.rename(kb.root, kb.root + "-moved")
    os.symlink(outside, kb.root)
    with pytest.raises(PathError) as refused:
        read_beneath(kb.root, "secret.txt", limit=MB)
    assert refused.value.code is Code.KB_UNAVAILABLE


def test_an_approved_outside_file_is_read_and_a_swapped_one_is_not(tmp_path: Path, outside: Path) -> None:
    """R-SCOPE-2: what opens must be what was approved; a link put on the way since is refused."""
    protected = Protected(str(tmp_path / "person"))
    path = str(outside / "secret.txt")
    assert read_outside(path, limit=MB, protected=protected)[0].decode() == CANARY
    assert stat_outside(path, protected).st_size == len(CANARY)
    os.rename(outside, tmp_path / "moved")
    os.symlink(tmp_path / "moved", outside)
    for attempt in (lambda: read_outside(path, limit=MB, protected=protected), lambda: stat_outside(path, protected)):
        with pytest.raises(PathError) as refused:
            attempt()
        assert refused.value.code is Code.LINK_ESCAPE


PROTECTED = [
    "/proc/self/environ",
    "/proc/kcore",
    "/dev/urandom",
    "/sys/kernel/notes",
    "{home}/.local/share/jupyter/runtime/jupyter_cookie_secret",
    "{home}/.local/share/jupyter/runtime/jpserver-12.json",
    "{home}/.local/share/keyrings/login.keyring",
    "{home}/.local/share/python_keyring/keyring_pass.cfg",
    "{home}/.ssh/id_ed25519",
    "{home}/.ssh/work_key",
    "{home}/.SSH/ID_RSA",
    "{home}/.aws/credentials",
    "{home}/.netrc",
    "{home}/.jupyter/jupyter_server_config.json",
    "{orange}/keys.toml",
    "{orange}",
]


@pytest.mark.parametrize("path", PROTECTED)
def test_files_that_hold_keys_are_never_read(path: str, tmp_path: Path) -> None:
    """R-PERM-9, P15: whatever was approved, and through a link to their folder."""
    home, orange = tmp_path.resolve() / "person", tmp_path.resolve() / "orange"
    protected = Protected(str(home), (str(orange),))
    asked = path.format(home=home, orange=orange)
    with pytest.raises(RightsError) as refused:
        read_outside(asked, limit=MB, protected=protected)
    assert refused.value.code is Code.PROTECTED_PATH


@pytest.mark.parametrize(
    "path", ["{home}/.ssh/id_ed25519.pub", "{home}/.ssh/config", "{home}/notes/plan.md", "/etc/hostname"]
)
def test_ordinary_files_outside_are_not_protected(path: str, tmp_path: Path) -> None:
    """R-PERM-9: the list is no wider than keys."""
    assert not Protected(str(tmp_path)).covers(path.format(home=tmp_path))


def test_a_home_behind_a_link_is_protected_too(tmp_path: Path) -> None:
    """P15: the real path of the home counts."""
    real = tmp_path.resolve() / "real"
    real.mkdir()
    (tmp_path / "home").symlink_to(real)
    assert Protected(str(tmp_path / "home")).covers(f"{real}/.ssh/id_rsa")


def test_a_pseudo_file_system_mounted_elsewhere_is_recognised() -> None:
    """R-SCOPE-3, P15: by the device, not by the name."""
    with pytest.raises(RightsError):
        Protected("/nowhere").refuse_device(os.stat("/proc/self/status"), "/mnt/p/self/status")
    Protected("/nowhere").refuse_device(os.stat(__file__), __file__)


def test_retries_end(kb: KnowledgeBase) -> None:
    """A resolver that always says EAGAIN does not loop for ever."""

    def again(root_fd: int, root: str, flags: int, relative: str) -> int:
        raise OSError(errno.EAGAIN, "again")

    with pytest.raises(PathError) as refused:
        read_with(again, kb.root, "a.md")
    assert refused.value.code is Code.IO_ERROR
