"""The `html` format: what came from the web as text, in the worker because pages are untrusted (R-WEB-3)."""

from __future__ import annotations

import re
from typing import Any, Final

from orange_jupyter.core.document import DocumentText
from orange_jupyter.documents.html_charset import decode_page
from orange_jupyter.documents.html_tree import (
    MOST_TAGS,
    all_text,
    drop_unseen,
    has_too_many_tags,
    page_title,
    read_tree,
    refresh_target,
)

_MOST_ELEMENTS: Final = 60_000
"""Above, a page is a data dump: the search for its main part would take longer than a call may."""

_ENOUGH: Final = 400
_SHARE: Final = 0.25
_CONTROLS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff]")
_NO_EXTRA: Final = "The page's text has no headings, tables or links: install orange-jupyter[web] for Markdown."


def page(data: bytes, *, charset: str, url: str) -> DocumentText:
    """An HTML page as Markdown of its main part, with its title; all of its text where no main part is found.

    `charset` is what the server said or "", `url` where the page came from, for its links.
    """
    text, warning = decode_page(data, charset, markup=True)
    root = read_tree(text, url)
    hidden = drop_unseen(root)
    ended = f"The page has more than {MOST_TAGS:,} tags: its end was left out." if has_too_many_tags(text) else None
    refresh = refresh_target(root)
    content, note = _content(root, url)
    warnings = (
        warning,
        f"hidden_text: {hidden} stretches that the page hides were left out." if hidden else None,
        f"meta_refresh: the page wants to lead to {_clean(refresh)}, which was not followed." if refresh else None,
        note,
        ended,
    )
    return DocumentText(
        file_type="html",
        pages=(_clean(content),),
        title=_clean(page_title(root)),
        warnings=tuple(one for one in warnings if one),
    )


def plain(data: bytes, *, charset: str) -> DocumentText:
    """A text that is no HTML, as it is but for control characters; newlines become `\\n`."""
    text, warning = decode_page(data, charset, markup=False)
    return DocumentText(file_type="html", pages=(_clean(text),), warnings=(warning,) if warning else ())


def _content(root: Any, url: str) -> tuple[str, str | None]:
    """The text to give and a warning about it, if any."""
    everything = all_text(root)
    if sum(1 for _ in root.iter()) > _MOST_ELEMENTS:
        return everything, "The page is very large: all of its text follows, without headings, tables or links."
    try:
        found = _main_part(root, url)
    except ImportError:
        return everything, _NO_EXTRA
    except RecursionError:
        return everything, "The page is nested too deeply for Markdown: all of its text follows."
    if not everything:
        return "", "The page has no text of its own; a script may fill it in a browser."
    if len(found) < _ENOUGH and len(found) < len(everything) * _SHARE:
        return everything, "No main part was found: all of the page's text follows."
    return _with_heading(root, found), None


def _with_heading(root: Any, found: str) -> str:
    """The text with the page's first heading, which the search for the main part may take for a site's name."""
    heading = next((" ".join("".join(one.itertext()).split())[:300] for one in root.iterfind(".//h1")), "")
    return f"# {heading}\n\n{found}" if heading and heading not in found else found


def _main_part(root: Any, url: str) -> str:
    from trafilatura import extract
    from trafilatura.settings import use_config

    settings = use_config()
    settings["DEFAULT"]["MIN_EXTRACTED_SIZE"] = "1"  # a short page is a page
    found = extract(
        root,
        config=settings,
        url=url,
        output_format="markdown",
        favor_recall=True,
        include_links=True,
        include_tables=True,
        include_formatting=True,
        include_images=False,
    )
    return found or ""


def _clean(text: str) -> str:
    return _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
