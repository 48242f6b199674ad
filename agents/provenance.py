"""Where a draft comes from: deterministic checks before it is sealed, each naming its source."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import regex

from inbox.actor import Actor
from inbox.models import Authentication, Draft, Identity, Message, PersonEmail, ReplyPolicy
from inbox.policies import Flag, Outgoing, Policy, read_policy
from inbox.rfc5322.addresses import is_lookalike, stands_in
from inbox.search.passages import find_borrowed_passages

# So many of the addresses we write with most are compared with, for look-alikes.
_KNOWN = 500
_MOST_FLAGS = 50
# All that is drawn as nothing, but for what joins letters and picks the form of an emoji.
_INVISIBLE = regex.compile(
    r"[\p{Default_Ignorable_Code_Point}--[\u200c\u200d\ufe0e\ufe0f]]", regex.VERSION1
)


def find_risks(actor: Actor, draft: Draft) -> list[dict[str, Any]]:
    """Return the risk flags of a draft, as an approval keeps them; `policy_blocked` forbids it.

    The draft need not be stored. The policy is the draft's own, or else the workspace's first.
    """
    recipients = [address["email"] for address in [*draft.to, *draft.cc, *draft.bcc]]
    thread = _thread_messages(actor, draft)
    contacts = _contacts(actor)
    flags = [
        *_check_policy(actor, draft, recipients, thread),
        *_check_recipients(actor, recipients, contacts, thread),
        *_check_what_it_answers(draft, contacts, thread),
        *_check_for_invisible(draft),
        *find_borrowed_passages(
            actor=actor, body=draft.body, recipients=recipients, thread_id=draft.thread_id,
        ),
    ]  # fmt: skip
    # What was found while it was composed stays, as far as nobody has changed it since.
    kept = [Flag(**flag) for flag in draft.risk_flags if draft.version == 1]
    unique = {(flag.flag, flag.excerpt): flag for flag in [*flags, *kept]}
    return [flag.as_json() for flag in list(unique.values())[:_MOST_FLAGS]]


def _thread_messages(actor: Actor, draft: Draft) -> list[Message]:
    """Return the newest messages of the thread that the draft answers."""
    if draft.thread_id is None:
        return []
    rows = Message.objects.visible_to(actor).kept().filter(thread_id=draft.thread_id)
    return list(rows.defer("html", "search_extra", "signals").order_by("-received_at", "-id")[:50])


def _check_policy(
    actor: Actor, draft: Draft, recipients: list[str], thread: list[Message]
) -> Iterator[Flag]:
    _, policy = policy_of(actor, draft)
    own_domains = {
        email.rpartition("@")[2].lower()
        for email in Identity.objects.visible_to(actor).values_list("email", flat=True)[:100]
    }
    outgoing = Outgoing(
        body=draft.body, subject=draft.subject, recipients=recipients,
        own_hosts=frozenset(own_domains),
    )  # fmt: skip
    for flag in policy.check(outgoing):
        yield replace(flag, source=flag.source or _find_source(flag.excerpt, thread))


def policy_of(actor: Actor, draft: Draft) -> tuple[ReplyPolicy | None, Policy]:
    """Return the policy that a draft is checked by, as stored (None: there is none) and as read."""
    row = draft.policy or ReplyPolicy.objects.visible_to(actor).order_by("id").first()
    return row, read_policy(row.source) if row else Policy()


def _find_source(excerpt: str, thread: Iterable[Message]) -> str | None:
    """Return the newest message that came in and holds these words."""
    if not excerpt:
        return None
    holding = (
        message.public_id
        for message in thread
        if message.direction == "inbound" and excerpt in message.text
    )
    return next(holding, None)


def known_addresses(actor: Actor, emails: Iterable[str]) -> frozenset[str]:
    """Return, in lower case, those of the addresses that somebody has written with before."""
    written_with = PersonEmail.objects.visible_to(actor).filter(contact_count__gt=0)
    lowered = [email.lower() for email in emails]
    return frozenset(written_with.filter(email__in=lowered).values_list("email", flat=True))


def _contacts(actor: Actor) -> list[str]:
    """Return the addresses that a look-alike would imitate: whom we write with, and ourselves."""
    written_with = PersonEmail.objects.visible_to(actor).filter(contact_count__gt=0)
    return [
        *written_with.filter(sent_count__gt=0).order_by("-contact_count", "-id")
        .values_list("email", flat=True)[:_KNOWN],
        *Identity.objects.visible_to(actor).values_list("email", flat=True)[:100],
    ]  # fmt: skip


def _imitated_by(email: str, contacts: list[str]) -> str | None:
    """Return the contact that an address only looks like; None for a contact itself."""
    lowered = email.lower()
    others = [contact for contact in contacts if contact.lower() != lowered]
    return is_lookalike(email, others)


def _check_recipients(
    actor: Actor, recipients: list[str], contacts: list[str], thread: list[Message]
) -> Iterator[Flag]:
    known = known_addresses(actor, recipients)
    for email in recipients:
        source = _find_mention(email, thread)
        if email.lower() not in known:
            reason = "Nobody has written with this address before."
            if source:
                reason += " It stands only in the mail that this answers."
            yield Flag("new_recipient", reason, email, source)
        imitated = _imitated_by(email, contacts)
        if imitated:
            yield Flag("lookalike_sender", f"The address looks like {imitated}.", email, source)


def _find_mention(email: str, thread: Iterable[Message]) -> str | None:
    """Return the newest message that brought this address."""
    wanted = email.lower()
    for message in thread:
        brought = [message.from_email, *(one["email"] for one in [*message.reply_to, *message.cc])]
        if wanted in {one.lower() for one in brought} or stands_in(email, message.text):
            return message.public_id
    return None


def _check_for_invisible(draft: Draft) -> Iterator[Flag]:
    """Flag characters that no reader sees and a machine reads."""
    found = _INVISIBLE.findall(f"{draft.subject}\n{draft.body}")
    if found:
        codes = ", ".join(dict.fromkeys(f"U+{ord(one):04X}" for one in found[:1000]))
        yield Flag("hidden_text", f"It holds {len(found)} characters nobody sees: {codes[:200]}.")


def _check_what_it_answers(
    draft: Draft, contacts: list[str], thread: list[Message]
) -> Iterator[Flag]:
    """Flag what is odd about the mail that the draft rests on."""
    # What is only tried out is not stored, and cites nothing but what it answers.
    stored = draft.cited.values_list("pk", flat=True) if draft.pk else ()
    cited = {*stored, draft.in_reply_to_id}
    for message in thread:
        if message.pk not in cited:
            continue
        if "hidden_text" in message.anomalies:
            reason = "The mail that it answers holds text that its reader cannot see."
            yield Flag("hidden_text", reason, source=message.public_id)
        reasons = []
        if message.authentication == Authentication.FAIL:
            reasons.append(f"The sender {message.from_email} could not be authenticated.")
        if imitated := _imitated_by(message.from_email, contacts):
            reasons.append(f"The sender's address looks like {imitated}.")
        if reasons:
            said = " ".join(reasons)
            yield Flag("lookalike_sender", said, message.from_email, message.public_id)
