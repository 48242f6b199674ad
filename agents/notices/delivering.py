"""Bundles on their way: by mail, by webhook and by push, tried again for some hours."""

import json
import smtplib
import time
from datetime import timedelta
from typing import Any

from django.conf import settings as configured
from django.utils import timezone, translation

from agents.events.webhook_signing import signed_headers
from agents.models import (
    NoticeBundle,
    NoticeDelivery,
    NoticeSettings,
    NoticeState,
    NoticeWay,
    PushSubscription,
)
from agents.notices.bundling import kept_until
from agents.notices.mail_channel import ChannelError, send_mail
from agents.notices.summary import Summary, details, headline, message_of, summarise
from agents.push.sending import NotPushed, push
from inbox.accounts.credentials import CredentialError, decrypt
from inbox.background.jobs import Payload, RetryLater
from inbox.providers.base import ProviderError
from inbox.providers.http.outbound import NotAllowed, NotReached, post
from inbox.reasons import ReasonText, of_error, own, quoted
from inbox.reasons import phrase as _

# The pauses between the tries, in seconds.
PAUSES = (15, 60, 300, 1800, 7200)
TIMEOUT = 10.0


class NotDelivered(Exception):  # noqa: N818
    """It could not be told; `for_good`: nor will it."""

    def __init__(self, words: ReasonText, *, for_good: bool = False) -> None:
        super().__init__(words)
        self.words = words
        self.for_good = for_good


def tell(payload: Payload) -> None:
    """Try to tell a bundle in one of its ways; what fails is tried again later.

    It says what waits now: what was decided meanwhile is left out, and whoever is no member any
    more, or has switched the way off, is told nothing. A try that falls into quiet hours waits.
    """
    rows = NoticeDelivery.objects.select_related("bundle__settings__user")
    delivery = rows.filter(pk=payload["delivery_id"]).first()
    if delivery is None or delivery.state != NoticeState.PENDING:
        return
    bundle, settings = delivery.bundle, delivery.bundle.settings
    summary = summarise([bundle], settings)
    if not summary.count or not is_open(delivery.way, settings):
        _finish(delivery, NoticeState.MOOT, ReasonText())
        return
    if until := kept_until(settings, summary.first_expires_at, timezone.now()):
        raise RetryLater("quiet hours", at=until)
    delivery.count = summary.count
    try:
        answer = _SENDS[delivery.way](summary, bundle, settings)
    except NotDelivered as error:
        _failed(delivery, error.words, for_good=error.for_good)
    else:
        _finish(delivery, NoticeState.SENT, answer)


def is_open(way: str, settings: NoticeSettings) -> bool:
    """Return True if somebody may be told in this way now."""
    if way == NoticeWay.MAIL:
        return settings.by_mail and settings.mail_confirmed_at is not None
    if way == NoticeWay.PUSH:
        return PushSubscription.objects.filter(user_id=settings.user_id).exists()
    return settings.by_webhook and bool(settings.webhook_url)


def _mail(summary: Summary, bundle: NoticeBundle, settings: NoticeSettings) -> ReasonText:
    subject, text = message_of(summary, settings)
    mail_or_raise(settings, subject=subject, text=text, key=f"notice-{bundle.key}")
    return _("accepted")


def mail_or_raise(settings: NoticeSettings, *, subject: str, text: str, key: str) -> None:
    """Mail it to somebody; raises NotDelivered, for good by the reply code (RFC 5321 4.2.1)."""
    to, user_id = settings.mail_address, settings.user_id
    try:
        send_mail(user_id=user_id, to=to, subject=subject, text=text, key=key)
    except ProviderError as error:
        for_good = error.kind in {"permanent", "login", "locked"}
        raise NotDelivered(quoted(error.words, error.reply, 500), for_good=for_good) from error
    except ChannelError as error:
        raise NotDelivered(of_error(error), for_good=True) from error
    except smtplib.SMTPRecipientsRefused as error:
        code, words = next(iter(error.recipients.values()))
        raise NotDelivered(own(f"{code} {_text(words)}"), for_good=code >= 500) from error
    except smtplib.SMTPResponseException as error:
        said = own(f"{error.smtp_code} {_text(error.smtp_error)}")
        raise NotDelivered(said, for_good=error.smtp_code >= 550) from error
    except (smtplib.SMTPException, OSError) as error:
        raise NotDelivered(_("No answer: %(why)s", why=_text(str(error)))) from error


