"""What stands after `%orange`: one table of commands; help and completion are made from it (R-NB-3)."""

from __future__ import annotations

from orange_jupyter.commands import changes, doctor, kb, model, rights, session, show, state, usage
from orange_jupyter.commands.standing import Command, Standing, table
from orange_jupyter.core.errors import UsageError
from orange_jupyter.core.masking import MASK
from orange_jupyter.jupyter.options import near
from orange_jupyter.jupyter.ports import CommandReply
from orange_jupyter.jupyter.strings import language_of, says

COMMANDS: dict[str, Command] = {
    "status": Command("status", "session, rights, model, knowledge bases", "会话、权限、模型、知识库", state.status),
    "kb": Command(kb.USAGE.removeprefix("%orange "), "knowledge bases", "知识库", kb.kb),
    "model": Command(model.USAGE.removeprefix("%orange "), "models and their keys", "模型与密钥", model.model),
    "tier": Command(
        "tier [TIER]", "the safety tier; a full one asks you", "安全级别；进入 full 级别会先问你", rights.tier
    ),
    "plan": Command("plan [on|off]", "plan mode: look and read only", "规划模式：只看不改", rights.plan),
    "session": Command(session.USAGE.removeprefix("%orange "), "conversations", "对话", session.session),
    "changes": Command(
        changes.USAGE.removeprefix("%orange "),
        "changes that wait for you, and deciding them",
        "等待你决定的改动",
        changes.changes,
    ),
    "undo": Command("undo [ID]", "undo the change that was applied last", "撤销最近应用的改动", changes.undo),
    "show": Command(show.USAGE.removeprefix("%orange "), "a passage, a note, a page", "打开引文或笔记", show.show),
    "usage": Command(
        "usage", "tokens and cost by turn, session and notebook", "每轮、本会话、本笔记本的词元与费用", usage.usage
    ),
    "doctor": Command("doctor", "checks of this installation and the model", "检查安装与模型", doctor.doctor),
}
BY_THE_NOTEBOOK = {
    "wait": ("wait", "join a turn that goes on by itself", "等待后台运行的一轮"),
    "stop": ("stop", "stop the running turn", "停止运行中的一轮"),
    "help": ("help", "this list", "本列表"),
}


async def run_command(at: Standing, words: tuple[str, ...]) -> CommandReply:
    """Run a `%orange` line. Raises OrangeError; a wrong word names the nearest right one."""
    if not words or words[0] in ("help", "--help", "-h"):
        return help_of(at.where.language)
    if words[0] not in COMMANDS:
        known = (*COMMANDS, *BY_THE_NOTEBOOK)
        say = at.say
        if any(MASK in word for word in words):
            raise UsageError(say("model.pasted"), hint=say("model.pasted.hint"))
        raise UsageError(say("unknown", word=words[0], near=near(words[0], known)), hint=say("unknown.hint"))
    return await COMMANDS[words[0]].run(at, words[1:])


def help_of(language: str) -> CommandReply:
    """Every command with its usage, in English or Chinese."""
    chinese = language.startswith("zh")
    rows = [(f"%orange {one.usage}", one.summary_zh if chinese else one.summary) for one in COMMANDS.values()]
    rows += [(f"%orange {usage}", zh if chinese else en) for usage, en, zh in BY_THE_NOTEBOOK.values()]
    say = says(language_of(language))
    head = (say("help.command"), say("help.purpose"))
    return CommandReply(
        f"{table(head, rows)}\n\n{say('help.cell')}", {"ok": True, "commands": [row[0] for row in rows]}
    )
