"""R-EXEC-12: bubblewrap confines writes to the workspace and a temporary folder, and can cut the network."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path

import pytest

from orange_jupyter.core.errors import RunError
from orange_jupyter.core.running import Command, Confinement, Sandbox
from orange_jupyter.local.commands.runner import LocalRunner, RunnerSettings
from orange_jupyter.local.commands.sandbox import find_bubblewrap

WITHOUT = {"PATH": "/nowhere"}


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    """A knowledge base and a folder beside it."""
    real = Path(os.path.realpath(tmp_path))
    for name in ("kb", "beside"):
        (real / name).mkdir()
        (real / name / "note.md").write_text("a note\n", encoding="utf-8")
    return real / "kb", real / "beside"


async def test_writes_stay_in_the_workspace_and_a_private_temporary_folder(make_runner, places):
    """R-EXEC-12: reading stays possible; root in there makes nothing writable again."""
    kb, beside = places
    runner = make_runner(sandbox=Sandbox.AUTO)
    text = f"""
    echo new > made.md && echo wrote
    echo x > {beside}/x.md || echo refused
    echo x > ~/planted-by-a-test || echo refused
    mount -o remount,rw / 2>/dev/null || echo no mount
    cat /etc/hostname > /dev/null && echo read
    echo t > $TMPDIR/orange-test-file && cat $TMPDIR/orange-test-file"""
    ran = await runner.run(Command(text, str(kb), writable=(str(kb), str(kb.parent / "gone"))))
    assert ran.stdout == "wrote\nrefused\nrefused\nno mount\nread\nt\n"
    assert (ran.confinement, runner.confinement()) == (Confinement.BUBBLEWRAP, Confinement.BUBBLEWRAP)
    assert (kb / "made.md").read_text("utf-8") == "new\n"
    assert not (beside / "x.md").exists()
    assert not Path("/tmp/orange-test-file").exists()
    assert not Path("~/planted-by-a-test").expanduser().exists()


async def test_a_folder_that_may_only_be_read_is_still_the_working_folder(make_runner, places):
    """R-EXEC-1 in the sandbox: the private temporary folder hides no `cwd`, and none is made up."""
    _, beside = places
    ran = await make_runner(sandbox=Sandbox.REQUIRED).run(Command("pwd; cat note.md; echo x > y", str(beside)))
    assert (ran.stdout, ran.exit_code) == (f"{beside}\na note\n", 1)
    assert not (beside / "y").exists()


async def test_other_processes_are_neither_seen_nor_reached(make_runner, folder):
    """E08 in the sandbox: the kernel's variables cannot be read, its processes not signalled."""
    text = f"cat /proc/{os.getpid()}/environ || echo unseen; kill -0 {os.getpid()} || echo unreached; ls -d /run/user"
    ran = await make_runner(sandbox=Sandbox.REQUIRED).run(Command(text, folder))
    assert ran.stdout == "unseen\nunreached\n"


@pytest.mark.parametrize("network", [True, False])
async def test_the_network_is_kept_or_cut(make_runner, folder, network):
    """R-EXEC-12: a server of this machine is reached with the network and not without."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        runner = make_runner(sandbox=Sandbox.REQUIRED, network=network)
        ran = await runner.run(Command(f"(: < /dev/tcp/127.0.0.1/{port}) 2>/dev/null && echo reached", folder))
    assert (ran.stdout == "reached\n") is network


async def test_the_setting_decides_where_there_is_no_sandbox(folder):
    """R-EXEC-12: `off` and `auto` run without, `required` refuses before anything starts."""
    for sandbox in (Sandbox.OFF, Sandbox.AUTO):
        runner = LocalRunner(RunnerSettings(WITHOUT, sandbox=sandbox))
        assert runner.confinement() is Confinement.NONE
        ran = await runner.run(Command("echo ran", folder))
        await runner.close()
        assert (ran.stdout, ran.confinement) == ("ran\n", Confinement.NONE)
    runner = LocalRunner(RunnerSettings(WITHOUT, sandbox=Sandbox.REQUIRED))
    await runner.prepare()
    for refuse in (runner.confinement, None):
        with pytest.raises(RunError) as refused:
            refuse() if refuse else await runner.run(Command("touch ran", folder))
        assert refused.value.code == "feature_off"
    assert not Path(folder, "ran").exists()
    assert runner.host_pid is None


def test_a_bwrap_that_the_system_does_not_let_work_is_none(tmp_path: Path) -> None:
    """R-EXEC-12: installed is not usable; user namespaces may be refused."""
    assert find_bubblewrap(os.path.dirname(shutil.which("bwrap"))) is not None
    (tmp_path / "bwrap").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    (tmp_path / "bwrap").chmod(0o755)
    assert find_bubblewrap(str(tmp_path)) is None
    (tmp_path / "bwrap").write_text("no program\n", encoding="utf-8")
    assert find_bubblewrap(str(tmp_path)) is None


async def test_preparing_takes_the_search_off_the_loop(unblocked):
    """What a notebook does when it opens: afterwards shell and confinement are told without a look at the disk."""
    runner = LocalRunner(RunnerSettings(dict(os.environ), sandbox=Sandbox.AUTO))
    await runner.prepare()
    assert (runner.shell[:4], runner.confinement()) == ("bash", Confinement.BUBBLEWRAP)