def _post(summary: Summary, bundle: NoticeBundle, settings: NoticeSettings) -> ReasonText:
    return post_or_raise(settings, _as_json(summary, settings), f"ntc_{bundle.key}")


def post_or_raise(settings: NoticeSettings, told: dict[str, Any], key: str) -> ReasonText:
    """Post it to somebody's webhook; raises NotDelivered, for good where it is refused."""
    body = json.dumps(told, ensure_ascii=False).encode()
    try:
        secret = decrypt(settings.webhook_secret).reveal()
        headers = signed_headers([secret], key, int(time.time()), body)
        answered = post(
            settings.webhook_url, body=body, headers=headers, allowed=configured.WEBHOOK_ALLOW,
            seconds=TIMEOUT,
        )  # fmt: skip
    except NotAllowed as error:
        raise NotDelivered(of_error(error), for_good=True) from error
    except (NotReached, CredentialError) as error:
        raise NotDelivered(of_error(error)) from error
    words = own(f"HTTP {answered.status}")
    if not 200 <= answered.status < 300:
        raise NotDelivered(words, for_good=answered.status == 410)
    return words


def _push(summary: Summary, _bundle: NoticeBundle, settings: NoticeSettings) -> ReasonText:
    with translation.override(settings.language):
        title = headline(summary)
    return push_or_raise(settings, title, summary.url)


def push_or_raise(settings: NoticeSettings, title: str, url: str) -> ReasonText:
    """Push a line and where it leads to somebody's browsers; raises NotDelivered."""
    try:
        return push(settings.user_id, title=title, path=url.removeprefix(configured.BASE_URL))
    except NotPushed as error:
        raise NotDelivered(error.words, for_good=error.for_good) from error


_SENDS = {NoticeWay.MAIL.value: _mail, NoticeWay.WEBHOOK.value: _post, NoticeWay.PUSH.value: _push}


def _as_json(summary: Summary, settings: NoticeSettings) -> dict[str, Any]:
    """Return what is posted; `text` is what chat programs show of it."""
    with translation.override(settings.language):
        words = ". ".join([headline(summary), *details(summary, settings.quiet_zone)])
    first = summary.first_expires_at
    return {
        "type": "notice",
        "timestamp": timezone.now().isoformat().replace("+00:00", "Z"),
        "text": f"{words} {summary.url}",
        "data": {
            "approvals": summary.approval_count,
            "held": summary.held,
            "flagged": summary.flagged,
            "surfaced": summary.activity_count,
            "first_expires_at": first.isoformat().replace("+00:00", "Z") if first else None,
            "agents": list(summary.agents),
            "approval_ids": list(summary.approvals),
            "activity_ids": list(summary.activities),
            "url": summary.url,
        },
    }


def _failed(delivery: NoticeDelivery, words: ReasonText, *, for_good: bool) -> None:
    """Note a try that failed; raises RetryLater where there will be another."""
    if for_good or delivery.attempts >= len(PAUSES):
        _finish(delivery, NoticeState.FAILED, words)
        return
    again = timezone.now() + timedelta(seconds=PAUSES[delivery.attempts])
    NoticeDelivery.objects.filter(pk=delivery.pk).update(
        attempts=delivery.attempts + 1, outcome=words
    )
    raise RetryLater(str(words)[:200], at=again)


def _finish(delivery: NoticeDelivery, state: str, words: ReasonText) -> None:
    NoticeDelivery.objects.filter(pk=delivery.pk, state=NoticeState.PENDING).update(
        state=state, outcome=words, attempts=delivery.attempts + 1, count=delivery.count,
        finished_at=timezone.now(),
    )  # fmt: skip


def _text(words: bytes | str) -> str:
    said = words.decode("utf-8", "replace") if isinstance(words, bytes) else words
    return said.replace("\0", "�")
