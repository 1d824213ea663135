"""A few notes of two everyday people, a small search over them, and a conversation with the embedded model."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from orange_jupyter.core.messages import Image, Message, Reply, Request, Role, Text, ToolCall, ToolResult
from orange_jupyter.providers.embedded import Embedded
from tests.providers.wires import TOOLS, Heard

NOTES = {
    "work/budget 2026.md": "# Budget 2026\n\nThe budget review is on 14 March at 10:00 in room 4. Carla brings the "
    "numbers.\n\n## Decisions\n\n- Travel is capped at 12,000 euros.\n- The marketing budget grows by 8 percent.\n"
    "- Alan Turing Institute stays our partner until 2027.\n",
    "work/deploy.md": "# Deploying the shop\n\nThe shop is deployed with `make release`. Set `SHOP_TOKEN` first; without "
    "it the upload fails with\nerror E1042.\n\n```bash\nexport SHOP_TOKEN=...\nmake release\n```\n\nRoll back with "
    "`make rollback VERSION=1.4.2`. Never deploy on a Friday.\n",
    "home/recipes/sourdough.md": "# Sourdough bread\n\nFeed the starter in the evening. Mix 500 g flour, 350 g water and "
    "10 g salt.\n\n1. Let the dough rest for four hours.\n2. Bake at 240 degrees for 35 minutes in a cast iron pot.\n",
    "home/tea.md": "# Tea\n\nGreen tea wants water of 80 degrees and two minutes. Black tea takes boiling water.\n",
    "home/garden.md": "# Garden\n\nTomatoes need six hours of sun. Water them in the morning, never on the leaves.\n",
    "reading/attention.md": "# Attention is all you need\n\nThe transformer replaces recurrence by self-attention. "
    "Multi-head attention lets the model look at\nseveral positions at once. The capital letter Q stands for queries.\n",
    "工作/报销流程.md": "# 报销流程\n\n出差回来后十个工作日内提交报销单。发票抬头必须写公司全称。\n\n## 审批\n\n金额超过五千元的报销需要部门经理和财务总监两级审批。"
    "审批通过后，款项在每周五统一打到工资卡。\n",
    "工作/周会 2026-03-02.md": "# 周会记录\n\n参加：李雷、韩梅梅、Carla。\n\n- 新版本的发布日期定在四月十五日。\n- 韩梅梅负责把 API 文档翻译成英文。\n"
    "- 数据库迁移推迟到五月，原因是备份空间不够。\n",
    "生活/咖啡.md": "# 手冲咖啡\n\n水温九十二度，粉水比一比十五。先焖蒸三十秒，然后分三段注水，总时间两分半。\n\n豆子烘焙后放七天味道最好。\n",
    "生活/体检.md": "# 体检\n\n今年的体检在仁和医院做的，血压 128/82，医生建议少吃盐，三个月后复查血脂。\n",
    "学习/transformer 笔记.md": "# Transformer 笔记\n\n自注意力机制让每个词都能看到整个句子。位置编码 positional encoding 用来表示词的顺序。\n\n"
    "训练时使用 dropout=0.1 防止过拟合。\n",
}


def _grams(text: str) -> list[str]:
    words = re.findall(r"[a-z0-9_]+", text.casefold())
    for run in re.findall(r"[\u4e00-\u9fff]+", text):
        words += [run[place : place + 2] for place in range(len(run) - 1)] or [run]
    return words


def citations(query: str, limit: int) -> list[dict[str, Any]]:
    """The notes' sections that share a word with the query, most first: like a real search, also weak ones."""
    wanted = set(_grams(query))
    rows = []
    for number, (path, title, heading, passage) in enumerate(_sections(), start=1):
        score = len(wanted & set(_grams(f"{path} {title} {passage}")))
        if score:
            rows.append((score, number, path, title, heading, passage))
    rows.sort(key=lambda row: (-row[0], row[1]))
    return [
        {
            "citationId": f"c{number}",
            "path": path,
            "title": title,
            "headingPath": heading,
            "passage": passage,
            "score": score,
        }
        for score, number, path, title, heading, passage in rows[:limit]
    ]


def _sections() -> list[tuple[str, str, list[str], str]]:
    found = []
    for path, text in NOTES.items():
        title = text.splitlines()[0].removeprefix("# ")
        for passage in re.split(r"(?m)^(?=## )", text):
            head = passage.splitlines()[0].lstrip("# ")
            found.append((path, title, [title] if head == title else [title, head], passage.strip()))
    return found


def run_tool(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """What the real tools would answer, as far as the embedded model looks."""
    match name:
        case "search":
            searched = {"knowledgeBases": [{"id": "k", "name": "我的笔记"}], "files": len(NOTES), "filters": {}}
            return {"ok": True, "citations": citations(arguments["query"], arguments["limit"]), "searched": searched}
        case "list":
            paths = sorted(path for path in NOTES if arguments.get("query", "").casefold() in path.casefold())
            paths = [path for path in paths if path.startswith(arguments.get("path", ""))]
            entries = [{"path": path, "fileType": "markdown"} for path in paths]
            return {"ok": True, "entries": entries, "total": len(entries), "nextCursor": None}
    path = arguments["path"]
    if path not in NOTES:
        return {"ok": False, "error": {"code": "not_found", "message": f"there is no {path}"}}
    return {"ok": True, "path": path, "content": NOTES[path], "nextOffset": None}


@dataclass
class Talk:
    """A conversation: every message, the calls that were made, the last answer and how it streamed."""

    tools: Callable[[str, dict[str, Any]], dict[str, Any]] = run_tool
    declared: tuple[Any, ...] = TOOLS
    messages: list[Message] = field(default_factory=list)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    heard: Heard = field(default_factory=Heard)

    async def ask(self, question: str, *more: Text | Image) -> str:
        """The answer to one more question, `more` parts behind it; at most six steps."""
        self.messages.append(Message(role=Role.USER, parts=(Text(text=question), *more)))
        self.heard = Heard()
        self.calls = []
        for _ in range(6):
            reply = await Embedded().respond(Request(messages=tuple(self.messages), tools=self.declared), self.heard)
            self.messages.append(Message(role=Role.ASSISTANT, parts=reply.parts, model=reply.model))
            if not self._run(reply):
                return self.messages[-1].text
        raise AssertionError("no answer within six steps")

    def _run(self, reply: Reply) -> bool:
        calls = [part for part in reply.parts if isinstance(part, ToolCall)]
        for call in calls:
            self.calls.append((call.name, call.arguments or {}))
            envelope = self.tools(call.name, call.arguments or {})
            content = json.dumps(envelope, ensure_ascii=False)
            result = ToolResult(call_id=call.id, name=call.name, content=content, ok=bool(envelope["ok"]))
            self.messages.append(Message(role=Role.TOOL, parts=(result,)))
        return bool(calls)


async def answer(question: str) -> str:
    """The answer to a question that stands alone."""
    return await Talk().ask(question)
