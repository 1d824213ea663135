"""Word lists of the embedded search: what a question is made of besides what it asks for, in English and Chinese."""

from __future__ import annotations

import re


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


ENGLISH_STOP = frozenset(
    _words("""
    a about already above after again against all also although always am an and any anybody anyone anything are
    aren't around as ask at away back be because been before being below between both but by came can can't
    cannot come could couldn't describe did didn't do does doesn't doing don't done down during each either
    else ever every everything explain few find for from further give gives got had has have haven't having
    he her here hers him his how how's however i i'd i'll i'm i've if in instead into is isn't it it's its
    itself just kindly know later let let's lets like look many may maybe me mean means mention mentioned
    might mine more most much must my myself need needs neither never no nor not note notes nothing now of
    off often on once one ones only onto or other our ours out over own per please quote really regarding
    said same saved say says search see seem shall she should show shows since so some somebody someone
    something still such summarise summarize summary sure take tell than that that's the their them then
    there there's these they they're thing things this those though through thus till to too toward under
    until up upon us very via want wants was wasn't way ways we we're well were what what's whatever when
    where where's whether which while who who's whom whose why will with within without won't would wouldn't
    write written wrote yes yet you you're your yours
    """)
)
"""Words that ask, join or point; they never decide what a passage is about."""

ENGLISH_GENERIC = frozenset(
    _words("""
    agree allow apply avoid become begin call check choose close contain decide decision discuss end finish follow
    happen include keep learn live meet open pay pick plan prefer remember require say speak spend try turn
    add answer app application best better build change code common company configure correct create
    current data default detail different document example file first folder function general get good
    handle help idea important information item kind large last latest line list long main make method name
    new number option page part people possible problem process program project provide question recommend
    render result right run send server service set setting small start step stop store support system talk test
    text time topic type update use user using value version whole work
    """)
)
"""Common nouns and verbs: they count, but little."""

_CHINESE_KEPT = _words("""
目的 的确 了解 参与 与会 和平 和谐 总和 饱和 共和 存在 现在 在线 在职 内在 潜在 所在 自我 被子 被动 把握
并发 并行 合并 并列 并购 及时 普及 涉及 及格 请求 申请 邀请 请假 聘请 中和 和解 柔和 温和 是非 这样 那样
会议 会员 会话 会计 用户 应用 用法 用途 费用 使用者 要求 要点 摘要 重要 主要 概要 必要 能力 功能 性能
智能 可能 节能 能量 能源 时间 时区 时长 实时 定时 超时 小时 计时 对象 对比 应对 相对 绝对 对齐 对话 做法
想法 思想 理想 写入 编写 重写 读写 改写 写作 有效 有限 有害 有机 所有权 到期 报到 达到 签到 迟到 里程
公里 不足 不良 让步 给付 从业 做饭 做菜 会场 开会 例会 年会 周会 晚会 社会 机会 协会 用药 用餐 用电 信用
作用 通用 专用 适用 可用 利用 引用 调用 启用 禁用 临时 同时 准时 按时 随时 时期 时刻 时差 对账 对外 面对
核对 反对 派对 和面 再生 再见 就业 就餐 就诊 才能 人才 更换 更正 变更 更改 最终 比较器 非常规 从事 服从
到达 不锈钢 不动产 能耗 核能 会费 会长 读书会
""")

_CHINESE_STOP = _words("""
后面 前面 上面 下面 比如 例如 发出去
请问 请你 请帮我 帮我 麻烦 告诉我 告诉 介绍一下 介绍 说明一下 解释一下 解释 讲一下 讲讲 说说 谈谈 说一下
看一下 一下 关于 有关 有没有 是不是 能不能 可不可以 会不会 要不要 是否 什么时候 什么样 什么是 是什么
做什么 用什么 为什么 为什麼 什么 什麼 怎么样 怎么办 怎么做 怎么用 怎么写 怎么才能 怎么 怎麼 怎样
如何才能 如何 为何 哪些 哪里 哪儿 哪个 哪一个 哪种 哪 谁 多少 多久 多大 几个 几次 几种 吗 呢 吧 啊 呀 嘛
么 了 的 是 和 与 或者 或 在 被 把 我们 你们 他们 它们 我 你 您 他 她 它 这个 那个 这些 那些 这里 那里
这种 那种 这 那 请 并且 并 而且 以及 及 但是 如果 因为 所以 需要 应该 应当 可以 能够 想要 想知道 想 要
知道 时候 之后 以后 之前 以前 之间 里面 里边 当中 其中 之中 还有 还是 一些 一个 一种 每个 每次 各种 所有
全部 我的笔记里 笔记里 笔记中 笔记 文档里 文档中 文档 资料里 资料 记录里 搜索 搜一下 查找 查一下
查询一下 找一下 找到 找找 帮忙 让 给 对于 对 从 到 也 都 就 才 再 又 很 非常 比较 更 最 有 会 能 做 用
写 里 时 使用 进行 通过 根据 提到 提过 写了 说过 记录了 记过 不 没 没有 不同 有什么 是多少 分别
""")

CHINESE_GENERIC = frozenset(
    _words("""
    决定 讨论 安排 开始 结束 完成 负责 参加 准备 选择 进展 意见 结论
    结果 报告 计划 总结 列表 数量 名字 地址 电话 号码 价格 日期 单位 个人 大家
    公司 流程 用户 数据 文件 方法 系统 项目 服务 功能 问题 时间 信息 配置 设置 内容 情况 部分 操作 处理 实现
    方式 步骤 例子 示例 代码 程序 应用 参数 函数 组件 接口 类型 对象 名称 工具 版本 更新 支持 管理 运行 执行
    创建 添加 修改 删除 返回 东西 工作 人员 区别 原因 作用 建议 注意 规定 要求 标准 今年 去年 今天 明天 昨天
    第一 目前 现在 主要 重要 可能 必要
    """)
)
"""The same for Chinese, words of two characters."""

_BY_LENGTH = sorted(_CHINESE_STOP, key=len, reverse=True)
CHINESE_SPLIT = re.compile(f"({'|'.join(_CHINESE_KEPT)})|(?:{'|'.join(_BY_LENGTH)})")
"""Group 1 is kept although it contains a stop character; everything else that matches parts a run of Chinese."""

FOLLOW_UP_EN = re.compile(
    r"^\s*(?:and|but|so|then|also|what about|how about|what else|why|which one|more)\b"
    r"|^\s*(?:at|by|for|from|in|on|to|until|with)\b"
    r"|\b(?:it|its|that|this|they|them|those|these|there|he|she)\b",
    re.IGNORECASE,
)
"""English that points back to what was said before."""

FOLLOW_UP_ZH = re.compile(
    r"^(?:那么|那|还有|另外|然后|再|为什么|继续)|它|这个|那个|这些|那些|上面|前面|刚才|呢[？?]?\s*$"
)
"""Chinese that points back to what was said before."""
