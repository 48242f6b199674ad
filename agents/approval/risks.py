"""What is risky about a draft: deterministic checks before it is sealed, each naming its source."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import regex

from agents.evidence.known import Why, imitable, know, own_addresses
from inbox.actor import Actor
from inbox.flags import FLAGS, Finding, Flag, collect, found, read_flags
from inbox.models import Authentication, Draft, Identity, Message, ReplyPolicy
from inbox.policies import Outgoing, Policy, read_policy
from inbox.rfc5322.addresses.parsing import is_lookalike, stands_in
from inbox.search.passages import find_borrowed_passages

# All that is drawn as nothing, but for what joins letters and picks the form of an emoji.
_INVISIBLE = regex.compile(
    r"[\p{Default_Ignorable_Code_Point}--[\u200c\u200d\ufe0e\ufe0f]]", regex.VERSION1
)


@dataclass(frozen=True, slots=True)
class KnownContacts:
    """Whom we know of the addresses that matter to a draft, and whom a stranger may imitate."""

    known: dict[str, Why]
    imitable: list[str]

    def imitated_by(self, email: str) -> str | None:
        """Return the address that a stranger's only looks like; nobody known imitates."""
        return None if email.lower() in self.known else is_lookalike(email, self.imitable)


def find_risks(actor: Actor, draft: Draft, thread: list[Message] | None = None) -> list[Flag]:
    """Return the risk flags of a draft, one of each kind; `policy_blocked` forbids it.

    The draft need not be stored. The policy is the draft's own, or else the workspace's first.
    `thread`, where it was read already, is what `thread_of` returns.
    """
    recipients = [address["email"] for address in [*draft.to, *draft.cc, *draft.bcc]]
    thread = thread_of(actor, draft) if thread is None else thread
    acquaintance = _acquaint(actor, draft, recipients, thread)
    return collect([
        *_check_policy(actor, draft, recipients, thread),
        *_check_recipients(recipients, acquaintance, thread),
        *_check_what_it_answers(draft, acquaintance, thread),
        *_check_for_invisible(draft),
        *find_borrowed_passages(
            actor=actor, body=draft.body, recipients=recipients, thread_id=draft.thread_id,
        ),
        *_found_in_composing(draft),
    ])  # fmt: skip


def _found_in_composing(draft: Draft) -> Iterator[Finding]:
    """Yield what only composing knows of it, as long as nobody has changed the draft since."""
    for flag in read_flags(draft.risk_flags) if draft.version == 1 else ():
        kind = FLAGS.get(flag.flag)
        lasting = kind.of_composing if kind else frozenset()
        yield from (finding for finding in flag.findings if finding.reason in lasting)


def thread_of(actor: Actor, draft: Draft) -> list[Message]:
    """Return the newest messages of the thread that a draft answers, the newest first."""
    if draft.thread_id is None:
        return []
    rows = Message.objects.visible_to(actor).kept().filter(thread_id=draft.thread_id)
    return list(rows.defer("html", "search_extra", "signals").order_by("-received_at", "-id")[:50])


def _check_policy(
    actor: Actor, draft: Draft, recipients: list[str], thread: list[Message]
) -> Iterator[Finding]:
    _, policy = policy_of(actor, draft)
    own_domains = {
        email.rpartition("@")[2].lower()
        for email in Identity.objects.visible_to(actor).values_list("email", flat=True)[:100]
    }
    outgoing = Outgoing(
        body=draft.body, subject=draft.subject, recipients=recipients,
        own_hosts=frozenset(own_domains),
    )  # fmt: skip
    for finding in policy.check(outgoing):
        yield replace(finding, source=_find_source(finding.excerpt, thread))


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


def _acquaint(
    actor: Actor, draft: Draft, recipients: list[str], thread: list[Message]
) -> KnownContacts:
    own = own_addresses(actor, draft.workspace_id)
    emails = [*recipients, *(message.from_email for message in thread)]
    return KnownContacts(
        known=know(actor, draft.workspace_id, emails, own=own),
        imitable=imitable(actor, draft.workspace_id, own=own),
    )


def _check_recipients(
    recipients: list[str], acquaintance: KnownContacts, thread: list[Message]
) -> Iterator[Finding]:
    for email in recipients:
        source = _find_mention(email, thread)
        if email.lower() not in acquaintance.known:
            reason = "only_in_mail" if source else "new"
            yield found("new_recipient", reason, excerpt=email, source=source)
        imitated = acquaintance.imitated_by(email)
        if imitated:
            yield found(
                "lookalike_sender", "recipient", address=imitated, excerpt=email, source=source
            )


def _find_mention(email: str, thread: Iterable[Message]) -> str | None:
    """Return the newest message that brought this address."""
    wanted = email.lower()
    for message in thread:
        brought = [message.from_email, *(one["email"] for one in [*message.reply_to, *message.cc])]
        if wanted in {one.lower() for one in brought} or stands_in(email, message.text):
            return message.public_id
    return None


def _check_for_invisible(draft: Draft) -> Iterator[Finding]:
    """Flag characters that no reader sees and a machine reads."""
    unseen = _INVISIBLE.findall(f"{draft.subject}\n{draft.body}")
    if unseen:
        codes = ", ".join(dict.fromkeys(f"U+{ord(one):04X}" for one in unseen))
        yield found("hidden_text", "characters", count=len(unseen), codes=codes[:200])


def _check_what_it_answers(
    draft: Draft, acquaintance: KnownContacts, thread: list[Message]
) -> Iterator[Finding]:
    """Flag what is odd about the mail that the draft rests on."""
    # What is only tried out is not stored, and cites nothing but what it answers.
    stored = draft.cited.values_list("pk", flat=True) if draft.pk else ()
    cited = {*stored, draft.in_reply_to_id}
    for message in thread:
        if message.pk not in cited:
            continue
        if "hidden_text" in message.anomalies:
            yield found("hidden_text", "answered", source=message.public_id)
        where = {"excerpt": message.from_email, "source": message.public_id}
        if message.authentication == Authentication.FAIL:
            yield found("lookalike_sender", "unauthenticated", address=message.from_email, **where)
        if imitated := acquaintance.imitated_by(message.from_email):
            yield found("lookalike_sender", "sender", address=imitated, **where)
