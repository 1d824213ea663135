"""Every word of the interface in English and Chinese (R-UI-8); codes, field names and tool names stay as they are.

One row holds both languages, so neither can be forgotten. `{name}` are values; `key.one` is the English singular.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Literal, Protocol

from orange_jupyter.jupyter.strings_cards import CARD_WORDS
from orange_jupyter.jupyter.strings_changes import CHANGE_WORDS
from orange_jupyter.jupyter.strings_commands import COMMAND_WORDS
from orange_jupyter.jupyter.strings_earlier import EARLIER_WORDS
from orange_jupyter.jupyter.strings_exec import EXEC_WORDS
from orange_jupyter.jupyter.strings_figures import FIGURE_WORDS
from orange_jupyter.jupyter.strings_inspector import LOOK_WORDS
from orange_jupyter.jupyter.strings_life import LIFE_WORDS

Language = Literal["en", "zh"]

WORDS = MappingProxyType(
    {
        # states of a turn
        "state.waiting": ("Waiting for the model", "等待模型"),
        "state.running": ("Running", "运行中"),
        "state.stopping": ("Stopping", "正在停止"),
        "state.done": ("Done", "已完成"),
        "state.stopped": ("Stopped by you", "已由你停止"),
        "state.failed": ("Failed", "失败"),
        "state.interrupted": ("Interrupted", "已中断"),
        "state.limit": ("Limit reached", "已达上限"),
        "turn": ("Turn {n}", "第 {n} 轮"),
        "step": ("step {step} of {limit}", "第 {step} 步，共 {limit} 步"),
        "retry": (
            "retry {attempt} of {of} in {seconds} s: {reason}",
            "{seconds} 秒后第 {attempt}/{of} 次重试：{reason}",
        ),
        "tokens": ("{input} in · {output} out tokens", "输入 {input} · 输出 {output} 个词元"),
        "elapsed": ("Elapsed time", "已用时间"),
        "seconds": ("{n} s", "{n} 秒"),
        "head.ran": ("{seconds}, {steps} steps", "{seconds}，{steps} 步"),
        "head.ran.one": ("{seconds}, {steps} step", "{seconds}，{steps} 步"),
        "head.rights": ("{tier}, permission v{version}", "{tier}，权限 v{version}"),
        "head.plan": ("plan mode", "计划模式"),
        # controls of a turn
        "stop": ("Stop", "停止"),
        "stopping": ("Stopping…", "正在停止…"),
        "tier": ("Tier", "安全级别"),
        "plan": ("Plan mode", "计划模式"),
        "rights.hint": (
            "A change interrupts the running turn and cancels what waits.",
            "改动会中断正在运行的一轮，并取消等待中的请求。",
        ),
        "tools": ("Tool calls", "工具调用"),
        "running_now": ("Running now", "正在运行"),
        "tool.state.running": ("running", "运行中"),
        "tool.state.done": ("done", "完成"),
        "tool.state.failed": ("failed", "失败"),
        "tool.state.refused": ("refused", "已拒绝"),
        "arguments": ("Arguments", "参数"),
        "result": ("Result", "结果"),
        "result.chars": ("Result, {n} characters", "结果，{n} 个字符"),
        "cut": ("{n} more characters are not shown here.", "还有 {n} 个字符没有在这里显示。"),
        "verb.search.running": ("Searching", "正在搜索"),
        "verb.search": ("Searched", "已搜索"),
        "verb.read.running": ("Reading", "正在读取"),
        "verb.read": ("Read", "已读取"),
        "verb.list.running": ("Listing", "正在列出"),
        "verb.list": ("Listed", "已列出"),
        "verb.edit.running": ("Proposing an edit of", "正在提议修改"),
        "verb.edit": ("Proposed an edit of", "已提议修改"),
        "verb.write.running": ("Proposing", "正在提议写入"),
        "verb.write": ("Proposed", "已提议写入"),
        "verb.exec.running": ("Running", "正在运行"),
        "verb.exec": ("Ran", "已运行"),
        "thinking": ("Reasoning", "推理过程"),
        "answer": ("Answer", "回答"),
        "busy": ("Session “{session}” is busy with {cell}", "会话“{session}”正忙于{cell}"),
        "busy.cell": ("cell {n}", "单元格 {n}"),
        "busy.other": ("another cell", "另一个单元格"),
        "busy.state": ("Waiting", "等待中"),
        "busy.leave": ("Do not wait", "不再等待"),
        "kernel.waits": ("Waits for the kernel", "等待内核空闲"),
        "indexing": ("Indexing {name}", "正在索引 {name}"),
        "indexing.bases": ("Indexing the knowledge bases", "正在索引知识库"),
        "indexing.count": ("{done} of {total} files, {percent} %", "{done} / {total} 个文件，{percent} %"),
        "indexing.some": ("{done} files", "{done} 个文件"),
        "indexing.now": (
            "Now: {detail}. Search already covers what is done.",
            "现在：{detail}。已完成的部分可以搜索。",
        ),
        "loading": ("Loading the model {name}", "正在加载模型 {name}"),
        "loading.seconds": ("{done} s", "{done} 秒"),
        "gone": (
            "The kernel restarted, so these buttons do nothing. Nothing ran.",
            "内核已重启，这些按钮不再起作用，没有执行。",
        ),
        "gone.state": ("No longer active", "已失效"),
        # the record
        "question": ("Question", "问题"),
        "sources": ("Sources", "来源"),
        "source": ("Source {n}", "来源 {n}"),
        "source.off": ("Source {n}, quotation not found in the source", "来源 {n}，原文中没有这句引文"),
        "source.unknown": ("{id}: no such source", "{id}：没有这个来源"),
        "quote.off": ("Quotation not found in the source", "原文中没有这句引文"),
        "quote.missing": ("The words “{quote}” are not in this passage.", "这段原文中没有“{quote}”。"),
        "quote.own": ("Treat the claim as the model's own.", "请把这句话当作模型自己的说法。"),
        "passage.above": ("More above", "更多上文"),
        "passage.below": ("More below", "更多下文"),
        "passage.previous": ("Previous passage", "上一处引文"),
        "passage.next": ("Next passage", "下一处引文"),
        "passage.back": ("Back to the text", "回到正文"),
        "passage.close": ("Close", "关闭"),
        "passage.changed": ("the file has changed since", "此后文件已有改动"),
        "page": ("p. {n}", "第 {n} 页"),
        "block": ("block {n}", "第 {n} 块"),
        "line": ("line {n}", "第 {n} 行"),
        "open.file": ("Open the file", "打开文件"),
        "open.page": ("Open at page {n}", "打开第 {n} 页"),
        "open.heading": ("Open at “{heading}”", "打开到“{heading}”"),
        "open.path": ("Open {path}", "打开 {path}"),
        "calls": ("{n} tool calls, {seconds}", "{n} 次工具调用，{seconds}"),
        "calls.one": ("{n} tool call, {seconds}", "{n} 次工具调用，{seconds}"),
        "call": ("Call", "调用"),
        "target": ("Target", "对象"),
        "time": ("Time", "时间"),
        "decisions": ("Decisions", "决定"),
        "decision": ("Decision", "决定"),
        "what": ("What", "内容"),
        "usage": ("{input} in ({cached} cached) · {output} out", "输入 {input}（缓存 {cached}）· 输出 {output}"),
        "usage.plain": ("{input} in · {output} out", "输入 {input} · 输出 {output}"),
        "usage.cost": ("{cost} USD", "{cost} 美元"),
        "usage.session": ("session “{session}”, turn {n}", "会话“{session}”，第 {n} 轮"),
        "at_host": ("{model} at {host}", "{model}，{host}"),
        "no_answer": ("No answer was given.", "没有给出回答。"),
        "table": ("Table: {name}", "表格：{name}"),
        "picture.off": ("Picture not shown: {alt}", "图片未显示：{alt}"),
        "picture.off.bare": ("Picture not shown", "图片未显示"),
        # how a turn ended, in a sentence
        "end.stopped": (
            "The answer ends here because the turn was stopped. The next cell goes on from this point.",
            "本轮被停止，回答到此为止。下一个单元格会从这里继续。",
        ),
        "end.interrupted": (
            "The turn ended with its kernel. Your question is kept. Run the cell again to ask once more.",
            "本轮随内核结束，问题已保留。重新运行单元格即可再问一次。",
        ),
        "end.running": (
            "This was saved while the turn ran; the answer is not complete. While its kernel lives, "
            "%orange wait shows the whole; later %orange session export has it.",
            "保存时本轮仍在运行，回答尚不完整。在同一内核中运行 %orange wait 可看到全文，"
            "之后可用 %orange session export 导出。",
        ),
        "end.step_limit": (
            "The limit of {limit} steps was reached. What was found is kept; the next cell goes on from this point.",
            "已达 {limit} 步的上限。已有结果都已保留，下一个单元格会从这里继续。",
        ),
        "end.token_limit": (
            "The limit of tokens was reached. What was found is kept.",
            "已达词元上限，已有结果都已保留。",
        ),
        "end.cost_limit": (
            "The limit of cost was reached. What was found is kept.",
            "已达费用上限，已有结果都已保留。",
        ),
        "end.time_limit": (
            "The limit of time was reached. What was found is kept.",
            "已达时间上限，已有结果都已保留。",
        ),
        "end.loop": (
            "The model repeated the same call, so the turn was ended. What was found is kept.",
            "模型反复做同一个调用，本轮已结束，已有结果都已保留。",
        ),
        "end.permission_changed": (
            "The permissions changed, so the turn was interrupted. What was found is kept.",
            "权限已改变，本轮已中断，已有结果都已保留。",
        ),
        "end.taken_over": ("The turn was taken over in another place.", "本轮已在别处接手。"),
        "fault.unreachable": ("The model server does not answer", "模型服务没有应答"),
        "fault.key_refused": ("The key was not accepted", "密钥未被接受"),
        "fault.unknown_model": ("The server does not know this model", "服务器上没有这个模型"),
        "fault.no_credit": ("The account has no credit left", "账户余额不足"),
        "fault.content_filter": ("The provider's filter ended the answer", "服务方的过滤器中止了回答"),
        "fault.context_too_long": ("The text is too long for this model", "内容超出了模型的上下文长度"),
        "fault.not_a_model_server": ("This address is not a model server", "这个地址不是模型服务"),
        "fault.bad_request": ("The model server did not accept the request", "模型服务没有接受请求"),
        "fault.cut_stream": ("The answer broke off", "回答中途断开"),
        "fault.timed_out": ("The model server took too long", "模型服务应答超时"),
        "fault.server_error": ("The model server reported an error", "模型服务报告了错误"),
        "fault.other": ("The turn failed", "本轮失败"),
        "kept": ("Your question is kept.", "问题已保留。"),
        "advice.unreachable": (
            "Check that the server runs, then run the cell again. %orange doctor looks for the reason; "
            "%orange model use embedded searches without a server.",
            "请确认服务已启动，再运行一次单元格。%orange doctor 会查找原因；"
            "%orange model use embedded 不用服务也能搜索。",
        ),
        "advice.key_refused": (
            "Set the key with %orange model key {model}; it is asked for in a hidden field and never written to "
            "the notebook.",
            "用 %orange model key {model} 设置密钥；它在隐藏的输入框里询问，不会写入笔记本。",
        ),
        "advice.unknown_model": (
            "Check the model's exact id in the server's list: %orange model list shows what is set here.",
            "请在服务的列表中核对模型的准确名称；%orange model list 列出这里的设置。",
        ),
        "advice.no_credit": (
            "Top up the account, or use another model: %orange model list.",
            "请充值，或换一个模型：%orange model list。",
        ),
        "advice.content_filter": (
            "Reword the question, or use another model.",
            "请换一种说法，或换一个模型。",
        ),
        "advice.context_too_long": (
            "Begin a new session with %orange session new, or set the model's context window to what the server has.",
            "用 %orange session new 开始新会话，或把模型的上下文长度设为服务的实际值。",
        ),
        "advice.not_a_model_server": (
            "Check the address with %orange model list; it usually ends with /v1.",
            "用 %orange model list 核对地址；它通常以 /v1 结尾。",
        ),
        "advice.bad_request": (
            "The words above are the server's own. %orange model test {model} shows what works.",
            "上面是服务自己的话。%orange model test {model} 会显示哪些可用。",
        ),
        "advice.cut_stream": ("Run the cell again to ask once more.", "重新运行单元格即可再问一次。"),
        "advice.timed_out": (
            "The server may be overloaded or still loading the model. Run the cell again.",
            "服务可能过载，或还在装载模型。请再运行一次。",
        ),
        "advice.server_error": (
            "Run the cell again; the fault is the server's.",
            "请再运行一次；问题出在服务一边。",
        ),
        "advice.other": (
            "Run the cell again; %orange doctor looks for the reason.",
            "请再运行一次；%orange doctor 会查找原因。",
        ),
        # decisions
        "outcome.approved": ("Approved", "已批准"),
        "outcome.denied": ("Denied", "已拒绝"),
        "outcome.cancelled": ("Cancelled", "已取消"),
        "outcome.expired": ("Expired", "已过期"),
        "outcome.needs_person": ("Refused, nobody to ask", "已拒绝：无人可问"),
        "outcome.refused": ("Refused", "已拒绝"),
    }
)


def text(language: Language, key: str, **values: object) -> str:
    """The words of `key`, values filled in. With `n=1` (or `steps=1`) the singular is taken where there is one.

    Raises KeyError for an unknown key or a missing value.
    """
    counted = values.get("n", values.get("steps"))
    table = _table(key)
    if counted in (1, "1") and f"{key}.one" in table:
        key = f"{key}.one"
    return table[key][0 if language == "en" else 1].format(**values)


class Say(Protocol):
    """Words of the commands in one language."""

    def __call__(self, key: str, **values: object) -> str:
        """The words of `say.KEY`. `near` (a word or "") becomes the sentence `{nearest}`."""
        ...


def says(language: Language) -> Say:
    """The words of the commands in a language."""

    def say(key: str, **values: object) -> str:
        if "near" in values:
            near = values.pop("near")
            values["nearest"] = text(language, "say.nearest", word=near) if near else ""
        return text(language, f"say.{key}", **values)

    return say


def _table(key: str) -> MappingProxyType[str, tuple[str, str]]:
    return _TABLES.get(key.partition(".")[0], WORDS)


_TABLES = {"say": COMMAND_WORDS, "earlier": EARLIER_WORDS, "life": LIFE_WORDS, "change": CHANGE_WORDS}
_TABLES |= {"figure": FIGURE_WORDS, "look": LOOK_WORDS, "card": CARD_WORDS, "fact": CARD_WORDS, "full": CARD_WORDS}
_TABLES |= {"exec": EXEC_WORDS}


def language_of(locale: str) -> Language:
    """The interface's language for a locale such as `zh_CN.UTF-8` or `zh-CN`; English where it is not Chinese."""
    return "zh" if locale.lower().startswith("zh") else "en"
