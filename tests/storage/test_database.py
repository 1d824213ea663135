"""The store's file: modes, versions, journals, a full disk."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from blockbuster import blockbuster_ctx

from orange_jupyter.core.errors import StoreError
from orange_jupyter.storage.database import Database
from orange_jupyter.storage.schema import MIGRATIONS

MORE = (*MIGRATIONS, ("ALTER TABLE sessions ADD COLUMN colour TEXT", "CREATE TABLE extras (name TEXT)"))


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def digest(folder: Path) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir() if file.is_file()}


def journal(database: Database) -> str:
    return database.run_blocking(lambda connection: connection.execute("PRAGMA journal_mode").fetchone()[0])


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 1 MB."""
    folder = tmp_path / "small"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], check=True)
    yield folder
    # Lazily: a test that failed may still hold the file.
    subprocess.run(["umount", "-l", folder], check=True)


def test_home_is_0700_and_its_files_0600_whatever_the_umask(home: Path) -> None:
    """R-HL-3, S04."""
    before = os.umask(0)
    try:
        database = Database.open(home)
        database.run_blocking(lambda connection: connection.execute("DELETE FROM sessions").fetchall())
        names = {file.name for file in home.iterdir()}
        assert names == {"orange.db", "orange.db-wal", "orange.db-shm"}
        assert mode(home) == 0o700
        assert {mode(file) for file in home.iterdir()} == {0o600}
        database.close()
    finally:
        os.umask(before)


def test_a_home_and_a_file_that_others_can_read_are_narrowed(home: Path) -> None:
    """S04."""
    Database.open(home).close()
    home.chmod(0o755)
    (home / "orange.db").chmod(0o644)
    Database.open(home).close()
    assert (mode(home), mode(home / "orange.db")) == (0o700, 0o600)


def test_each_commit_is_durable_in_a_write_ahead_log(database: Database) -> None:
    """R-SESS-2: WAL with synchronous=FULL (2)."""
    assert journal(database) == "wal"
    assert database.run_blocking(lambda one: one.execute("PRAGMA synchronous").fetchone()[0]) == 2
    assert database.run_blocking(lambda one: one.execute("PRAGMA busy_timeout").fetchone()[0]) == 5000


def test_a_folder_without_shared_memory_gets_a_rollback_journal(home: Path) -> None:
    """R-SESS-2 on network folders: a new store, and one that was moved there from a disk with WAL."""
    database = Database.open(home, vfs="unix-dotfile")
    assert journal(database) == "delete"
    database.close()
    database = Database.open(home)
    assert journal(database) == "wal"
    database.run_blocking(lambda one: one.execute("CREATE TABLE kept (x)").fetchall())
    database.close()
    database = Database.open(home, vfs="unix-dotfile")
    assert journal(database) == "delete"
    assert database.run_blocking(lambda one: one.execute("SELECT count(*) FROM kept").fetchone()) == (0,)
    database.close()


def test_a_newer_store_is_refused_and_not_a_byte_of_it_changes(home: Path) -> None:
    """R09."""
    Database.open(home, migrations=MORE).close()
    before = digest(home)
    with pytest.raises(StoreError, match=r"orange\.db was written by a newer Orange .*version 3.*up to 2") as caught:
        Database.open(home)
    assert "Upgrade" in (caught.value.hint or "")
    assert digest(home) == before


def test_a_newer_version_that_stands_only_in_the_log_is_refused_untouched(home: Path, tmp_path: Path) -> None:
    """R09 after a crash: the header in the file still shows the old version."""
    Database.open(home).close()
    writer = sqlite3.connect(home / "orange.db", isolation_level=None)
    writer.execute("PRAGMA user_version=3")
    crashed = tmp_path / "crashed"
    crashed.mkdir()
    for name in ("orange.db", "orange.db-wal"):
        shutil.copy(home / name, crashed / name)
    writer.close()
    assert int.from_bytes((crashed / "orange.db").read_bytes()[60:64], "big") == 2
    before = digest(crashed)
    with pytest.raises(StoreError, match="newer Orange"):
        Database.open(crashed)
    after = digest(crashed)
    assert {name: after[name] for name in before} == before


def test_an_older_store_is_brought_up_to_date_and_a_copy_stays(home: Path) -> None:
    """R09."""
    old = Database.open(home)
    old.run_blocking(lambda one: one.execute("CREATE TABLE mine (x)").fetchall())
    old.close()
    database = Database.open(home, migrations=MORE)
    assert database.run_blocking(lambda one: one.execute("PRAGMA user_version").fetchone()) == (3,)
    assert database.run_blocking(lambda one: one.execute("SELECT count(*) FROM extras").fetchone()) == (0,)
    database.close()
    copy = sqlite3.connect(home / "orange.db.v2.bak")
    assert copy.execute("PRAGMA user_version").fetchone() == (2,)
    assert copy.execute("SELECT count(*) FROM mine").fetchone() == (0,)
    copy.close()
    assert mode(home / "orange.db.v2.bak") == 0o600


