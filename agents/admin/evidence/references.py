"""What the ids in a stored call stand for, by name and with a link; one query for each kind."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Model
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from agents.models import (
    Agent,
    AgentMessage,
    Approval,
    ContextEntry,
    Memory,
    Schedule,
    WebhookEndpoint,
)
from calendar_app.models import Calendar, Event, Todo
from inbox import ids
from inbox.actor import Actor
from inbox.models import (
    Account,
    Activity,
    Attachment,
    Draft,
    ExtractionSchema,
    FileNode,
    Inbox,
    Mailbox,
    Message,
    Person,
    ReplyPolicy,
    Taxonomy,
    Thread,
)

# So many ids of one kind are looked up; a call seldom names more than a few.
MOST_OF_A_KIND = 500
_ID = re.compile(r"[a-z]{3}_[A-Za-z0-9]{10,64}\Z")
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Reference:
    """A row that an id stands for: `kind` in words, its name, and where to see it."""

    kind: str | Promise
    name: str
    url: str
    row: Any


@dataclass(frozen=True, slots=True)
class _Kind:
    model: type[Model]
    words: str | Promise
    # The field that names it, what is not read, and the address by its public id or its key.
    name: str
    skip: tuple[str, ...] = ()
    page: str = ""
    rows: str = ""


_KINDS: dict[str, _Kind] = {
    "acc": _Kind(Account, _("account"), "address", rows="inbox_account"),
    "act": _Kind(Activity, pgettext_lazy("rows", "activity"), "title", page="activity"),
    "agm": _Kind(AgentMessage, _("agent message"), "text", rows="agents_agentmessage"),
    "agt": _Kind(Agent, _("agent"), "name", rows="agents_agent"),
    "apr": _Kind(Approval, _("proposal"), "tool", page="review"),
    "att": _Kind(Attachment, _("attachment"), "filename"),
    "cal": _Kind(Calendar, _("calendar"), "name", rows="calendar_app_calendar"),
    "ctx": _Kind(ContextEntry, _("shared value"), "key", rows="agents_contextentry"),
    "drf": _Kind(Draft, _("draft"), "subject"),
    "evt": _Kind(Event, _("event"), "summary", page="event"),
    "fil": _Kind(FileNode, _("file"), "path", ("text", "search_extra"), page="file"),
    "inb": _Kind(Inbox, _("inbox"), "address"),
    "mbx": _Kind(Mailbox, _("mailbox"), "name"),
    "mry": _Kind(Memory, _("memory"), "content", ("terms",), rows="agents_memory"),
    "msg": _Kind(Message, _("message"), "subject", Message.LIST_DEFERRED, page="message"),
    "per": _Kind(Person, _("person"), "fn", page="person"),
    "pol": _Kind(ReplyPolicy, _("policy"), "name", rows="inbox_replypolicy"),
    "sch": _Kind(ExtractionSchema, _("schema"), "name", rows="inbox_extractionschema"),
    "sdl": _Kind(Schedule, _("schedule"), "command", rows="agents_schedule"),
    "tax": _Kind(Taxonomy, _("taxonomy"), "name", rows="inbox_taxonomy"),
    "tdo": _Kind(Todo, _("to-do"), "summary"),
    "thr": _Kind(Thread, _("thread"), "subject", page="thread"),
    "whk": _Kind(WebhookEndpoint, _("webhook"), "url", rows="agents_webhookendpoint"),
}


def find_ids(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield the public ids that stand anywhere in a JSON value."""
    if isinstance(value, str):
        if _ID.match(value) and value[:3] in _KINDS:
            yield value
    elif isinstance(value, Mapping) and depth < _DEEPEST:
        for item in value.values():
            yield from find_ids(item, depth + 1)
    elif isinstance(value, list | tuple) and depth < _DEEPEST:
        for item in value:
            yield from find_ids(item, depth + 1)


def name_ids(actor: Actor, public_ids: Iterable[str]) -> dict[str, Reference]:
    """Return what the actor may see of the ids, by id; in one query for each kind among them."""
    by_kind: dict[str, dict[int, str]] = {}
    sent: dict[int, str] = {}
    for public_id in dict.fromkeys(public_ids):
        prefix = public_id[:3]
        numbers = ids.decode(prefix, public_id)
        if numbers is None or prefix not in _KINDS:
            continue
        if prefix == "msg" and len(numbers) == 2:
            place = sent if numbers[0] == 1 else by_kind.setdefault("msg", {})
            place[numbers[1]] = public_id
        else:
            by_kind.setdefault(prefix, {})[numbers[0]] = public_id
    found: dict[str, Reference] = {}
    for prefix, keys in by_kind.items():
        found.update(_find(actor, _KINDS[prefix], keys, "pk"))
    return {**found, **_find(actor, _KINDS["msg"], sent, "submission_id")} if sent else found


def _find(actor: Actor, kind: _Kind, keys: dict[int, str], field: str) -> dict[str, Reference]:
    model: Any = kind.model
    wanted = list(keys)[:MOST_OF_A_KIND]
    rows = model.objects.visible_to(actor).filter(**{f"{field}__in": wanted}).defer(*kind.skip)
    return {keys[getattr(row, field)]: _named(kind, row) for row in rows}


def _named(kind: _Kind, row: Any) -> Reference:
    name = str(getattr(row, kind.name) or getattr(row, "email", "") or "")
    if kind.page:
        url = reverse(kind.page, args=[row.public_id])
    else:
        url = reverse(f"admin:{kind.rows}_change", args=[row.pk]) if kind.rows else ""
    return Reference(kind.words, name, url, row)
