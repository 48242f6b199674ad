"""What a person sets: what they are told of, how and when; and that an address is theirs."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from django.conf import settings as configured
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils import timezone, translation
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext

from agents.events.webhook_signing import make_secret
from agents.models import NoticeSettings
from agents.notices import mail_channel
from agents.notices.delivering import PAUSES, NotDelivered, mail_or_raise
from inbox.accounts.credentials import CredentialError, decrypt, encrypt
from inbox.background.jobs import Payload, RetryLater, enqueue
from inbox.errors import DomainError, invalid
from inbox.models import Workspace
from inbox.providers.http.outbound import NotAllowed, check_url
from inbox.reasons import of_error
from inbox.reasons import phrase as _

CODE = "notices.send_code"
CODE_COUNTS = timedelta(minutes=30)
# A code is sent no sooner than this after the one before, and may be mistyped so often.
CODE_PAUSE = timedelta(minutes=2)
CODE_TRIES = 5
NO_MAIL = _(
    "Email is not available: there is no mail server for notifications, and no account is allowed"
    " to send them."
)


@dataclass(frozen=True, slots=True)
class NoticePreferences:
    """Everything that a person sets at once."""

    kinds: Sequence[str]
    workspaces: Sequence[Workspace]
    by_mail: bool
    mail_address: str
    by_webhook: bool
    webhook_url: str
    by_browser: bool
    every_minutes: int
    is_quiet: bool
    quiet_from: time
    quiet_to: time
    quiet_days: Sequence[int]
    quiet_zone: str
    tells_expiring: bool
    language: str


def settings_of(user: User) -> NoticeSettings:
    """Return what a person has set; unsaved where that is nothing yet."""
    found = NoticeSettings.objects.filter(user=user).first()
    return found or NoticeSettings(user=user, kinds=["approval"], quiet_days=[0, 1, 2, 3, 4, 5, 6])


def change_settings(*, user: User, wishes: NoticePreferences) -> tuple[NoticeSettings, str]:
    """Save what a person wishes; return it, and the secret of a new webhook, shown this once.

    A new mail address is sent a code, and told nothing until that came back. Raises DomainError
    naming the field.
    """
    if wishes.webhook_url:
        _check_webhook(wishes.webhook_url)
    secret = ""
    with transaction.atomic():
        settings, _made = NoticeSettings.objects.select_for_update().get_or_create(user=user)
        is_new_address = wishes.mail_address.lower() != settings.mail_address.lower()
        if wishes.webhook_url and wishes.webhook_url != settings.webhook_url:
            secret = make_secret()
            settings.webhook_secret = encrypt(secret)
        for name in NoticePreferences.__slots__:
            if name != "workspaces":
                setattr(settings, name, getattr(wishes, name))
        if is_new_address:
            settings.mail_confirmed_at = settings.mail_code = None
        settings.save()
        settings.workspaces.set(wishes.workspaces)
        if is_new_address and wishes.mail_address:
            send_code(settings=settings)
    return settings, secret


def _check_webhook(url: str) -> None:
    try:
        check_url(url, configured.WEBHOOK_ALLOW)
    except NotAllowed as error:
        accepted = _("an address such as https://chat.example.com/hooks/1")
        raise invalid("webhook_url", _("%(error)s.", error=of_error(error)), accepted) from None


def send_code(*, settings: NoticeSettings, now: datetime | None = None) -> None:
    """Send a code to the address; raises DomainError where that is too soon.

    The pause is kept by compare-and-set, so that pressing twice sends nobody a hundred messages.
    """
    now = now or timezone.now()
    last = settings.mail_code_sent_at
    if not mail_channel.is_there(settings.user_id):
        raise invalid("mail_address", NO_MAIL, "")
    if last is not None and now - last < CODE_PAUSE:
        raise DomainError(
            "conflict", _("A code was sent just now. Wait two minutes before requesting another.")
        )
    code = f"{secrets.randbelow(10**6):06}"
    mine = NoticeSettings.objects.filter(pk=settings.pk, mail_code_sent_at=last)
    with transaction.atomic():
        if not mine.update(mail_code=encrypt(code), mail_code_sent_at=now, mail_code_tries=0):
            raise DomainError(
                "conflict",
                _("A code was sent just now. Wait two minutes before requesting another."),
            )
        enqueue(CODE, {"settings_id": settings.pk, "sent_at": now.isoformat()})


def mail_code(payload: Payload) -> None:
    """Mail the code that stands now; an older one than was asked for is not sent."""
    sent_at = datetime.fromisoformat(payload["sent_at"])
    rows = NoticeSettings.objects.filter(pk=payload["settings_id"], mail_code_sent_at=sent_at)
    settings = rows.first()
    if settings is None or settings.mail_code is None or not settings.mail_address:
        return
    code = decrypt(settings.mail_code).reveal()
    with translation.override(settings.language):
        subject = gettext("Your code for Chancery notifications")
        text = gettext(
            "%(code)s\n\nEnter this code on your notifications page to get notifications at this "
            "address. It is valid for half an hour.\nIf you did not ask for it, ignore this "
            "message: nothing else will be sent to you."
        ) % {"code": code}
    key = f"code-{settings.pk}-{int(sent_at.timestamp())}"
    try:
        mail_or_raise(settings, subject=subject, text=text + "\n", key=key)
    except NotDelivered as error:
        if not error.for_good and timezone.now() - sent_at < CODE_COUNTS:
            raise RetryLater(str(error), at=timezone.now() + timedelta(seconds=PAUSES[1])) from None


def confirm_address(*, settings: NoticeSettings, code: str, now: datetime | None = None) -> None:
    """Take the code back from its address; raises DomainError where it is not the one sent."""
    now = now or timezone.now()
    wrong = invalid("code", _("That is not the code we sent."), _("the six digits from the email"))
    sent_at = settings.mail_code_sent_at
    if settings.mail_code is None or sent_at is None or now - sent_at > CODE_COUNTS:
        raise invalid("code", _("The code has expired. Request another one."), "")
    mine = NoticeSettings.objects.filter(
        pk=settings.pk, mail_code_sent_at=sent_at, mail_code_tries__lt=CODE_TRIES
    )
    if not mine.update(mail_code_tries=F("mail_code_tries") + 1):
        raise invalid("code", _("Too many wrong attempts. Request another code."), "")
    try:
        sent = decrypt(settings.mail_code).reveal()
    except CredentialError:
        raise wrong from None
    if not constant_time_compare("".join(code.split()), sent):
        raise wrong
    # Meanwhile another address may have been set, which is not the one that the code went to.
    done = NoticeSettings.objects.filter(
        pk=settings.pk, mail_code_sent_at=sent_at, mail_address=settings.mail_address
    )
    if not done.update(mail_confirmed_at=now, mail_code=None):
        raise wrong
