"""What is risky about a draft: deterministic checks before it is sealed, each naming its source."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from agents.approval.checks.added import find_added
from agents.approval.checks.attached import find_risky, read_attached
from agents.approval.checks.disguises.finding import find_accounts_in_two
from agents.approval.checks.disguises.undoing import undo
from agents.approval.checks.linked import find_bad_links
from agents.approval.checks.named_earlier import find_named_elsewhere
from agents.approval.checks.readers import find_leaks, read_by_all, said_before, said_by
from agents.approval.checks.repeated import find_repeated
from agents.approval.checks.shown import Shown, read_shown
from agents.approval.checks.steering import find_steering, new_among
from agents.approval.checks.tasks import named_in_tasks
from agents.approval.checks.usual import Usual
from agents.evidence.claims.records import AttachedFile
from agents.evidence.exposures import window
from agents.evidence.known import Why, imitable, know, own_addresses
from agents.models import Approval, Exposure
from inbox.actor import Actor
from inbox.flags import FLAGS, Finding, Flag, collect, found, read_flags
from inbox.models import Authentication, Draft, Identity, Message, ReplyPolicy
from inbox.policies import Outgoing, Policy, read_policy
from inbox.policies.flows import judge, strictest
from inbox.policies.links import without_hosts
from inbox.rfc5322.addresses.mailbox_providers import PUBLIC_DOMAINS
from inbox.rfc5322.addresses.parsing import is_lookalike, stands_in
from inbox.rfc5322.text.hidden import find_hidden
from inbox.search.passages import find_borrowed_passages

# What reading a message found, and the reason that it is in `hidden_text`.
_HIDDEN = {"hidden_text": "answered", "alternatives_differ": "alternatives"}


@dataclass(frozen=True, slots=True)
class KnownContacts:
    """Whom we know of the addresses that matter to a draft, and whom a stranger may imitate."""

    known: dict[str, Why]
    imitable: list[str]
    # The domains that are ours alone.
    own_domains: frozenset[str] = frozenset()

    def is_ours(self, email: str) -> bool:
        """Return True for an address of our own house: one of ours, or at a domain of ours."""
        domain = email.lower().rpartition("@")[2]
        return self.known.get(email.lower()) == "ours" or domain in self.own_domains

    def imitated_by(self, email: str) -> str | None:
        """Return the address that a stranger's only looks like; nobody known imitates."""
        return None if email.lower() in self.known else is_lookalike(email, self.imitable)


def find_risks(
    actor: Actor,
    draft: Draft,
    thread: list[Message] | None = None,
    attached: Sequence[AttachedFile] | None = None,
    approval: Approval | None = None,
) -> list[Flag]:
    """Return the risk flags of a draft, one of each kind; `policy_blocked` forbids it.

    The draft need not be stored. The policy is the draft's own, or else the workspace's first.
    `thread` and `attached` may have been read already, by `thread_of` and `read_attached`. Of an
    `approval` counts what had been shown, and was proposed, before it.
    """
    recipients = _recipients(draft)
    thread = thread_of(actor, draft) if thread is None else thread
    attached = read_attached(draft) if attached is None else attached
    acquaintance = _acquaint(actor, draft, recipients, thread)
    stated = _policies_of(actor, draft)
    shown = read_shown(actor, _seen(actor, approval), thread, acquaintance.known)
    tasked = named_in_tasks(actor, draft.workspace_id, recipients, shown)
    outsiders = _outsiders(draft, recipients, acquaintance, shown, tasked)
    inside = all(map(acquaintance.is_ours, recipients))
    strange = shown.strange_for(draft, recipients, inside=inside)
    usual = Usual(draft, attached, shown, read_by_all(outsiders, shown), inside)
    flags = collect([
        *_check_policy(actor, draft, stated, usual, thread),
        *_check_recipients(recipients, acquaintance, thread, tasked),
        *find_steering(shown, draft, recipients, strange),
        *find_bad_links(shown, draft, attached, strange, acquaintance.own_domains),
        *_check_whom_agents_add(actor, draft, recipients, outsiders, shown),
        *_check_what_it_answers(draft, acquaintance, thread),
        *_check_words(draft),
        *find_repeated(actor, draft, recipients, thread, approval),
        *find_leaks(actor, draft, attached, outsiders, shown),
        *find_risky(attached, _id_of(draft)),
        *(_find_borrowed(actor, draft, outsiders) if outsiders else ()),
        *_found_in_composing(draft),
    ])  # fmt: skip
    return judge(strictest((it.name, read_policy(it.source).fields.flows) for it in stated), flags)


def may_be_blocked(actor: Actor, draft: Draft) -> bool:
    """Return True if a policy may forbid a draft, which `find_risks` then says for certain."""
    stated = _policies_of(actor, draft)
    if not stated:
        return False
    policies = [read_policy(it.source) for it in stated]
    outgoing = Outgoing(body=draft.body, subject=draft.subject, recipients=_recipients(draft))
    return policies[0].forbids(outgoing) or any(it.fields.flows.blocks_some for it in policies)


def _seen(actor: Actor, approval: Approval | None) -> list[Exposure]:
    """Return what an agent was shown; a person writes by what they know."""
    return window(actor, approval) if actor.kind == "agent" else []


