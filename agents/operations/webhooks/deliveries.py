"""Events on their way to webhooks: one job for each, tried again for a day or so."""

import json
import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from agents.events.webhook_signing import signed_headers
from agents.models import DeliveryState, LoggedEvent, WebhookDelivery, WebhookEndpoint
from agents.operations.webhooks.endpoints import secrets_of
from inbox.accounts.credentials import CredentialError
from inbox.background.jobs import Payload, RetryLater, enqueue_many, handler
from inbox.background.periodic import periodic
from inbox.models import Activity, ActivitySource, ActivityStatus, ActivityType, Urgency
from inbox.providers.http.outbound import Answered, NotAllowed, NotReached, post
from inbox.reasons import ReasonText, of_error, own, say, together
from inbox.reasons import phrase as _

# The pauses between the tries, in seconds: the last comes about 27 hours after the first.
PAUSES = (5, 60, 300, 1800, 7200, 18000, 36000, 36000)
# An endpoint that has answered nothing properly for so long is told no more.
PATIENCE = timedelta(days=5)
KEEP = timedelta(days=14)
TIMEOUT = 10.0
_LONGEST_PAUSE = 3600.0
_REMOVED_AT_ONCE = 5000
_GONE = 410


def deliver(events: Sequence[LoggedEvent]) -> None:
    """Put events on their way to the endpoints that want them, in the caller's transaction."""
    workspaces = {event.workspace_id for event in events}
    rows = WebhookEndpoint.objects.filter(workspace_id__in=workspaces, is_enabled=True)
    for endpoint in rows if workspaces else ():
        _deliver_to(endpoint, [event for event in events if _wants(endpoint, event)])


def _wants(endpoint: WebhookEndpoint, event: LoggedEvent) -> bool:
    if event.workspace_id != endpoint.workspace_id:
        return False
    return not endpoint.facts or event.fact in endpoint.facts


def _deliver_to(endpoint: WebhookEndpoint, events: Sequence[LoggedEvent]) -> None:
    made = WebhookDelivery.objects.bulk_create(
        [
            WebhookDelivery(
                workspace_id=endpoint.workspace_id, endpoint=endpoint, fact=event.fact,
                payload={
                    "type": event.fact,
                    "timestamp": event.at.isoformat().replace("+00:00", "Z"),
                    "data": event.data,
                },
            )
            for event in events
        ]
    )  # fmt: skip
    payloads: list[Payload] = [{"delivery_id": delivery.pk} for delivery in made]
    enqueue_many("webhook.deliver", payloads, workspace_id=endpoint.workspace_id, priority=8)


@handler("webhook.deliver")
def send(payload: Payload) -> None:
    """Try a delivery; what fails is tried again later. The same id goes with each try."""
    rows = WebhookDelivery.objects.select_related("endpoint")
    delivery = rows.filter(pk=payload["delivery_id"]).first()
    if delivery is None or delivery.state != DeliveryState.PENDING:
        return
    endpoint = delivery.endpoint
    if not endpoint.is_enabled:
        _finish(delivery, DeliveryState.FAILED, None, _("The webhook is turned off."))
        return
    if endpoint.paused_until is not None and endpoint.paused_until > timezone.now():
        raise RetryLater("Its endpoint fails just now.", at=endpoint.paused_until)
    try:
        answered = _post(delivery)
    except NotAllowed as error:
        _failed(delivery, None, of_error(error), for_good=True)
        return
    except (NotReached, CredentialError) as error:
        _failed(delivery, None, of_error(error))
        return
    if 200 <= answered.status < 300:
        _succeeded(delivery, answered)
    else:
        is_gone = answered.status == _GONE
        _failed(delivery, answered.status, own(answered.text), for_good=is_gone)


def _post(delivery: WebhookDelivery) -> Answered:
    endpoint = delivery.endpoint
    body = json.dumps(delivery.payload, separators=(",", ":"), ensure_ascii=False).encode()
    headers = signed_headers(secrets_of(endpoint), delivery.public_id, int(time.time()), body)
    return post(
        endpoint.url, body=body, headers=headers, allowed=settings.WEBHOOK_ALLOW, seconds=TIMEOUT
    )


