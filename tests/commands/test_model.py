"""`%orange model`: keys by a hidden prompt only, every reply in both languages (R-MOD-2, R-UI-8, S03, S04)."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from orange_jupyter.__main__ import main
from orange_jupyter.app import App
from orange_jupyter.commands import run_command
from orange_jupyter.commands.standing import Standing
from orange_jupyter.config import ModelSettings, Provider
from orange_jupyter.core.errors import UsageError
from orange_jupyter.jupyter.ports import CommandReply, Where
from tests.commands.conftest import environment
from tests.commands.test_outward import KEY, configure

Say = Callable[..., Awaitable[CommandReply]]
OWN = "a-key-of-no-known-shape-乙".encode("ascii", "ignore").decode() + "42"


async def typed(app: App, text: str | None, line: str) -> CommandReply:
    """A line whose hidden prompt gets `text`."""

    async def secret(_: str) -> str | None:
        return text

    where = Where(None, None, app.folder, "en")
    return await run_command(Standing(app, where, await app.aside(), lambda _: None, secret), tuple(line.split()))


async def test_a_key_is_asked_for_kept_privately_and_masked_from_then_on(app: App) -> None:
    configure(app, "http://127.0.0.1:9/v1")
    reply = await typed(app, f" {OWN}\n", "model key mine")
    assert reply.data == {"ok": True, "model": "mine", "kept": "file"}
    file = app.ground.folders.home / "keys.toml"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert OWN not in app.mask(f"echo {OWN}")
    with pytest.raises(UsageError, match="No key was given"):
        await typed(app, "  ", "model key mine")
    with pytest.raises(UsageError, match="one word of plain ASCII"):
        await typed(app, "两个 词", "model key mine")


@pytest.mark.parametrize(
    "line",
    [
        f"model key {KEY}",
        f"model key mine {KEY}",
        "model key mine hunter2",
        "model key ⟦masked⟧",
        f"model add x --base-url http://127.0.0.1:9/v1 --model {KEY}",
        f"model use {KEY}",
        f"model test {KEY}",
    ],
)
async def test_a_key_in_the_line_is_refused_and_not_repeated(app: App, say: Say, line: str) -> None:
    for language in ("en", "zh"):
        with pytest.raises(UsageError) as caught:
            await say(line, language)
        told = f"{caught.value.message} {caught.value.hint}"
        assert ("密钥" in told) == (language == "zh")
        assert KEY not in told
        assert "hunter2" not in told
    assert not (app.ground.folders.home / "keys.toml").exists()


async def test_an_unknown_name_after_key_is_not_repeated(app: App, say: Say) -> None:
    """It may be a key of a shape that nobody knows."""
    configure(app, "http://127.0.0.1:9/v1")
    with pytest.raises(UsageError, match="Models: mine") as caught:
        await say("model key my.odd-key_1")
    assert "my.odd-key_1" not in f"{caught.value.message} {caught.value.hint}"


async def test_replies_are_in_the_persons_language(app: App, say: Say) -> None:
    added = await say("model add 本地 --base-url http://127.0.0.1:9/v1 --model m", "zh")
    assert "已登记 **本地**" in added.markdown
    assert "文本发送到" in (await say("model use 本地", "zh")).markdown
    assert "文本发送到" in (await say("model list", "zh")).markdown
    with pytest.raises(UsageError, match="整数"):
        await say("model add x --context many --base-url http://127.0.0.1:9/v1", "zh")


def test_the_command_line_refuses_a_key_too(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The shell's history is not ours; the key is neither printed nor kept."""
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("ORANGE_HOME", str(folder))
    monkeypatch.setenv("ORANGE_CACHE", str(folder / "cache"))
    assert main(["model", "key", KEY, "--json"]) == 1
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    assert document["error"]["code"] == "invalid_argument"
    assert KEY not in printed.out + printed.err
    assert main(["doctor", "--json"]) == 0
    assert {"Keyring", "Waiting", "Model"} <= {one["name"] for one in json.loads(capsys.readouterr().out)["checks"]}


