"""Checks as people and programs see them: a table in the person's language, a document in English (R-SCH-10)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any, Literal

from orange_jupyter.commands.standing import table
from orange_jupyter.core.errors import OrangeError
from orange_jupyter.jupyter.ports import CommandReply

Words = tuple[str, str]
"""The same in English and in Chinese."""

Status = Literal["ok", "warning", "failed"]
_STATUS: dict[Status, Words] = {
    "ok": ("ok", "正常"),
    "warning": ("warning", "注意"),
    "failed": ("failed", "失败"),
}


@dataclass(frozen=True, slots=True)
class Check:
    """One line of `doctor`: what was looked at, how it stands, and what to do where it is not right."""

    name: Words
    status: Status
    message: Words
    action: Words | None = None

    def document(self) -> dict[str, Any]:
        """The object in `checks[]`."""
        about = {"name": self.name[0], "status": self.status, "message": self.message[0]}
        return about | {"action": self.action[0]} if self.action else about


def check(name: Words, ok: bool, message: Words, action: Words | None = None, *, bad: Status = "failed") -> Check:
    """A check; the action is left out where nothing is to be done."""
    return Check(name, "ok" if ok else bad, message, None if ok else action)


def both(text: str) -> Words:
    """A text that has one language only: a name, a number, a server's own words."""
    return text, text


def report(checks: list[Check], language: str) -> CommandReply:
    """All checks; `ok` when none failed."""
    at = 1 if language.startswith("zh") else 0
    rows = [
        (one.name[at], _STATUS[one.status][at], " ".join(part[at] for part in (one.message, one.action) if part))
        for one in checks
    ]
    head = (("Check", "", ""), ("检查", "", ""))[at]
    data = {"ok": all(one.status != "failed" for one in checks), "checks": [one.document() for one in checks]}
    return CommandReply(table(head, rows), data)


async def within(seconds: float, name: Words, looking: Awaitable[list[Check]]) -> list[Check]:
    """The checks of one look; it never hangs and never raises OrangeError."""
    try:
        async with asyncio.timeout(seconds):
            return await looking
    except TimeoutError:
        return [
            Check(
                name,
                "warning",
                (f"No result within {seconds:g} seconds.", f"{seconds:g} 秒内没有结果。"),
                ("Try again when the machine is less busy.", "请在机器空闲时再试。"),
            )
        ]
    except OrangeError as error:
        return [Check(name, "failed", both(error.message), both(error.hint) if error.hint else None)]
