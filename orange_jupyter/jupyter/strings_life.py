"""Lines about the life of a turn: what one begins with, how one goes on by itself and is joined (R-UI-8)."""

from __future__ import annotations

from types import MappingProxyType

LIFE_WORDS = MappingProxyType(
    {
        # told once, before a turn begins
        "life.full_ended": (
            "{tier} ended with its kernel; the session is in {now}.",
            "{tier} 已随内核结束，会话现在处于 {now}。",
        ),
        "life.full_again": ("Enter it again: %orange tier {tier}", "重新进入：%orange tier {tier}"),
        "life.interrupted": (
            "The turn before this one was interrupted: its kernel ended.",
            "上一轮被中断：它的内核已结束。",
        ),
        "life.stopped": (
            "The turn before this one was stopped before its kernel ended.",
            "上一轮在其内核结束前被停止。",
        ),
        "life.cut_off.hint": ("Its question and the text so far are kept.", "它的问题和已有文字都已保留。"),
        "life.blind": (
            "{model} does not see pictures; {n} were not sent.",
            "{model} 不能看图片，{n} 张图片没有发送。",
        ),
        "life.blind.one": ("{model} does not see pictures; 1 was not sent.", "{model} 不能看图片，1 张图片没有发送。"),
        "life.blind.hint": (
            "Choose a model that sees: %orange model use NAME.",
            "请选择能看图片的模型：%orange model use NAME。",
        ),
        "life.no_kb": ("No knowledge base is selected.", "没有选择知识库。"),
        "life.no_kb.hint": (
            "%orange kb add . makes this notebook's folder one.",
            "%orange kb add . 把本笔记本所在文件夹设为知识库。",
        ),
        "life.kb_missing": (
            "The folder of {name} is missing or cannot be read: {root}.",
            "{name} 的文件夹不存在或无法读取：{root}。",
        ),
        "life.kb_missing.hint": (
            "Bring it back, or %orange kb remove it.",
            "请恢复它，或用 %orange kb remove 移除。",
        ),
        # a record that was written while its turn ran
        "life.saved": ("Still running when this was saved", "保存时仍在运行"),
        "life.saved.no_text": ("No text had come yet when this was saved.", "保存时还没有收到文字。"),
        # controls whose kernel ended, where no card waited
        "life.gone.turn": (
            "The kernel restarted and this turn ended with it. What was said is kept in the session.",
            "内核已重启，本轮随之结束。已有的文字保留在会话中。",
        ),
        "life.gone.line": (
            "The kernel restarted and what ran here ended with it.",
            "内核已重启，这里运行的内容已随之结束。",
        ),
        # a turn whose cell returned
        "life.detached": ("This turn goes on by itself.", "本轮在后台继续。"),
        "life.detached.hint": (
            "%orange wait joins it, %orange stop ends it.",
            "%orange wait 等待它完成，%orange stop 结束它。",
        ),
        "life.joined": (
            "The turn has ended; its record is in its own cell. If that cell does not show it because the page was "
            "loaded again, `%orange wait` shows it here.",
            "本轮已结束，记录在它自己的单元格里。如果因重新载入页面而没有显示，"
            "再运行一次 `%orange wait` 会在这里显示。",
        ),
        "life.alone": ("No turn goes on by itself.", "没有在后台继续的轮次。"),
    }
)