@pytest.mark.parametrize(
    "other",
    [
        'provider = "openai_compatible"\nbase_url = "https://127.0.0.1:10/v1"',
        'provider = "openai_compatible"\nbase_url = "http://127.0.0.1:9/v1"',
        'provider = "anthropic"\nbase_url = "https://127.0.0.1:9"',
    ],
)
async def test_a_kept_key_never_goes_to_another_server(app: App, say: Say, other: str) -> None:
    """S03: not by `model add`, nor by hand, nor after the model was taken out; back at its server it is there again."""
    configure(app, "https://127.0.0.1:9/v1")
    await typed(app, OWN, "model key mine")
    same = await say("model add mine --base-url https://127.0.0.1:9/v1 --model other")
    assert "It replaces the model of that name" in same.markdown
    assert "not sent to this one" not in same.markdown
    assert app.models.server("mine").key == OWN
    file = app.ground.folders.config
    file.write_text("")
    file.write_text(f'[models.mine]\n{other}\nmodel = "m-1"\n')
    assert not app.models.server("mine").key
    assert OWN not in app.ground.masker().mask(OWN)
    configure(app, "https://127.0.0.1:9/v1")
    moved = await say("model add mine --base-url http://127.0.0.1:9/v1 --model other")
    assert "The key of the other server is not sent to this one" in moved.markdown
    assert not app.models.server("mine").key


async def test_a_list_of_models_has_no_key_of_its_own(app: App) -> None:
    """R-MOD-9: a key under its name would never be used."""
    configure(app, "http://127.0.0.1:9/v1")
    file = app.ground.folders.config
    file.write_text(f'{file.read_text()}[models.both]\nany_of = ["mine"]\n')
    with pytest.raises(UsageError, match="Set the keys of: mine"):
        await typed(app, OWN, "model key both")


BARE = "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0bC"


@pytest.mark.parametrize(
    "line",
    [
        f"model add x --base-url http://127.0.0.1:9/v1 --model m --key-env {BARE}",
        f"model add x --base-url http://127.0.0.1:9/v1 --model m --key-env={BARE}",
        f"model add {BARE} --base-url http://127.0.0.1:9/v1",
        f"model use {BARE}",
        f"model test {BARE}",
    ],
)
async def test_a_key_without_a_known_form_is_refused_on_a_model_line(app: App, say: Say, line: str) -> None:
    """S03: 32 letters and digits are how some servers' keys look."""
    with pytest.raises(UsageError) as caught:
        await say(line)
    assert BARE not in str(caught.value) + str(caught.value.hint)
    assert not app.ground.folders.config.exists()


