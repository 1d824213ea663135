"""URLs: only http and https, no user in them, hosts in ASCII (A09, N06)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import WebError
from orange_jupyter.local.web.places import follow, read_place, read_spot


@pytest.mark.parametrize(
    "url",
    [
        *("file:///etc/passwd", "FILE:///etc/passwd", " \tfile:///etc/passwd", "ftp://a.test/", "data:text/html,x"),
        *("javascript:alert(1)", "view-source:file:///etc/passwd", "chrome://settings", "blob:http://a.test/1"),
        *("about:blank", "a.test/page", "//a.test/", "http:a.test", "http:/a.test", "", "gopher://a.test", "httpx://a"),
    ],
)
def test_other_schemes_are_refused(url: str) -> None:
    """N06"""
    with pytest.raises(WebError) as caught:
        read_place(url)
    assert caught.value.code is Code.BAD_SCHEME


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com@evil.test/",
        "http://a:b@c.test/",
        "http://a.test\\@b.test/",
        "https://@a.test/",
        "http://a%40b@c/",
    ],
)
def test_a_user_before_the_host_is_refused(url: str) -> None:
    """A09"""
    with pytest.raises(WebError) as caught:
        read_place(url)
    assert caught.value.code is Code.BLOCKED_ADDRESS
    assert "github" not in caught.value.message
    assert "a:b" not in caught.value.message


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://xn--80ak6aa92e.com/", "xn--80ak6aa92e.com"),
        ("https://аррӏе.com/", "xn--80ak6aa92e.com"),
        ("https://pаypal.com/", "xn--pypal-4ve.com"),  # Cyrillic а
        ("http://127。0。0。1/", "127.0.0.1"),
        ("https://例え.jp/", "xn--r8jz45g.jp"),
        ("https://faß.de/", "xn--fa-hia.de"),
        ("https://ＧｉｔＨｕｂ.com:443/", "github.com"),
        ("https://a.test.:8443/", "a.test:8443"),
        ("http://[2606:4700:4700:0:0:0:0:1111]:80/", "[2606:4700:4700::1111]"),
        ("http://a\u00adb.test/", "ab.test"),
    ],
)
def test_the_host_is_shown_in_ascii(url: str, shown: str) -> None:
    """A09: what a person sees is what is connected to."""
    assert read_place(url).shown_host == shown


@pytest.mark.parametrize(
    "url",
    [
        *(
            "http:///x",
            "http://a b.test/",
            "http://a.test/\n",
            "http://a.test:0/",
            "http://a.test:65536/",
            "http://a.test:x/",
        ),
        *("http://-a.test/", "http://a..test/", "http://☃.test/", "http://xn--a/", "http://[::1/", "http://1.2.3.4.5/"),
        *(
            "http://a.test＠b.test/",
            "http://a%2fb.test/",
            "http://a.test%00.b.test/",
            "http://[fe80::1%25eth0]/",
            "http://a.9",
        ),
        *("http://" + "a" * 300 + ".test/", "http://a.test/" + "x" * 9_000, "http://a%ff.test/", "http://a:1:2/"),
    ],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(WebError) as caught:
        read_place(url)
    assert caught.value.code is Code.INVALID_ARGUMENT


def test_path_and_query_travel_in_ascii() -> None:
    place = read_place("https://a.test/路 径".replace(" ", "%20") + '?q=中文&r=%41"<>#teil')
    assert place.url == "https://a.test/%E8%B7%AF%20%E5%BE%84?q=%E4%B8%AD%E6%96%87&r=%41%22%3C%3E"
    assert read_place("http://a.test?x").target == "/?x"


@pytest.mark.parametrize(
    ("location", "url"),
    [
        ("/x", "https://a.test/x"),
        ("y?z", "https://a.test/p/y?z"),
        ("//b.test/", "https://b.test/"),
        ("http://c.test", "http://c.test/"),
    ],
)
def test_a_redirect_is_read_against_its_page(location: str, url: str) -> None:
    assert follow(read_place("https://a.test/p/q"), location).url == url


@pytest.mark.parametrize("written", ["a.test/x", "http://a.test", "a b", "u@a.test", ""])
def test_only_a_host_and_a_port_stand_in_the_settings(written: str) -> None:
    with pytest.raises(WebError):
        read_spot(written)


def test_hosts_of_the_settings_are_read_like_those_of_urls() -> None:
    assert read_spot("WIKI.lab.") == ("wiki.lab", 0)
    assert read_spot("10.5:80") == ("10.0.0.5", 80)
    assert read_spot("[fd00:0::1]:8080") == ("fd00::1", 8080)


@given(st.text(max_size=60))
def test_whatever_is_read_reads_the_same_again(text: str) -> None:
    """One form: the URL that is shown leads to the place that is connected to, and is plain ASCII."""
    try:
        place = read_place(f"http://{text}")
    except WebError:
        return
    assert place.url.isascii()
    assert place.url.isprintable()
    assert read_place(place.url) == place