def _succeeded(delivery: WebhookDelivery, answered: Answered) -> None:
    _finish(delivery, DeliveryState.DELIVERED, answered.status, own(answered.text))
    WebhookEndpoint.objects.filter(pk=delivery.endpoint_id, failing_since__isnull=False).update(
        failing_since=None, paused_until=None
    )


def _failed(
    delivery: WebhookDelivery, status: int | None, words: ReasonText, *, for_good: bool = False
) -> None:
    """Note a try that failed; raises RetryLater where there will be another."""
    now = timezone.now()
    endpoint = delivery.endpoint
    since = endpoint.failing_since or now
    if for_good or now - since >= PATIENCE:
        _finish(delivery, DeliveryState.FAILED, status, words)
        _switch_off(endpoint, since, status, words)
        return
    # The longer it fails, the seldomer it is asked at all, whatever waits for it.
    pause = min(_LONGEST_PAUSE, max(PAUSES[0], (now - since).total_seconds() / 4))
    WebhookEndpoint.objects.filter(pk=endpoint.pk).update(
        failing_since=since, paused_until=now + timedelta(seconds=pause)
    )
    if delivery.attempts >= len(PAUSES):
        _finish(delivery, DeliveryState.FAILED, status, words)
        return
    again = now + timedelta(seconds=PAUSES[delivery.attempts])
    _note(delivery, status, words, next_try_at=again)
    raise RetryLater(str(words)[:200], at=again)


def _finish(delivery: WebhookDelivery, state: str, status: int | None, words: ReasonText) -> None:
    _note(delivery, status, words, state=state, finished_at=timezone.now(), next_try_at=None)


def _note(delivery: WebhookDelivery, status: int | None, words: ReasonText, **fields: Any) -> None:
    delivery.attempts += 1
    # What the endpoint said is kept as it is, what we say as codes.
    answer = words.dumps() if status is None else str(words)[:4096]
    WebhookDelivery.objects.filter(pk=delivery.pk).update(
        attempts=delivery.attempts, last_status=status, last_answer=answer, **fields
    )


def _switch_off(
    endpoint: WebhookEndpoint, since: datetime, status: int | None, why: ReasonText
) -> None:
    """Tell it no more, and put a note of that before people, once."""
    answer = own(f"HTTP {status}") if status else why
    reason = _(
        "It has been failing since %(since)s UTC; last answer: %(answer)s",
        since=f"{since:%Y-%m-%d %H:%M}",
        answer=answer,
    )
    with transaction.atomic():
        rows = WebhookEndpoint.objects.filter(pk=endpoint.pk, is_enabled=True)
        if not rows.update(is_enabled=False, disabled_reason=reason):
            return
        title = f"Webhook {endpoint.url[:200]}"
        Activity.objects.create(
            workspace_id=endpoint.workspace_id, source=ActivitySource.NOTE,
            source_id=f"{endpoint.public_id}:{timezone.now():%Y%m%d%H%M%S%f}", sender="Chancery",
            title=title, summary=title, status=ActivityStatus.SURFACED, urgency=Urgency.NORMAL,
            activity_type=ActivityType.INFORMATION, autonomy_tier=4, confidence=1.0,
            reasoning=together(
                say("webhook_off", why=reason), _("Events that happen while it is off are not "
                                                  "sent.")
            ),
            suggested_actions=[say("look_at_webhook")],
            option_framing=say("webhook_options"),
            created_at=timezone.now(),
        )  # fmt: skip


@periodic(600)
def remove_old_deliveries(now: datetime | None = None) -> int:
    """Remove old deliveries, a bounded number at a time; return how many."""
    before = (now or timezone.now()) - KEEP
    old = WebhookDelivery.objects.filter(created_at__lt=before).order_by("created_at")
    keys = list(old.values_list("pk", flat=True)[:_REMOVED_AT_ONCE])
    return WebhookDelivery.objects.filter(pk__in=keys).delete()[0]