@pytest.mark.parametrize("words", [("key", "mine", "hunter2"), ("key", "mine", KEY), ("test", KEY), ("use", BARE)])
def test_the_command_line_repeats_no_key(app: App, capfd: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    """S03, U08: also where the words are not understood."""
    assert main(["model", *words, "--json"]) != 0
    printed = capfd.readouterr()
    assert words[-1] not in printed.out + printed.err
    assert "A key stands in this line" in json.loads(printed.out)["error"]["message"]


@pytest.mark.parametrize(
    "words",
    [("ask", "hi", "--model", KEY), ("ask", "hi", "--model", BARE), ("session", "show", KEY), ("session", BARE)],
)
def test_no_other_mistake_repeats_a_key(app: App, capfd: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    """S03: unknown names are masked where they look like a key."""
    assert main([*words, "--json"]) != 0
    printed = capfd.readouterr()
    assert words[-1] not in printed.out + printed.err
    assert json.loads(printed.out)["ok"] is False


async def test_a_virtual_models_hosts_are_hosts(app: App, say: Say) -> None:
    """R-MOD-11: `model list` names where text goes, not the members' names."""
    app.ground.folders.config.write_text(
        '[models.a]\nprovider = "openai_compatible"\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "x"\n'
        '[models.b]\nprovider = "openai_compatible"\nbase_url = "http://127.0.0.1:10/v1"\nmodel = "x"\n'
        '[models.both]\nprovider = "virtual"\nany_of = ["a", "b"]\n'
    )
    listed = await say("model list")
    assert {one["name"]: one["host"] for one in listed.data["models"]}["both"] == "127.0.0.1:9, 127.0.0.1:10"


async def test_without_a_terminal_the_host_is_named_before_the_test_sends(app: App, tmp_path: Path) -> None:
    """R-MOD-11: one line on standard error, also in a pipe; the port is closed, so nothing could be sent."""
    configure(app, "http://127.0.0.1:9/v1")
    run = await process(tmp_path, "model", "test", "mine", "--json")
    assert run.returncode == 1
    assert run.stderr.startswith(b"Testing mine: text goes to 127.0.0.1:9")
    assert run.stderr.count(b"127.0.0.1:9") == 1
    assert json.loads(run.stdout)["ok"] is False


async def test_a_key_from_a_pipe_is_kept_without_noise(app: App, tmp_path: Path) -> None:
    """R-MOD-2: a script may hand the key over; an empty pipe is a clear mistake."""
    configure(app, "http://127.0.0.1:9/v1")
    kept = await process(tmp_path, "model", "key", "mine", "--json", given=f"{OWN}\n".encode())
    assert (kept.returncode, kept.stderr) == (0, b"")
    assert app.models.server("mine").key == OWN
    nothing = await process(tmp_path, "model", "key", "mine", "--json")
    assert (nothing.returncode, nothing.stderr) == (1, b"")
    assert "No key was given" in json.loads(nothing.stdout)["error"]["message"]


async def process(tmp_path: Path, *words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """The command line in a process of its own, over the fixture's installation."""
    command = [sys.executable, "-m", "orange_jupyter", *words]
    environ = {**os.environ, **environment(tmp_path)}
    return await asyncio.to_thread(
        subprocess.run, command, input=given, capture_output=True, check=False, cwd=tmp_path, env=environ, timeout=60
    )


@pytest.mark.parametrize("address", ["http://h/v1?subscription-key={}", "http://h/{}/v1", "http://h/v1?code={}"])
async def test_an_address_with_a_key_is_not_written_down(app: App, say: Say, address: str) -> None:
    """R-MOD-2, S03: config.toml holds no key."""
    key = "q7Rt2LmX9vKc4NpZ8wYb1HdS6fJg3TaE"
    with pytest.raises(UsageError, match="A key stands in this line"):
        await say(f"model add z --base-url {address.format(key)} --model m")
    file = app.ground.folders.config
    assert not file.exists() or key not in file.read_text()


async def test_a_mistyped_line_with_a_masked_key_says_so(say: Say) -> None:
    """S03."""
    with pytest.raises(UsageError, match="A key stands in this line"):
        await say("modle key mine ⟦masked⟧")


@pytest.mark.parametrize("command", [["ask", "hello"], ["tool", "notes_list", "{}"]])
def test_no_session_is_named_by_a_key(app: App, capfd: pytest.CaptureFixture[str], command: list[str]) -> None:
    """S03: the title would stand in the store."""
    key = "q7Rt2LmX9vKc4NpZ8wYb1HdS6fJg3TaE"
    assert main([*command, "--session", key]) == 1
    printed = capfd.readouterr()
    assert "looks like a key" in printed.err
    assert key not in printed.out + printed.err
    home = app.ground.folders.home
    assert not any(key.encode() in file.read_bytes() for file in home.rglob("*") if file.is_file())


def test_a_kept_key_is_found_however_the_host_is_written() -> None:
    """R-MOD-2: capital letters and the scheme's own port name the same server, another port does not."""

    def name(address: str) -> str:
        return ModelSettings(provider=Provider.OPENAI_COMPATIBLE, base_url=address, model="m").key_name("mine")

    assert name("https://Api.OpenAI.com:443/v1") == name("HTTPS://api.openai.com/v1")
    assert name("http://[::1]:80/v1") == name("http://[::1]/v1")
    assert len({name(f"https://h{port}/v1") for port in ("", ":80", ":8443")}) == 3


def test_a_model_file_has_one_name_for_its_key(app: App, tmp_path: Path) -> None:
    """What `model key` keeps is what the server's settings find."""
    settings = ModelSettings(provider=Provider.OPENAI_COMPATIBLE, gguf=str(tmp_path / "a.gguf"))
    placed = settings.model_copy(update={"base_url": "http://127.0.0.1", "model": "m"})
    assert settings.key_name("mine") == placed.key_name("mine")
    assert settings.key_name("mine").startswith("mine @ http://127.0.0.1 ")
