"""Which of the rows that ids name an actor may see."""

from collections.abc import Iterable
from typing import Any

from agents.evidence.refs import Ref
from agents.models import AgentMessage, ContextEntry, Memory, Schedule
from calendar_app.models import Event, Todo
from inbox.actor import Actor
from inbox.models import (
    Activity,
    Attachment,
    Draft,
    FileNode,
    Message,
    Person,
    Submission,
    Thread,
)

_MODELS: dict[str, Any] = {
    "act": Activity, "agm": AgentMessage, "att": Attachment, "ctx": ContextEntry, "drf": Draft,
    "evt": Event, "fil": FileNode, "mry": Memory, "msg": Message, "per": Person, "sdl": Schedule,
    "sub": Submission, "tdo": Todo, "thr": Thread,
}  # fmt: skip


def visible_refs(actor: Actor, refs: Iterable[Ref]) -> list[Ref]:
    """Return those of the rows that the actor may see, in their order; a query for each kind."""
    asked = list(dict.fromkeys(refs))
    there: set[Ref] = set()
    for kind in {ref.kind for ref in asked} & _MODELS.keys():
        keys = [ref.key for ref in asked if ref.kind == kind]
        rows = _MODELS[kind].objects.visible_to(actor).filter(pk__in=keys).order_by()
        there |= {Ref(kind, key) for key in rows.values_list("pk", flat=True)}
    return [ref for ref in asked if ref in there]
