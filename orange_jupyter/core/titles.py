"""A session's title by its model, after the first turn (R-SESS-1): one small request beside the conversation."""

from __future__ import annotations

from orange_jupyter.core.messages import Message, Reply, Request, Role, Text
from orange_jupyter.core.ports import Model

LENGTH = 48
EXCERPT = 1_000
ASK = "Give this conversation a title of at most six words, in the question's language. Answer with the title only."


async def title_by(model: Model, question: str, answer: str) -> str:
    """A title of at most LENGTH characters, "" where the model gave none. Raises ModelError."""
    said = f"Question:\n{question[:EXCERPT]}\n\nAnswer:\n{answer[:EXCERPT]}"
    messages = (
        Message(role=Role.SYSTEM, parts=(Text(text=ASK),)),
        Message(role=Role.USER, parts=(Text(text=said),)),
    )
    reply = await model.respond(Request(messages=messages), lambda _: None)
    return cleaned(_text(reply))


def _text(reply: Reply) -> str:
    return "".join(part.text for part in reply.parts if isinstance(part, Text))


def cleaned(text: str) -> str:
    """The first line without quotes, heading marks and a full stop; "" for one that is too long to be a title."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    title = " ".join(lines[0].strip(" #*\"'“”‘’「」《》`").rstrip(" .。").split()) if lines else ""
    return title if len(title) <= LENGTH else ""


def clean_title(text: str) -> str:
    """A title on one line, without control characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def title_from(text: str) -> str:
    """A title made of the first line of a question."""
    line = clean_title(text.strip().splitlines()[0])
    return line if len(line) <= LENGTH else line[: LENGTH - 1].rstrip() + "…"
