"""How servers of accounts do, in words for a person."""

from dataclasses import dataclass, replace
from typing import Any

from django.db.models import F, Func, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from inbox.actor import Actor
from inbox.admin.condition import Condition
from inbox.models import Account, RemoteItem, RemoteSource, SyncConflict, SyncStatus
from inbox.providers import PROVIDERS

_CONDITIONS: dict[str, Condition] = {
    SyncStatus.NEW: Condition(_("new"), _("Syncing for the first time soon"), "calm"),
    SyncStatus.FIRST: Condition(
        _("first read"), _("Syncing for the first time, newest first"), "calm"
    ),
    SyncStatus.CURRENT: Condition(_("up to date"), _("Up to date"), "good"),
    SyncStatus.WAITING: Condition(
        _("waits"), _("Waiting to try again"), "warn",
        _("You don't need to do anything. It tries again automatically."),
    ),
    SyncStatus.THROTTLED: Condition(
        _("throttled"), _("Slowing down"), "warn",
        _("You don't need to do anything. It continues automatically."),
    ),
    SyncStatus.LOGIN_REFUSED: Condition(
        _("login refused"), _("Sign-in refused"), "bad",
        _("Enter the password or key again below. Until then sign-in is tried only rarely."),
    ),
    SyncStatus.LOCKED: Condition(
        _("locked"), _("Its password or key cannot be decrypted here"), "bad",
        _("Ask the operator of this server to put its own key back, or enter it again below."),
    ),
    SyncStatus.FAILED: Condition(
        _("failed"), _("It cannot be read"), "bad",
        _("It is tried again from time to time. If its address has changed, disconnect it below "
          "and connect the new one."),
    ),
    SyncStatus.PAUSED: Condition(
        _("paused"), _("Paused"), "warn",
        _("Nothing is read or changed there until someone resumes it."),
    ),
}  # fmt: skip


# Of a server to which one signs in by clicking, and for which there is nothing to enter.
_SIGNED_IN_ADVICE: dict[str, Any] = {
    SyncStatus.LOGIN_REFUSED: _("Sign in again under “Sign-in”. Nothing comes in until then."),
    SyncStatus.LOCKED: _(
        "Ask the operator of this server to put its own key back, or sign in again under “Sign-in”."
    ),
}


@dataclass(frozen=True, slots=True)
class SourceHealth:
    """A server of an account: its provider's name, and how it does."""

    row: RemoteSource
    provider: Any
    condition: Condition


def condition_of(source: RemoteSource) -> Condition:
    """Return how a server does."""
    if source.status == SyncStatus.WAITING and not source.failures:
        return Condition(_("waits"), _("Checking soon"), "calm")
    found = _CONDITIONS[source.status]
    if source.status in _SIGNED_IN_ADVICE and source.settings.get("auth") == "oauth":
        return replace(found, advice=_SIGNED_IN_ADVICE[source.status])
    return found


def provider_title(source: RemoteSource) -> Any:
    """Return what kind of server it is."""
    declared = PROVIDERS.get(source.provider)
    return declared.title if declared else source.provider


def sources_of(actor: Actor, accounts: list[Account]) -> dict[int, list[SourceHealth]]:
    """Return the servers of accounts by the account, with how many items of each are here."""
    items = RemoteItem.objects.filter(collection__source=OuterRef("pk"), collection__is_taken=True)
    conflicts = SyncConflict.objects.visible_to(actor).filter(
        collection__source=OuterRef("pk"), seen_at=None
    )
    # Each by itself: joined, items would be counted once for each conflict.
    rows = (
        RemoteSource.objects.visible_to(actor)
        .filter(account__in=accounts)
        .annotate(
            items=_count(items),
            problems=_count(items.exclude(problem="")),
            unseen=_count(conflicts),
        )
    )
    found: dict[int, list[SourceHealth]] = {}
    for row in rows.order_by("name", "pk"):
        health = SourceHealth(row, provider_title(row), condition_of(row))
        found.setdefault(row.account_id, []).append(health)
    return found


def _count(rows: QuerySet[Any]) -> Coalesce:
    """Return how many of the rows there are, in a subquery."""
    counted = rows.order_by().annotate(count=Func(F("pk"), function="COUNT")).values("count")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)
