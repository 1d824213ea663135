"""The words about commands: what the card warns of, how a command ended (R-UI-8, R-EXEC-10).

`exec.said.…` are the sentences that the tool itself writes, in English as it writes them.
"""

from __future__ import annotations

from types import MappingProxyType

EXEC_WORDS = MappingProxyType(
    {
        "exec.said.outside": (
            "{path} is a link to {real}, outside the knowledge bases. The command can read and change what is there.",
            "{path} 是指向知识库之外 {real} 的链接。命令可以读取和修改那里的内容。",
        ),
        "exec.said.guarded": (
            "{path} is a link to {real}, which is protected.",
            "{path} 是指向受保护位置 {real} 的链接。",
        ),
        "exec.said.link": ("{path} is a link to {real}.", "{path} 是指向 {real} 的链接。"),
        "exec.said.protected": (
            "{path} is protected: no other tool changes it without asking.",
            "{path} 受保护：其他工具不会不经询问就修改它。",
        ),
        "exec.said.large": (
            "{path} is too large to be compared: its size and time are.",
            "{path} 太大，不比对内容，只比对大小和时间。",
        ),
        "exec.said.many": (
            "Only {count} of the files that the command names are compared before it runs.",
            "命令提到的文件中，运行前只比对 {count} 个。",
        ),
        "exec.said.more": (
            "{count} more links and protected places are not named here.",
            "另有 {count} 个链接和受保护位置没有列出。",
        ),
        "exec.said.much": (
            "The command names too much to look at: not all of its files and links are known here.",
            "命令涉及的内容太多：这里不知道它的全部文件和链接。",
        ),
        "exec.said.limit": (
            "{count} s, then all that it started is ended",
            "{count} 秒，之后结束它启动的一切",
        ),
        "exec.said.shell": ("{name}, no input, no terminal", "{name}，没有输入，没有终端"),
        "exec.said.free": ("none: it may do all that you may", "没有：你能做的，它都能做"),
        "exec.said.held": (
            "{name}: writes only in {real} and the temp folder",
            "{name}：只能写入 {real} 和临时文件夹",
        ),
        "exec.said.environment": ("names on an allow list, no keys", "只有允许名单上的变量，没有密钥"),
        # the command on the card
        "exec.command": ("the command", "命令"),
        "exec.length": (
            "All of it: {lines} lines, {characters} characters.",
            "全文：{lines} 行，{characters} 个字符。",
        ),
        "exec.blank": ("⋯ {n} blank lines ⋯", "⋯ {n} 个空行 ⋯"),
        "exec.spaces": ("⋯ {n} blanks ⋯", "⋯ {n} 个空格 ⋯"),
        # while it runs
        "exec.live": ("Output of {name}, as it comes", "{name} 的输出（实时）"),
        "exec.before": ("{n} lines before", "前面还有 {n} 行"),
        "exec.before.one": ("{n} line before", "前面还有 {n} 行"),
        # how it ended
        "exec.exit": ("Exit {code} after {seconds}", "退出码 {code}，用时 {seconds}"),
        "exec.signal": ("Ended by {name} after {seconds}", "被 {name} 结束，用时 {seconds}"),
        "exec.timed_out": ("Time limit reached after {seconds}", "到达时间上限，用时 {seconds}"),
        "exec.stopped": ("Stopped", "已停止"),
        "exec.unknown": ("Interrupted", "已中断"),
        "exec.bytes": ("output {n} bytes", "输出 {n} 字节"),
        "exec.bytes.one": ("output {n} byte", "输出 {n} 字节"),
        "exec.files": ("{n} files changed", "{n} 个文件有改动"),
        "exec.files.one": ("{n} file changed", "{n} 个文件有改动"),
        "exec.effects": ("may have had effects", "可能已有影响"),
        "exec.whole": ("Command", "命令"),
        "exec.output": ("Output ({name})", "输出（{name}）"),
        "exec.left_out": ("[… {n} characters left out …]", "[……省略 {n} 个字符……]"),
        "exec.nothing": ("No output.", "没有输出。"),
    }
)
