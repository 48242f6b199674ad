"""A page of the queue: its rows, read by key once their places are found, in constant queries."""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

from django.db.models import F, QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from agents.admin.queue.criteria import QueueCriteria
from agents.admin.queue.flagging import flags_of_message, mark_rows, read_marked, with_marks
from agents.admin.queue.place import APPROVAL, Position
from agents.admin.queue.positions import find_places
from agents.approval.answered import find_answered
from agents.approval.due import check_due
from agents.models import Approval, ApprovalState
from inbox.actor import Actor
from inbox.flags import read_flags
from inbox.models import Activity
from inbox.prepared import Prepared, padded
from inbox.reasons.words import worded
from inbox.submission_states import SubmissionState
from inbox.templatetags.page_addresses import address_of
from inbox.viewer import Viewer

PAGE = 25
_ENDS = (SubmissionState.SENT, SubmissionState.FAILED, SubmissionState.UNKNOWN)
Kind: TypeAlias = Literal["approval", "activity"]


@dataclass(frozen=True, slots=True)
class Mail:
    """The mail that a proposal answers, in one line of the queue with it: untrusted texts."""

    who: str
    what: str
    gist: str


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the queue. `who`, `what` and `why` hold untrusted texts.

    `url` is the item's own address, `link` the one that leads back to where it was opened from.
    `answers` is the mail that came in, where the line is a proposal that answers it; the urgency of
    such a line is the mail's.
    """

    place: Position
    kind: Kind
    public_id: str
    url: str
    link: str
    who: str
    what: str
    why: str
    agent: str
    state: str
    urgency: str
    flags: tuple[str, ...]
    since: datetime
    expires_at: datetime | None
    snoozed_until: datetime | None
    workspace: str
    account: str
    more: int = 0
    # Who approved it already, where it waits for a second person.
    approved_by: str = ""
    answers: Mail | None = None

    @property
    def shown(self) -> Hashable:
        """All that a line of the queue shows of it."""
        return (
            self.kind, self.public_id, self.link, self.who, self.what, self.why, self.agent,
            self.state, self.urgency, self.flags, self.workspace, self.account, self.more,
            self.approved_by, self.answers, self.since, self.expires_at, self.snoozed_until,
        )  # fmt: skip

    @property
    def is_open(self) -> bool:
        """Whether something can still be done with it from a list."""
        return self.state in {"waiting", "surfaced", "needs_review", "quarantined", "processed"}


@dataclass(frozen=True, slots=True)
class Page:
    """Rows, and the place to go on from, empty at the end."""

    rows: tuple[Row, ...]
    after: str
    asof: datetime


def read_queue(
    viewer: Viewer, wanted: QueueCriteria, after: Position | None = None, size: int = PAGE
) -> Page:
    """Return a page of what is wanted."""
    asof = after.asof if after else timezone.now()
    marked = read_marked(viewer.actor, wanted)
    places = find_places(viewer.actor, wanted, asof, size + 1, after=after, marked=marked)
    rows = read_rows(viewer, wanted, places[:size])
    return Page(rows, str(places[size - 1]) if len(places) > size else "", asof)


def read_rows(viewer: Viewer, wanted: QueueCriteria, places: Sequence[Position]) -> tuple[Row, ...]:
    """Return the rows at these places, in their order; one that is gone by now is left out."""
    keys: dict[int, list[int]] = {0: [], 1: []}
    for place in places:
        keys[place.kind].append(place.pk)
    approvals = _approvals(viewer, keys[0]) if keys[0] else {}
    mark_rows(viewer.actor, approvals.values())
    _add_mail(viewer, approvals.values())
    activities = _activities(viewer, keys[1]) if keys[1] else {}
    rows = []
    for place in places:
        found = (approvals if place.kind == APPROVAL else activities).get(place.pk)
        if found is not None:
            make = _approval_row if place.kind == APPROVAL else _activity_row
            rows.append(make(found, place, viewer, wanted))
    return tuple(rows)


def _approvals(viewer: Viewer, keys: list[int]) -> dict[int, Any]:
    rows = _APPROVALS.rows(actor=viewer.actor, keys=padded(keys))
    found = {row.pk: row for row in rows}
    check_due(found.values())
    return found


def _approvals_of(*, actor: Actor, keys: tuple[int, ...]) -> list[Any]:
    rows = Approval.objects.visible_to(actor).filter(pk__in=keys)
    rows = rows.select_related("agent", "submission__account", "first_approver")
    rows = with_marks(rows).annotate(answered=F("submission__draft__in_reply_to"))
    return [
        rows.only(
            "workspace_id", "state", "tool", "reason", "risk_flags", "marks", "checks_due",
            "created_at", "expires_at", "snoozed_until", "agent__name", "first_approver__username",
            "submission__workspace_id", "submission__state", "submission__waits_since",
            "submission__envelope_to", "submission__envelope_from", "submission__account__address",
        )
    ]  # fmt: skip


def _add_mail(viewer: Viewer, approvals: Collection[Any]) -> None:
    """Set on each approval the activity of the mail that it answers; in one query."""
    keys = sorted({row.answered for row in approvals if row.answered is not None})
    found = _MAIL.rows(actor=viewer.actor, keys=padded(keys)) if keys else ()
    of_message = {activity.message_id: activity for activity in found}
    for row in approvals:
        row.mail = of_message.get(row.answered)


def _activities(viewer: Viewer, keys: list[int]) -> dict[int, Any]:
    rows = _ACTIVITIES.rows(actor=viewer.actor, keys=padded(keys))
    return {row.pk: row for row in rows}


def _mail_of(*, actor: Actor, keys: tuple[int, ...]) -> list[Any]:
    return [_lean(find_answered(actor, keys))]


def _activities_of(*, actor: Actor, keys: tuple[int, ...]) -> list[Any]:
    return [_lean(Activity.objects.visible_to(actor).filter(pk__in=keys))]


def _lean(rows: QuerySet[Activity]) -> QuerySet[Activity]:
    """Read of activities what a row shows."""
    return rows.select_related("person", "message__inbox").only(
        "workspace_id", "title", "sender", "status", "urgency", "autonomy_tier", "reasoning",
        "option_framing", "summary", "created_at", "snoozed_until", "person__fn",
        "message__from_name", "message__anomalies", "message__authentication",
        "message__inbox__address",
    )  # fmt: skip


_APPROVALS, _MAIL = Prepared(_approvals_of), Prepared(_mail_of)
_ACTIVITIES = Prepared(_activities_of)


def _approval_row(row: Any, place: Position, viewer: Viewer, wanted: QueueCriteria) -> Row:
    submission, why = row.submission, _reasons(row)
    if submission is None:
        who, what, more, account = "", row.tool, 0, ""
    else:
        recipients, account = submission.envelope_to, submission.account.address
        who, more = recipients[0] if recipients else "", max(len(recipients) - 1, 0)
        what, why = row.sealed.subject or gettext("(no subject)"), why or row.sealed.snippet
    url = address_of("review", row.public_id)
    waits = row.state == ApprovalState.WAITING
    return Row(
        place=place, kind="approval", public_id=row.public_id, url=url, link=wanted.item_url(url),
        who=who, what=what, why=why or worded(row.reason), agent=row.agent.name, state=_fate(row),
        urgency=row.mail.urgency if row.mail else "", since=row.created_at, more=more,
        account=account, answers=_mail(row.mail) if row.mail else None,
        flags=row.codes, expires_at=row.expires_at if waits else None,
        snoozed_until=_still(row.snoozed_until, place) if waits else None,
        workspace=viewer.names.get(row.workspace_id, "") if viewer.has_several else "",
        approved_by=row.first_approver.get_username() if waits and row.first_approver else "",
    )  # fmt: skip


def _fate(row: Any) -> str:
    """Return what became of a message where that is known or asked for, else of its approval."""
    if row.submission is not None and row.submission.awaits_login:
        return "waits"
    ended = row.submission is not None and row.submission.state in _ENDS
    shown = row.submission if ended and row.state == ApprovalState.APPROVED else row
    return str(shown.state)


def _reasons(row: Any) -> str:
    """Return why a person should look closely: the flags' reasons, else nothing."""
    flags = read_flags(row.risk_flags)
    return " ".join(dict.fromkeys(flag.findings[0].words for flag in flags))


def _activity_row(row: Any, place: Position, viewer: Viewer, wanted: QueueCriteria) -> Row:
    message = row.message
    url = address_of("activity", row.public_id)
    return Row(
        place=place, kind="activity", public_id=row.public_id, url=url, link=wanted.item_url(url),
        who=_sender(row), what=str(row),
        why=worded(row.option_framing) or row.summary or worded(row.reasoning),
        agent="", state=row.status, urgency=row.urgency, flags=flags_of_message(message),
        since=row.created_at, expires_at=None,
        snoozed_until=_still(row.snoozed_until, place),
        account=message.inbox.address if message else "",
        workspace=viewer.names.get(row.workspace_id, "") if viewer.has_several else "",
    )  # fmt: skip


def _mail(activity: Any) -> Mail:
    gist = activity.summary or worded(activity.reasoning)
    return Mail(who=_sender(activity), what=str(activity), gist=gist)


def _sender(activity: Any) -> str:
    message, person = activity.message, activity.person
    name = (message.from_name if message else "") or (person.fn if person else "")
    return name or str(activity.sender)


def _still(until: datetime | None, place: Position) -> datetime | None:
    """Return until when it is put off; None where that is over."""
    return until if until is not None and until > place.asof else None
