"""What `%orange changes` and `%orange undo` answer, in English and Chinese (R-UI-8)."""

from __future__ import annotations

from types import MappingProxyType

DECIDING_WORDS = MappingProxyType(
    {
        "say.changes.none": ("No change waits for you.", "没有等待你决定的改动。"),
        "say.changes.waiting": ("{n} changes wait for you.", "有 {n} 项改动等待你决定。"),
        "say.changes.waiting.one": ("1 change waits for you.", "有 1 项改动等待你决定。"),
        "say.changes.status": ("Changes that wait", "等待的改动"),
        "say.changes.id": ("Id", "编号"),
        "say.changes.state": ("State", "状态"),
        "say.changes.what": ("What", "操作"),
        "say.changes.path": ("Where", "位置"),
        "say.changes.size": ("Lines, files", "行、文件"),
        "say.changes.files": ("{n} files", "{n} 个文件"),
        "say.changes.files.one": ("1 file", "1 个文件"),
        "say.changes.when": ("Decided", "决定于"),
        "say.changes.applied": ("Applied, can be undone:", "已应用，可以撤销："),
        "say.changes.how": (
            "`{show}` shows what would change, `{apply}` applies all, `{reject}` rejects all; with ids only these.",
            "`{show}` 显示内容，`{apply}` 全部应用，`{reject}` 全部拒绝；带编号则只处理这些。",
        ),
        "say.changes.undo": ("`{undo}` undoes the last one.", "`{undo}` 撤销最近一项。"),
        "say.changes.builds": ("builds on {names}", "依赖 {names}"),
        "say.changes.unkept": ("Its text is not kept any more.", "它的文本已不再保留。"),
        "say.changes.escapes": (
            "{n} invisible characters are shown as escapes.",
            "有 {n} 个不可见字符以转义形式显示。",
        ),
        "say.changes.escapes.one": (
            "1 invisible character is shown as an escape.",
            "有 1 个不可见字符以转义形式显示。",
        ),
        "say.changes.masked": (
            "Values that look like secrets are hidden here; the review in the notebook shows them.",
            "看似密钥的值在这里隐藏；笔记本中的审阅界面会显示。",
        ),
        "say.changes.done": ("{id}: {state}, {about}", "{id}：{state}，{about}"),
        "say.changes.failed": ("{id}: not done ({state}). {message}", "{id}：没有完成（{state}）。{message}"),
        "say.changes.nothing": ("Nothing waits, so nothing was done.", "没有等待的改动，什么也没有做。"),
        "say.changes.needs_one": (
            "`%orange undo` takes one id or none.",
            "`%orange undo` 只接受一个编号，或不带编号。",
        ),
        "say.changes.after_ask": (
            "{n} changes are proposed and wait for you: {show}",
            "提出了 {n} 项改动，等待你决定：{show}",
        ),
        "say.changes.after_ask.one": (
            "1 change is proposed and waits for you: {show}",
            "提出了 1 项改动，等待你决定：{show}",
        ),
        # what to do, by the code of the error
        "say.changes.do.stale_source": (
            "What it was made for is different now. Ask for the change again, or reject it: {reject}",
            "原文已经不同。请重新提出改动，或拒绝它：{reject}",
        ),
        "say.changes.do.target_exists": (
            "Something has that name by now, and it is never overwritten. Ask for another name, or reject it: {reject}",
            "已有同名内容，不会被覆盖。请换一个名字，或拒绝它：{reject}",
        ),
        "say.changes.do.undo": (
            "Undoing would lose what came after it, so it stays. Its diff: {show}",
            "撤销会丢失之后的内容，所以没有撤销。它的差异：{show}",
        ),
        "say.changes.do.other": (
            "Mend the cause and apply it again: {apply}, or reject it: {reject}",
            "排除原因后重新应用：{apply}，或拒绝它：{reject}",
        ),
        # states and kinds
        "say.changes.state.pending": ("pending", "待审阅"),
        "say.changes.state.applied": ("applied", "已应用"),
        "say.changes.state.rejected": ("rejected", "已拒绝"),
        "say.changes.state.stale": ("conflict", "冲突"),
        "say.changes.state.failed": ("not applied", "未应用"),
        "say.changes.state.withdrawn": ("withdrawn", "已收回"),
        "say.changes.state.undone": ("undone", "已撤销"),
        "say.changes.kind.replace": ("replace", "替换"),
        "say.changes.kind.multi_replace": ("replace in several places", "多处替换"),
        "say.changes.kind.append": ("append", "追加"),
        "say.changes.kind.rewrite": ("rewrite", "重写"),
        "say.changes.kind.create_file": ("new file", "新建文件"),
        "say.changes.kind.create_folder": ("new folder", "新建文件夹"),
        "say.changes.kind.move": ("move", "移动"),
        "say.changes.kind.rename": ("rename", "重命名"),
        "say.changes.kind.delete": ("move to trash", "移到废纸篓"),
    }
)
