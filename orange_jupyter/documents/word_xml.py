"""Looks at WordprocessingML by local names, so that strict and transitional files read alike."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from lxml import etree

_OFF = ("0", "false", "off", "none")
_WRAPPERS = frozenset(
    {"sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag", "AlternateContent", "Choice", "Fallback"}
)
_READABLE = frozenset({"t", "txbxContent", "blip", "imagedata", "relIds", "chart", "txBody", "textpath", "sym"})


def local(element: etree._Element) -> str:
    """An element's name without its namespace; "" for comments and processing instructions."""
    tag = element.tag
    return _local(tag) if isinstance(tag, str) else ""


@lru_cache(maxsize=4096)
def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def child(element: etree._Element | None, *names: str) -> etree._Element | None:
    """The first child of a name, then its first child of the next name …; None where one is missing."""
    for name in names:
        if element is None:
            return None
        element = next((inner for inner in element if local(inner) == name), None)
    return element


def attribute(element: etree._Element, name: str) -> str | None:
    """An attribute by its name without namespace."""
    for key, value in element.attrib.items():
        if _local(str(key)) == name:
            return str(value)
    return None


def value(element: etree._Element | None, *names: str) -> str | None:
    """The `val` of the child that `child` finds."""
    found = child(element, *names)
    return attribute(found, "val") if found is not None else None


def number(text: str | None, default: int | None = None, *, most: int = 1_000_000) -> int | None:
    """A whole number of a file, 0 … `most`; `default` for anything else."""
    if text is None or not text.isascii() or not text.isdigit() or len(text) > 12:
        return default
    return min(int(text), most)


def on(element: etree._Element | None, name: str) -> bool:
    """Whether a switch such as `vanish` is set among an element's children."""
    found = child(element, name)
    return found is not None and (attribute(found, "val") or "1").lower() not in _OFF


def unwrapped(element: etree._Element) -> Iterator[etree._Element]:
    """The children of a container, those in content controls and insertions too; deletions are left to the caller.

    Of alternatives only the chosen one is given.
    """
    stack = [element.iterchildren(etree.Element)]
    while stack:
        inner = next(stack[-1], None)
        if inner is None:
            stack.pop()
        elif local(inner) == "AlternateContent":
            stack.append(iter(alternatives(inner)))
        elif local(inner) in _WRAPPERS:
            stack.append(inner.iterchildren(etree.Element))
        else:
            yield inner


def alternatives(element: etree._Element) -> list[etree._Element]:
    """What is read of an mc:AlternateContent: its first Choice with something to read, else its Fallback."""
    choices = [inner for inner in element.iterchildren(etree.Element) if local(inner) == "Choice"]
    fallbacks = [inner for inner in element.iterchildren(etree.Element) if local(inner) == "Fallback"]
    for found in (*choices, *fallbacks):
        if any(local(inner) in _READABLE for inner in found.iter(etree.Element)):
            return [found]
    return []
