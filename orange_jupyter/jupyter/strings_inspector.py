"""The words of the page inspector, in English and Chinese (R-UI-3, R-UI-4, R-UI-8)."""

from __future__ import annotations

from types import MappingProxyType

LOOK_WORDS = MappingProxyType(
    {
        # the head: "papers, 14 pages, 1.8 MB, text layer, two columns"
        "look.and": (", ", "，"),
        "look.part.page": ("page {n}", "第 {n} 页"),
        "look.part.block": ("block {n}", "第 {n} 块"),
        "look.pages": ("{n} pages", "{n} 页"),
        "look.pages.one": ("{n} page", "{n} 页"),
        "look.blocks": ("{n} blocks", "{n} 个块"),
        "look.blocks.one": ("{n} block", "{n} 个块"),
        "look.pixels": ("{width} × {height} px", "{width} × {height} 像素"),
        "look.frames": ("first of {n} frames", "共 {n} 帧，显示第一帧"),
        "look.layer": ("text layer", "有文本层"),
        "look.columns": ("{n} columns", "{n} 栏"),
        "look.columns.two": ("two columns", "双栏"),
        "look.scan": ("No text layer", "没有文本层"),
        "look.scan.hint": ("A scan: it can be looked at, not searched.", "扫描件：可以看，不能搜索。"),
        "look.picture.hint": (
            "A picture has no text: it can be looked at, not searched.",
            "图片没有文本：可以看，不能搜索。",
        ),
        "look.empty": ("This block has no text.", "这个块没有文本。"),
        "look.others": ("passage {n} of {all} on this page", "本页第 {n} / {all} 处引文"),
        # the toolbar
        "look.bar": ("Page", "页面"),
        "look.previous.page": ("Previous page", "上一页"),
        "look.next.page": ("Next page", "下一页"),
        "look.previous.block": ("Previous block", "上一块"),
        "look.next.block": ("Next block", "下一块"),
        "look.field.page": ("Page, of {n}", "页码，共 {n} 页"),
        "look.field.block": ("Block, of {n}", "块号，共 {n} 块"),
        "look.of": ("of {n}", "/ {n}"),
        "look.out": ("Zoom out", "缩小"),
        "look.in": ("Zoom in", "放大"),
        "look.percent": ("{n} %", "{n}%"),
        "look.fit": ("Fit width", "适合宽度"),
        "look.lab": ("Open in Lab", "在 Lab 中打开"),
        "look.close": ("Close", "关闭"),
        # the picture
        "look.sheet.page": ("Page picture", "页面图像"),
        "look.sheet.block": ("Blocks of the document", "文档内容"),
        "look.sheet.picture": ("Picture", "图片"),
        "look.alt.page": ("Page {n} of {name}", "{name} 第 {n} 页"),
        "look.alt.picture": ("{name}", "{name}"),
        "look.alt.block": ("Picture in block {n} of {name}", "{name} 第 {n} 块中的图片"),
        "look.alt.marked": ("{page}; marked: “{words}”", "{page}；已标出：“{words}”"),
        "look.said.page": ("Page {n} of {all}", "第 {n} 页，共 {all} 页"),
        "look.said.block": ("Block {n} of {all}", "第 {n} 块，共 {all} 块"),
        "look.working": ("Opening…", "正在打开…"),
        "look.waits": ("Waits for the kernel", "等待内核"),
        "look.leave": ("Leave it", "放弃"),
        # beside the picture
        "look.tabs": ("Beside the page", "页面旁"),
        "look.tab.text": ("Text", "文本"),
        "look.tab.saw": ("What the model saw", "模型所见"),
        "look.order": ("Reading order", "按阅读顺序"),
        "look.whole": ("Text of the page", "本页文本"),
        "look.copy": ("Copy quotation", "复制引文"),
        "look.copy.text": ("Copy text", "复制文本"),
        "look.copied": ("Copied", "已复制"),
        "look.copy.failed": ("It could not be copied: select it and press Ctrl C.", "无法复制：请选中后按 Ctrl C。"),
        "look.hidden": (
            "{n} values that look like keys are masked in the text; the picture shows the page as it is.",
            "文本中有 {n} 个像密钥的值已遮盖；图像按原样显示页面。",
        ),
        "look.hidden.one": (
            "{n} value that looks like a key is masked in the text; the picture shows the page as it is.",
            "文本中有 {n} 个像密钥的值已遮盖；图像按原样显示页面。",
        ),
        "look.lost": (
            "The cited passage is not here any more: the file has changed since it was cited.",
            "引文已不在这里：文件在引用之后改变了。",
        ),
        "look.changed": ("The file has changed since it was opened.", "文件在打开之后改变了。"),
        "look.changed.cited": ("The file has changed since it was cited.", "文件在引用之后改变了。"),
        "look.fault": (
            "The page cannot be drawn; its text is beside. {reason}",
            "这一页画不出来，旁边是文本。{reason}",
        ),
        "look.no_picture": ("This picture cannot be shown here.", "这张图片不能在这里显示。"),
        # what the model saw
        "look.saw.picture": ("Picture", "图像"),
        "look.saw.picture.is": ("{width} × {height} px, {format}, {size}", "{width} × {height} 像素，{format}，{size}"),
        "look.saw.sent": ("Sent", "发送"),
        "look.saw.sent.is": ("turn {turn}, step {step}, to {model}", "第 {turn} 轮第 {step} 步，发给 {model}"),
        "look.saw.cost": ("Cost", "用量"),
        "look.saw.cost.is": ("about {n} tokens", "约 {n} 词元"),
        "look.saw.text": ("Text", "文本"),
        "look.saw.text.is": ("{n} characters beside it", "同时发送 {n} 个字符"),
        "look.saw.left": ("Left out", "未发送"),
        "look.saw.nothing": ("nothing", "无"),
        "look.saw.exact": (
            "These are the exact pixels that were sent, without the mark.",
            "这就是发送的像素，不带标记。",
        ),
        "look.saw.full": ("Show at full size", "按原尺寸显示"),
        "look.saw.back": ("Back to the page", "返回页面"),
        "look.saw.also": ("Also sent: {words}", "也发送过：{words}"),
        "look.saw.off": ("Picture not sent", "图像未发送"),
        "look.saw.vision": ("Vision is off for {model}", "{model} 不能看图"),
        "look.saw.vision.hint": (
            "The page is shown to you only. The model got its text.",
            "页面只显示给你，模型得到的是文本。",
        ),
        "look.saw.vision.only": ("It is shown to you only.", "只显示给你。"),
        "look.saw.never": ("The model was not shown this", "没有给模型看过"),
        "look.saw.never.hint": (
            "It is shown to you only. Ask about it, and the model can read it.",
            "只显示给你。就它提问，模型就可以读取。",
        ),
        "look.saw.text.only": ("Only its text was sent", "只发送了文本"),
        "look.saw.text.hint": (
            "{n} characters in turn {turn}, to {model}. A picture goes along when a page is read by its number.",
            "第 {turn} 轮发给 {model}，{n} 个字符。按页码读取时才附上图像。",
        ),
        "look.saw.passage": ("Only passages of it were sent", "只发送了其中的段落"),
        "look.saw.passage.hint": (
            "A search in turn {turn} gave them to {model} as text.",
            "第 {turn} 轮的搜索把它们作为文本给了 {model}。",
        ),
        "look.saw.failed": ("The picture was not sent", "图像没有发出"),
        "look.saw.failed.hint": ("Turn {turn}: {reason}", "第 {turn} 轮：{reason}"),
        "look.saw.ended": ("the turn ended before.", "本轮在此之前已结束。"),
        # what goes wrong
        "look.wrong.range": ("No such page", "没有这一页"),
        "look.wrong.range.block": ("No such block", "没有这个块"),
        "look.wrong.range.is": (
            "{name} has pages 1–{last}; you asked for {n}",
            "{name} 有第 1–{last} 页；你要的是第 {n} 页",
        ),
        "look.wrong.range.block.is": (
            "{name} has blocks 1–{last}; you asked for {n}",
            "{name} 有第 1–{last} 块；你要的是第 {n} 块",
        ),
        "look.wrong": ("Not shown", "无法显示"),
        "look.wrong.gone": ("Gone", "已不存在"),
        "look.wrong.gone.is": ("{name} is not there any more", "{name} 已不在原处"),
        "look.wrong.gone.hint": (
            "It was moved out, renamed or deleted. What you see is how it was.",
            "它被移走、改名或删除了。你看到的是之前的样子。",
        ),
        "look.wrong.number": ("A number from 1 to {n}, please.", "请输入 1 到 {n} 的数字。"),
        # what stays in the notebook
        "look.kept.hidden": (
            "This page holds {n} values that are masked. A picture would show them, so none is kept in the notebook.",
            "本页有 {n} 个遮盖的值。图像会显示它们，所以笔记本里不保存图像。",
        ),
        "look.kept.hidden.one": (
            "This page holds {n} value that is masked. A picture would show it, so none is kept in the notebook.",
            "本页有 {n} 个遮盖的值。图像会显示它，所以笔记本里不保存图像。",
        ),
        "look.gone": (
            "The kernel restarted, so pages cannot be turned here. Run the cell again to go on.",
            "内核已重启，这里不能翻页了。重新运行单元格可继续。",
        ),
    }
)
