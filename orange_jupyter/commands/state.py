"""`%orange status`: how the session stands, and where its text goes."""

from __future__ import annotations

from orange_jupyter.commands.kb import indexing, indexing_document
from orange_jupyter.commands.standing import Standing, table
from orange_jupyter.jupyter.ports import CommandReply
from orange_jupyter.turns import session_document


async def status(at: Standing, _: tuple[str, ...]) -> CommandReply:
    """One look at the session: rights, model and where text goes, knowledge bases."""
    state = at.opened.session.state
    model = await at.app.model(state.model)
    say, running = at.say, at.app.indexing.background.progress()
    await model.close()
    reach = await at.app.reach(state.knowledge_bases)
    bases = ", ".join(" – ".join([base.name, *indexing(at, base)]) for base in reach.bases)
    waiting = await at.app.means.store.of_session(state.session_id, undecided=True)
    rows = [
        (say("session"), state.title or say("untitled")),
        (say("status.tier"), say("status.rights", tier=state.tier, version=state.permission_version)),
        (say("status.plan"), say("on" if state.plan else "off")),
        (say("status.model"), state.model + (say("status.embedded") if model.info.embedded else "")),
        (say("status.goes"), model.info.host or say("status.stays")),
        (say("status.bases"), bases or say("nothing")),
        (say("session.turns"), state.turns),
        (say("changes.status"), len(waiting)),
    ]
    data = {
        "ok": True,
        "session": session_document(state),
        "host": model.info.host,
        "pendingChanges": len(waiting),
        "knowledgeBases": [
            {"id": base.id, "name": base.name, "root": base.root} | indexing_document(running.get(base.id))
            for base in reach.bases
        ],
    }
    return CommandReply(table(("", ""), rows) + ("" if bases else f"\n\n{say('kb.none')}"), data)
