"""A configured key that the model's server throws back in every way is found in no output and in no byte on the disk."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from orange_jupyter.__main__ import main
from orange_jupyter.config_models import ModelSettings
from orange_jupyter.storage.keys import Keys
from tests.kernels import StartKernel, execute, kernel_folders
from tests.providers.leaking_server import KEY, LEAK, QUESTIONS, Leaking, forms, leaking


@pytest.fixture(scope="module")
def server() -> Iterator[Leaking]:
    with leaking() as running:
        yield running


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Leaking) -> Path:
    """Notes in which the key stands too, and an ORANGE_HOME with it in keys.toml."""
    for name, value in kernel_folders(tmp_path).items():
        monkeypatch.setenv(name, value)
    home = tmp_path / "orange-home"
    home.mkdir(mode=0o700)
    leaky = ModelSettings(provider="openai_compatible", base_url=server.url, model="m-1")
    Keys(home, {}, ring=None).set(leaky.key_name("leaky"), KEY)
    model = f'[models.leaky]\nprovider = "openai_compatible"\nbase_url = "{server.url}"\nmodel = "m-1"\n'
    (home / "config.toml").write_text('default_model = "leaky"\n' + model, encoding="utf-8")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "茶 tea.md").write_text(f"# Tea 茶\n\nMy key: {LEAK}\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found_in(text: str | bytes) -> list[str]:
    """The forms of the key that stand in it, also behind the escapes of JSON, Markdown and HTML."""
    raw = text.encode() if isinstance(text, str) else text
    seen = (raw, raw.replace(b"\\", b""), html.unescape(raw.decode("utf-8", "replace")).encode())
    return [name for name, form in forms().items() if any(form.encode() in one for one in seen)]


def files_with_it(*folders: Path) -> dict[str, list[str]]:
    """Every file in whose bytes or name it stands; the file of the keys is not asked."""
    found = {}
    for folder in folders:
        for file in folder.rglob("*"):
            seen = found_in(file.name) + (found_in(file.read_bytes()) if file.is_file() else [])
            if seen and file.name != "keys.toml":
                found[str(file.relative_to(folder.parent))] = seen
    return found


def test_the_search_for_it_can_find_it(place: Path) -> None:
    assert found_in(LEAK) == found_in(json.dumps({"a": LEAK})) == list(forms())
    assert files_with_it(place / "notes") == {"notes/茶 tea.md": list(forms())}
    assert "plain" in found_in(KEY.replace("+", "\\+").replace("~", "\\~"))
    assert "plain" in found_in(KEY.replace("=", "&#61;"))
    assert not found_in("⟦masked⟧")


COMMANDS = (
    *(("ask", question, "--kb", "notes", "--session", "one") for question in QUESTIONS),
    ("model", "test", "leaky"),
    ("model", "list"),
    ("doctor",),
    ("search", "key", "--kb", "notes"),
    ("tool", "read", json.dumps({"path": "notes/茶 tea.md"}), "--kb", "notes"),
    ("session", "list"),
    ("session", "show", "one"),
    ("session", "export", "one", "--to", "one.md"),
    ("session", "export", "one", "--to", "one.json"),
)


def test_no_command_line_says_or_keeps_it(place: Path, server: Leaking, capfdbinary: Any) -> None:
    """S03, U08, R-ALL-5: answers, reasoning, calls, refusals, pages, redirects, retries; texts and `--json`; the store,
    the log, the cache and exports."""
    leaks = {}
    for words in COMMANDS:
        for json_too in ((), ("--json",)):
            given = tuple(
                f"{place.name}-{bool(json_too)}-{word}" if word.startswith("one.") else word for word in words
            )
            main([*given, *json_too])
            out, err = capfdbinary.readouterr()
            assert out or err, words
            if found_in(out + err):
                leaks[words, json_too] = (found_in(out), found_in(err))
    assert leaks == {}
    assert KEY in server.keys
    assert len(list(place.glob("*one.*"))) == 4
    assert files_with_it(*(folder for folder in place.iterdir() if folder.name != "notes" and folder.is_dir())) == {}
    assert not [file.name for file in place.glob("*one.*") if found_in(file.read_bytes())]


@pytest.mark.kernel
def test_no_notebook_widget_or_traceback_holds_it(place: Path, server: Leaking, start_kernel: StartKernel) -> None:
    """S03, U08: outputs, widget messages, `%tb` in its most talkative mode, and what the kernel prints itself."""
    kernel = start_kernel(cwd=place)
    kernel.run("%load_ext orange_jupyter\n%xmode Verbose")
    kernel.run("%orange kb add notes")
    codes = [f"%%orange\n{question}" for question in QUESTIONS]
    codes += [
        "%tb",
        "%orange model test leaky",
        "%orange doctor",
        "%orange usage",
        "%orange model list",
        "%orange model key leaky",
    ]
    answered, leaks = 0, {}
    for code in codes:
        cell = kernel.run(code)
        said = json.dumps([cell.outputs, cell.comms, cell.error], ensure_ascii=False, default=repr)
        if found_in(said):
            leaks[code] = found_in(said)
        answered += "好" in cell.text
    assert leaks == {}
    assert answered >= 3
    assert files_with_it(place / "orange-home", place / "orange-cache", place / "ipython") == {}


@pytest.mark.kernel
def test_a_notebook_that_was_run_and_saved_does_not_hold_it(place: Path, server: Leaking) -> None:
    """S03: with the key in an environment variable, and the state of the widgets saved as `jupyter execute` does."""
    config = place / "orange-home" / "config.toml"
    config.write_text(config.read_text("utf-8") + 'key_env = "LEAKY_KEY"\n', encoding="utf-8")
    (place / "orange-home" / "keys.toml").unlink()
    cells = ["%load_ext orange_jupyter", *(f"%%orange\n{question}" for question in QUESTIONS)]
    node = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    for cell in node.cells:
        cell.metadata["tags"] = ["raises-exception"]
    notebook = place / "笔记 run.ipynb"
    nbformat.write(node, notebook)
    os.environ["LEAKY_KEY"] = KEY
    try:
        ran = execute(notebook)
    finally:
        del os.environ["LEAKY_KEY"]
    nbformat.write(ran, notebook)
    assert "好" in notebook.read_text("utf-8")
    assert {cell.source: found for cell in ran.cells if (found := found_in(json.dumps(cell, ensure_ascii=False)))} == {}
    assert found_in(notebook.read_bytes()) == []
    assert files_with_it(place / "orange-home", place / "orange-cache") == {}
