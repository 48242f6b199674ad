"""Setting webhooks up: where, of what, and under which secret."""

from collections.abc import Iterable
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from agents import receipts
from agents.events.payloads import FACTS
from agents.events.webhook_signing import make_secret
from agents.models import WebhookEndpoint
from agents.receipts import ReceiptEntry
from inbox.accounts.credentials import decrypt, encrypt
from inbox.actor import Actor
from inbox.errors import DomainError, invalid
from inbox.models import Workspace
from inbox.providers.http.outbound import NotAllowed, check_url
from inbox.reasons import of_error, say
from inbox.reasons import phrase as _

MOST = 50
# For so long after a rotation the old secret signs as well.
OVERLAP = timedelta(hours=24)


def create_webhook(
    *, workspace: Workspace, by: Actor, url: str, facts: Iterable[str], description: str = ""
) -> tuple[WebhookEndpoint, str]:
    """Make an endpoint; return it and its secret, which is shown this once.

    `facts` are those it is told of, none for all. Raises DomainError naming the field.
    """
    chosen = _check(url, facts)
    secret = make_secret()
    with transaction.atomic():
        if WebhookEndpoint.objects.filter(workspace=workspace).count() >= MOST:
            raise DomainError(
                "conflict", _("You already have %(most)s webhooks, the maximum.", most=MOST)
            )
        endpoint = WebhookEndpoint.objects.create(
            workspace=workspace, url=url, description=description, facts=chosen,
            secret=encrypt(secret), created_by_id=by.id,
        )  # fmt: skip
        _record(endpoint, by, "create_webhook")
    return endpoint, secret


def change_webhook(
    *, endpoint: WebhookEndpoint, by: Actor, url: str, facts: Iterable[str], description: str
) -> None:
    """Change where it leads and what it is told of; raises DomainError naming the field."""
    endpoint.url, endpoint.facts, endpoint.description = url, _check(url, facts), description
    with transaction.atomic():
        endpoint.save(update_fields=["url", "facts", "description"])
        _record(endpoint, by, "change_webhook")


def rotate_secret(*, endpoint: WebhookEndpoint, by: Actor) -> str:
    """Return a new secret, shown this once; the old one signs beside it for a day."""
    secret = make_secret()
    with transaction.atomic():
        rows = WebhookEndpoint.objects.select_for_update()
        current = rows.get(pk=endpoint.pk)
        current.previous_secret = current.secret
        current.previous_until = timezone.now() + OVERLAP
        current.secret = encrypt(secret)
        current.save(update_fields=["secret", "previous_secret", "previous_until"])
        _record(current, by, "rotate_webhook_secret")
    return secret


def switch_webhook(*, endpoint: WebhookEndpoint, by: Actor, on: bool) -> None:
    """Tell it again, its failures forgotten, or no more."""
    with transaction.atomic():
        WebhookEndpoint.objects.filter(pk=endpoint.pk).update(
            is_enabled=on, disabled_reason="", failing_since=None, paused_until=None
        )
        _record(endpoint, by, "switch_webhook_on" if on else "switch_webhook_off")


def remove_webhook(*, endpoint: WebhookEndpoint, by: Actor) -> None:
    """Remove it with what is on its way there."""
    with transaction.atomic():
        _record(endpoint, by, "remove_webhook")
        endpoint.delete()


def secrets_of(endpoint: WebhookEndpoint) -> list[str]:
    """Return the secrets that sign now, the newest first; raises CredentialError."""
    is_rotated = endpoint.previous_until is not None and endpoint.previous_until > timezone.now()
    ciphertext = [endpoint.secret, endpoint.previous_secret if is_rotated else None]
    return [decrypt(bytes(secret)).reveal() for secret in ciphertext if secret]


def _check(url: str, facts: Iterable[str]) -> list[str]:
    try:
        check_url(url, settings.WEBHOOK_ALLOW)
    except NotAllowed as error:
        accepted = _("an address such as https://hooks.example.com/chancery")
        raise invalid("url", _("%(error)s.", error=of_error(error)), accepted) from None
    chosen = sorted(set(facts))
    for fact in chosen:
        if fact not in FACTS:
            raise invalid(
                "facts", _("%(fact)s is not an event.", fact=repr(fact)), ", ".join(FACTS)
            )
    return chosen


def _record(endpoint: WebhookEndpoint, by: Actor, tool: str) -> None:
    arguments = {
        "webhook_id": endpoint.public_id, "url": endpoint.url, "facts": endpoint.facts,
    }  # fmt: skip
    receipts.record(by, ReceiptEntry(tool, arguments, say("set_up_by", person=by.name)))
