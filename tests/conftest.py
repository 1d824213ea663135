"""What every test gets: an isolated ORANGE_HOME, the public test files, real kernels, a real Lab, and strict skips."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from blockbuster import blockbuster_ctx

pytest_plugins = ["tests.lab_server", "tests.lab", "tests.notebook7", "tests.kernels"]

ROOT = Path(__file__).parents[1]
ALLOWED_SKIPS = ROOT / "tests" / "allowed_skips.txt"
PARTNERS = ROOT / "tests" / "providers" / "partners"
NO_GGUF = "no model file is named for the tests (ORANGE_TEST_GGUF)"
# Tests that talk to a kernel or a browser of their own get one second try, named in the summary: ipykernel 7.3 can lose
# a message (ipykernel issue 1554), and a click can fall between two drawings. docs/decisions/0007.
LIVE = {"browser", "kernel"}
SECOND_TRIES = 6
NO_DATA = "the public test files are not beside this checkout (ORANGE_TEST_DATA)"


def shared_data() -> Path:
    """The folder of public test files; it need not exist."""
    return Path(os.environ.get("ORANGE_TEST_DATA") or ROOT.parent / "shared" / "data")


@pytest.fixture(scope="session")
def data() -> Path:
    """The public test files (`documents/`, `notes/`); the test must be marked `corpus`."""
    return shared_data()


@pytest.fixture(scope="session")
def specification() -> Path:
    """The folder of the specification beside the public test files; the test must be marked `corpus`."""
    folder = shared_data().parent / "spec"
    if not folder.is_dir():
        pytest.skip(NO_DATA)
    return folder


@pytest.fixture(scope="session")
def real_gguf() -> Path:
    """A small real model for llama.cpp; hundreds of megabytes, so a machine names one only by choice."""
    named = os.environ.get("ORANGE_TEST_GGUF")
    if not named:
        pytest.skip(NO_GGUF)
    return Path(named)


@pytest.fixture(scope="session")
def aimock_command() -> list[str]:
    """The command of `@copilotkit/aimock` without its options; tests/providers/partners/setup.sh installs it."""
    program = PARTNERS / "node_modules" / "@copilotkit" / "aimock" / "dist" / "cli.js"
    node = next(map(str, PARTNERS.glob("node_modules/node-*/bin/node")), shutil.which("node"))
    if node is None or not program.is_file():
        pytest.skip(f"aimock is not installed: sh {PARTNERS.relative_to(ROOT)}/setup.sh")
    return [node, str(program)]


@pytest.fixture(scope="session", autouse=True)
def _own_orange_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test ever sees or changes the person's own state or keyring."""
    folder = tmp_path_factory.mktemp("orange")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ORANGE_HOME", str(folder / "home"))
        patch.setenv("ORANGE_CACHE", str(folder / "cache"))
        patch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
        yield


@pytest.fixture
def unblocked() -> Iterator[None]:
    """The test fails with BlockingError when something blocks an event loop (files, sockets, SQLite, sleep)."""
    with blockbuster_ctx("orange_jupyter"):
        yield


def pytest_configure() -> None:
    """A run in a shell's background ignores SIGINT, and so would every script that a test interrupts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that this machine cannot run are skipped with a reason; in CI, which can run all, that is a failure."""
    missing = {} if shared_data().is_dir() else {"corpus": NO_DATA}
    if os.geteuid() != 0:
        missing["small_disk"] = "only root can mount a small disk"
    if shutil.which("strace") is None:
        missing["traced"] = "strace is not installed"
    for item in items:
        names = {mark.name for mark in item.iter_markers()} | set(getattr(item, "fixturenames", ()))
        for name in names & missing.keys():
            item.add_marker(pytest.mark.skip(reason=missing[name]))
        if names & LIVE and item.path.is_relative_to(ROOT / "tests"):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """More second tries than `SECOND_TRIES` in one run are no accident: the run fails though every test passed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    tried = reporter.stats.get("rerun", []) if reporter else []
    if len(tried) > SECOND_TRIES and session.exitstatus == pytest.ExitCode.OK:
        reporter.write_line(f"\n{len(tried)} tests needed a second try; {SECOND_TRIES} may.", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """In CI a skipped test counts as failed unless its reason stands in tests/allowed_skips.txt."""
    report = yield
    if report.skipped and os.environ.get("CI") and not _skip_allowed(report):
        report.outcome = "failed"
        report.longrepr = f"skipped in CI for a reason that is not in {ALLOWED_SKIPS.name}: {_reason(report)}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Any:
    """The same for a file that skips itself while it is collected."""
    report = yield
    if report.skipped and os.environ.get("CI") and not _skip_allowed(report):
        report.outcome = "failed"
        report.longrepr = f"{collector.nodeid} skipped itself in CI: {_reason(report)}"
    return report


def _reason(report: Any) -> str:
    if hasattr(report, "wasxfail"):
        return f"expected to fail: {report.wasxfail}"
    return str(report.longrepr[2]).removeprefix("Skipped: ") if isinstance(report.longrepr, tuple) else "?"


def _skip_allowed(report: Any) -> bool:
    lines = ALLOWED_SKIPS.read_text(encoding="utf-8").splitlines()
    return _reason(report) in {line for line in lines if line and not line.startswith("#")}


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test marked `browser` on the one thread that owns Playwright.

    The synchronous Playwright API leaves its event loop running on its thread. Kept off the main thread, it
    cannot disturb the asynchronous tests of the same run, and a browser test is written in plain calls.
    """
    chromium = pyfuncitem.funcargs.get("chromium")
    if chromium is None or not pyfuncitem.get_closest_marker("browser"):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    done: Future[object] = chromium.submit(pyfuncitem.obj, **{name: pyfuncitem.funcargs[name] for name in names})
    done.result()
    return True
