"""The policy that a message was checked by: its version, what changed since, what it says now."""

from dataclasses import dataclass
from typing import Any

from agents.admin.evidence.differences import TextPiece, difference
from inbox.actor import Actor
from inbox.flags import Finding
from inbox.models import Identity, ReplyPolicy, ReplyPolicyVersion, Submission
from inbox.policies import Outgoing, read_policy
from inbox.prepared import Prepared
from inbox.templatetags.page_addresses import address_of


@dataclass(frozen=True, slots=True)
class PolicySeen:
    """A policy as it was when the message was sealed, and its findings on the sealed words.

    `is_default`: the message names none, so the workspace's first one counts.
    """

    name: str
    url: str
    version: int
    newest: int
    findings: tuple[Finding, ...]
    changes: tuple[TextPiece, ...]
    is_default: bool
    is_readable: bool

    @property
    def has_changed(self) -> bool:
        """Whether the policy says something else by now."""
        return self.newest != self.version


def _first(*, actor: Actor) -> list[Any]:
    return [ReplyPolicy.objects.visible_to(actor).order_by("id")[:1]]


def _own(*, actor: Actor) -> list[Any]:
    return [Identity.objects.visible_to(actor).values_list("email", flat=True)[:100]]


_FIRST, _OWN = Prepared(_first), Prepared(_own)


def read_policy_seen(actor: Actor, submission: Submission, text: str) -> PolicySeen | None:
    """Return the policy and what it finds in the sealed text now, in three queries at most."""
    row = submission.policy
    is_default = row is None
    if row is None:
        row = next(_FIRST.rows(actor=actor.within(submission.workspace_id)), None)
    if row is None:
        return None
    version = row.version if is_default else submission.policy_version or row.version
    source = row.source if version == row.version else _source_of(row, version)
    findings, is_readable = _findings(actor, submission, text, row.source)
    return PolicySeen(
        name=row.name, url=address_of("admin:inbox_replypolicy_change", row.pk),
        version=version, newest=row.version, findings=findings, is_default=is_default,
        changes=tuple(difference(source, row.source)) if source != row.source else (),
        is_readable=is_readable,
    )  # fmt: skip


def _source_of(row: ReplyPolicy, version: int) -> str:
    found = ReplyPolicyVersion.objects.filter(policy=row, version=version)
    return found.values_list("source", flat=True).first() or row.source


def _findings(
    actor: Actor, submission: Submission, text: str, source: str
) -> tuple[tuple[Finding, ...], bool]:
    emails = _OWN.rows(actor=actor.within(submission.workspace_id))
    outgoing = Outgoing(
        body=text, subject=submission.draft.subject,
        recipients=[str(one) for one in submission.envelope_to],
        own_hosts=frozenset(email.rpartition("@")[2].lower() for email in emails),
    )  # fmt: skip
    try:
        return tuple(read_policy(source).check(outgoing)), True
    except ValueError:
        return (), False
