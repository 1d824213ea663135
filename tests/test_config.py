"""The person's settings: read, refused with file, line and key, edited without losing a comment."""

from __future__ import annotations

import stat
import traceback
from pathlib import Path

import pytest

from orange_jupyter.config import (
    Folders,
    ModelSettings,
    Prices,
    Provider,
    Settings,
    add_model,
    load_settings,
    parse_settings,
    use_model,
)
from orange_jupyter.core.codes import Code
from orange_jupyter.core.document import PictureLimits
from orange_jupyter.core.errors import ConfigError, UsageError
from orange_jupyter.core.grant import Tier

WHOLE = """# 我的设置
default_tier = "workspace-write"
default_model = "deep seek"
language = "zh"
localOnly = false

[switches]
network = true   # web search
exec = false

[limits]
steps = 20
cost = 1
seconds = 600

[headless]
strict = true

[models."deep seek"]
provider = "openai_compatible"
base_url = "https://api.example/v1/"
model = "chat-1"
key_env = "DEEP_KEY"
context_window = 65536
max_output = 8192
vision = true
sendImages = false
tools = false
mode = "envelope"
headers = { "X-Team" = "notes" }
prices = { input = 1, output = 2.5, cache_read = 0.1 }

[models.local]
provider = "openai_compatible"
base_url = "http://127.0.0.1:8080/v1"
model = "m"

[[knowledge_bases]]
path = "notes"
"""

RESIZE = "[models.a]\nprovider = 'scripted'\n[models.a.input_limits.images.resize]\n"


def refused(text: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        parse_settings(text, "config.toml")
    return caught.value


def test_a_missing_file_means_the_defaults(tmp_path: Path) -> None:
    """R-PERM-1, R-PERM-4, R-MOD-5, R-NB-6."""
    settings = load_settings(tmp_path / "config.toml")
    assert settings == Settings()
    assert settings.default_tier is Tier.WORKSPACE_READONLY
    assert settings.default_model == "embedded"
    assert settings.model("embedded").provider is Provider.EMBEDDED
    assert (settings.switches.network, settings.switches.browser, settings.switches.exec) == (False, False, True)
    assert (settings.limits.steps, settings.headless.strict, settings.localOnly) == (50, False, False)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_every_setting_is_read(tmp_path: Path, newline: str, bom: str) -> None:
    """R-MOD-2; knowledge_bases belongs to another reader."""
    file = tmp_path / "config.toml"
    file.write_bytes((bom + WHOLE.replace("\n", newline)).encode())
    settings = load_settings(file)
    assert settings.default_tier is Tier.WORKSPACE_WRITE
    assert settings.language == "zh"
    assert settings.grant_switches.network
    assert not settings.grant_switches.exec
    assert (settings.limits.steps, settings.limits.cost, settings.limits.seconds) == (20, 1, 600)
    assert settings.headless.strict
    model = settings.model("deep seek")
    assert model == ModelSettings(
        provider=Provider.OPENAI_COMPATIBLE,
        base_url="https://api.example/v1",
        model="chat-1",
        key_env="DEEP_KEY",
        context_window=65536,
        max_output=8192,
        vision=True,
        sendImages=False,
        tools=False,
        mode="envelope",
        headers={"X-Team": "notes"},
        prices=Prices(input=1, output=2.5, cache_read=0.1),
    )
    assert (model.host, model.local) == ("api.example", False)
    assert (settings.model("local").host, settings.model("local").local) == ("127.0.0.1:8080", True)


@pytest.mark.parametrize(
    ("text", "line", "key", "near"),
    [
        ("\nlanguag = 'zh'\n", 2, "languag", "language"),
        ("[limits]\nstep = 3\n", 2, "limits.step", "limits.steps"),
        ("limits.step = 3\n", 1, "limits.step", "limits.steps"),
        ("limits = { step = 3 }\n", 1, "limits.step", "limits.steps"),
        ("[models.a]\nprovider = 'scripted'\nvison = true\n", 3, "models.a.vison", "models.a.vision"),
        ("[models.'a b']\nprovider = 'scripted'\n[models.'a b'.prices]\ninput=1\noutptu=1\noutput=1", 5, "models.a b.prices.outptu", "prices.output"),
        ("x = '''\n[limits]\nsteps = 1\n'''\n", 1, "x", None),
        ("network = true\n", 1, "network", "switches.network"),
        ("local_only = true\n", 1, "local_only", "localOnly"),
        ("# 注释\n[headles]\nstrict = true\n", 2, "headles", None),
    ],
)  # fmt: skip
def test_an_unknown_key_is_named_with_its_line_and_the_nearest_right_one(
    text: str, line: int, key: str, near: str | None
) -> None:
    """R-NB-3, style: ConfigError names file, line and key."""
    error = refused(text)
    assert (error.file, error.line, error.key) == ("config.toml", line, key)
    assert f"config.toml, line {line}: {key}: there is no such setting" in str(error)
    assert near is None or near in (error.hint or "")


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("a = 1\nb = \n", 2, "not valid TOML"),
        ("a = 1\na = 2\n", 2, "not valid TOML"),
        ("[limits\nsteps = 1\n", 1, "not valid TOML"),
        ('x = """\n\n', 2, "not valid TOML"),
        ("\n\nlanguage = 'fr'\n", 3, "'auto', 'en' or 'zh'"),
        ("[limits]\nsteps = '20'\n", 2, "valid integer"),
        ("[limits]\n\nsteps = 0\n", 3, "greater than or equal to 1"),
        ("default_tier = 'full-auto'\n", 1, "workspace-readonly or workspace-write only"),
        ("default_tier = 'all'\n", 1, "workspace-readonly"),
        ("default_model = 'gtp'\n[models.gpt]\nprovider='scripted'\n", 1, "there is no model 'gtp'"),
        ("[models.a]\nprovider = 'openai_compatible'\nmodel = 'x'\n", 1, "needs base_url and model"),
        ("[models.a]\nprovider = 'openai'\n", 2, "openai_compatible"),
        ("[models.a]\nprovider = 'scripted'\nbase_url = 'ftp://x'\n", 3, "http:// or https://"),
        ("[models.a]\nprovider = 'scripted'\nbase_url = 'https://me:pw@x/v1'\n", 3, "must not hold a user or password"),
        ("limits = 3\n", 1, "limits"),
        (f"{RESIZE}maxWidth = 0\n", 4, "greater than or equal to 1"),
        (f"{RESIZE}\nmaxHeight = -5\n", 5, "greater than or equal to 1"),
        (f"{RESIZE}maxBytes = 4.5\n", 4, "valid integer"),
        (f"{RESIZE}maxBytes = '4MB'\n", 4, "valid integer"),
        (f"{RESIZE}maxWidth = true\n", 4, "valid integer"),
        (f"{RESIZE}jpegQuality = 101\n", 4, "less than or equal to 100"),
        (f"{RESIZE}quality = 80\n", 4, "there is no such setting"),
    ],
)
def test_a_wrong_value_is_named_with_its_line(text: str, line: int, part: str) -> None:
    """R-PERM-1 (workspace tiers only), R-MOD-2."""
    error = refused(text)
    assert error.line == line, str(error)
    assert part in str(error)


