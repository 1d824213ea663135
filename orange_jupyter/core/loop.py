"""One streaming loop: ask the model, run its calls, until it answers or a limit ends the turn."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from orange_jupyter.core.asking import ask_to_go_on
from orange_jupyter.core.codes import Code
from orange_jupyter.core.context import Turned, pack, system_message
from orange_jupyter.core.declare import declare
from orange_jupyter.core.desk import Desk
from orange_jupyter.core.dispatch import Ran
from orange_jupyter.core.errors import ModelError, ModelFault, RunError
from orange_jupyter.core.events import Notice, PartDone, StepFinished, StepStarted, StopReason
from orange_jupyter.core.fitting import THINNED, pictures
from orange_jupyter.core.limits import TurnLimits, circles, signature
from orange_jupyter.core.messages import Finish, Message, Reply, Role, Text, ToolCall, ToolResult, Usage
from orange_jupyter.core.paths import KnowledgeBase
from orange_jupyter.core.ports import Model
from orange_jupyter.core.repair import failed
from orange_jupyter.core.replies import masked, with_unique_ids
from orange_jupyter.core.replying import cut_again, filtered, respond, told_of, used_up
from orange_jupyter.core.streaming import MaskedStream
from orange_jupyter.core.together import groups, run_together

REPAIRS = 2
CIRCLING = (
    "You made the same calls with the same results several times. Do something else, or answer with what you have."
)
NUDGE = "Your last reply was empty. Answer the question, or say that you cannot."


@dataclass(frozen=True, slots=True)
class Agent:
    """Everything one turn runs with. `keep` makes a message durable before the next step may use it; `news` is what a
    person decided meanwhile on proposed changes, told to the model before its next step (R-CHG-12).
    """

    model: Model
    desk: Desk
    bases: tuple[KnowledgeBase, ...]
    keep: Callable[[Message], Awaitable[None]]
    news: Callable[[], Awaitable[str]] | None = None
    limits: TurnLimits = field(default_factory=TurnLimits)


@dataclass(slots=True)
class Course:
    """How far a turn has come; the session reads it also after a stop, so nothing said is lost."""

    current: list[Message]
    step: int = 0
    usage: Usage = field(default_factory=Usage)
    pieces: list[str] = field(default_factory=list)
    answer: str = ""
    malformed: int = 0
    nudged: bool = False
    seen_calls: set[str] = field(default_factory=set)
    signatures: list[str] = field(default_factory=list)
    circled: int = 0
    thinned: bool = False

    @property
    def streamed(self) -> str:
        """What the step that runs has said so far."""
        return "".join(self.pieces)


async def run_turn(agent: Agent, history: Sequence[Turned], course: Course) -> StopReason:
    """Run steps until an answer or the step limit. Raises ModelError, StoreError; cancellation stops it anywhere."""
    while course.step < agent.limits.steps:
        course.step += 1
        await _tell_news(agent, course)
        reply = await _ask_model(agent, history, course)
        done = await _take(agent, reply, course)
        await agent.desk.hear(StepFinished(step=course.step, usage=reply.usage))
        if done:
            return StopReason.ANSWER
        passed = agent.limits.passed(course.usage) or await _circling(agent, course)
        if passed is not None:
            return passed
    return StopReason.STEP_LIMIT


async def _tell_news(agent: Agent, course: Course) -> None:
    told = await agent.news() if agent.news else ""
    if told:
        await _keep(agent, course, Message(role=Role.USER, parts=(Text(text=told),)))


async def _ask_model(agent: Agent, history: Sequence[Turned], course: Course) -> Reply:
    grant = agent.desk.grant()
    tools = declare(agent.desk.tools.values(), grant)
    system = system_message(grant, agent.bases)
    request = pack(system, history, course.current, tools=tools, model=agent.model.info)
    await agent.desk.hear(StepStarted(step=course.step, limit=agent.limits.steps))
    if not course.thinned and pictures(request.messages) < pictures(course.current):
        course.thinned = True
        await agent.desk.hear(Notice(level="info", text=THINNED))
    course.pieces.clear()
    shown = MaskedStream(agent.desk.delta, agent.desk.mask)
    reply = await respond(agent.model, request, course.pieces, shown)
    shown.flush()
    course.usage = course.usage + reply.usage
    return with_unique_ids(masked(reply, agent.desk.mask), course.seen_calls)


async def _take(agent: Agent, reply: Reply, course: Course) -> bool:
    """Record a reply and run its calls; True when the turn is answered."""
    said = Message(role=Role.ASSISTANT, parts=reply.parts, model=reply.model or agent.model.info.name)
    if not said.text.strip() and not said.calls:
        if reply.finish in (Finish.LENGTH, Finish.CONTENT_FILTER):
            raise filtered() if reply.finish is Finish.CONTENT_FILTER else used_up()
        return await _nudge(agent, course)
    for line in told_of(reply):
        await agent.desk.hear(Notice(level="warning", text=line))
    for part in reply.parts:
        await agent.desk.hear(PartDone(part=part))
    await _keep(agent, course, said)
    course.pieces.clear()
    if not said.calls:
        course.answer = said.text
        if reply.finish is Finish.CONTENT_FILTER:
            raise filtered()
        return True
    if reply.finish in (Finish.LENGTH, Finish.CONTENT_FILTER):
        await _refuse_cut(agent, course, said.calls)
        return False
    await _run_calls(agent, course, said.calls)
    return False


async def _nudge(agent: Agent, course: Course) -> bool:
    """An empty reply gets one nudge and is not replayed; a second one ends the turn (wire row 12)."""
    if course.nudged:
        raise ModelError(ModelFault.SERVER_ERROR, "The model answered with nothing, twice.", hint="Ask again.")
    course.nudged = True
    await _keep(agent, course, Message(role=Role.USER, parts=(Text(text=NUDGE),)))
    return False


async def _run_calls(agent: Agent, course: Course, calls: Sequence[ToolCall]) -> None:
    async def take(call: ToolCall, ran: Ran) -> None:
        await _keep(agent, course, _result_message(ran.result))
        course.signatures.append(signature(call, ran.envelope))
        _count_malformed(ran, course)
        await asyncio.sleep(0)

    for group in groups(agent.desk, calls):
        await run_together(agent.desk, group, take)


def _count_malformed(ran: Ran, course: Course) -> None:
    """Malformed arguments may be repaired twice; then the turn ends (R-MOD-3)."""
    code = (ran.envelope.get("error") or {}).get("code")
    course.malformed = course.malformed + 1 if code == Code.MALFORMED_ARGUMENTS else 0
    if course.malformed > REPAIRS:
        raise ModelError(
            ModelFault.SERVER_ERROR,
            "The model made unreadable tool calls three times in a row.",
            hint="Try another model, or run %orange model list.",
        )


async def _circling(agent: Agent, course: Course) -> StopReason | None:
    """Calls that repeat with the same results: a note to the model, then a question to the person, then the end."""
    if not circles(course.signatures):
        return None
    course.signatures.clear()
    course.circled += 1
    if course.circled == 1:
        await _keep(agent, course, Message(role=Role.USER, parts=(Text(text=CIRCLING),)))
        return None
    last = course.current[-1].parts[-1]
    if isinstance(last, ToolResult) and await ask_to_go_on(agent.desk, last.call_id, last.name):
        return None
    return StopReason.LOOP


async def _refuse_cut(agent: Agent, course: Course, calls: Sequence[ToolCall]) -> None:
    """A reply that was cut, by its length or a filter, runs none of its calls; the model is told (wire row 11)."""
    error = RunError(Code.LIMIT_REACHED, "The reply was cut before its end, so this call did not run. Call it again.")
    names = ", ".join(dict.fromkeys(call.name for call in calls))
    await agent.desk.hear(Notice(level="warning", text=f"The reply was cut, so its calls did not run: {names}."))
    course.malformed += 1
    if course.malformed > REPAIRS:
        raise cut_again()
    for call in calls:
        await _keep(agent, course, _result_message(failed(call, error)))


def _result_message(result: ToolResult) -> Message:
    return Message(role=Role.TOOL, parts=(result,))


async def _keep(agent: Agent, course: Course, message: Message) -> None:
    course.current.append(message)
    await agent.keep(message)
