"""What persons correct of the rules: made, revoked, restored, and used on what is there already."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from inbox.actor import Actor
from inbox.errors import invalid
from inbox.models import (
    Activity,
    ActivityChange,
    ActivityStatus,
    Correction,
    CorrectionOffer,
    CorrectionScope,
    Workspace,
)
from inbox.operations.activities.activities import columns_of
from inbox.operations.activities.deciding import DecidingContext
from inbox.operations.activities.history import keep_changes, tell_surfaced
from inbox.operations.activities.matching import CorrectionMatch, domain_vouching_for_list, names_of
from inbox.operations.activities.priority import settle_order_of
from inbox.operations.learned.offers import close_offer, open_offer
from inbox.reasons import phrase as _

# So many items are judged anew at once; the newest of them.
MOST: Final = 500
OPEN: Final = (
    ActivityStatus.SURFACED, ActivityStatus.NEEDS_REVIEW, ActivityStatus.QUARANTINED,
)  # fmt: skip
LONGEST_NOTE: Final = 1000
Also: TypeAlias = Callable[[list[ActivityChange]], None]


def _nothing(_: list[ActivityChange]) -> None:
    """Do nothing besides."""


@dataclass(frozen=True, slots=True)
class CorrectedValues:
    """What a correction sets; what is empty stays to the rules."""

    route: str = ""
    activity_type: str = ""
    urgency: str = ""
    autonomy_tier: int | None = None
    note: str = ""


def make_correction(
    *, by: User, activity: Activity, scope: str, says: CorrectedValues
) -> Correction:
    """Correct the rules for the sender, the domain or the list of an activity.

    One in force for the same is revoked: the newest word counts. Raises DomainError where the
    activity has no such name, or where nothing is set.
    """
    message = activity.message
    value = names_of(message).get(scope, "") if message else ""
    if message is None or scope not in CorrectionScope.values or not value:
        raise invalid(
            "scope",
            _("It has no such sender, domain or list."),
            _("a sender, domain or list of this item"),
        )
    if not (says.route or says.activity_type or says.urgency or says.autonomy_tier):
        raise invalid(
            "route", _("The correction sets nothing."), _("a route, a kind or an urgency")
        )
    if len(says.note) > LONGEST_NOTE:
        raise invalid(
            "note", _("The note is too long."), _("at most %(most)s characters", most=LONGEST_NOTE)
        )
    made = Correction(
        workspace_id=activity.workspace_id, scope=scope, value=value, created_by=by,
        created_by_name=by.get_username(), route=says.route, urgency=says.urgency,
        activity_type=says.activity_type, autonomy_tier=says.autonomy_tier, note=says.note,
        vouched_by=domain_vouching_for_list(message) if scope == CorrectionScope.LIST else "",
    )  # fmt: skip
    with transaction.atomic():
        _wait_for_others(made)
        _revoke(_same(made), by)
        made.save(force_insert=True)
    return made


def take_offer(*, offer: CorrectionOffer, by: User) -> Correction:
    """Make the correction that is offered; raises DomainError (`conflict`) where it is closed."""
    with transaction.atomic():
        row = open_offer(offer)
        made = make_correction(
            by=by, activity=row.activity, scope=row.scope, says=CorrectedValues(route=row.route)
        )
        close_offer(row, by, made)
    return made


def revoke_correction(*, correction: Correction, by: User) -> bool:
    """Have later mail judged as before; return whether it was in force."""
    return bool(_revoke(Correction.objects.filter(pk=correction.pk), by))


def restore_correction(*, correction: Correction, by: User) -> bool:
    """Put a revoked correction in force again; another for the same is revoked by it."""
    with transaction.atomic():
        _wait_for_others(correction)
        _revoke(_same(correction).exclude(pk=correction.pk), by)
        rows = Correction.objects.filter(pk=correction.pk, revoked_at__isnull=False)
        return bool(rows.update(revoked_at=None, revoked_by=None))


def find_open(correction: Correction) -> QuerySet[Any]:
    """Return the open activities whose mail the correction is about, the newest first.

    Those that it has had a say in are left out; one that is not saved yet has had none.
    """
    rows = Activity.objects.filter(
        by_name(correction.scope, correction.value),
        workspace_id=correction.workspace_id, status__in=OPEN,
    )  # fmt: skip
    if correction.pk is not None:
        rows = rows.exclude(correction=correction)
    return rows.order_by("-created_at", "-id")


def by_name(scope: str, value: str) -> Q:
    """Return the condition for activities whose mail is from a sender, a domain or a list."""
    if scope == CorrectionScope.SENDER:
        return Q(sender__iexact=value)
    if scope == CorrectionScope.DOMAIN:
        return Q(sender__iendswith=f"@{value}")
    return Q(message__list_id__iexact=value)


def find_touched(correction: Correction) -> QuerySet[Any]:
    """Return the activities that stand where they stand by a correction, the newest first.

    Those that somebody has changed since are left to them.
    """
    changes = ActivityChange.objects.filter(activity=OuterRef("pk"))
    by_it = changes.filter(correction=correction).order_by("-pk").values("pk")[:1]
    since = changes.filter(correction=None, undoes=None, undone_by=None, pk__gt=OuterRef("by_it"))
    rows = Activity.objects.filter(correction=correction)
    # One that came in under it has no change by it.
    rows = rows.annotate(by_it=Coalesce(Subquery(by_it), 0))
    return rows.filter(~Exists(since)).order_by("-id")


def apply_correction(
    *, actor: Actor, correction: Correction, only: Activity | None = None, also: Also = _nothing
) -> list[ActivityChange]:
    """Judge the open activities anew that a correction is about, or one; return what changed.

    Only those on which it has a say: what it may not lower stays as it is. `also` is done with the
    changes in their transaction; the judging, which takes long, holds nobody up before it.
    """

    def has_a_say(found: CorrectionMatch) -> bool:
        return found.by is not None and found.by.pk == correction.pk

    rows = [only] if only else find_open(correction)[:MOST]
    return _set(actor, _judge_again(rows, has_a_say), correction, also)


def judge_touched_again(
    *, actor: Actor, correction: Correction, also: Also = _nothing
) -> list[ActivityChange]:
    """Judge anew, by what is in force now, what a correction had a say in; return what changed.

    `also` is done with the changes in their transaction.
    """
    judged = _judge_again(find_touched(correction)[:MOST], lambda _: True)
    return _set(actor, judged, correction, also)


@dataclass(frozen=True, slots=True)
class _Judged:
    """What activities should become by their keys, and where each stood when it was judged."""

    columns: Mapping[int, Mapping[str, Any]]
    statuses: Mapping[int, str]


def _judge_again(rows: Iterable[Activity], is_wanted: Callable[[CorrectionMatch], bool]) -> _Judged:
    """Judge in constant queries; nothing is changed."""
    activities = [row for row in _with_messages(rows) if row.message is not None]
    around = DecidingContext([row.message for row in activities if row.message])
    columns: dict[int, Mapping[str, Any]] = {}
    for row in activities:
        message = row.message
        if message is None:
            continue
        found = around.decide(message)
        if is_wanted(found):
            columns[row.pk] = _columns(found)
    return _Judged(columns, {row.pk: row.status for row in activities})


def _with_messages(rows: Iterable[Activity]) -> list[Activity]:
    keys = [row.pk for row in rows]
    found = Activity.objects.filter(pk__in=keys).select_related("message__inbox")
    return list(found.defer("message__text", "message__search_extra").order_by("pk"))


def _columns(found: CorrectionMatch) -> dict[str, Any]:
    return {
        **columns_of(found.classification),
        "status": str(found.status),
        "correction_id": found.by.pk if found.by else None,
    }


def _set(actor: Actor, judged: _Judged, correction: Correction, also: Also) -> list[ActivityChange]:
    """Change what still stands as it was read."""
    columns = judged.columns
    with transaction.atomic():
        rows = Activity.objects.filter(pk__in=list(columns)).select_for_update(of=("self",))
        same = [row for row in rows.order_by("pk") if row.status == judged.statuses[row.pk]]
        changes = keep_changes(
            actor, [(row, columns[row.pk]) for row in same], correction=correction
        )
        raised = [
            row
            for row in same
            if columns[row.pk]["status"] == ActivityStatus.SURFACED != row.status
        ]
        for row in same:
            for name, value in columns[row.pk].items():
                setattr(row, name, value)
        names = {name for one in columns.values() for name in one}
        if same:
            Activity.objects.bulk_update(same, sorted(names), batch_size=100)
            settle_order_of([row.pk for row in same])
        tell_surfaced(raised)
        also(changes)
    return changes


def _wait_for_others(correction: Correction) -> None:
    """Let one after the other correct in a workspace, so that each revokes what it replaces."""
    Workspace.objects.select_for_update(no_key=True).get(pk=correction.workspace_id)


def _same(correction: Correction) -> QuerySet[Any]:
    return Correction.objects.filter(
        workspace_id=correction.workspace_id, scope=correction.scope, value=correction.value
    )


def _revoke(rows: QuerySet[Any], by: User) -> int:
    return rows.filter(revoked_at=None).update(revoked_at=timezone.now(), revoked_by=by)