def test_picture_limits_of_a_model_have_defaults_that_are_not_written(tmp_path: Path) -> None:
    """R-IMG-1: `maxBytes` counts base64 text; 4.5 MiB of it is 3.375 MiB of picture."""
    model = parse_settings("[models.a]\nprovider = 'scripted'\n", "config.toml").model("a")
    assert model.pictures == PictureLimits(2000, 2000, 3_538_944, 80) == PictureLimits()
    own = parse_settings(f"{RESIZE}maxWidth = 640\nmaxBytes = 4001\njpegQuality = 100\n", "config.toml").model("a")
    assert own.pictures == PictureLimits(640, 2000, 3000, 100)
    file = tmp_path / "config.toml"
    add_model(file, "a", model)
    assert "input_limits" not in file.read_text()
    add_model(file, "a", own)
    written = file.read_text()
    assert ("maxWidth = 640" in written, "maxHeight" in written) == (True, False)
    assert load_settings(file).model("a") == own


@pytest.mark.parametrize("key", ["api_key", "key", "token"])
def test_a_key_in_the_settings_is_refused_and_not_repeated(key: str) -> None:
    """R-MOD-2, R-ALL-5: keys have their own place."""
    secret = "sk-" + "Ab3dEf6hIj9kLm2nOp5q"
    error = refused(f"[models.a]\nprovider = 'scripted'\n{key} = '{secret}'\n")
    assert error.line == 3
    assert "key_env" in (error.hint or "")
    wrong = refused(f"[models.a]\nprovider = 'scripted'\nkey_env = '{secret}'\n")
    assert "not the key itself" in str(wrong)
    for one in (error, wrong):
        assert secret not in f"{one} {one.hint}"
        assert secret not in "".join(traceback.format_exception(one))


