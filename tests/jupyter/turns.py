"""Turns for the tests of the views: the design's example as the events a real turn emits, in both languages."""

from __future__ import annotations

import json

from orange_jupyter.core.approval import ApprovalRequest, Outcome, TierRequest
from orange_jupyter.core.corpus import Citation
from orange_jupyter.core.events import (
    ApprovalAsked,
    ApprovalEnded,
    CallFinished,
    CallStarted,
    Event,
    Notice,
    PartDone,
    StepFinished,
    StepStarted,
    StopReason,
    TurnFinished,
    TurnStarted,
)
from orange_jupyter.core.grant import Effect, Tier
from orange_jupyter.core.messages import Text, ToolResult, Usage
from orange_jupyter.jupyter.sheet import Surroundings
from orange_jupyter.jupyter.view import TurnView

QUESTION = """度日因子最后用了哪个值？笔记里前后写了两个（4.1 和 4.6）。
Check against Meng 2019, and fix the note if it is wrong."""

ANSWER = """结论：最后一次率定（第 17 次）用的是 **4.6 mm·℃⁻¹·d⁻¹**，且只从四月起用 [c3]。笔记里的 4.1 来自更早的第 9 次，当时全年用一个常数 [c1]。

Meng and Lu report the same mean for exposed snow from April to June, 4.6 (s.e. 0.3), and warn that an annual 4.1 \
underestimates June melt by 19 % [c2]. The seasonal form is

$$M_t = C_m(t) \\cdot \\max(T_t - T_0, 0)$$

| Run | DDF | Months | NSE | Peak |
|---|--:|---|--:|---|
| 9 | 4.1 | all year | 0.71 | 9 days early |
| 17 | 4.6 | from April | 0.83 | 2 days late |

> A single annual value of 4.1 underestimated June melt by 19 %

— Meng 2019 [c2]

```python
melt = factor[month] * max(temperature - 0.4, 0)
```

北坡在论文里另列 2.8–4.2，笔记没有区分坡向 [c2]；另有一处说“阴坡减半” [c4]。The station file costs $5 and $6; see [c9]."""


def citation(number: int, path: str, passage: str, **more: object) -> Citation:
    """A citation of the example."""
    given = {
        "citation_id": f"c{number}",
        "file_id": f"f{number}",
        "knowledge_base_id": "hydro-notes",
        "knowledge_base": "hydro-notes",
        "path": path,
        "file_type": "markdown",
        "title": path,
        "passage": passage,
        "start": 0,
        "end": len(passage),
        "score": 1.0,
        "updated_at": "2026-11-30T14:00:00Z",
        "content_hash": "sha256:0",
    }
    return Citation.model_validate(given | more)


CITATIONS = (
    citation(
        1, "snow/度日因子.md", "率定期取 4.1 mm·℃⁻¹·d⁻¹，全年不变；验证期洪峰偏早九天。", heading_path=("融雪", "率定")
    ),
    citation(
        2,
        "meng-2019-degree-day.pdf",
        "From April to June the factor of exposed snow rose from 3.7 to 5.3. A single annual value of 4.1 "
        "underestimated June melt by 19 % and should not be used outside the calibration years.",
        page=7,
        file_type="pdf",
        knowledge_base="papers",
    ),
    citation(3, "calibration-log.md", "DDF 4.6 from April on; threshold 0.4 °C; NSE 0.83.", heading_path=("run 17",)),
    citation(4, "field/2026-11 野外记录.md", "阴坡消融明显慢，可能要减。", heading_path=("坡向",)),
)

PLACES = {
    "c1": Surroundings(
        link="notes/snow/度日因子.md",
        before="## 率定\n2026 年 11 月重做，参数见 calibration-log。以下数值只对裸露积雪。\n\n",
        after="阈值温度 0.4 ℃，来自四号点三年的日均值。\n\n下一步：分坡向。North slopes probably need their own factor.",
        line=41,
        changed=True,
    ),
    "c2": Surroundings(link="papers/meng-2019-degree-day.pdf"),
    "c3": Surroundings(link="notes/calibration-log.md"),
}

REQUEST = ApprovalRequest(
    operation_id="op_1",
    session_id="s1",
    turn_id="trn_01j9zq4x7k",
    permission_version=7,
    tool="exec",
    effect=Effect.RUN,
    operation="run",
    target="python scripts/melt_balance.py",
    arguments=json.dumps(
        {
            "command": "# 汇总四个站的日融雪量\npython scripts/melt_balance.py \\\n    --stations S1 S2 S3 S4 \\\n"
            '  && python -m zipfile -c derived/melt\u200b_2026.zip derived/melt_2026.csv \\\n  && echo "done \u202evsc.6202"',
            "timeoutMs": 300000,
        },
        ensure_ascii=False,
    ),
    facts=(
        ("Working folder", "hydro-notes/"),
        ("Time limit", "300 s, then the whole process group ends"),
        ("Shell", "bash, no input, no terminal"),
        ("Environment", "11 allowed variables, no keys"),
    ),
    warnings=("raw/latest is a link to /srv/archive/2025/raw, outside the knowledge bases.",),
    digest="d" * 64,
    asked_at="2026-11-30T14:32:08Z",
)

