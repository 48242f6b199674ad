"""Feeds are made and revoked by people who own the workspace; agents have no tool for it."""

import secrets
from hashlib import sha256

from django.db import transaction
from django.utils import timezone

from calendar_app.models import Calendar, CalendarFeed, FeedDetail
from inbox.actor import Actor
from inbox.background.jobs import publish
from inbox.errors import DomainError
from inbox.models import Membership, Role
from inbox.reasons import phrase as _

# More than anybody keeps track of; each may be read by many.
MOST_FEEDS = 50
_SECRET_BYTES = 32


def digest_of(secret: str) -> str:
    """Return what is kept of the secret of an address, by which it is found."""
    return sha256(secret.encode("utf-8", "replace")).hexdigest()


def create_feed(
    *, calendar: Calendar, detail: FeedDetail, name: str, by: Actor
) -> tuple[CalendarFeed, str]:
    """Make an address at which a calendar is read; return it with its secret, this once.

    Whoever has the address reads it without signing in, so only an owner makes one. Raises
    DomainError: `permission_denied` for anybody else, `conflict` where there are too many.
    """
    _let_own(calendar.workspace_id, by)
    secret = secrets.token_urlsafe(_SECRET_BYTES)
    with transaction.atomic():
        kept = Calendar.objects.select_for_update().filter(pk=calendar.pk, deleted_at=None)
        if not kept.exists():
            raise DomainError("conflict", _("The calendar is deleted."))
        if CalendarFeed.objects.filter(calendar=calendar, revoked_at=None).count() >= MOST_FEEDS:
            raise DomainError(
                "conflict",
                _("The calendar has %(most)s addresses. Revoke one first.", most=MOST_FEEDS),
            )
        feed = CalendarFeed.objects.create(
            workspace_id=calendar.workspace_id, calendar=calendar, detail=detail, name=name,
            digest=digest_of(secret), created_by_id=by.id,
        )  # fmt: skip
        _tell(feed, "feed.created", by)
    return feed, secret


def revoke_feed(*, feed: CalendarFeed, by: Actor) -> None:
    """End an address, at once and for good; doing so again changes nothing."""
    _let_own(feed.workspace_id, by)
    with transaction.atomic():
        live = CalendarFeed.objects.filter(pk=feed.pk, revoked_at=None)
        if live.update(revoked_at=timezone.now()):
            _tell(feed, "feed.revoked", by)


def _let_own(workspace_id: int, by: Actor) -> None:
    """Raise DomainError for whoever is no person that sets the workspace up."""
    owns = Membership.objects.filter(workspace_id=workspace_id, user_id=by.id, role=Role.OWNER)
    if by.kind != "person" or not owns.exists():
        raise DomainError("permission_denied", _("Only an owner shares a calendar by an address."))


def _tell(feed: CalendarFeed, change: str, by: Actor) -> None:
    """Publish it, for its receipt, in the caller's transaction."""
    payload = {
        "feed_id": feed.pk, "tool": change, "by_kind": by.kind, "by_id": by.id, "by_name": by.name,
    }  # fmt: skip
    publish("feed.set_up", payload, workspace_id=feed.workspace_id)
