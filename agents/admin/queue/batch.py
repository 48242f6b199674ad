"""Several items of the queue side by side, each read in full."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Prefetch
from django.db.models.functions import Substr
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from agents.admin.evidence.activity_changes import ActivityChanges, in_words, read_changes
from agents.admin.evidence.calendar.proposal import Proposal, read_proposal
from agents.admin.evidence.claims import DIFFERS, Claim, ClaimsSeen, number_claims, see_claims
from agents.admin.evidence.flagged import is_odd, read_known_of
from agents.admin.evidence.kept_files import KeptFile, read_kept_files
from agents.admin.evidence.recipients import Known
from agents.admin.evidence.sources import Sources
from agents.admin.queue.criteria import QueueCriteria
from agents.admin.review.flags import FlagsSeen, find_uninspectable_parts, number_flags, see_flags
from agents.admin.review.sealed_message import SealedMessage, read_sealed_message
from agents.approval.demands import kinds_of, read_demands
from agents.approval.due import check_due
from agents.models import Approval, ApprovalState
from agents.operations.snoozing import SNOOZABLE
from inbox import ids
from inbox.admin.messages.layout import Reading, read_message
from inbox.html.marks import LONGEST_HTML
from inbox.models import Activity, Attachment, Message, Submission
from inbox.policies.demands import Demands
from inbox.rfc5322.parse import parse_outgoing
from inbox.viewer import Viewer

MOST = 50
# A call may name many activities; more than these are read on its own page.
MOST_CHANGED = 200
# Why something is decided on a page of its own, in the order in which it is said.
WHY_ALONE: dict[str, Promise] = {
    "flagged": _("it is flagged"),
    "differs": _("something in it differs from its source"),
    "mail": _("the mail it answers is flagged"),
    "new_recipient": _("it goes to someone new"),
    "attachment": _("it has an attachment"),
    "meeting": _("it is about a meeting"),
    "share": _("it shares a file"),
    "changes": _("it changes more than can be shown here"),
    "policy": _("required by a policy"),
}


@dataclass(frozen=True, slots=True)
class ApprovalItem:
    """What waits for approval, with all of it; the templates know it as a review."""

    approval: Approval
    submission: Submission | None
    message: SealedMessage | None
    proposal: Proposal | None
    flags: FlagsSeen
    claims: ClaimsSeen
    changes: tuple[ActivityChanges, ...]
    has_more_changes: bool
    arguments: tuple[tuple[str, str], ...]
    may_decide: bool
    url: str
    demands: Demands
    # The mail that it answers, to be read beside it.
    answered: Reading | None = None

    @property
    def public_id(self) -> str:
        """The approval's."""
        return self.approval.public_id

    @property
    def is_waiting(self) -> bool:
        """Whether it waits for a person at all."""
        return self.approval.state == ApprovalState.WAITING

    @property
    def why_alone(self) -> tuple[str, ...]:
        """Codes of `WHY_ALONE`: why it is decided on a page of its own; empty where it need not."""
        message, kinds = self.message, kinds_of(self.approval)
        found = {
            "flagged": bool(self.flags) or _is_odd(message),
            "differs": any(claim.state == DIFFERS for claim in self.claims.wrong),
            "mail": self.answered is not None and bool(self.answered.warnings),
            "new_recipient": message is not None and any(one.is_new for one in message.recipients),
            "attachment": message is not None and bool(message.enclosures),
            "meeting": self.proposal is not None or "meeting" in kinds,
            "share": "share" in kinds,
            "changes": self.has_more_changes,
            "policy": self.demands.alone,
        }
        return tuple(code for code in WHY_ALONE if found[code])

    @property
    def left_out(self) -> list[Promise]:
        """Why it is not approved with others, in words."""
        return [WHY_ALONE[code] for code in self.why_alone]

    @property
    def is_alone(self) -> bool:
        """Whether it is decided on a page of its own."""
        return bool(self.why_alone)

    @property
    def may_approve(self) -> bool:
        """Whether it can be approved together with others."""
        return self.is_waiting and self.may_decide and not self.is_alone

    @property
    def may_snooze(self) -> bool:
        """Whether it can be put off."""
        return self.is_waiting and self.may_decide


@dataclass(frozen=True, slots=True)
class ActivityItem:
    """What came in, with its message."""

    activity: Activity
    reading: Reading | None
    may_decide: bool
    url: str

    @property
    def public_id(self) -> str:
        """The activity's."""
        return self.activity.public_id

    @property
    def may_dismiss(self) -> bool:
        """Whether there is something to dismiss."""
        return self.may_decide and self.activity.status != "archived"

    @property
    def may_snooze(self) -> bool:
        """Whether it can be put off."""
        return self.may_decide and self.activity.status in SNOOZABLE


Item = ApprovalItem | ActivityItem


class Beside(NamedTuple):
    """What was read for all of a batch, and is about one.

    What is known of those whom it reaches, the files of ours that go with it, what policies want of
    whoever approves it, and the mail that it answers.
    """

    known: Known | None
    kept: dict[str, KeptFile]
    demands: Demands
    answered: Reading | None


def read_batch(viewer: Viewer, public_ids: Sequence[str], wanted: QueueCriteria) -> list[Item]:
    """Return the items that one may see, in the order in which they were named, each once."""
    names = list(dict.fromkeys(public_ids))[:MOST]
    found: dict[str, Item] = {}
    approvals = find_approvals(viewer, names)
    submissions = [one.submission for one in approvals if one.submission is not None]
    known, kept = read_known_of(viewer.actor, submissions), read_kept_files(viewer.actor, approvals)
    demands = read_demands(viewer.actor, approvals)
    answered = _read_answered(viewer, submissions)
    for approval in approvals:
        there, mine = known.get(approval.workspace_id), kept.get(approval.pk, {})
        mail = answered.get(_answers(approval.submission))
        beside = Beside(there, mine, demands[approval.pk], mail)
        found[approval.public_id] = read_item(viewer, approval, wanted, beside)
    activities = find_activities(viewer, names)
    files = _files(viewer, (activity.message_id for activity in activities))
    for activity in activities:
        found[activity.public_id] = _activity_item(viewer, activity, files, wanted)
    return [found[name] for name in names if name in found]


