"""What a session is made of: its state as a value, the KBs it has opened, and the parts the composition root gives."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from orange_jupyter.core.changes.proposing import Changes
from orange_jupyter.core.events import Notice
from orange_jupyter.core.grant import Switches, Tier
from orange_jupyter.core.keeping import Blobs, Citations, Evidence, Reads, Transcript
from orange_jupyter.core.limits import TurnLimits
from orange_jupyter.core.masking import FindSecrets
from orange_jupyter.core.messages import Value
from orange_jupyter.core.paths import KnowledgeBase
from orange_jupyter.core.ports import Approver, Clock, Documents, Library, Listener, Model, ModelInfo, Workspace
from orange_jupyter.core.running import Runner
from orange_jupyter.core.shapes import secret_spans
from orange_jupyter.core.tool import Tool


class State(Value):
    """What a session is now. `workspace_tier` is what it falls back to when its kernel ends (R-PERM-10)."""

    session_id: str
    title: str = ""
    model: str
    tier: Tier = Tier.WORKSPACE_READONLY
    workspace_tier: Tier = Tier.WORKSPACE_READONLY
    plan: bool = False
    memory: bool = False
    knowledge_bases: tuple[str, ...] = ()
    permission_version: int = 1
    turns: int = 0


@dataclass(frozen=True, slots=True)
class Reach:
    """The selected KBs as opened: files and index."""

    bases: tuple[KnowledgeBase, ...]
    workspace: Workspace
    library: Library


async def nothing_to_tell(_model: ModelInfo, _masked: bool) -> tuple[Notice, ...]:
    """No line."""
    return ()


@dataclass(frozen=True, slots=True)
class Parts:
    """What the composition root gives a session. `reach` opens KBs by id, `model` makes a model by name.

    `before_turn` gives the lines that a person must see before anything is sent: by the model, and whether a secret in
    the question was masked.
    """

    transcript: Transcript
    recorder: Listener
    evidence: Evidence
    citations: Citations
    reads: Reads
    blobs: Blobs
    changes: Changes
    documents: Documents
    runner: Runner
    approver: Approver
    clock: Clock
    tools: Mapping[str, Tool[Any]]
    switches: Switches
    mask: Callable[[str], str]
    save: Callable[[State], Awaitable[None]]
    reach: Callable[[tuple[str, ...]], Awaitable[Reach]]
    model: Callable[[str], Awaitable[Model]]
    new_id: Callable[[str], str]
    nonce: str
    limits: TurnLimits = field(default_factory=TurnLimits)
    find_secrets: FindSecrets = secret_spans
    before_turn: Callable[[ModelInfo, bool], Awaitable[tuple[Notice, ...]]] = nothing_to_tell
