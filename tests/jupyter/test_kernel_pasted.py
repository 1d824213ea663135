"""A key pasted into a line or a cell of a real kernel: refused, and nowhere kept (issue 4 item 4; S03, U08)."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.kernels import Kernel, StartKernel

pytestmark = pytest.mark.kernel

KEY = "sk-proj-9f8e7d6c5b4a392817069f8e7d6c"
SHORT = "hunter2-乙"
SOURCES = (
    f"%orange model key {KEY}",
    f"x = 1\n%orange model key mine {SHORT}",
    f"%%orange {KEY}\nhello",
    f"%%orange\nIs {KEY} a key? 这是密钥吗？",
    f"%%time\n%orange model add a --key-env {KEY}",
)


@pytest.fixture
def loaded(start_kernel: StartKernel, tmp_path: Path) -> Kernel:
    kernel = start_kernel(env={"LANG": "C.UTF-8"})
    assert kernel.run("%load_ext orange_jupyter").status == "ok"
    return kernel


def test_a_pasted_key_is_refused_and_kept_nowhere(loaded: Kernel, tmp_path: Path) -> None:
    """Outputs, `In`, `_i`, IPython's history file, the store, the log; every way in."""
    shown = [loaded.run(source).text for source in SOURCES]
    assert [KEY in text or SHORT in text for text in shown] == [False] * len(SOURCES)
    assert "A key stands in this line" in shown[0]
    assert "A key stands in this line" in shown[1]
    assert "⟦masked⟧" in shown[2]
    assert "hidden" in shown[3]
    names = "{n: v for n, v in globals().items() if n.startswith('_i') or n == 'In'}"
    kept = loaded.run(f"print({names}); print(get_ipython().history_manager.input_hist_raw)").text
    assert "model key" in kept
    assert not any(secret in kept for secret in (KEY, SHORT))
    loaded.run("get_ipython().history_manager.writeout_cache()")
    rows = _rows(next(tmp_path.rglob("history.sqlite")))
    assert sum("⟦masked⟧" in row for row in rows) == len(SOURCES), "@@".join(rows)
    everything = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert KEY.encode() not in everything.replace(b"\x00", b"")
    assert SHORT.encode() not in everything


def test_the_line_is_masked_in_the_front_end_too_and_a_question_is_left_to_its_writer(loaded: Kernel) -> None:
    """The reply's payload replaces the cell's text, as the saved notebook would hold it; other cells get none."""
    replaced = [_payload(loaded, source) for source in (*SOURCES, "%orange status", "1 + 1")]
    assert [text is not None for text in replaced] == [True, True, True, False, True, False, False]
    assert replaced[1] == "x = 1\n%orange model key mine ⟦masked⟧"
    assert replaced[2] == "%%orange ⟦masked⟧\nhello"


def _payload(kernel: Kernel, source: str) -> str | None:
    message = kernel.send(source)
    kernel.finish(message)
    reply = kernel.client.get_shell_msg(timeout=30)
    while reply["parent_header"].get("msg_id") != message:
        reply = kernel.client.get_shell_msg(timeout=30)
    found = [one for one in reply["content"]["payload"] if one.get("source") == "set_next_input"]
    return found[0]["text"] if found and found[0]["replace"] else None


def _rows(file: Path) -> list[str]:
    connection = sqlite3.connect(file)
    try:
        return [" ".join(row) for row in connection.execute("SELECT source, source_raw FROM history")]
    finally:
        connection.close()


PLAIN = "q7Rt2LmX9vKc4NpZ8wYb1HdS6fJg3TaE"
WAYS = (
    f'%orange model key "{PLAIN}"',
    f"%orange model key mine '{SHORT} {PLAIN}'",
    f"%orange model key mine={PLAIN}",
    f"%orange modle key mine {PLAIN}",
    f"%orange model key mine '{PLAIN}",
    f"%orange model add z --base-url http://h/v1?subscription-key={PLAIN}",
    f"%%orange --model {PLAIN}\nhello",
)


def test_a_key_of_no_known_shape_is_kept_nowhere_either(loaded: Kernel, tmp_path: Path) -> None:
    """S03: quoted, with =, on a mistyped line, in an address, as a model's name; a warning each time."""
    for source in WAYS:
        shown = loaded.run(source).text
        assert PLAIN not in shown, source
        assert any(word in shown for word in ("A key stands in this line", "⟦masked⟧", "not closed")), shown
        replaced = _payload(loaded, source)
        assert replaced is not None, source
        assert PLAIN not in replaced
        assert SHORT not in replaced
    names = "{n: v for n, v in globals().items() if n.startswith('_i') or n == 'In'}"
    kept = loaded.run(f"print({names}); print(get_ipython().history_manager.input_hist_raw)").text
    assert "modle key" in kept
    assert PLAIN not in kept
    loaded.run("get_ipython().history_manager.writeout_cache()")
    everything = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert PLAIN.encode() not in everything.replace(b"\x00", b"")