def _id_of(draft: Draft) -> str | None:
    """Return the id of a draft; what is only tried out has none."""
    return draft.public_id if draft.pk else None


def _recipients(draft: Draft) -> list[str]:
    return [address["email"] for address in [*draft.to, *draft.cc, *draft.bcc]]


def _outsiders(
    draft: Draft,
    recipients: Iterable[str],
    contacts: KnownContacts,
    shown: Shown,
    tasked: frozenset[str],
) -> list[str]:
    """Return the recipients to whom what is said here may be a leak.

    They are neither of our own house nor named by a person's task or the goal; one whom a
    stranger's text names is among them, whatever the goal says, which an agent wrote.
    """
    return [
        email for email in recipients
        if not contacts.is_ours(email) and email.lower() not in tasked
        and (
            not stands_in(email, draft.goal)
            or any(stands_in(email, one.text) for one in shown.strange)
        )
    ]  # fmt: skip


def _check_whom_agents_add(
    actor: Actor, draft: Draft, recipients: list[str], outsiders: list[str], shown: Shown
) -> Iterator[Finding]:
    if actor.kind != "agent":
        return
    yield from find_added(draft, outsiders, shown.known)
    new = new_among(shown, draft, recipients)
    yield from find_named_elsewhere(actor, draft.workspace_id, new, shown)


def _find_borrowed(actor: Actor, draft: Draft, outsiders: Sequence[str]) -> list[Finding]:
    return find_borrowed_passages(
        actor=actor, body=draft.body, recipients=outsiders, thread_id=draft.thread_id
    )


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
    actor: Actor,
    draft: Draft,
    stated: Sequence[ReplyPolicy],
    usual: Usual,
    thread: list[Message],
) -> Iterator[Finding]:
    policy = read_policy(stated[0].source) if stated else Policy()
    identities = Identity.objects.visible_to(actor.within(draft.workspace_id))
    own_domains = {
        email.rpartition("@")[2].lower()
        for email in identities.values_list("email", flat=True)[:100]
    }
    outgoing = Outgoing(
        body=draft.body, subject=draft.subject,
        recipients=_recipients(draft), own_hosts=frozenset(own_domains),
        attached=tuple(it.text for it in usual.attached if it.text),
        readings=tuple(_readings(draft, usual.attached)),
    )  # fmt: skip
    for finding in usual.leave_out(policy.check(outgoing), policy):
        yield replace(finding, source=_find_source(finding.excerpt, thread))


def _readings(draft: Draft, attached: Sequence[AttachedFile]) -> Iterator[str]:
    """Yield what a draft says once disguises are undone, and accounts that it says in two parts."""
    said = without_hosts(said_by(draft, attached))
    undone = [it.text for it in undo(said)]
    yield from undone
    to = _recipients(draft)
    yield from find_accounts_in_two("\n".join([said, *undone]), lambda: said_before(draft, to))


def policy_of(actor: Actor, draft: Draft) -> tuple[ReplyPolicy | None, Policy]:
    """Return the policy that a draft is checked by, as stored (None: there is none) and as read."""
    row = next(iter(_policies_of(actor, draft)), None)
    return row, read_policy(row.source) if row else Policy()


def _policies_of(actor: Actor, draft: Draft) -> list[ReplyPolicy]:
    """Return the draft's own policy, or else the workspace's first, which counts for flows too.

    So an agent that chooses a policy for its draft chooses no milder flows.
    """
    rows = ReplyPolicy.objects.visible_to(actor.within(draft.workspace_id))
    first = rows.order_by("id").first()
    return [row for row in dict.fromkeys((draft.policy, first)) if row is not None]


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
        own_domains=frozenset(it.rpartition("@")[2] for it in own) - PUBLIC_DOMAINS,
    )


def _check_recipients(
    recipients: list[str],
    acquaintance: KnownContacts,
    thread: list[Message],
    tasked: frozenset[str],
) -> Iterator[Finding]:
    """Yield the recipients who are new, but for those whom a person named, and look-alikes."""
    for email in recipients:
        source = _find_mention(email, thread)
        if email.lower() not in acquaintance.known and email.lower() not in tasked:
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


def _check_words(draft: Draft) -> Iterator[Finding]:
    """Flag what no reader sees and a machine reads, and what asks people to a meeting."""
    for one in find_hidden(f"{draft.subject}\n{draft.body}"):
        yield found(
            "hidden_text", one.kind, excerpt=one.excerpt, source=_id_of(draft), **one.params
        )
    if "\nMETHOD:REQUEST" in draft.calendar:
        yield found("invitation", "asks")


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
        for anomaly, reason in _HIDDEN.items():
            if anomaly in message.anomalies:
                yield found("hidden_text", reason, source=message.public_id)
        where = {"excerpt": message.from_email, "source": message.public_id}
        if message.authentication == Authentication.FAIL:
            yield found("lookalike_sender", "unauthenticated", address=message.from_email, **where)
        if imitated := acquaintance.imitated_by(message.from_email):
            yield found("lookalike_sender", "sender", address=imitated, **where)
