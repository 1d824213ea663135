"""The words of what a view or a record leaves out of a long turn, in English and Chinese (R-UI-1, R-UI-8)."""

from __future__ import annotations

from types import MappingProxyType

EARLIER_WORDS = MappingProxyType(
    {
        "earlier.lines": ("{n} earlier lines", "前面还有 {n} 行"),
        "earlier.lines.one": ("{n} earlier line", "前面还有 {n} 行"),
        "earlier.show": ("Unfold", "展开"),
        "earlier.page": ("Lines {first}–{last}", "第 {first}–{last} 行"),
        "earlier.before": ("Earlier", "更早"),
        "earlier.after": ("Later", "更晚"),
        "earlier.fold": ("Fold", "收起"),
        "earlier.cut": (
            "{n} characters in the middle are not shown here. The whole: %orange session export",
            "中间有 {n} 个字符没有在这里显示。查看全文：%orange session export",
        ),
        "earlier.result": (
            "The result is in the session's record: %orange session export",
            "结果在会话记录中：%orange session export",
        ),
        "earlier.calls": (
            "{n} earlier calls are in the session's record: %orange session export",
            "更早的 {n} 次调用在会话记录中：%orange session export",
        ),
    }
)
