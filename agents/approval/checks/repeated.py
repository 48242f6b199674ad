"""What would be said twice: the same text waits for the same people, or left within a day."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import regex
from django.db.models import Q
from django.utils import timezone

from agents.models import Approval
from inbox.actor import Actor
from inbox.flags import Finding, found
from inbox.models import Direction, Draft, Message, Submission
from inbox.submission_states import LIVE_STATES, SubmissionState

_WITHIN = timedelta(days=1)
# So many of the newest proposals are looked through.
_MOST = 300
_WORD = regex.compile(r"\w+")


class _Said(NamedTuple):
    """A message that waits or left: to whom, with which files, and by which draft."""

    draft_id: int
    state: str
    to: Sequence[str]
    files: Sequence[Sequence[str]]
    approval_id: int | None


def find_repeated(
    actor: Actor,
    draft: Draft,
    recipients: Iterable[str],
    thread: Iterable[Message],
    approval: Approval | None = None,
) -> Iterator[Finding]:
    """Yield what says the same as a draft, with the same files, to the same people.

    Of an `approval` only what was proposed before it.

    Their order, blanks, punctuation and the subject make no difference. Invitations are not looked
    at: what they say stands in the event.
    """
    said, to = _plain(draft.body), _people(recipients)
    if not said or not to or draft.calendar:
        return
    since = (approval.created_at if approval else timezone.now()) - _WITHIN
    before = Q(proposed_at__gte=since)
    if approval is not None:
        before &= Q(pk__lt=approval.submission_id)
    for one in _proposed_to(actor.within(draft.workspace_id), draft, to, before, said):
        reason = "waits" if one.state == SubmissionState.HELD else "left"
        source = Approval(pk=one.approval_id).public_id if one.approval_id else None
        yield found("same_as", reason, source=source)
    if not _files(draft):
        for message in thread:
            if _left_elsewhere(message, to, since) and _plain(message.new_text) == said:
                yield found("same_as", "left", source=message.public_id)


def _proposed_to(
    there: Actor, draft: Draft, to: frozenset[str], before: Q, said: str
) -> list[_Said]:
    """Return what was proposed to these people `before` that says and attaches the same."""
    rows = Submission.objects.visible_to(there).filter(before, state__in=LIVE_STATES)
    newest = rows.exclude(draft_id=draft.pk).order_by("-proposed_at", "-id").values_list(
        "draft_id", "state", "envelope_to", "attachments", "approval"
    )[:_MOST]  # fmt: skip
    alike = [one for one in map(_Said._make, newest) if _people(one.to) == to]
    if not alike:
        return []
    files = _files(draft)
    alike = [one for one in alike if {sha256 for *_, sha256 in one.files} == files]
    drafts = Draft.objects.visible_to(there).filter(calendar="", pk__in=[it[0] for it in alike])
    bodies = drafts.values_list("pk", "body")
    same = {key for key, body in bodies if _plain(body) == said}
    return [one for one in alike if one.draft_id in same]


def _files(draft: Draft) -> set[str]:
    """Return the SHA-256 of each file that goes with a draft."""
    rows = draft.attachments.values_list("blob__sha256", flat=True) if draft.pk else ()
    return set(rows)


def _left_elsewhere(message: Message, to: frozenset[str], since: datetime) -> bool:
    """Return True for mail of ours in the thread that went to these people since then."""
    named = [one["email"] for one in [*message.to, *message.cc, *message.bcc]]
    is_new = message.direction == Direction.OUTBOUND and message.received_at >= since
    return is_new and _people(named) == to


def _people(emails: Iterable[str]) -> frozenset[str]:
    return frozenset(email.lower() for email in emails)


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))
