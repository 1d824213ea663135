"""From config.toml to a model that asks a server: every provider with an address, keys, localOnly (R-MOD-2, 9, 11)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from orange_jupyter.commands.model import described_by
from orange_jupyter.config import Provider
from orange_jupyter.core.errors import ConfigError, UsageError
from orange_jupyter.ground import Ground
from orange_jupyter.models import Models
from tests.providers.messages_api import answer, begin, end, text
from tests.providers.server import plain, serving
from tests.providers.wires import KEY, Heard, ask

OK = plain(answer(begin(), text(0, "好 ok"), end()))


@pytest.fixture
async def ground(tmp_path: Path) -> AsyncIterator[Ground]:
    folders = {"ORANGE_HOME": str(tmp_path / "我的 home"), "ORANGE_CACHE": str(tmp_path / "cache")}
    opened = await Ground.open(folders | {"CLAUDE_KEY": KEY})
    yield opened
    await opened.close()


def configure(ground: Ground, text: str) -> Models:
    ground.folders.config.write_text(text, encoding="utf-8")
    return Models(ground)


async def test_an_anthropic_model_asks_its_server_with_its_key_and_further_fields(ground: Ground) -> None:
    """R-MOD-2: the key from the variable goes into x-api-key alone."""
    async with serving(OK) as server:
        models = configure(
            ground,
            f"""
            [models.claude]
            provider = "anthropic"
            base_url = "{server.url}"
            model = "opus"
            key_env = "CLAUDE_KEY"
            extra_body = {{ thinking = {{ type = "adaptive" }} }}
            """,
        )
        model = models.make("claude")
        reply = await model.respond(ask(), Heard())
        await model.close()
        seen = server.seen[0]
    assert reply.parts[0].kind == "text"
    assert (seen.json["model"], seen.json["thinking"]) == ("opus", {"type": "adaptive"})
    assert [name for name, value in seen.headers.items() if KEY in value] == ["x-api-key"]


VIRTUAL = """
localOnly = {local}
[models.far]
provider = "anthropic"
model = "opus"
[models.near]
provider = "anthropic"
base_url = "{url}"
model = "small"
prices = {{ input = 1.0, output = 2.0 }}
[models.both]
any_of = ["near", "embedded"]
[models.out]
any_of = ["near", "far"]
[models.nested]
any_of = ["both"]
[models.self]
any_of = ["self"]
[models.lost]
any_of = ["naer"]
"""


async def test_a_virtual_model_is_made_of_the_models_it_names(ground: Ground) -> None:
    """R-MOD-9; R-CTX-4: what a model behind it costs is counted by that model's prices."""
    async with serving(OK) as server:
        models = configure(ground, VIRTUAL.format(local="false", url=server.url))
        model = models.make("both")
        reply = await model.respond(ask(), Heard())
        await model.close()
    assert reply.model == "small"
    assert reply.usage.cost == pytest.approx((9 * 1.0 + 7 * 2.0) / 1e6)
    assert models.make("out").info.host == f"127.0.0.1:{server.port}, api.anthropic.com"


@pytest.mark.parametrize(
    ("name", "local", "words"),
    [
        ("far", "true", "localOnly"),
        ("out", "true", "localOnly"),
        ("nested", "false", "virtual"),
        ("self", "false", "virtual"),
        ("lost", "false", "near"),
    ],
)
async def test_a_model_that_may_not_be_used_is_refused_before_any_connection(
    ground: Ground, name: str, local: str, words: str
) -> None:
    """R-MOD-11: also behind a virtual model's name."""
    models = configure(ground, VIRTUAL.format(local=local, url="http://127.0.0.1:1"))
    with pytest.raises((ConfigError, UsageError)) as caught:
        models.make(name)
    assert words in f"{caught.value.message} {caught.value.hint}"


def test_model_add_takes_the_provider_anthropic() -> None:
    """R-MOD-2: `model add NAME --provider anthropic --model ID` is enough."""
    made = described_by({"--provider": "anthropic", "--model": "opus"}, "claude")
    assert (made.provider, made.host) == (Provider.ANTHROPIC, "api.anthropic.com")
    with pytest.raises(UsageError, match="needs model"):
        described_by({"--provider": "anthropic"}, "claude")
