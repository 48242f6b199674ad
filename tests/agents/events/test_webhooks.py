"""Webhooks: signed as Standard Webhooks are, tried again, given up visibly; over a real server."""

import base64
import hashlib
import hmac
import json
import threading
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from django.utils import timezone

from agents.events import webhook_signing
from agents.models import DeliveryState, Receipt, WebhookDelivery, WebhookEndpoint
from agents.operations.webhooks import deliveries, endpoints
from agents.operations.webhooks.deliveries import PATIENCE, PAUSES
from agents.operations.webhooks.event_log import write_log
from inbox.background.jobs import publish, run, run_due
from inbox.errors import DomainError
from inbox.models import Activity, Job
from tests import factories
from tests.patience import LONG

pytestmark = pytest.mark.django_db


class Listener:
    """A server that keeps what it is sent and answers with `status`."""

    def __init__(self):
        self.status = 200
        self.got = []
        listener = self

        class Answer(BaseHTTPRequestHandler):
            def do_POST(self):
                length = int(self.headers["Content-Length"])
                listener.got.append((dict(self.headers), self.rfile.read(length)))
                self.send_response(listener.status)
                self.end_headers()
                self.wfile.write(b"thanks")

            def log_message(self, *args):
                """Keep quiet."""

        self.server = HTTPServer(("127.0.0.1", 0), Answer)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def bodies(self):
        return [json.loads(body) for _, body in self.got]


@pytest.fixture
def listener(settings):
    settings.WEBHOOK_ALLOW = frozenset({"127.0.0.1"})
    made = Listener()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def owner(workspace):
    return factories.person_actor(factories.make_person_user(workspace, "owner", "olga"))


@pytest.fixture
def made(workspace, owner, listener):
    """An endpoint for every event, and its secret."""
    return endpoints.create_webhook(workspace=workspace, by=owner, url=listener.url, facts=[])


def happen(message):
    publish("message.received", {"message_ids": [message.pk]}, workspace_id=message.workspace_id)
    write_log()


def carry(due=False):
    """Run the deliveries; with `due`, as if the time of the next try had come."""
    Job.objects.exclude(kind="webhook.deliver").delete()
    if due:
        Job.objects.filter(state="queued").update(run_at=timezone.now())
        WebhookEndpoint.objects.update(paused_until=None)
    run_due()