def find_approvals(viewer: Viewer, public_ids: Iterable[str]) -> list[Approval]:
    """Return the approvals among what is named, without the sealed bytes."""
    seen = Activity.objects.visible_to(viewer.actor).order_by("-created_at", "-id")
    rows = Approval.objects.visible_to(viewer.actor).defer("submission__mime")
    rows = rows.select_related("agent", "submission__account", "submission__draft")
    # One more than are shown, to tell that there are more.
    some = Prefetch("activities", seen[: MOST_CHANGED + 1], to_attr="touched")
    rows = rows.prefetch_related(some)
    found = list(rows.filter(pk__in=_keys(Approval, public_ids)))
    check_due(found)
    return found


def find_activities(viewer: Viewer, public_ids: Iterable[str]) -> list[Activity]:
    """Return the activities among what is named, with their messages."""
    rows = Activity.objects.visible_to(viewer.actor)
    rows = rows.select_related("message__thread", "message__inbox")
    return list(rows.filter(pk__in=_keys(Activity, public_ids)))


def read_item(
    viewer: Viewer, approval: Approval, wanted: QueueCriteria, beside: Beside
) -> ApprovalItem:
    """Read one approval in full; `beside` is what was read for all of them.

    The bytes are read one message at a time and let go: those of fifty may not fit into memory.
    """
    submission, touched = approval.submission, _touched(approval)
    claims = number_claims(approval.marks)
    message = _read_message(viewer, approval, claims, beside)
    proposal = read_proposal(viewer.actor, submission) if submission else None
    if submission is not None:
        submission.__dict__.pop("mime", None)
    arguments = () if submission else approval.arguments.items()
    return ApprovalItem(
        approval=approval, submission=submission, message=message, proposal=proposal,
        flags=see_flags(approval.risk_flags, in_message=message.marked if message else frozenset()),
        claims=see_claims(claims, message.marked, message.text) if message else ClaimsSeen(),
        changes=() if submission else tuple(read_changes(approval, touched[:MOST_CHANGED])),
        has_more_changes=len(touched) > MOST_CHANGED,
        arguments=tuple((str(name), in_words(value)) for name, value in arguments),
        may_decide=viewer.may_decide(approval.workspace_id),
        url=wanted.item_url(reverse("review", args=[approval.public_id])), demands=beside.demands,
        answered=beside.answered,
    )  # fmt: skip


def _read_message(
    viewer: Viewer, approval: Approval, claims: Sequence[Claim], beside: Beside
) -> SealedMessage | None:
    """Read the sealed bytes; what they rest on stands on the page of the review."""
    submission = approval.submission
    if submission is None:
        return None
    return read_sealed_message(
        viewer.actor, submission, parse_outgoing(submission.mime_bytes),
        flags=number_flags(approval.risk_flags), passages=(), sources=Sources((), (), ()),
        editions=(), known=beside.known, kept=beside.kept, claims=claims,
        uninspectable=find_uninspectable_parts(approval.risk_flags),
    )  # fmt: skip


def _touched(approval: Any) -> list[Activity]:
    touched: list[Activity] = approval.touched
    return touched


def _is_odd(message: SealedMessage | None) -> bool:
    """Whether the sealed message itself shows what a flag would say."""
    return message is not None and is_odd(
        anomalies=message.oddities, sender=message.sender.email, leaves_as=message.envelope_from,
        recipients=message.recipients,
    )  # fmt: skip


def _activity_item(
    viewer: Viewer, activity: Activity, files: dict[int, list[Attachment]], wanted: QueueCriteria
) -> ActivityItem:
    message = activity.message
    is_there = message is not None and message.deleted_at is None
    return ActivityItem(
        activity=activity,
        reading=read_message(message, files.get(message.pk, ())) if message and is_there else None,
        may_decide=viewer.may_decide(activity.workspace_id),
        url=wanted.item_url(reverse("activity", args=[activity.public_id])),
    )


def _answers(submission: Submission | None) -> int | None:
    return submission.draft.in_reply_to_id if submission else None


def _read_answered(viewer: Viewer, submissions: Iterable[Submission]) -> dict[int | None, Reading]:
    """Lay out the mail that messages answer, by its key; in two queries."""
    answered = (_answers(submission) for submission in submissions)
    keys = {key for key in answered if key is not None}
    rows = Message.objects.visible_to(viewer.actor).kept().filter(pk__in=keys)
    rows = rows.defer("search_extra", "signals", "references", "html")
    rows = rows.annotate(html_head=Substr("html", 1, LONGEST_HTML))
    found = list(rows.select_related("thread", "inbox"))
    files = _files(viewer, (message.pk for message in found))
    return {one.pk: read_message(one, files.get(one.pk, ())) for one in found}


def _files(viewer: Viewer, messages: Iterable[int | None]) -> dict[int, list[Attachment]]:
    keys = [key for key in messages if key is not None]
    found: dict[int, list[Attachment]] = {}
    for file in Attachment.objects.visible_to(viewer.actor).filter(message__in=keys):
        found.setdefault(file.message_id, []).append(file)
    return found


def _keys(model: Any, public_ids: Iterable[str]) -> list[int]:
    numbers = (ids.decode(model.ID_PREFIX, name) for name in public_ids)
    return [found[0] for found in numbers if found and len(found) == 1]
