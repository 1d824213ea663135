"""What `%orange` lines answer, in English and Chinese (R-UI-8); the words users type stay as they are."""

from __future__ import annotations

from types import MappingProxyType

from orange_jupyter.jupyter.strings_deciding import DECIDING_WORDS

COMMAND_WORDS = MappingProxyType(
    {
        # all commands
        "say.help.command": ("Command", "命令"),
        "say.help.purpose": ("What it is for", "用途"),
        "say.help.cell": ("`%%orange --help` explains the options of a cell.", "`%%orange --help` 说明单元格的选项。"),
        "say.unknown": ("There is no %orange {word}.{nearest}", "没有 %orange {word} 这个命令。{nearest}"),
        "say.unknown.hint": ("See %orange help.", "见 %orange help。"),
        "say.nearest": (" Did you mean {word}?", "是不是 {word}？"),
        "say.verb": ("%orange {what} does not know “{word}”.{nearest}", "%orange {what} 没有“{word}”。{nearest}"),
        "say.verb.hint": ("It knows {verbs}.", "可用：{verbs}。"),
        "say.one": ("This needs one word more or less: {usage}", "这里要恰好一个词：{usage}"),
        "say.none": ("“{word}” means nothing here: {usage}", "“{word}”在这里没有意义：{usage}"),
        "say.option": ("There is no option {name}.{nearest}", "没有选项 {name}。{nearest}"),
        "say.option.value": ("{name} needs a value: {usage}", "{name} 需要一个值：{usage}"),
        "say.stopped": ("Stopped.", "已停止。"),
        "say.idle": ("Nothing runs in this session.", "本会话没有正在运行的内容。"),
        "say.here": ("this machine", "本机"),
        "say.on": ("on", "开"),
        "say.off": ("off", "关"),
        "say.now": ("now", "当前"),
        "say.nothing": ("none", "无"),
        "say.untitled": ("untitled", "未命名"),
        # knowledge bases
        "say.kb": ("Knowledge base", "知识库"),
        "say.kb.now": ("Now", "当前"),
        "say.kb.from": ("From", "来自"),
        "say.kb.folder": ("Folder", "文件夹"),
        "say.kb.selected": ("selected", "已选"),
        "say.kb.indexing": ("indexing {done} of {total} documents", "正在索引文档 {done}/{total}"),
        "say.kb.project": ("project", "项目"),
        "say.kb.user": ("user", "用户"),
        "say.kb.run": ("run", "本次运行"),
        "say.kb.none": (
            "No knowledge base yet. `%orange kb add .` makes this notebook's folder one, `%orange kb add PATH` "
            "another.",
            "还没有知识库。`%orange kb add .` 把笔记本所在的文件夹设为知识库，`%orange kb add PATH` 添加其他文件夹。",
        ),
        "say.kb.added": (
            "**{name}** is selected: {count}. It is registered in {kept}.",
            "**{name}** 已选中：{count}。登记在{kept}。",
        ),
        "say.kb.count": ("{files} files, {chunks} passages", "{files} 个文件，{chunks} 段"),
        "say.kb.empty": ("nothing to search yet", "还没有可搜索的内容"),
        "say.kb.kept.project": ("this project's .orange/config.toml", "本项目的 .orange/config.toml"),
        "say.kb.kept.user": ("your own config.toml", "你自己的 config.toml"),
        "say.kb.chosen": ("Selected: {names}.", "已选：{names}。"),
        "say.kb.rename": (
            "This needs two names: %orange kb rename NAME NEW",
            "这里要两个名字：%orange kb rename NAME NEW",
        ),
        "say.kb.renamed": ("It is called **{name}** now.", "现在叫 **{name}**。"),
        "say.kb.removed": (
            "**{name}** is no longer registered. Its folder was not touched: {root}.",
            "**{name}** 不再登记。它的文件夹没有改动：{root}。",
        ),
        "say.kb.unknown": ("There is no knowledge base “{word}”.{nearest}", "没有知识库“{word}”。{nearest}"),
        "say.kb.registered": ("Registered: {names}.", "已登记：{names}。"),
        "say.kb.add": ("Add one: %orange kb add PATH.", "添加一个：%orange kb add PATH。"),
        "say.kb.files": ("Files", "文件"),
        "say.kb.passages": ("Passages", "段落"),
        "say.kb.failed": ("Not read", "未能读取"),
        "say.kb.moved": (
            "{added} new, {changed} changed, {removed} gone, in {seconds} s.",
            "新增 {added}，变动 {changed}，消失 {removed}，用时 {seconds} 秒。",
        ),
        "say.kb.unread": ("Not read: {file}", "未能读取：{file}"),
        "say.kb.more": ("and {n} more", "另有 {n} 个"),
        # rights
        "say.tier": ("The tier is **{tier}**. Tiers: {tiers}.", "安全级别是 **{tier}**。可选：{tiers}。"),
        "say.tier.unknown": ("There is no tier “{word}”.{nearest}", "没有安全级别“{word}”。{nearest}"),
        "say.tier.now": (
            "The tier is **{tier}** now (permission version {version}).",
            "安全级别现在是 **{tier}**（权限版本 {version}）。",
        ),
        "say.tier.end": (
            " It ends when the kernel stops or with `%orange tier {tier}`.",
            "内核停止或运行 `%orange tier {tier}` 时结束。",
        ),
        "say.plan": ("Plan mode is **{state}**; the tier is {tier}.", "计划模式：**{state}**；安全级别是 {tier}。"),
        "say.plan.word": (
            "“{word}” is neither on nor off: %orange plan [on|off]",
            "“{word}”既不是 on 也不是 off：%orange plan [on|off]",
        ),
        # sessions
        "say.session": ("Session", "会话"),
        "say.session.turns": ("Turns", "轮数"),
        "say.session.used": ("Last used", "最近使用"),
        "say.session.id": ("Id", "编号"),
        "say.session.use": (
            "This notebook goes on in **{title}** ({n} turns).",
            "本笔记本接着 **{title}** 继续（{n} 轮）。",
        ),
        "say.session.use.one": (
            "This notebook goes on in **{title}** ({n} turn).",
            "本笔记本接着 **{title}** 继续（{n} 轮）。",
        ),
        "say.session.new": (
            "{title} begins, with the model {model}: {where}.",
            "{title}已开始，模型 {model}：{where}。",
        ),
        "say.session.new.untitled": ("A new session", "新会话"),
        "say.session.goes": ("text goes to {host}", "文字会发往 {host}"),
        "say.session.stays": ("nothing leaves this machine", "内容不会离开本机"),
        "say.session.title": (
            "A title is needed: %orange session rename TITLE",
            "需要一个标题：%orange session rename TITLE",
        ),
        "say.session.renamed": ("The session is called **{title}** now.", "会话现在叫 **{title}**。"),
        "say.session.deleted": (
            "**{title}** and all that was kept of it is deleted.",
            "**{title}** 及其全部记录已删除。",
        ),
        "say.session.written": ("Written to {path}.", "已写入 {path}。"),
        "say.session.there": (
            "{path} is there already; nothing was written.",
            "{path} 已经存在，没有写入。",
        ),
        "say.session.there.hint": ("Give another name with --to.", "用 --to 换一个名字。"),
        "say.session.unwritable": ("{path} cannot be written: {why}.", "无法写入 {path}：{why}。"),
        # models
        "say.model": ("Model", "模型"),
        "say.model.provider": ("Provider", "接口"),
        "say.model.goes": ("Text goes to", "文本发送到"),
        "say.model.window": ("Window, tokens", "窗口（词元）"),
        "say.model.here": ("this machine only", "仅本机"),
        "say.model.used": (
            "The next turn uses **{name}**; text goes to {host}.",
            "下一轮使用 **{name}**；文本发送到 {host}。",
        ),
        "say.model.testing": ("Testing {name}: text goes to {host}", "测试 {name}：文本发送到 {host}"),
        "say.model.default": ("New sessions use **{name}**.", "新会话使用 **{name}**。"),
        "say.model.added": (
            "**{name}** is known. `%orange model key` sets its key, `%orange model test` tries it, "
            "`%orange model use` uses it.",
            "已登记 **{name}**。`%orange model key` 设置密钥，`%orange model test` 测试，`%orange model use` 使用。",
        ),
        "say.model.number": (
            "{option} takes a whole number of tokens, not “{word}”.",
            "{option} 要词元的整数，不能是“{word}”。",
        ),
        "say.model.replaced": (
            "It replaces the model of that name, which went to {host}.",
            "它取代了原来的同名模型（原发送到 {host}）。",
        ),
        "say.model.key.stays": (
            "The key of the other server is not sent to this one. Set this one's.",
            "另一台服务器的密钥不会发送到这里。请为新服务器设置密钥。",
        ),
        "say.model.key.virtual": (
            "{name} is a list of models and has no key of its own. Set the keys of: {names}.",
            "{name} 是一组模型的名字，没有自己的密钥。请分别设置：{names}。",
        ),
        "say.model.pasted": (
            "A key stands in this line; it was not used and not kept.",
            "这一行里写了密钥；没有使用，也没有保存。",
        ),
        "say.model.pasted.hint": (
            "%orange model key NAME, without the key: it is asked for at a hidden prompt. "
            "If others see this notebook or terminal, replace the key.",
            "请写 %orange model key NAME，不带密钥：会在隐藏输入框中询问。如果别人能看到这个笔记本或终端，请更换密钥。",
        ),
        "say.model.unnamed": (
            "There is no model of that name. Models: {names}.",
            "没有这个名字的模型。已有：{names}。",
        ),
        "say.model.ask": (
            "Key for {name} (not shown, not written to the notebook): ",
            "{name} 的密钥（不显示，不写入笔记本）：",
        ),
        "say.model.keyless": ("No key was given; nothing was changed.", "没有输入密钥；什么也没有改变。"),
        "say.model.kept.keyring": (
            "The key of **{name}** is kept in the system's keyring.",
            "**{name}** 的密钥保存在系统密钥环。",
        ),
        "say.model.kept.file": (
            "The key of **{name}** is kept in ORANGE\\_HOME/keys.toml (mode 600).",
            "**{name}** 的密钥保存在 ORANGE\\_HOME/keys.toml（模式 600）。",
        ),
        # status and usage
        "say.status.tier": ("Tier", "安全级别"),
        "say.status.rights": ("{tier} (permission version {version})", "{tier}（权限版本 {version}）"),
        "say.status.plan": ("Plan mode", "计划模式"),
        "say.status.model": ("Model", "模型"),
        "say.status.embedded": (" (the built-in search, no language model)", "（内置搜索，没有语言模型）"),
        "say.status.goes": ("Text goes to", "文字发往"),
        "say.status.stays": ("nowhere: it runs on this machine", "不发往任何地方：在本机运行"),
        "say.status.bases": ("Knowledge bases", "知识库"),
        "say.usage.turn": ("Turn", "轮"),
        "say.usage.in": ("Tokens in", "输入词元"),
        "say.usage.out": ("Tokens out", "输出词元"),
        "say.usage.steps": ("Steps", "步数"),
        "say.usage.seconds": ("Seconds", "秒"),
        "say.usage.cached": ("of them cached", "其中缓存"),
        "say.usage.cost": ("Cost", "费用"),
        "say.usage.session": ("this session", "本会话"),
        "say.usage.notebook": ("this notebook, {n} sessions", "本笔记本，{n} 个会话"),
        "say.usage.notebook.one": ("this notebook, {n} session", "本笔记本，{n} 个会话"),
        "say.usage.unpriced": (
            "Costs are counted where prices are known: [models.NAME.prices], per million tokens.",
            "只在知道价格时计算费用：[models.NAME.prices]，按每百万词元。",
        ),
        # show
        "say.show.needs": ("This needs a file or a citation: {usage}", "这里要一个文件或一个引文编号：{usage}"),
        "say.show.page": ("“{word}” is not a page: {usage}", "“{word}”不是页码：{usage}"),
        "say.show.outside": (
            "{path} is outside the selected knowledge bases.",
            "{path} 在所选知识库之外。",
        ),
        "say.show.outside.hint": (
            "Add its folder with %orange kb add, or open the file in Lab.",
            "用 %orange kb add 添加它的文件夹，或在 Lab 中打开这个文件。",
        ),
        "say.show.unknown": ("No tool gave {id} in this session.", "本会话没有工具给出过 {id}。"),
        "say.show.unknown.hint": ("The record lists the citations under Sources.", "引文列在记录的“来源”中。"),
        "say.show.pages": ("{path} has no pages.", "{path} 没有页。"),
        "say.show.type": (
            "{path} ({kind}) is not shown here; open it in Lab.",
            "{path}（{kind}）不能在这里显示，请在 Lab 中打开。",
        ),
        "say.show.range": ("Page {n} does not exist; {path} has 1–{last}.", "没有第 {n} 页；{path} 有 1–{last} 页。"),
        # options of a cell
        "say.cell.tier": (
            "{tier} was not entered. A cell, a file or Run All cannot raise the tier.",
            "没有进入 {tier}。单元格、文件或“全部运行”不能提高安全级别。",
        ),
        "say.cell.tier.hint": ("Run `%orange tier {tier}` and confirm.", "请运行 `%orange tier {tier}` 并确认。"),
        "say.cell.steps": (
            "--steps takes a whole number from 1 to {most}, not “{word}”.",
            "--steps 要 1 到 {most} 的整数，不能是“{word}”。",
        ),
        "say.cell.name": ("“{word}” is not the name of a variable.", "“{word}”不是变量名。"),
        "say.cell.both": (
            "--new begins a new session and --session goes on in one: use one of them.",
            "--new 开始新会话，--session 接着已有会话：两者只能用一个。",
        ),
        "say.cell.quote": ("A quote {quote} is not closed.", "引号 {quote} 没有闭合。"),
        "say.cell.word": ("“{word}” is not an option.{nearest}", "“{word}”不是选项。{nearest}"),
        "say.cell.word.hint": (
            "Write the question on the lines below %%orange.",
            "请把问题写在 %%orange 下面的行里。",
        ),
        "say.cell.option.hint": ("%%orange --help shows all.", "%%orange --help 列出全部选项。"),
        "say.cell.bare": ("{name} takes no value.", "{name} 不带值。"),
        "say.cell.value": ("{name} needs a value.", "{name} 需要一个值。"),
        "say.cell.variable": ("There is no variable {name} in this kernel.", "内核里没有变量 {name}。"),
        "say.cell.variable.hint": ("Run the cell that makes it first.", "请先运行定义它的单元格。"),
    }
    | DECIDING_WORDS
)