def test_a_migration_that_fails_leaves_the_old_store(home: Path) -> None:
    """R09."""
    Database.open(home).close()
    with pytest.raises(StoreError):
        Database.open(home, migrations=(*MIGRATIONS, ("CREATE TABLE extras (name TEXT)", "THIS IS NOT SQL")))
    database = Database.open(home)
    tables = database.run_blocking(lambda one: one.execute("SELECT name FROM sqlite_master").fetchall())
    assert ("extras",) not in tables
    database.close()


def test_a_file_that_is_no_store_is_named_and_left(home: Path) -> None:
    home.mkdir()
    (home / "orange.db").write_bytes(b"these are somebody's notes, not a database" * 10)
    before = digest(home)
    with pytest.raises(StoreError, match=r"orange\.db is damaged or not a store"):
        Database.open(home)
    assert digest(home) == before


def test_a_home_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot be opened"):
        Database.open(tmp_path / "file" / "home")


def test_a_full_disk_is_said_clearly_and_what_was_saved_stays(small_disk: Path) -> None:
    """R07."""
    database = Database.open(small_disk)
    database.run_blocking(lambda one: one.execute("CREATE TABLE texts (body TEXT)").fetchall())

    def add(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO texts VALUES (?)", ("好" * 20_000,))

    kept: list[int] = []

    def fill() -> None:
        for number in range(100):
            database.run_blocking(add)
            kept.append(number)

    with pytest.raises(StoreError, match="The disk is full") as caught:
        fill()
    assert "Free some space" in (caught.value.hint or "")
    assert kept
    count = database.run_blocking(lambda one: one.execute("SELECT count(*) FROM texts").fetchone()[0])
    assert count == len(kept)
    database.close()
    database = Database.open(small_disk)
    assert database.run_blocking(lambda one: one.execute("SELECT count(*) FROM texts").fetchone()) == (len(kept),)
    assert database.run_blocking(lambda one: one.execute("PRAGMA integrity_check").fetchone()) == ("ok",)
    database.close()


async def test_nothing_blocks_the_event_loop(database: Database) -> None:
    """R-UI-1: SQLite runs on the store's own thread."""
    with blockbuster_ctx():
        future = database.submit(lambda one: one.execute("SELECT 1").fetchone())
        assert await database.run(lambda one: one.execute("SELECT 2").fetchone()) == (2,)
        assert future.result() == (1,)


def test_it_serves_several_event_loops(database: Database) -> None:
    for _ in range(2):
        assert asyncio.run(database.run(lambda one: one.execute("SELECT 1").fetchone())) == (1,)


async def test_cancelling_the_wait_does_not_take_back_the_write(database: Database) -> None:
    """R-SESS-4: a stopped turn still records how it ended."""
    gate = asyncio.Event()

    async def write() -> None:
        gate.set()
        await database.run(lambda one: one.execute("CREATE TABLE late (x)").fetchall())

    task = asyncio.create_task(write())
    await gate.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await database.run(lambda one: one.execute("SELECT count(*) FROM late").fetchone()) == (0,)


async def test_work_that_fails_is_rolled_back(database: Database) -> None:
    def work(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE half (x)")
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await database.run(work)
    assert await database.run(lambda one: one.execute("SELECT * FROM sqlite_master WHERE name='half'").fetchall()) == []


def test_a_closed_store_says_so(home: Path) -> None:
    database = Database.open(home)
    database.close()
    database.close()
    with pytest.raises(StoreError, match="closed"):
        database.submit(lambda one: one.execute("SELECT 1"))


def test_two_processes_write_one_store_without_losing_an_entry(home: Path) -> None:
    """R02: two kernels with different sessions in one ORANGE_HOME; each entry is whole."""
    script = (
        "import sys; from pathlib import Path; from orange_jupyter.storage.database import Database\n"
        "store = Database.open(Path(sys.argv[1]))\n"
        "for number in range(40):\n"
        "    store.run_blocking(lambda one: one.execute('INSERT INTO lines VALUES (?)', (sys.argv[2] * 5000,)).fetchall())\n"
        "store.close()\n"
    )
    database = Database.open(home)
    database.run_blocking(lambda one: one.execute("CREATE TABLE lines (body TEXT)").fetchall())
    writers = [subprocess.Popen([sys.executable, "-c", script, str(home), letter]) for letter in ("a", "好")]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0]
    lines = database.run_blocking(lambda one: one.execute("SELECT body FROM lines").fetchall())
    assert sorted(body for (body,) in lines) == ["a" * 5000] * 40 + ["好" * 5000] * 40
    database.close()
