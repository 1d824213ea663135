"""`[web]` of config.toml: what is allowed and where searches go (R-WEB-2, R-WEB-3)."""

from __future__ import annotations

import pytest

from orange_jupyter.config import parse_settings
from orange_jupyter.core.errors import ConfigError
from orange_jupyter.local.web.opening import Choices, open_web
from tests.local.web.stage import as_it_is

WHOLE = """
[switches]
network = true

[web]
allow_hosts = ["wiki.lab", "10.0.0.5:8080", "[fd00::1]:80"]

[web.search]
backend = "json"
url = "http://127.0.0.1:8080/search?q={query}&format=json"
results = "data.items"
link = "href"
"""


async def test_the_settings_make_a_web() -> None:
    found = parse_settings(WHOLE, "config.toml")
    assert found.grant_switches.network
    search = found.web.search
    choices = Choices(search.backend, search.url, search.fields, tuple(found.web.allow_hosts))
    web = open_web(choices, as_it_is, never=frozenset())
    assert web.search_host == "127.0.0.1:8080"
    assert dict(search.fields) == {
        "results": "data.items",
        "title": "title",
        "url": "href",
        "snippet": "content",
        "date": "publishedDate",
    }
    await web.close()


async def test_without_settings_there_is_the_keyless_search_and_no_allowed_host() -> None:
    found = parse_settings("", "config.toml").web
    assert (found.allow_hosts, found.search.backend) == ([], "duckduckgo")
    web = open_web(Choices(), as_it_is, never=frozenset())
    assert web.search_host == "html.duckduckgo.com"
    await web.close()


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('[web]\nallow_hosts = ["http://a.test"]', "web.allow_hosts"),
        ('[web]\nallow_hosts = ["10.0.0.0/8"]', "web.allow_hosts"),
        ('[web]\nallow_hosts = ["*"]', "web.allow_hosts"),
        ('[web]\nallow_hosts = ["u@a.test"]', "web.allow_hosts"),
        ('[web.search]\nbackend = "json"', "web.search"),
        ('[web.search]\nurl = "https://a.test/?q={query}"', "web.search"),
        ('[web.search]\nbackend = "json"\nurl = "https://a.test/?q=x"', "web.search"),
        ('[web.search]\nbackend = "json"\nurl = "https://{query}.test/"', "web.search"),
        ('[web.search]\nbackend = "json"\nurl = "file:///x/{query}"', "web.search"),
        ('[web.search]\nbackend = "json"\nurl = "https://me:pw@a.test/{query}"', "web.search"),
        ('[web.search]\nbackend = "google"', "web.search.backend"),
        ("[web]\nproxy = 1", "web.proxy"),
    ],
)
def test_a_wrong_setting_is_named(text: str, key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_settings(text, "config.toml")
    assert str(caught.value.key).startswith(key)
    assert "pw@" not in str(caught.value)
