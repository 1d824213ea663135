"""What a person sees before a turn sends anything: the host that receives text, a secret that was hidden (R-MOD-11)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Literal

from orange_jupyter.core.events import Notice
from orange_jupyter.core.ports import ModelInfo
from orange_jupyter.ground import Ground

HOST = (
    "Text goes to {host}: your questions, and what the tools find in your notes.",
    "文本会发送到 {host}：你的问题，以及工具在你的笔记里找到的内容。",
)
HOST_HINT = (
    "This is said once. %orange status names the host; localOnly = true allows this machine only.",
    "只提示一次。%orange status 会显示该主机；localOnly = true 表示只允许本机。",
)
KEY = (
    "What looks like a key or password in this question was hidden; it is neither sent nor kept.",
    "问题中疑似密钥或密码的内容已隐藏，既不发送也不保存。",
)
KEY_HINT = (
    "It still stands in the cell: take it out there. %orange model key NAME takes a key at a hidden prompt.",
    "它仍在单元格里：请在那里删掉。用 %orange model key NAME 在隐藏输入框中设置密钥。",
)


def before_turn(
    ground: Ground, language: Callable[[], Literal["en", "zh"]]
) -> Callable[[ModelInfo, bool], Awaitable[tuple[Notice, ...]]]:
    """The lines of one installation. A host is remembered when its line is made, which is before the first request."""

    async def lines(model: ModelInfo, masked: bool) -> tuple[Notice, ...]:
        at = 1 if language() == "zh" else 0
        hosts = tuple(model.host.split(", ")) if model.host else ()
        new = await asyncio.to_thread(ground.hosts.new, hosts)
        notices = [Notice(level="info", text=HOST[at].format(host=host), hint=HOST_HINT[at]) for host in new]
        if new:
            await asyncio.to_thread(ground.hosts.remember, new)
        if masked:
            notices.append(Notice(level="warning", text=KEY[at], hint=KEY_HINT[at]))
        return tuple(notices)

    return lines
