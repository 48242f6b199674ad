"""What a draft claims, held against the mail, files, events and cards that it may come from."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

from django.db.models import Q, QuerySet
from django.utils import timezone

from agents.approval.checks.attached import read_attached
from agents.approval.checks.risks import policy_of
from agents.evidence.claims.check import check_claims
from agents.evidence.claims.meetings.invitations import Invited, check_invitation
from agents.evidence.claims.records import (
    Asked,
    AttachedFile,
    Mark,
    Named,
    ProposedMessage,
    Source,
)
from agents.evidence.claims.topics import read_topics
from calendar_app.event_words import describe_time
from calendar_app.icalendar import read_itip
from calendar_app.models import Event, EventStatus, Transparency
from calendar_app.operations.occurrences import Occurrence, list_occurrences
from inbox.actor import Actor
from inbox.models import Authentication, Direction, Draft, Inbox, Message, PersonEmail
from inbox.rfc5322.addresses.mailbox_providers import PUBLIC_DOMAINS
from inbox.rfc5322.text.language import detect_language
from inbox.search.files import find_files
from inbox.search.finding import rank_messages
from inbox.search.passages import with_phrases

Stored: TypeAlias = dict[str, Any]
# Of the thread so many messages are read; of earlier mail, events, cards and files so many more.
_NEAR, _EARLIER, _OURS, _EVENTS, _CARDS, _FILES, _MENTIONS = 12, 12, 8, 40, 40, 14, 8
# And so many messages of the matter that it is about.
_OF_TOPIC = 12
_INBOXES, _RECENT = 200, 300
_MOST_WORDS, _MOST_NAMES = 8, 20
# What is shorter stands anywhere.
_LEAST_TELLING = 4
# Of whom a message went to, so many are read.
_MOST_READERS = 20
_WORD = re.compile(r"[^\W_]+")
_WITH_DIGITS = re.compile(r"[^\W_]*\d[^\W_]*")
# What a policy forbids is nothing that it says: a list under this name, and patterns anywhere.
_FORBIDDEN = re.compile(
    r"^forbidden_phrases:.*(?:\n(?:[ \t]+|-).*|\n[ \t]*(?=\n))*|^[ \t]*-[ \t]*/.*/[ \t]*$",
    re.MULTILINE,
)
_BEFORE, _AFTER, _YESTERDAY = timedelta(days=60), timedelta(days=180), timedelta(days=1)
# Of a series so many times are read.
_TIMES = 6
_COLUMNS = (
    "id", "submission_id", "direction", "subject", "text", "received_at", "language", "from_name",
    "from_email", "to", "cc", "thread_id", "authentication",
)  # fmt: skip


def find_marks(
    actor: Actor,
    draft: Draft,
    thread: Sequence[Message],
    attached: Sequence[AttachedFile] | None = None,
) -> list[Mark]:
    """Return a mark for each claim of a draft, in the order of the message.

    `thread` are the newest messages of what it answers, the newest first. Further rows are
    only read where these do not have a claim. `attached` is what `read_attached` returns, where it
    was read already.
    """
    if draft.calendar:
        return _of_invitation(actor, draft, thread)
    proposed, near = _proposed(draft, thread, attached)
    further = _Further(actor, draft, {one.pk for one in thread[:_NEAR]})
    return check_claims(proposed, near, further, _known(draft, thread))


def gather_sources(
    actor: Actor, draft: Draft, thread: Sequence[Message]
) -> tuple[ProposedMessage, list[Source]]:
    """Return a draft as it is checked, and all that it may rest on, what it answers first.

    Further rows are those that have most of the words which say what it is about.
    """
    proposed, near = _proposed(draft, thread, None)
    text = f"{proposed.subject}\n{proposed.body}"
    topics = read_topics(text, proposed.language, proposed.own_words)
    further = _Further(actor, draft, {one.pk for one in thread[:_NEAR]})
    return proposed, [*near, *further(Asked(topics.words, topics.words, *topics))]


def _proposed(
    draft: Draft, thread: Sequence[Message], attached: Sequence[AttachedFile] | None
) -> tuple[ProposedMessage, list[Source]]:
    """Return a draft as it is checked, and what it answers and what goes with it."""
    now = timezone.localtime()
    proposed = ProposedMessage(
        subject=draft.subject, body=draft.body, written_on=now.date(),
        language=detect_language(draft.body), greeted=_greeted(draft, thread),
        attached=tuple(read_attached(draft)) if attached is None else tuple(attached),
        goal=draft.goal, sender=Named(draft.identity.name, draft.identity.email),
        copied=frozenset(one["email"].lower() for one in draft.cc),
        zone=timezone.get_current_timezone_name(),
    )  # fmt: skip
    near = [
        *_as_sources(thread[:_NEAR], draft),
        Source("recipient", draft.identity.email, draft.identity.email, now.date(), is_ours=True),
        *(Source("attachment", one.name, one.text, now.date(), is_ours=True)
          for one in proposed.attached if one.text),
        *([Source("goal", "", draft.goal, now.date(), is_ours=True)] if draft.goal else []),
    ]  # fmt: skip
    return proposed, near


def _of_invitation(actor: Actor, draft: Draft, thread: Sequence[Message]) -> list[Mark]:
    """Return the mark of when a meeting is that others are invited to; it is told in the body."""
    invited = _invited(draft)
    if invited is None:
        return []
    further = _Further(actor, draft, set())
    proposed = ProposedMessage(
        subject=draft.subject, body=draft.body, written_on=timezone.localdate(),
        greeted=_greeted(draft, thread), goal=draft.goal,
    )  # fmt: skip
    return check_invitation(invited, proposed, further.mail_and_events(), _known(draft, thread))


def _invited(draft: Draft) -> Invited | None:
    """Return when a meeting is that a draft invites to; None for answers and cancellations."""
    try:
        message = read_itip(draft.calendar.encode())
    except ValueError:
        return None
    said = message.events[0] if message.method == "REQUEST" and message.events else None
    if said is None or said.start is None or said.end is None:
        return None
    words = describe_time(said)
    start = draft.body.find(words)
    if start < 0:
        return None
    begins, ends = (_local(it, said.timezone or "UTC") for it in (said.start, said.end))
    return Invited(begins, ends, said.all_day, start, start + len(words))


def marks_as_json(marks: Iterable[Mark]) -> list[Stored]:
    """Return marks as approvals keep them."""
    return [{**asdict(mark), "sources": [one._asdict() for one in mark.sources]} for mark in marks]


def _greeted(draft: Draft, thread: Sequence[Message]) -> tuple[Named, ...]:
    """Return whom the message may greet; the names are those that they give themselves."""
    names = {one.from_email.lower(): one.from_name for one in reversed(thread) if one.from_name}
    return tuple(
        Named(str(one.get("name") or names.get(one["email"].lower(), "")), one["email"])
        for one in [*draft.to, *draft.cc]
    )


def _known(draft: Draft, thread: Sequence[Message]) -> list[Named]:
    """Return those whom it may name: its recipients and who wrote before."""
    senders = [Named(one.from_name, one.from_email) for one in thread]
    return list(dict.fromkeys([*_greeted(draft, thread), *senders]))


def _people(one: Message) -> tuple[Named, ...]:
    """Return who wrote a message, and then to whom."""
    others = (Named(str(it.get("name") or ""), it["email"]) for it in [*one.to, *one.cc])
    return (Named(one.from_name, one.from_email), *list(others)[:_MOST_READERS])


def _as_sources(messages: Iterable[Message], draft: Draft) -> list[Source]:
    domain = draft.identity.email.lower().rpartition("@")[2]
    inside = domain if domain not in PUBLIC_DOMAINS else ""
    return [
        Source(
            "message", one.public_id, f"{one.subject}\n{one.text}",
            timezone.localtime(one.received_at).date(),
            is_ours=one.direction == Direction.OUTBOUND, language=one.language,
            days=(timezone.localtime(one.received_at).date(),),
            at=timezone.localtime(one.received_at).time().replace(second=0, microsecond=0),
            by=one.from_email.lower(), thread=str(one.thread_id), people=_people(one),
            is_inside=one.from_email.lower().rpartition("@")[2] == inside
            and one.authentication != Authentication.FAIL,
        )
        for one in messages
    ]  # fmt: skip


class _Further:
    """What is read where the thread does not have a claim, in 18 queries at most."""

    def __init__(self, actor: Actor, draft: Draft, read: set[int]) -> None:
        self.actor, self.draft, self.read = actor.within(draft.workspace_id), draft, read
        self.emails = [one["email"].lower() for one in [*draft.to, *draft.cc, *draft.bcc]][:20]

    def __call__(self, asked: Asked) -> list[Source]:
        return [
            *self._mail(asked.names), *self._mentions(asked), *self._events(),
            *self._cards(asked), *self._files(asked), *self._policy(),
        ]  # fmt: skip

    def mail_and_events(self) -> list[Source]:
        """Return the mail with those written to, and our events."""
        return [*self._mail(), *self._events()]

    def _policy(self) -> list[Source]:
        row, _ = policy_of(self.actor, self.draft)
        today = timezone.localdate()
        if row is None:
            return []
        text = _FORBIDDEN.sub("", row.source)
        return [Source("policy", row.public_id, text, today, is_ours=True)]

    def _mail(self, names: Sequence[str] = ()) -> list[Source]:
        """Return earlier mail with the same people and of those named, and what we wrote last."""
        rows = Message.objects.visible_to(self.actor).kept().only(*_COLUMNS)
        rows = rows.exclude(pk__in=self.read)
        inboxes = Inbox.objects.visible_to(self.actor)
        theirs = _newest(
            rows.filter(inbox_id__in=list(inboxes.values_list("pk", flat=True)[:_INBOXES])).filter(
                from_email__in=self.emails, direction=Direction.INBOUND
            )
        )[:_EARLIER]
        threads = {one.thread_id for one in theirs}
        answers = rows.filter(thread_id__in=threads, direction=Direction.OUTBOUND)
        # Of the newest alone: an inbox may hold a hundred thousand, and none of ours among them.
        recent = _newest(rows.filter(inbox_id=self.draft.inbox_id))[:_RECENT]
        ours = rows.filter(pk__in=recent.values("pk"), direction=Direction.OUTBOUND)
        found = [*theirs, *_newest(answers)[:_OURS], *_newest(ours)[:_OURS]]
        is_named = reduce(or_, (Q(from_name__icontains=it) for it in names[:_MOST_WORDS]), Q())
        if is_named:
            lately = rows.filter(pk__in=recent.values("pk"), direction=Direction.INBOUND)
            found += _newest(lately.filter(is_named))[:_OURS]
        self.read |= {one.pk for one in found}
        return _as_sources({one.pk: one for one in found}.values(), self.draft)

    def _mentions(self, asked: Asked) -> list[Source]:
        """Return the newest mail of the inbox with a telling word, and what is of its matter.

        That is what has most of its rarest words, whoever wrote it.
        """
        rows = Message.objects.visible_to(self.actor).kept().only(*_COLUMNS)
        rows = rows.filter(inbox_id=self.draft.inbox_id).exclude(pk__in=self.read)
        phrases = [it for it in map(_phrase, asked.telling) if len(it) >= _LEAST_TELLING]
        exact = with_phrases(rows, phrases[:_MOST_WORDS]) if phrases else rows.none()
        found = list(_newest(exact)[:_MENTIONS])
        query, most = " ".join(asked.topics), _OF_TOPIC + len(self.read)
        best = rank_messages(inboxes=[self.draft.inbox], query=query, limit=most, is_text=True)
        self.read |= {one.pk for one in found}
        found += _newest(rows.filter(pk__in=best).exclude(pk__in=self.read))[:_OF_TOPIC]
        return _as_sources(found, self.draft)

    def _events(self) -> list[Source]:
        """Return what is in our calendar from yesterday on, also of series, and what was lately."""
        since = timezone.now() - _YESTERDAY
        rows = Event.objects.visible_to(self.actor).kept().filter(
            calendar__account_id=self.draft.account_id
        )  # fmt: skip
        rows = rows.prefetch_related("attendees")
        until, most = since + _AFTER, _EVENTS * _TIMES
        coming = list_occurrences(rows, since=since, until=until, limit=most)
        over = rows.filter(dtstart__range=(since - _BEFORE, since)).order_by("-dtstart", "-id")
        return [
            *(_event(one.event, one.start, one.end) for one in _first_of_each(coming)),
            *(_event(one, one.dtstart, one.dtend) for one in over[:_EVENTS]),
        ]

    def _cards(self, asked: Asked) -> list[Source]:
        """Return the cards of those written to, and of whom the message names."""
        emails = [*self.emails, *(word.lower() for word in asked.telling if "@" in word)]
        is_named = Q(email__in=emails)
        for word in asked.names[:_MOST_NAMES]:
            is_named |= Q(person__fn__icontains=word) | Q(person__org__icontains=word)
        rows = PersonEmail.objects.visible_to(self.actor).kept().filter(is_named)
        today = timezone.localdate()
        return [
            Source("contact", one.person.public_id, _card(one), today)
            for one in rows.select_related("person")[:_CARDS]
        ]  # fmt: skip

    def _files(self, asked: Asked) -> list[Source]:
        """Return the files that have most of the words of the claims and of the matter."""
        query = " ".join([*asked.words[:_MOST_WORDS], *asked.topics])
        hits = find_files(
            actor=self.actor, accounts=[self.draft.account], query=query, limit=_FILES, is_text=True
        )
        return [
            Source(
                "file", it.file.public_id, f"{it.file.path}\n{it.file.text}",
                timezone.localtime(it.file.modified_at).date(), is_ours=True,
            )
            for it in hits
        ]  # fmt: skip


def _phrase(words: str) -> str:
    """Return what of a claim's words a text is looked for by: those with digits, or all."""
    return " ".join(_WITH_DIGITS.findall(words) or _WORD.findall(words))


