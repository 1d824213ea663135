"""The list of providers names every provider, and each is a Model."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import orange_jupyter.providers as providers
from orange_jupyter.config import Provider
from orange_jupyter.core.errors import UsageError
from orange_jupyter.core.ports import Model
from orange_jupyter.providers import PROVIDERS, ModelEntry, open_model
from orange_jupyter.providers.scripted import Scripted, load_script
from tests.providers.wires import blob, settings

FOLDER = Path(providers.__file__).parent


def entry(tmp_path: Path) -> ModelEntry:
    script = tmp_path / "script.json"
    script.write_text('{"replies": []}')
    members = (Scripted(load_script(script)),)
    return ModelEntry(name="mine", server=settings("http://127.0.0.1:1/v1"), script=script, members=members)


def is_a_provider(file: Path) -> bool:
    """Whether it defines a Model: with `respond` of its own, or of a server that it names the speech of.

    `sending` is what the servers' models share, `local_model` stands before the one of a GGUF.
    """
    nodes = list(ast.walk(ast.parse(file.read_text("utf-8"))))
    own = any(isinstance(node, ast.AsyncFunctionDef) and node.name == "respond" for node in nodes)
    speaks = any(isinstance(node, ast.Assign) and ast.unparse(node).startswith("own_speech =") for node in nodes)
    return (own and file.stem not in ("sending", "local_model")) or speaks


def test_every_file_with_a_model_is_named_by_the_list(tmp_path: Path) -> None:
    """architecture.md: a test fails when a provider exists that the list does not name."""
    made = [type(open_model(provider, entry(tmp_path), blob)).__module__ for provider in PROVIDERS]
    assert {file.stem for file in FOLDER.glob("*.py") if is_a_provider(file)} == {one.split(".")[-1] for one in made}
    assert set(PROVIDERS) == set(Provider)


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_every_provider_is_made_from_an_entry(provider: str, tmp_path: Path) -> None:
    model: Model = open_model(provider, entry(tmp_path), blob)
    assert model.info.name == ("test" if provider in ("openai_compatible", "anthropic") else "mine")
    assert model.info.context_window > 0
    await model.close()


@pytest.mark.parametrize(
    ("provider", "words"),
    [
        ("openai_compatible", "base URL"),
        ("anthropic", "base URL"),
        ("scripted", "script"),
        ("virtual", "any_of"),
        ("opnai", "openai_compatible"),
    ],
)
def test_a_missing_setting_is_named(provider: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        open_model(provider, ModelEntry(name="mine"), blob)
    assert words in f"{caught.value.message} {caught.value.hint}"


def test_the_list_imports_nothing_heavy() -> None:
    """R-NB-1: httpx costs 76 ms and is imported with the first model that needs it."""
    code = "import sys, orange_jupyter.providers; print('httpx' in sys.modules, 'httpx_sse' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["False", "False"]