def test_local_only_refuses_models_elsewhere() -> None:
    """R-MOD-11."""
    settings = parse_settings(WHOLE.replace("localOnly = false", "localOnly = true"), "config.toml")
    assert settings.model("local").local
    assert settings.model("embedded").local
    with pytest.raises(ConfigError, match=r"localOnly is on and api\.example"):
        settings.model("deep seek")
    with pytest.raises(UsageError, match="There is no model lokal") as refused:
        settings.model("lokal")
    assert refused.value.hint == "Did you mean local?"


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("http://localhost:1/v1", True),
        ("http://[::1]:1/v1", True),
        ("http://127.9.9.9/v1", True),
        ("http://localhost.evil.example/v1", False),
        ("http://127.0.0.1.evil.example/v1", False),
        ("http://0.0.0.0/v1", False),
        ("http://192.168.0.2/v1", False),
    ],
)
def test_what_counts_as_this_machine(address: str, local: bool) -> None:
    """R-MOD-11."""
    assert ModelSettings(provider=Provider.SCRIPTED, base_url=address).local is local


def test_a_model_is_added_and_chosen_and_comments_stay(tmp_path: Path) -> None:
    """R-MOD-2, S04."""
    file = tmp_path / "我的 home" / "config.toml"
    added = ModelSettings(
        provider=Provider.OPENAI_COMPATIBLE, base_url="http://127.0.0.1:1/v1", model="模型", vision=True
    )
    assert add_model(file, "新 模型".replace(" ", "-"), added).models == {"新-模型": added}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.write_text(WHOLE, "utf-8")
    add_model(file, "新-模型", added)
    settings = use_model(file, "新-模型")
    assert settings.default_model == "新-模型"
    assert settings.model("新-模型") == added
    assert settings.model("deep seek") == parse_settings(WHOLE, "").model("deep seek")
    text = file.read_text("utf-8")
    assert text.startswith('# 我的设置\ndefault_tier = "workspace-write"\ndefault_model = "新-模型"\n')
    assert "network = true   # web search\n" in text
    assert "[[knowledge_bases]]" in text
    add_model(file, "新-模型", ModelSettings(provider=Provider.SCRIPTED))
    assert load_settings(file).model("新-模型").provider is Provider.SCRIPTED
    assert {one.name for one in file.parent.iterdir()} == {"config.toml", "locks"}


def test_an_edit_that_would_not_load_leaves_the_file(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(WHOLE, "utf-8")
    with pytest.raises(ConfigError, match="there is no model 'gpt'") as caught:
        use_model(file, "gpt")
    assert "deep seek" in (caught.value.hint or "")
    with pytest.raises(ConfigError, match="no blanks"):
        add_model(file, "a b", ModelSettings(provider=Provider.SCRIPTED))
    assert file.read_text("utf-8") == WHOLE
    file.write_text("= broken", "utf-8")
    with pytest.raises(ConfigError, match="not valid TOML"):
        use_model(file, "embedded")
    assert file.read_text("utf-8") == "= broken"


def test_a_linked_settings_file_stays_a_link(tmp_path: Path) -> None:
    """Dotfile folders link it."""
    real = tmp_path / "dotfiles.toml"
    real.write_text("# mine\n", "utf-8")
    file = tmp_path / "config.toml"
    file.symlink_to(real)
    use_model(file, "embedded")
    assert file.is_symlink()
    assert real.read_text("utf-8").startswith("# mine\n")
    assert load_settings(file).default_model == "embedded"


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_bytes(b"language = '\xff'")
    with pytest.raises(ConfigError, match="not UTF-8"):
        load_settings(file)
    file.unlink()
    file.mkdir()
    with pytest.raises(ConfigError, match=r"config\.toml: cannot be read"):
        load_settings(file)


def test_folders_come_from_the_environment_and_are_private(tmp_path: Path) -> None:
    """R-HL-3, S04."""
    environ = {"ORANGE_HOME": str(tmp_path / "我的 home"), "ORANGE_CACHE": str(tmp_path / "deep" / "cache")}
    folders = Folders.of(environ).make()
    assert folders.config == tmp_path / "我的 home" / "config.toml"
    assert {stat.S_IMODE(one.stat().st_mode) for one in (folders.home, folders.cache)} == {0o700}
    assert Folders.of({}).home == Path.home() / ".orange"
    assert Folders.of({"ORANGE_HOME": "~/o"}).home == Path.home() / "o"
    assert Folders.of({}).cache.is_absolute()
    (tmp_path / "file").write_text("x")
    with pytest.raises(ConfigError, match="ORANGE_HOME") as refused:
        Folders.of({"ORANGE_HOME": str(tmp_path / "file" / "x")}).make()
    assert refused.value.code is Code.IO_ERROR
    uncached = Folders.of(environ | {"ORANGE_CACHE": str(tmp_path / "file" / "x")}).make()
    assert not uncached.cache.exists()
