"""The texts of rows of any kind: what an agent had before it when it was shown them."""

import json
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from agents.evidence.refs import Ref
from agents.models import AgentMessage, ContextEntry, Memory, Schedule
from calendar_app.models import Event, Todo
from inbox.actor import Actor, system_actor
from inbox.models import Draft, FileNode, Message, Person

# So many characters of each, of so many rows of a kind, the newest.
_LONGEST, _MOST_OF_A_KIND = 20_000, 200


class _Texts(NamedTuple):
    model: Any
    columns: tuple[str, ...]
    read: Callable[[Any], Iterable[str]]


_KINDS = {
    "msg": _Texts(
        Message, ("subject", "text", "from_email", "reply_to"),
        lambda it: (it.subject, it.text, *(one["email"] for one in it.reply_to)),
    ),
    "evt": _Texts(
        Event, ("summary", "description", "location", "organizer"),
        lambda it: (it.summary, it.description, it.location, it.organizer),
    ),
    "fil": _Texts(FileNode, ("path", "text"), lambda it: (it.path, it.text)),
    "tdo": _Texts(Todo, ("summary", "description"), lambda it: (it.summary, it.description)),
    "mry": _Texts(Memory, ("content",), lambda it: (it.content,)),
    "ctx": _Texts(ContextEntry, ("key", "text"), lambda it: (it.key, it.text)),
    "agm": _Texts(AgentMessage, ("text",), lambda it: (it.text,)),
    "sdl": _Texts(
        Schedule, ("command", "payload"),
        lambda it: (it.command, json.dumps(it.payload, ensure_ascii=False) if it.payload else ""),
    ),
    "drf": _Texts(Draft, ("subject", "body"), lambda it: (it.subject, it.body)),
    "per": _Texts(
        Person, ("fn", "org", "note", "tel", "email"),
        lambda it: (it.fn, it.org, it.note, it.tel, it.email),
    ),
}  # fmt: skip


def read_texts(workspace_id: int, refs: Iterable[Ref]) -> dict[Ref, str]:
    """Return the texts of rows, as far as they are there and have one; a query for each kind."""
    actor = system_actor(workspace_id, "texts")
    by_kind: dict[str, list[int]] = {}
    for ref in dict.fromkeys(refs):
        by_kind.setdefault(ref.kind, []).append(ref.key)
    found: dict[Ref, str] = {}
    for kind, keys in by_kind.items():
        if kind in _KINDS:
            found |= _read(actor, kind, keys[:_MOST_OF_A_KIND])
    return found


def _read(actor: Actor, kind: str, keys: list[int]) -> dict[Ref, str]:
    texts = _KINDS[kind]
    rows = texts.model.objects.visible_to(actor).filter(pk__in=keys).only("id", *texts.columns)
    return {Ref(kind, row.pk): "\n".join(texts.read(row))[:_LONGEST] for row in rows}