def signature(secret, headers, body):
    """Worked out by hand, from the standard's text."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def test_the_standards_own_example_is_signed_alike():
    secret = "whsec_plJ3nmyCDGBKInavdOK15jsl"
    body = b'{"event_type":"ping","data":{"success":true}}'
    said = webhook_signing.sign(secret, "msg_loFOjxBNrRLzqYUf", 1731705121, body)
    assert said == "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0="


def test_an_event_is_posted_and_signed(message, made, listener):
    happen(message)
    carry()
    ((headers, body),) = listener.got
    assert json.loads(body) == {
        "type": "message.received",
        "timestamp": json.loads(body)["timestamp"],
        "data": {
            "message_id": message.public_id, "thread_id": message.thread.public_id,
            "inbox_id": message.inbox.public_id,
        },
    }  # fmt: skip
    delivery = WebhookDelivery.objects.get()
    assert headers["webhook-id"] == delivery.public_id
    assert abs(int(headers["webhook-timestamp"]) - timezone.now().timestamp()) < LONG
    assert headers["webhook-signature"] == signature(made[1], headers, body)
    assert (delivery.state, delivery.attempts, delivery.last_status, delivery.last_answer) == (
        "delivered", 1, 200, "thanks",
    )  # fmt: skip


def test_only_chosen_events_of_the_own_workspace_are_sent(message, workspace, owner, listener):
    endpoints.create_webhook(
        workspace=workspace, by=owner, url=listener.url, facts=["approval.created"]
    )
    happen(message)
    happen(factories.make_message(factories.make_inbox(factories.make_workspace())))
    carry()
    assert listener.got == []


def test_a_delivery_that_is_carried_twice_is_sent_once(message, made, listener):
    happen(message)
    carry()
    job = Job.objects.get(kind="webhook.deliver")
    run(job)
    assert len(listener.got) == 1


def test_what_fails_is_tried_again_under_the_same_id(message, made, listener):
    listener.status = 503
    happen(message)
    carry()
    delivery = WebhookDelivery.objects.get()
    wait = (delivery.next_try_at - timezone.now()).total_seconds()
    assert 0 < PAUSES[0] - wait + 5 < 10
    carry()
    assert len(listener.got) == 1
    listener.status = 200
    carry(due=True)
    ids = {headers["webhook-id"] for headers, _ in listener.got}
    delivery.refresh_from_db()
    endpoint = WebhookEndpoint.objects.get()
    assert (len(listener.got), len(ids), delivery.state) == (2, 1, "delivered")
    assert (endpoint.failing_since, endpoint.paused_until) == (None, None)


def test_the_pauses_grow_from_seconds_to_hours_and_the_last_try_is_the_end(message, made, listener):
    listener.status = 500
    happen(message)
    for _ in range(len(PAUSES) + 3):
        carry(due=True)
    delivery = WebhookDelivery.objects.get()
    assert (delivery.state, delivery.attempts) == ("failed", len(PAUSES) + 1)
    assert len(listener.got) == len(PAUSES) + 1
    assert list(PAUSES) == sorted(PAUSES)
    assert timedelta(hours=24) < timedelta(seconds=sum(PAUSES)) < timedelta(hours=36)


def test_while_an_endpoint_fails_the_others_deliveries_to_it_wait(message, made, listener):
    listener.status = 500
    happen(message)
    happen(message)
    run_due()
    assert len(listener.got) == 1
    assert Job.objects.filter(kind="webhook.deliver", state="queued").count() == 2


def test_a_redirect_is_a_failure(message, made, listener):
    listener.status = 302
    happen(message)
    carry()
    assert WebhookDelivery.objects.get().last_status == 302
    assert WebhookDelivery.objects.get().state == DeliveryState.PENDING


@pytest.mark.parametrize("status", [500, 410])
def test_after_days_of_failure_or_by_its_own_word_it_is_switched_off_and_owners_see_it(
    message, made, listener, status
):
    listener.status = status
    since = timezone.now() - PATIENCE if status == 500 else None
    WebhookEndpoint.objects.update(failing_since=since)
    happen(message)
    carry()
    endpoint = WebhookEndpoint.objects.get()
    assert not endpoint.is_enabled
    assert f"HTTP {status}" in endpoint.disabled_reason
    note = Activity.objects.get(source="note")
    assert (note.status, note.workspace_id) == ("surfaced", endpoint.workspace_id)
    assert listener.url in note.title
    happen(message)
    carry(due=True)
    assert len(listener.got) == 1


def test_what_waits_for_an_endpoint_that_is_switched_off_fails(message, made, owner, listener):
    happen(message)
    endpoints.switch_webhook(endpoint=made[0], by=owner, on=False)
    carry()
    assert WebhookDelivery.objects.get().state == DeliveryState.FAILED
    assert listener.got == []


def test_an_address_that_became_private_is_not_called(message, made, listener, settings):
    settings.WEBHOOK_ALLOW = frozenset()
    WebhookEndpoint.objects.update(url=listener.url.replace("http:", "https:"))
    happen(message)
    carry()
    delivery = WebhookDelivery.objects.get()
    assert (delivery.state, delivery.last_status) == ("failed", None)
    assert "not public" in delivery.last_answer
    assert listener.got == []


def test_after_a_rotation_both_secrets_sign_for_a_day(message, made, owner, listener):
    endpoint, old = made
    new = endpoints.rotate_secret(endpoint=endpoint, by=owner)
    happen(message)
    carry()
    WebhookEndpoint.objects.update(previous_until=timezone.now())
    happen(message)
    carry()
    (both, first), (one, second) = listener.got
    assert both["webhook-signature"].split() == [
        signature(new, both, first), signature(old, both, first),
    ]  # fmt: skip
    assert one["webhook-signature"] == signature(new, one, second)


def test_the_secret_is_kept_encrypted_and_in_no_receipt(made):
    endpoint, secret = made
    assert secret.startswith("whsec_")
    assert len(base64.b64decode(secret.removeprefix("whsec_"))) == 32
    assert secret.encode() not in bytes(endpoint.secret)
    assert secret not in json.dumps(list(Receipt.objects.values()), default=str)
    assert Receipt.objects.filter(tool="create_webhook").count() == 1


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"url": "http://hooks.example.com/"}, "url"),
        ({"url": "nonsense"}, "url"),
        ({"facts": ["message.received", "message.read"]}, "facts"),
    ],
)
def test_what_cannot_be_set_up_is_refused_naming_the_field(workspace, owner, given, field):
    wanted = {"url": "https://hooks.example.com/", "facts": [], **given}
    with pytest.raises(DomainError) as caught:
        endpoints.create_webhook(workspace=workspace, by=owner, **wanted)
    assert caught.value.field == field
    assert not WebhookEndpoint.objects.exists()


def test_a_workspace_has_a_bounded_number_of_webhooks(workspace, owner, made, monkeypatch):
    monkeypatch.setattr(endpoints, "MOST", 1)
    with pytest.raises(DomainError) as caught:
        endpoints.create_webhook(
            workspace=workspace, by=owner, url="https://hooks.example.com/", facts=[]
        )
    assert caught.value.code == "conflict"


def test_the_webhooks_of_another_workspace_are_not_counted(owner, made, monkeypatch):
    monkeypatch.setattr(endpoints, "MOST", 1)
    elsewhere = factories.make_workspace()
    assert endpoints.create_webhook(
        workspace=elsewhere, by=owner, url="https://hooks.example.com/", facts=[]
    )


def test_switching_on_again_forgets_the_failures(made, owner):
    endpoint = made[0]
    WebhookEndpoint.objects.update(
        is_enabled=False, disabled_reason="x", failing_since=timezone.now()
    )
    endpoints.switch_webhook(endpoint=endpoint, by=owner, on=True)
    endpoint.refresh_from_db()
    assert (endpoint.is_enabled, endpoint.disabled_reason, endpoint.failing_since) == (
        True, "", None,
    )  # fmt: skip


def test_old_deliveries_are_removed(message, made, listener):
    happen(message)
    carry()
    assert deliveries.remove_old_deliveries() == 0
    assert deliveries.remove_old_deliveries(timezone.now() + timedelta(days=15)) == 1