def _card(one: PersonEmail) -> str:
    person = one.person
    lines = (person.fn, person.org, person.title, person.tel, one.email, person.note)
    return "\n".join(line for line in lines if line)


def _newest(rows: QuerySet[Message]) -> QuerySet[Message]:
    return rows.order_by("-received_at", "-id")


def _local(moment: datetime, zone: str) -> datetime:
    """Return a moment in a zone; as it is stored where that leaves the calendar's years."""
    try:
        return timezone.localtime(moment, ZoneInfo(zone) if zone else None)
    except OverflowError:
        return moment


def _first_of_each(found: Iterable[Occurrence]) -> list[Occurrence]:
    """Return the first times of each event, as many in all as are read."""
    times: Counter[int] = Counter()
    kept = []
    for one in found:
        times[one.event.pk] += 1
        if times[one.event.pk] <= _TIMES:
            kept.append(one)
    return kept[:_EVENTS]


def _event(one: Event, begins: datetime, ends: datetime) -> Source:
    start, end = (_local(it, one.timezone) for it in (begins, ends))
    times = "" if one.all_day else f" {start:%H:%M}-{end:%H:%M}"
    text = f"{one.summary}\n{start:%Y-%m-%d}{times}\n{one.location}\n{one.description}"
    is_free = one.transparency == Transparency.TRANSPARENT or one.status == EventStatus.CANCELLED
    return Source(
        "event", one.public_id, text, start.date(), days=(start.date(), end.date()),
        busy=None if is_free else (start, end),
        guests=tuple(f"{it.name} {it.email}" for it in one.attendees.all()),
    )  # fmt: skip
