"""To whom a message would go, where each address comes from, and what we have to do with it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, TypeAlias

from agents.admin.evidence.highlights import Highlight
from agents.admin.evidence.versions import MessageVersion
from agents.evidence.known import Why, imitable, know, own_addresses
from inbox.actor import Actor
from inbox.models import Message, Person, PersonEmail, Submission
from inbox.prepared import Prepared, padded
from inbox.rfc5322.addresses.parsing import Address, display_name_deceives, is_lookalike, stands_in
from inbox.rfc5322.parse import ParsedMessage
from inbox.templatetags.page_addresses import address_of

OriginKind: TypeAlias = Literal[
    "ours", "header", "contact", "agent's card", "guest", "body", "edited", "typed"
]
_ORDER = ("ours", "header", "contact", "guest", "agent's card", "body")
_HEADERS = ("From", "Reply-To", "To", "Cc")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an address stands: `words` name the header or the person, `url` leads there."""

    kind: OriginKind
    words: str = ""
    url: str = ""
    anchor: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True)
class Recipient:
    """One address that the message would go to, with what we know of it."""

    field: str
    name: str
    email: str
    is_new: bool
    imitates: str
    name_deceives: bool
    sent_count: int
    received_count: int
    since: datetime | None
    until: datetime | None = None
    person_url: str = ""
    origins: tuple[Origin, ...] = ()
    is_reached: bool = True
    flags: tuple[Highlight, ...] = ()
    # Those of the flags that nobody before it carries.
    opens: tuple[Highlight, ...] = ()
    person: Person | None = None

    @property
    def marks(self) -> tuple[str, ...]:
        """What stands at the address, as the names of flags."""
        found = {
            "new_recipient": self.is_new,
            "lookalike_sender": bool(self.imitates),
            "deceptive_name": self.name_deceives,
        }
        return tuple(name for name, stands in found.items() if stands)

    @property
    def is_flagged(self) -> bool:
        """Whether anything stands at the address that a reviewer should look at."""
        return bool(self.flags or self.marks) or not self.is_reached

    @property
    def is_doubtful(self) -> bool:
        """Whether nothing but somebody's words, or the agent's, brought the address.

        Where answers are to go is what the sender of a message says, too.
        """
        first = self.origins[0] if self.origins else None
        if first is None or first.kind in {"agent's card", "body", "typed"}:
            return True
        return self.is_new and first.kind == "header" and first.words == "Reply-To"


@dataclass(frozen=True, slots=True)
class Known:
    """What there is to compare addresses with; `asked` are those that were looked up."""

    asked: frozenset[str]
    addresses: dict[str, PersonEmail]
    why: dict[str, Why]
    imitated: tuple[str, ...]


def read_recipients(
    actor: Actor,
    submission: Submission,
    parsed: ParsedMessage,
    *,
    messages: Sequence[Message],
    editions: Sequence[MessageVersion],
    flagged: dict[str, tuple[Highlight, ...]],
    shown: frozenset[str],
    known: Known | None = None,
) -> tuple[Recipient, ...]:
    """Return everybody whom the message names or reaches, in six queries.

    `messages` are looked through for their addresses, newest first; `shown` are the ids of those
    that stand on the page. Several messages may share what is `known`, which saves the queries.
    """
    envelope = {str(email).lower() for email in submission.envelope_to}
    everyone = list(_everyone(submission, parsed))
    emails = frozenset(one.email.lower() for _, one in everyone)
    if known is None or not emails <= known.asked:
        known = read_known(actor, submission.workspace_id, emails)
    headers, there = _in_headers(messages), known

    def origins(email: str) -> tuple[Origin, ...]:
        found = [*_standing(email, there), *_mentioned(email, headers, messages, shown)]
        found.sort(key=lambda one: _ORDER.index(one.kind))
        return (*found, *_typed(email, editions, is_known=bool(found)))

    found = (
        _recipient(
            field, one, known=there, origins=origins(one.email.lower()),
            is_reached=one.email.lower() in envelope, flags=flagged.get(one.email.lower(), ()),
        )
        for field, one in everyone
    )  # fmt: skip
    return tuple(_opened(found))


def _opened(recipients: Iterable[Recipient]) -> Iterator[Recipient]:
    seen: set[Highlight] = set()
    for one in recipients:
        yield replace(one, opens=tuple(mark for mark in one.flags if mark not in seen))
        seen.update(one.flags)


