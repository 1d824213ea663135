"""The interface's icons as inline SVG: small without CSS, coloured by the text around them, loaded from nowhere."""

from __future__ import annotations

from types import MappingProxyType

PATHS = MappingProxyType(
    {
        "again": "M13 8a5 5 0 1 1-1.5-3.6M13 2.5v2.6h-2.6",
        "out": "M6 3H3v10h10v-3M9 3h4v4M13 3L7.5 8.5",
        "arrow": "M2.5 8h10M9 4.5L12.5 8 9 11.5",
        "ask": "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 4.8V8l2.2 1.5",
        "book": "M3 2.5h8.5A1.5 1.5 0 0 1 13 4v9.5H4.5A1.5 1.5 0 0 1 3 12zM3 12a1.5 1.5 0 0 1 1.5-1.5H13",
        "chevron": "M6 3.5L10.5 8 6 12.5",
        "command": "M2 3h12v10H2zM4.6 6l2 2-2 2M8.4 10.2h3",
        "cross": "M4 4l8 8M12 4l-8 8",
        "document": "M3 2h10v12H3zM5.5 5h5M5.5 8h5M5.5 11h3",
        "down": "M3.5 6L8 10.5 12.5 6",
        "edit": "M3 13l.6-2.8 7-7 2.2 2.2-7 7zM9.3 4.5l2.2 2.2",
        "file": "M4 1.8h5l3 3v9.4H4zM9 1.8v3h3",
        "folder": "M1.8 3.8h4l1.4 1.6h7v7.8H1.8z",
        "info": "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 7.3V11M8 5v.1",
        "key": "M5.5 6.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM7.7 7.3L13.5 2M11 4.3l1.8 1.8",
        "link": "M6.5 9.5l3-3M7 4.5L8.5 3a3 3 0 0 1 4.3 4.3l-1.5 1.5M9 11.5L7.5 13a3 3 0 0 1-4.3-4.3l1.5-1.5",
        "list": "M6 4h7.5M6 8h7.5M6 12h7.5M2.6 4h.1M2.6 8h.1M2.6 12h.1",
        "pointer": "M4 2.5l8.5 5.2-3.8.9L7 12.3z",
        "rename": "M2 11.5h5M9.5 2.5h3M11 2.5v11M9.5 13.5h3M4.5 4.5v4",
        "search": "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.4 10.4L13.5 13.5",
        "shield": "M8 1.8l5 1.7v4.3c0 3-2.2 5.2-5 6.4-2.8-1.2-5-3.4-5-6.4V3.5z",
        "stop": "M4.5 4.5h7v7h-7z",
        "tick": "M3 8.5l3.2 3.2L13 4.8",
        "trash": "M3 4.5h10M6.2 4.5V2.8h3.6v1.7M4.3 4.5l.6 9h6.2l.6-9M6.8 7v4M9.2 7v4",
        "undo": "M5.5 3.5L2.5 6.5l3 3M2.5 6.5h7a4 4 0 0 1 0 7.5H6",
        "void": "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM3.8 3.8l8.4 8.4",
        "warning": "M8 2.2L14.5 13.5h-13zM8 6.5v3.2M8 11.6v.1",
        "web": "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM1.8 8h12.4"
        "M8 1.8c2 1.8 2.6 4 2.6 6.2S10 12.4 8 14.2C6 12.4 5.4 10.2 5.4 8S6 3.6 8 1.8z",
    }
)

_TOOLS = MappingProxyType({"search": "search", "read": "file", "list": "list", "edit": "edit", "write": "edit"})


def icon(name: str) -> str:
    """The SVG of one icon, 16 px, hidden from screen readers: the word beside it says the same."""
    return (
        '<svg class="oj-i" width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" '
        f'stroke-width="1.5" aria-hidden="true" focusable="false"><path d="{PATHS[name]}"/></svg>'
    )


def tool_icon(tool: str) -> str:
    """The icon's name for a tool line."""
    return _TOOLS.get(tool, "command" if tool == "exec" else "document")
