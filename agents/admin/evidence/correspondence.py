"""What was written with each of those whom a message goes to, outside of its thread."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from agents.admin.evidence.recipients import Recipient
from inbox.actor import Actor
from inbox.compose.thread.situation import find_questions
from inbox.models import Direction, Inbox, Message, Person, Submission
from inbox.prepared import Prepared, padded
from inbox.templatetags.page_addresses import address_of

MOST_PEOPLE = 4
MOST_LETTERS = 3
LONGEST_EXCERPT = 600
# So many of the newest are looked through for the three of each.
_NEWEST = 24
_INBOXES = 200
# So many of our newest messages are looked through for those to somebody who never wrote back.
_OURS_LOOKED_AT = 200
_COLUMNS = (
    "workspace", "inbox", "thread", "submission", "direction", "received_at", "from_email",
    "subject", "new_text", "snippet", "to", "cc", "bcc",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Letter:
    """A message to or from somebody, as it is told in a few lines; `url` leads to its page."""

    subject: str
    text: str
    at: datetime
    is_ours: bool
    url: str


@dataclass(frozen=True, slots=True)
class Correspondent:
    """Somebody who gets the message: their card, the last letters, and what they asked last."""

    name: str
    email: str
    person: Person | None
    letters: tuple[Letter, ...]
    questions: tuple[str, ...]

    @property
    def url(self) -> str:
        """Where their page is; "" where we have none of them."""
        return address_of("person", self.person.public_id) if self.person else ""


def read_correspondents(
    actor: Actor, submission: Submission, recipients: Sequence[Recipient]
) -> tuple[Correspondent, ...]:
    """Return the first four who get a message, each with the last three letters; five queries.

    Letters of its own thread are left out: they stand on the page anyway. Of a new message those to
    somebody who has not answered are found among our newest.
    """
    each = {one.email.lower(): one for one in recipients}
    first = list(each.values())[:MOST_PEOPLE]
    emails = [one.email.lower() for one in first]
    theirs, ours = _letters(actor.within(submission.workspace_id), submission, emails)
    return tuple(_correspondent(one, theirs, ours) for one in first)


def _correspondent(
    one: Recipient, theirs: Sequence[Message], ours: Sequence[Message]
) -> Correspondent:
    written = [it for it in theirs if it.from_email == one.email.lower()]
    threads = _threads(written)
    email = one.email.lower()
    both = [*written, *(it for it in ours if it.thread_id in threads or email in _named(it))]
    newest = sorted(both, key=lambda it: (it.received_at, it.pk), reverse=True)
    asked = find_questions(written[0].new_text) if written else []
    return Correspondent(
        one.name or (one.person.fn if one.person else ""), one.email, one.person,
        tuple(map(_letter, newest[:MOST_LETTERS])), tuple(asked[:MOST_LETTERS]),
    )  # fmt: skip


def _letter(message: Message) -> Letter:
    return Letter(
        subject=message.subject, text=(message.new_text or message.snippet)[:LONGEST_EXCERPT],
        at=message.received_at, is_ours=message.direction == Direction.OUTBOUND,
        url=address_of("message", message.public_id),
    )  # fmt: skip


def _letters(
    actor: Actor, submission: Submission, emails: Sequence[str]
) -> tuple[list[Message], list[Message]]:
    """Return the newest messages from these people, and ours of the same threads."""
    own = (submission.thread_id,) if submission.thread_id is not None else ()
    inboxes = padded(list(_OF_INBOXES.rows(actor=actor)))
    theirs: list[Message] = list(
        _THEIRS.rows(actor=actor, own=own, emails=padded(emails), inboxes=inboxes)
    )
    threads = padded(sorted(_threads(theirs)))
    ours = {it.pk: it for it in _ANSWERS.rows(actor=actor, own=own, threads=threads)}
    if not own:
        wanted, sent = set(emails), _SENT.rows(actor=actor, inboxes=inboxes)
        keys = [it.pk for it in sent if wanted & _named(it)][:_NEWEST]
        ours |= {it.pk: it for it in _BY_KEY.rows(actor=actor, keys=padded(keys))}
    return theirs, list(ours.values())


def _named(message: Message) -> set[str]:
    """Return the addresses to which a message went, in lower case."""
    everybody = (*message.to, *message.cc, *message.bcc)
    return {str(one.get("email", "")).lower() for one in everybody}


def _sent(*, actor: Actor, inboxes: tuple[int, ...]) -> list[Any]:
    rows = Message.objects.visible_to(actor).kept().only("to", "cc", "bcc")
    rows = rows.filter(inbox__in=inboxes, direction=Direction.OUTBOUND)
    return [rows.order_by("-received_at", "-id")[:_OURS_LOOKED_AT]]


def _by_key(*, actor: Actor, keys: tuple[int, ...]) -> list[Any]:
    return [Message.objects.visible_to(actor).kept().only(*_COLUMNS).filter(pk__in=keys)]


def _of_inboxes(*, actor: Actor) -> list[Any]:
    return [Inbox.objects.visible_to(actor).values_list("pk", flat=True)[:_INBOXES]]


def _outside_of(actor: Actor, own: tuple[int, ...]) -> QuerySet[Message]:
    rows = Message.objects.visible_to(actor).kept().only(*_COLUMNS)
    return rows.exclude(thread_id__in=own) if own else rows


def _from_them(
    *, actor: Actor, own: tuple[int, ...], emails: tuple[str, ...], inboxes: tuple[int, ...]
) -> list[Any]:
    rows = _outside_of(actor, own).filter(inbox__in=inboxes, from_email__in=emails)
    return [_newest(rows.filter(direction=Direction.INBOUND))]


def _our_answers(*, actor: Actor, own: tuple[int, ...], threads: tuple[int, ...]) -> list[Any]:
    rows = _outside_of(actor, own).filter(thread__in=threads, direction=Direction.OUTBOUND)
    return [_newest(rows)]


def _threads(messages: Iterable[Message]) -> set[int]:
    return {one.thread_id for one in messages}


def _newest(rows: QuerySet[Message]) -> QuerySet[Message]:
    return rows.order_by("-received_at", "-id")[:_NEWEST]


_SENT, _BY_KEY = Prepared(_sent), Prepared(_by_key)
_OF_INBOXES, _THEIRS, _ANSWERS = Prepared(_of_inboxes), Prepared(_from_them), Prepared(_our_answers)