def _everyone(submission: Submission, parsed: ParsedMessage) -> Iterator[tuple[str, Address]]:
    """Yield whom the headers name, and then whom only the envelope does."""
    named = {"To": parsed.to, "Cc": parsed.cc, "Bcc": parsed.bcc}
    written = {one.email.lower() for all_of in named.values() for one in all_of}
    for field, all_of in named.items():
        for one in all_of:
            yield field, one
    for email in submission.envelope_to:
        if str(email).lower() not in written:
            yield "Bcc", Address(str(email))


def read_known(actor: Actor, workspace_id: int, emails: frozenset[str]) -> Known:
    """Read what there is of these addresses, in lower case, and what they may imitate."""
    rows = _ADDRESSES.rows(there=actor.within(workspace_id), emails=padded(sorted(emails)))
    addresses = {row.email: row for row in rows}
    own = own_addresses(actor, workspace_id)
    why = know(actor, workspace_id, emails, own=own)
    return Known(emails, addresses, why, tuple(imitable(actor, workspace_id, own=own)))


def _addresses(*, there: Actor, emails: tuple[str, ...]) -> list[Any]:
    rows = PersonEmail.objects.visible_to(there).filter(email__in=emails)
    return [rows.select_related("person")]


_ADDRESSES = Prepared(_addresses)


def _in_headers(messages: Sequence[Message]) -> dict[str, tuple[str, Message]]:
    """Return, by address, the best header field that holds it and the newest such message."""
    found: dict[str, tuple[str, Message]] = {}
    for message in messages:
        fields = ([message.sender], message.reply_to, message.to, message.cc)
        for name, all_of in zip(_HEADERS, fields, strict=True):
            for one in all_of:
                email = str(one.get("email", "")).lower()
                there = found.get(email)
                if there is None or _HEADERS.index(name) < _HEADERS.index(there[0]):
                    found[email] = (name, message)
    return found


def _standing(email: str, known: Known) -> Iterator[Origin]:
    why = known.why.get(email)
    if why in {"ours", "guest"}:
        yield Origin("ours" if why == "ours" else "guest")
    row = known.addresses.get(email)
    if row is not None and row.person.is_contact and row.is_on_card:
        url = address_of("admin:inbox_person_change", row.person_id)
        yield Origin("contact" if row.by_person else "agent's card", row.person.fn, url)


def _mentioned(
    email: str,
    headers: dict[str, tuple[str, Message]],
    messages: Sequence[Message],
    shown: frozenset[str],
) -> Iterator[Origin]:
    if email in headers:
        name, message = headers[email]
        yield Origin("header", name, *_place(message, shown))
        return
    saying = (one for one in messages if stands_in(email, one.text))
    message = next(saying, None)  # type: ignore[assignment]
    if message is not None:
        yield Origin("body", message.from_email, *_place(message, shown))


def _place(message: Message, shown: frozenset[str]) -> tuple[str, str]:
    """Return the address of a message's page, and its place on this one if it stands here."""
    public_id = message.public_id
    return address_of("message", public_id), f"#{public_id}" if public_id in shown else ""


def _typed(email: str, editions: Sequence[MessageVersion], *, is_known: bool) -> Iterator[Origin]:
    """Yield who put the address into the draft, where that was no answer to what was known."""
    first = next((one for one in editions if email in one.emails), None)
    if first is None:
        return
    if first.by_person:
        yield Origin("edited", by=first.author, words=str(first.number))
    elif not is_known:
        yield Origin("typed", by=first.author)


def _recipient(
    field: str,
    one: Address,
    *,
    known: Known,
    origins: tuple[Origin, ...],
    is_reached: bool,
    flags: tuple[Highlight, ...],
) -> Recipient:
    there = known.addresses.get(one.email.lower())
    is_new = one.email.lower() not in known.why
    return Recipient(
        field=field, name=one.name, email=one.email, is_new=is_new,
        imitates=is_lookalike(one.email, known.imitated) or "" if is_new else "",
        name_deceives=display_name_deceives(one.name, one.email),
        sent_count=there.sent_count if there else 0,
        received_count=there.received_count if there else 0,
        since=there.first_contact_at if there else None,
        until=there.last_contact_at if there else None,
        person_url=address_of("admin:inbox_person_change", there.person_id) if there else "",
        origins=origins, is_reached=is_reached, flags=flags,
        person=there.person if there else None,
    )  # fmt: skip
