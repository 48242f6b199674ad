"""Notices are told together: at most one bundle in so many minutes, and none in quiet hours."""

import secrets
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from agents.models import (
    NoticeBundle,
    NoticeDelivery,
    NoticeItem,
    NoticeSettings,
    NoticeWay,
    PushSubscription,
)
from agents.notices.quiet_hours import QuietHours, quiet_until
from inbox.background.jobs import enqueue

# So many people are looked at in a run.
PEOPLE = 5000
KEEP = timedelta(days=14)
_REMOVED_AT_ONCE = 5000
TELL = "notices.tell"


def make_bundles(now: datetime | None = None) -> int:
    """Bundle what is to be told by now; return how many bundles were made.

    Each is made in one transaction, by compare-and-set on when the last one was.
    """
    now = now or timezone.now()
    waiting = NoticeItem.objects.filter(bundle=None).order_by()
    people = list(waiting.values_list("settings_id", flat=True).distinct()[:PEOPLE])
    return sum(_bundle(each, now) for each in NoticeSettings.objects.in_bulk(people).values())


def quiet_of(settings: NoticeSettings, now: datetime) -> datetime | None:
    """Return when a person's quiet hours end, if they are in them."""
    if not settings.is_quiet:
        return None
    hours = QuietHours(
        settings.quiet_from, settings.quiet_to, frozenset(settings.quiet_days),
        ZoneInfo(settings.quiet_zone),
    )  # fmt: skip
    return quiet_until(hours, now)


def kept_until(
    settings: NoticeSettings, expires_at: datetime | None, now: datetime
) -> datetime | None:
    """Return until when quiet hours keep what first expires then; None: it may be told now."""
    quiet = quiet_of(settings, now)
    if quiet is None:
        return None
    breaks = settings.tells_expiring and expires_at is not None and expires_at <= quiet
    return None if breaks else quiet


class _EmptyBundle(Exception):  # noqa: N818
    """Raised to take a bundle back that would be empty."""


def _bundle(settings: NoticeSettings, now: datetime) -> int:
    """Make a bundle of what may be told now; 0 where nothing may, or another process did."""
    pause = timedelta(minutes=settings.every_minutes)
    if settings.bundled_at is not None and now < settings.bundled_at + pause:
        return 0
    told = NoticeItem.objects.filter(settings=settings, bundle=None)
    quiet = quiet_of(settings, now)
    if quiet is not None:
        if not settings.tells_expiring:
            return 0
        told = told.filter(expires_at__lte=quiet)
    try:
        with transaction.atomic():
            return _make(settings, told, now)
    except _EmptyBundle:
        return 0


def _make(settings: NoticeSettings, told: QuerySet[NoticeItem], now: datetime) -> int:
    mine = NoticeSettings.objects.filter(pk=settings.pk, bundled_at=settings.bundled_at)
    if not mine.update(bundled_at=now):
        return 0
    bundle = NoticeBundle.objects.create(
        settings=settings, key=secrets.token_hex(16), created_at=now
    )
    if not told.update(bundle=bundle):
        raise _EmptyBundle
    for delivery in NoticeDelivery.objects.bulk_create(_deliveries(settings, bundle)):
        enqueue(TELL, {"delivery_id": delivery.pk}, key=f"{TELL}:{delivery.pk}")
    return 1


def _deliveries(settings: NoticeSettings, bundle: NoticeBundle) -> list[NoticeDelivery]:
    ways = []
    if settings.by_mail and settings.mail_confirmed_at is not None:
        ways.append(NoticeWay.MAIL)
    if settings.by_webhook and settings.webhook_url:
        ways.append(NoticeWay.WEBHOOK)
    if PushSubscription.objects.filter(user_id=settings.user_id).exists():
        ways.append(NoticeWay.PUSH)
    return [NoticeDelivery(bundle=bundle, way=way) for way in ways]


def remove_old_notices(now: datetime | None = None) -> None:
    """Remove what was told long ago, a bounded number at a time."""
    before = (now or timezone.now()) - KEEP
    old = NoticeItem.objects.filter(created_at__lt=before).order_by("created_at")
    keys = list(old.values_list("pk", flat=True)[:_REMOVED_AT_ONCE])
    NoticeItem.objects.filter(pk__in=keys).delete()
    bundles = NoticeBundle.objects.filter(created_at__lt=before).order_by("created_at")
    keys = list(bundles.values_list("pk", flat=True)[:_REMOVED_AT_ONCE])
    NoticeBundle.objects.filter(pk__in=keys).delete()
