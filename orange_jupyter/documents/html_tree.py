"""A web page's tree as a reader sees it: what is hidden or runs is taken out, links are whole (N08)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import lxml.html
from lxml import etree

_NEVER: Final = (
    *("script", "style", "template", "noscript", "iframe", "frame", "object", "embed", "applet", "svg"),
    *("canvas", "audio", "video", "select", "datalist", "dialog"),
)
_UNSEEN: Final = re.compile(
    r"display:none|visibility:(?:hidden|collapse)|opacity:0(?:\.0*)?(?:;|%|$)|font-size:0(?:\.0*)?(?:[a-z%]|;|$)"
    r"|(?:text-indent|left|top|right|margin-left|margin-top):-\d{3,}|clip:rect\(0|clip-path:inset\((?:50|100)%"
    r"|(?:max-)?(?:height|width):0(?:px|;|$).*overflow:hidden|overflow:hidden.*(?:max-)?(?:height|width):0(?:px|;|$)"
    r"|transform:scale\(0\)"
)
_STYLE: Final = 2_000
MOST_TAGS: Final = 200_000
_BLOCKS: Final = frozenset(
    (
        *("address", "article", "aside", "blockquote", "br", "caption", "dd", "div", "dl", "dt", "fieldset"),
        *("figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li"),
        *(
            "main",
            "nav",
            "ol",
            "p",
            "pre",
            "section",
            "table",
            "tbody",
            "td",
            "tfoot",
            "th",
            "thead",
            "title",
            "tr",
            "ul",
        ),
    )
)


def read_tree(text: str, url: str) -> Any:
    """The page's root element; of what is no markup, one with the text. `url` is where it came from.

    Of a page with more than MOST_TAGS tags only the beginning is read.
    """
    parser = lxml.html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True)
    data = _beginning(text).replace("\0", "").encode("utf-8", "replace")
    try:
        root = lxml.html.document_fromstring(data or b"<html></html>", parser=parser, ensure_head_body=True)
    except etree.ParserError:  # nothing but comments
        root = lxml.html.document_fromstring(b"<html></html>", ensure_head_body=True)
    root.make_links_absolute(url, resolve_base_href=True, handle_failures="discard")
    return root


def drop_unseen(root: Any) -> int:
    """Take out what no reader of the page sees; how many of them had text that the page's own style hid.

    Only what the element itself says counts: rules of style sheets are not worked out.
    """
    etree.strip_elements(root, *_NEVER, with_tail=False)
    hidden = [one for one in root.iter(etree.Element) if one.getparent() is not None and _hides(one)]
    count = 0
    for one in hidden:
        if one.tag in ("body", "head", "html"):
            continue
        count += any(piece.strip() for piece in one.itertext())
        one.drop_tree()
    for link in list(root.iter("a")):
        if not str(link.get("href", "")).lower().startswith(("http://", "https://")):
            link.drop_tag()
    return count


def refresh_target(root: Any) -> str | None:
    """Where a `meta refresh` would lead, if there is one."""
    for meta in root.iter("meta"):
        if str(meta.get("http-equiv", "")).strip().lower() == "refresh":
            return str(meta.get("content", "")).partition(";")[2].strip()[:300] or None
    return None


def all_text(root: Any) -> str:
    """All text of the body: a line for each block, a blank run as one blank."""
    body = root.find("body")
    lines = "".join(_pieces(body if body is not None else root)).split("\n")
    return "\n".join(line for line in (" ".join(line.split()) for line in lines) if line)


def page_title(root: Any) -> str:
    """The page's title, else its first heading, in one line of at most 300 characters; "" for none."""
    for path in (".//head/title", ".//h1", ".//title"):
        for element in root.iterfind(path):
            title = " ".join("".join(element.itertext()).split())[:300]
            if title:
                return title
    return ""


def has_too_many_tags(text: str) -> bool:
    """Whether `read_tree` leaves an end of it out."""
    return text.count("<") > MOST_TAGS


def _beginning(text: str) -> str:
    return "<".join(text.split("<", MOST_TAGS + 1)[: MOST_TAGS + 1]) if has_too_many_tags(text) else text


def _hides(element: Any) -> bool:
    if "hidden" in element.attrib or str(element.get("aria-hidden", "")).strip().lower() == "true":
        return True
    style = str(element.get("style", ""))[:_STYLE].lower()
    return bool(style) and _UNSEEN.search(re.sub(r"\s|!important|/\*.*?\*/", "", style)) is not None


def _pieces(root: Any) -> Iterator[str]:
    for event, element in etree.iterwalk(root, events=("start", "end")):
        broken = element.tag in _BLOCKS
        if broken:
            yield "\n"
        if event == "start":
            yield re.sub(r"\s+", " ", element.text or "") if element.tag != "pre" else element.text or ""
        elif element is not root:
            yield re.sub(r"\s+", " ", element.tail or "")
