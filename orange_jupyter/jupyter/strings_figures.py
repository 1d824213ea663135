"""Words about the pictures of a record: pages that are cited, pictures that the model was shown (R-UI-8)."""

from __future__ import annotations

from types import MappingProxyType

FIGURE_WORDS = MappingProxyType(
    {
        # a cited page
        "figure.page": ("Page {n}", "第 {n} 页"),
        "figure.page.of": ("Page {n} of {pages}", "第 {n} 页，共 {pages} 页"),
        "figure.marked": ("{page}; the passage is marked.", "{page}，引文已标出。"),
        "figure.alt": ("Page {n} of {name}", "{name} 第 {n} 页"),
        "figure.alt.marked": (
            "Page {n} of {name}; the cited passage is marked: “{passage}”",
            "{name} 第 {n} 页，已标出引文：“{passage}”",
        ),
        "figure.first": ("Picture of the page, at the first mention", "该页的图片，在首次引用处"),
        "figure.left": (
            "The page's picture is left out here; %orange show {id} shows it.",
            "这里没有保留该页的图片；用 %orange show {id} 可以查看。",
        ),
        "figure.late": ("The page could not be drawn; its text is kept.", "该页没能画成图片，文字已保留。"),
        "figure.masked": (
            "The page's picture is not kept here: the page holds a hidden value.",
            "这里不保留该页的图片：页中有被隐藏的值。",
        ),
        # what the model was shown
        "figure.shown": ("{n} pictures shown to the model", "给模型看过 {n} 张图片"),
        "figure.shown.one": ("1 picture shown to the model", "给模型看过 1 张图片"),
        "figure.attached": ("{n} pictures attached to the question", "随问题附上 {n} 张图片"),
        "figure.attached.one": ("1 picture attached to the question", "随问题附上 1 张图片"),
        "figure.small": ("{name}, made smaller", "{name}，已缩小"),
        "figure.size": ("{width} × {height} px", "{width} × {height} 像素"),
        "figure.unnamed": ("a picture without a file", "没有文件的图片"),
        "figure.shown.left": ("left out here", "这里没有保留"),
        "figure.shown.late": ("not kept here", "这里没有保留"),
        "figure.shown.masked": (
            "not kept here: its file holds a hidden value",
            "这里没有保留：文件里有被隐藏的值",
        ),
        "figure.unsent": ("No picture went to the model: {reason}", "没有图片给模型看：{reason}"),
        "figure.unsent.page": ("Page {n} was not shown to the model: {reason}", "第 {n} 页没有给模型看：{reason}"),
    }
)
