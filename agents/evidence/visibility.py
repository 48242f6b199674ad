"""Which of the rows that ids name an actor may see."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import QuerySet

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
from inbox.prepared import Prepared, padded

_MODELS: dict[str, Any] = {
    "act": Activity, "agm": AgentMessage, "att": Attachment, "ctx": ContextEntry, "drf": Draft,
    "evt": Event, "fil": FileNode, "mry": Memory, "msg": Message, "per": Person, "sdl": Schedule,
    "sub": Submission, "tdo": Todo, "thr": Thread,
}  # fmt: skip


# Who sees these is told by their workspace and account alone.
_BY_PLACE = frozenset({"act", "att", "evt", "fil", "msg", "thr"})


def visible_refs(actor: Actor, refs: Iterable[Ref]) -> list[Ref]:
    """Return those of the rows that the actor may see, in their order; a query for each kind."""
    asked = list(dict.fromkeys(refs))
    there: set[Ref] = set()
    for kind in {ref.kind for ref in asked} & _MODELS.keys():
        keys = [ref.key for ref in asked if ref.kind == kind]
        found = (
            _VISIBLE.rows(kind, actor=actor, keys=padded(keys))
            if kind in _BY_PLACE
            else _visible(kind, actor=actor, keys=tuple(keys))[0]
        )
        there |= {Ref(kind, key) for key in found}
    return [ref for ref in asked if ref in there]


def _visible(kind: str, *, actor: Actor, keys: tuple[int, ...]) -> Sequence[QuerySet[Any]]:
    rows = _MODELS[kind].objects.visible_to(actor).filter(pk__in=keys).order_by()
    return [rows.values_list("pk", flat=True)]


_VISIBLE = Prepared(_visible)
