"""The words of the cards on which a person decides, in English and Chinese (R-APPR-1, R-PERM-3, R-UI-8)."""

from __future__ import annotations

from types import MappingProxyType

CARD_WORDS = MappingProxyType(
    {
        "card.run": ("Run this command?", "运行这条命令？"),
        "card.outside": ("Read a file outside the knowledge bases?", "读取知识库之外的文件？"),
        "card.page": ("Open this web page?", "打开这个网页？"),
        "card.search": ("Search the web?", "搜索网络？"),
        "card.click": ("Click in the browser?", "在浏览器里点击？"),
        "card.look": ("Look at this page in the browser?", "在浏览器里查看这个页面？"),
        "card.mcp": ("Call {target}?", "调用 {target}？"),
        "card.remember": ("Remember this?", "记住这条内容？"),
        "card.lasting": ("Change a protected file?", "修改受保护的文件？"),
        "card.other": ("Allow this: {operation}?", "允许这项操作：{operation}？"),
        "card.tool": ("Tool", "工具"),
        "card.operation": ("Operation", "操作"),
        "card.target": ("Target", "对象"),
        "card.waiting": ("Waiting for you", "等你决定"),
        "card.since": ("since {time}", "{time} 起"),
        "card.approve": ("Approve once", "批准一次"),
        "card.deny": ("Deny…", "拒绝…"),
        "card.deny.send": ("Deny with this reason", "拒绝并告知理由"),
        "card.deny.fold": ("Close", "收起"),
        "card.stop": ("Stop turn", "停止本轮"),
        "card.reason": ("Reason (optional, the model is told)", "拒绝的理由（可不填，会告诉模型）"),
        "card.scroll": (
            "Read to the end of {name} to approve.",
            "读到“{name}”末尾后才能批准。",
        ),
        "card.whole": ("{name}, complete, {n} lines", "{name}，完整，{n} 行"),
        "card.whole.one": ("{name}, complete, {n} line", "{name}，完整，{n} 行"),
        "card.invisible": ("{n} invisible characters are shown as escapes.", "有 {n} 个不可见字符，已显示为转义。"),
        "card.invisible.one": ("{n} invisible character is shown as an escape.", "有 {n} 个不可见字符，已显示为转义。"),
        "card.invisible.kept": ("They are used as they are.", "执行时保持原样。"),
        "card.real": (
            "What you approve is the command in your real environment. Its file changes are not shown one by one, "
            "and a stopped command may have had effects.",
            "你批准的是真实环境里的这条命令；它改动的文件不会逐一列出，中途停止也可能已有影响。",
        ),
        "card.many": ("{n} requests wait for you", "{n} 项请求等你决定"),
        "card.many.one": ("{n} request waits for you", "{n} 项请求等你决定"),
        "card.many.hint": (
            "Each is approved by itself. Nothing is remembered for a folder.",
            "逐项批准，不记住任何目录。",
        ),
        "card.deny.all": ("Deny all", "全部拒绝"),
        "card.needed": ("Approval needed: {title}", "需要你批准：{title}"),
        "card.your_reason": ("Your reason, sent to the model: {reason}", "你的理由（已告诉模型）：{reason}"),
        "card.tier_changed": (
            "The tier changed to {tier} while this waited. Nothing ran.",
            "等待期间安全级别改为 {tier}，没有执行。",
        ),
        "card.rights_changed": (
            "The permissions changed while this waited. Nothing ran.",
            "等待期间权限已改变，没有执行。",
        ),
        "card.expired": (
            "The turn ended before this was answered. Nothing ran.",
            "本轮在你决定之前已结束，没有执行。",
        ),
        "card.nobody": (
            "This notebook runs without a person, so what must be asked is refused. "
            "To allow it, run the cell in Lab and answer there.",
            "这个笔记本在无人值守下运行，需要询问的操作一律拒绝。要允许它，请在 Lab 中运行并在那里决定。",
        ),
        "card.sent": ("Sent", "已发送"),
        "card.answered": (
            "This was answered before, so this click did nothing.",
            "此前已有答复，这次点击没有作用。",
        ),
        "card.prompt": (
            "Type {wanted} to allow it, anything else to refuse: ",
            "输入 {wanted} 表示允许，其他内容表示拒绝：",
        ),
        "card.prompt.yes": ("yes", "是"),
        # names of facts as the tools give them
        "fact.working folder": ("Working folder", "工作目录"),
        "fact.time limit": ("Time limit", "时间上限"),
        "fact.shell": ("Shell", "Shell"),
        "fact.confinement": ("Confinement", "限制"),
        "fact.environment": ("Environment", "环境变量"),
        "fact.files it names": ("Files it names", "涉及的文件"),
        "fact.file": ("File", "文件"),
        "fact.real place": ("Real place", "真实位置"),
        "fact.reads": ("Reads", "读取"),
        "fact.goes to": ("Goes to", "去向"),
        "fact.address": ("Address", "地址"),
        "fact.request": ("Request", "请求"),
        "fact.comes back as": ("Comes back as", "返回形式"),
        "fact.tab": ("Tab", "标签页"),
        "fact.page": ("Page", "页面"),
        "fact.element": ("Element", "元素"),
        "fact.size": ("Size", "大小"),
        # entering a full tier
        "full.title": ("Enter {tier}?", "进入 {tier}？"),
        "full.opens": ("This session leaves the workspace. It opens:", "本会话将走出工作区。它会打开："),
        "full.files": ("**Files outside** the knowledge bases, to read", "**知识库之外的文件**（读取）"),
        "full.commands": ("**Commands** in your shell", "**命令**，在你的 shell 里"),
        "full.network": ("**The network**: web search and pages", "**网络**：搜索与网页"),
        "full.browser": ("**The browser**, with its own profile", "**浏览器**，使用独立的配置"),
        "full.mcp": ("**MCP servers** you enabled: {servers}", "你启用的 **MCP 服务**：{servers}"),
        "full.mcp.none": ("**MCP servers** you enable", "你启用的 **MCP 服务**"),
        "full.user": ("All as **your system user**. There is no sandbox", "一律以**当前系统用户**身份，没有沙箱"),
        "full.confirm": (
            "Every single read outside, command, page and click **still asks first**. Nothing is remembered for a "
            "folder. Changes to notes stay proposals.",
            "每一次外部读取、命令、网页、点击**都会先问你**，不记住任何目录。对笔记的改动仍是待审提案。",
        ),
        "full.auto": (
            "**Nothing will ask.** Commands run, pages open and this turn's changes are applied by themselves. "
            "Only protected files (`.git`, `.orange`, notebooks …) still ask.",
            "**不再询问：**命令会运行，网页会打开，本轮改动会自动应用。只有受保护的文件（`.git`、`.orange`、笔记本等）仍会询问。",
        ),
        "full.stay": ("Stay in {tier}", "留在 {tier}"),
        "full.enter.confirm": ("Enter full-confirm", "进入 full-confirm"),
        "full.enter.auto": ("Enter full-auto, run without asking", "进入 full-auto，不再询问"),
        "full.needed": ("Confirmation needed: enter {tier}", "需要你确认：进入 {tier}"),
        "full.entered": ("Entered", "已进入"),
        "full.entered.how": (
            "By you, with a click in this notebook. Ends when the kernel stops or with `%orange tier workspace-write`.",
            "由你在本笔记本中点击进入。内核停止或运行 `%orange tier workspace-write` 时结束。",
        ),
        "full.not": ("Not entered", "未进入"),
        "full.not.stayed": ("You stayed in {tier}.", "你留在了 {tier}。"),
        "full.not.cell": (
            "A cell, a file or Run All cannot raise the tier. Run `%orange tier TIER` and confirm on the card.",
            "单元格、文件或“全部运行”不能提高安全级别。请运行 `%orange tier` 加级别名称，并在卡片上确认。",
        ),
    }
)