PAGE_REQUEST = REQUEST.model_copy(
    update={
        "operation_id": "op_2",
        "tool": "read",
        "effect": Effect.WEB,
        "operation": "read url",
        "target": "https://data.example.org/stations/yenan/2026?format=html",
        "arguments": json.dumps({"path": "https://data.example.org/stations/yenan/2026?format=html"}),
        "facts": (("Request", "GET, no cookies, up to 5 redirects, 10 MB, 20 s"),),
        "warnings": (),
        "digest": "e" * 64,
    }
)

TIER_REQUEST = TierRequest(
    operation_id="tier_1",
    session_id="s1",
    current=Tier.WORKSPACE_WRITE,
    wanted=Tier.FULL_CONFIRM,
    permission_version=8,
    mcp_servers=("gauge-db",),
    asked_at="2026-11-30T15:02:00Z",
)


def started(text: str = QUESTION, **more: object) -> TurnStarted:
    """The first event."""
    given = {
        "turn_id": "trn_01j9zq4x7k",
        "session_id": "s1",
        "number": 12,
        "text": text,
        "model": "qwen3-32b",
        "host": "10.2.0.14:8000",
        "tier": Tier.WORKSPACE_WRITE,
        "permission_version": 7,
        "started_at": "2026-11-30T14:32:00Z",
    }
    return TurnStarted.model_validate(given | more)


def call(call_id: str, tool: str, target: str, summary: str, **more: object) -> list[Event]:
    """A call that began and ended."""
    arguments = {"query": target} if tool == "search" else {"path": target}
    begun = CallStarted(call_id=call_id, tool=tool, arguments=arguments, target=target)
    given = {
        "call_id": call_id,
        "tool": tool,
        "arguments": arguments,
        "ok": True,
        "decision": "allowed",
        "summary": summary,
        "seconds": 0.2,
        "result": ToolResult(call_id=call_id, name=tool, content="{}", ok=True),
        "envelope": {"ok": True, "tool": tool, "summary": summary},
    }
    return [begun, CallFinished.model_validate(given | more)]


def ended(outcome: Outcome, request: ApprovalRequest = REQUEST, reason: str = "") -> ApprovalEnded:
    """The end of a request for approval."""
    return ApprovalEnded(
        call_id="x1",
        operation_id=request.operation_id,
        outcome=outcome,
        reason=reason,
        permission_version=7,
        at="2026-11-30T14:32:31Z",
    )


def finished(answer: str = ANSWER, reason: StopReason = StopReason.ANSWER, **more: object) -> TurnFinished:
    """The last event."""
    given = {
        "turn_id": "trn_01j9zq4x7k",
        "stop_reason": reason,
        "answer": answer,
        "usage": Usage(input_tokens=11902, cache_read_tokens=8140, output_tokens=688, cost=0.004),
        "steps": 6,
        "seconds": 37.0,
        "finished_at": "2026-11-30T14:32:37Z",
    }
    return TurnFinished.model_validate(given | more)


def running_events() -> list[Event]:
    """A turn in the middle: two calls done, one running."""
    usage = Usage(input_tokens=9214, output_tokens=412)
    search = call(
        "x0", "search", "度日因子 率定 degree-day factor", "4 passages in 3 notes, 1 paper", citations=CITATIONS
    )
    read = call("x2", "read", "snow/度日因子.md", "whole note, 3,204 characters", seconds=0.1)
    late = CallStarted(call_id="x3", tool="read", arguments={"path": "calibration-log.md"}, target="calibration-log.md")
    step = StepStarted(step=1, limit=50)
    return [started(), step, *search, StepFinished(step=1, usage=usage), StepStarted(step=4, limit=50), *read, late]


def whole_events() -> list[Event]:
    """A turn from its start to its end, with two decisions and a notice."""
    denied = ended(Outcome.DENIED, PAGE_REQUEST, "元数据在 hydro-notes/stations.md 里已有一份")
    failed = call("x4", "read", "旧稿.docx", "damaged archive", ok=False, code="damaged")
    return [
        *running_events(),
        *failed,
        ApprovalAsked(call_id="x1", request=REQUEST),
        ended(Outcome.APPROVED),
        ApprovalAsked(call_id="x1", request=PAGE_REQUEST),
        denied,
        Notice(level="warning", text="The note changed on disk while it was read.", hint="It was read again."),
        PartDone(part=Text(text=ANSWER)),
        finished(),
    ]


def view_of(events: list[Event]) -> TurnView:
    """The events, folded."""
    view = TurnView()
    for event in events:
        view = view.hear(event)
    return view
