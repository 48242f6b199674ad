"""What filters and words choose among the rows of a tab, and what one can choose from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_
from types import MappingProxyType
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils.translation import gettext

from agents.admin.queue.criteria import QueueCriteria
from agents.admin.queue.flag_filters import flagged_activities, flagged_approvals, with_flag
from agents.models import Agent
from inbox import ids
from inbox.actor import Actor
from inbox.flags import FLAGS
from inbox.models import Activity, ActivitySource, Inbox
from inbox.prepared import Prepared

MOST_CHOICES = 100
_MOST_WORDS = 8
_APPROVAL_TEXTS = (
    "agent__name", "tool", "reason", "submission__draft__subject", "envelope", "flags",
)  # fmt: skip
_ACTIVITY_TEXTS = (
    "title", "sender", "summary", "reasoning", "option_framing", "message__from_name",
    "person__fn",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Choices:
    """The agents and inboxes that one may see: public ids and names."""

    agents: tuple[tuple[str, str], ...]
    inboxes: tuple[tuple[str, str], ...]


def read_choices(actor: Actor) -> Choices:
    """Return what a reader can filter by, no more of each than a list has room for."""
    agents = _AGENTS.rows(actor=actor)
    inboxes = _INBOXES.rows(actor=actor)
    return Choices(
        tuple((ids.encode(Agent.ID_PREFIX, key), name) for key, name in agents),
        tuple((ids.encode(Inbox.ID_PREFIX, key), address) for key, address in inboxes),
    )


def _agents(*, actor: Actor) -> list[Any]:
    rows = Agent.objects.visible_to(actor).order_by("name", "pk")
    return [rows.values_list("pk", "name")[:MOST_CHOICES]]


def _inboxes(*, actor: Actor) -> list[Any]:
    rows = Inbox.objects.visible_to(actor).order_by("address", "pk")
    return [rows.values_list("pk", "address")[:MOST_CHOICES]]


_AGENTS, _INBOXES = Prepared(_agents), Prepared(_inboxes)


def narrow_approvals(
    actor: Actor,
    rows: QuerySet[Any],
    wanted: QueueCriteria,
    asof: datetime,
    marked: Mapping[int, Sequence[str]] = MappingProxyType({}),
) -> QuerySet[Any]:
    """Keep the approvals that the filters choose, each together with the mail that it answers.

    `marked` is what `read_marked` returns.
    """
    if not wanted.newest_first:
        rows = rows.filter(_awake(wanted, asof))
    mail = _mail_of(actor)
    if wanted.urgency:
        # What would leave has no urgency of its own.
        rows = rows.filter(Exists(mail.filter(urgency=wanted.urgency)))
    if wanted.agent:
        rows = rows.filter(agent__in=Agent.objects.with_public_id(wanted.agent))
    if wanted.inbox:
        accounts = Inbox.objects.with_public_id(wanted.inbox).values("account")
        rows = rows.filter(submission__account__in=accounts)
    if wanted.sender or wanted.q:
        rows = rows.annotate(
            flags=Cast("risk_flags", TextField()),
            envelope=Cast("submission__envelope_to", TextField()),
        )
    if wanted.sender:
        came_from = Exists(mail.filter(sender__icontains=wanted.sender))
        rows = rows.filter(Q(envelope__icontains=wanted.sender) | Q(came_from))
    if wanted.flag:
        rows = flagged_approvals(rows, wanted.flag, marked)
    return _search(rows, wanted.q, _APPROVAL_TEXTS, mail)


def _mail_of(actor: Actor) -> QuerySet[Activity]:
    """Return what finds, of an approval, the mail that it answers."""
    rows = Activity.objects.visible_to(actor).order_by()
    message = OuterRef("submission__draft__in_reply_to")
    return rows.filter(source=ActivitySource.EMAIL, message=message)


def narrow_activities(rows: QuerySet[Any], wanted: QueueCriteria, asof: datetime) -> QuerySet[Any]:
    """Keep the activities that the filters choose."""
    if not wanted.newest_first:
        rows = rows.filter(_awake(wanted, asof))
    if wanted.agent:
        # An agent proposes; what came in is nobody's.
        return rows.none()
    if wanted.urgency:
        rows = rows.filter(urgency=wanted.urgency)
    if wanted.inbox:
        inboxes = Inbox.objects.with_public_id(wanted.inbox)
        rows = rows.filter(message__inbox__in=inboxes)
    if wanted.sender:
        rows = rows.filter(sender__icontains=wanted.sender)
    if wanted.flag:
        rows = flagged_activities(rows, wanted.flag)
    return _search(rows, wanted.q, _ACTIVITY_TEXTS)


def _awake(wanted: QueueCriteria, asof: datetime) -> Q:
    """Return which rows are put off, or are not."""
    if wanted.snoozed:
        return Q(snoozed_until__gt=asof)
    return Q(snoozed_until=None) | Q(snoozed_until__lte=asof)


def _with_flags_saying(word: str) -> Q:
    """Return which rows have a flag that has the word in its title or a sentence, as it is read."""
    said = word.lower()
    codes = (
        code for code, kind in FLAGS.items()
        if any(said in gettext(text).lower() for text in (kind.title, *kind.reasons.values()))
    )  # fmt: skip
    return reduce(or_, (with_flag(code) for code in codes), Q(pk__in=()))


def _search(
    rows: QuerySet[Any],
    q: str,
    columns: tuple[str, ...],
    mail: QuerySet[Activity] | None = None,
) -> QuerySet[Any]:
    """Keep the rows that have every word in one of the columns, or in the mail that they answer."""
    for word in q.split()[:_MOST_WORDS]:
        anywhere = _said(word, columns)
        if "flags" in columns:
            anywhere |= _with_flags_saying(word)
        if mail is not None:
            anywhere |= Q(Exists(mail.filter(_said(word, _ACTIVITY_TEXTS))))
        rows = rows.filter(anywhere)
    return rows


def _said(word: str, columns: tuple[str, ...]) -> Q:
    """Return which rows have a word in one of the columns."""
    # SQLite compares letters beyond ASCII as they are.
    forms = {word} if word.isascii() else {word, word.lower(), word.upper(), word.capitalize()}
    return reduce(or_, (Q(**{f"{name}__icontains": form}) for name in columns for form in forms))
