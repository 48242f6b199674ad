"""What stands on a page is of the workspace that the page is of: no row that is another's is among it.

As in tests/agents/test_each_read.py, a page is asked for with a row, and with the row's workspace exchanged.
"""

import pytest
from django.test import Client
from django.urls import reverse

from agents.dispatching.dispatch import call
from agents.models import Approval, Receipt, WebhookDelivery, WebhookEndpoint
from calendar_app.models import Event
from inbox.models import (
    Correction,
    Message,
    Person,
    SyncState,
    Thread,
)
from tests.agents.furnishing import one_world
from tests.agents.test_each_read import first, one

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(one_world)


def client_of(it):
    client = Client()
    client.force_login(it.rows["owner"])
    return client


def page(it, place):
    return client_of(it).get(place)


def of(it, name, public_id, shown):
    """What a page has under this name; nothing where there is no such page."""
    context = page(it, reverse(name, args=[public_id])).context
    return list(context.get(shown) or ()) if context else []


def sender(it):
    """Who sent the message of the item."""
    email = it.rows["message"].from_email
    return Person.objects.get(email=email, workspace=it.workspace)


def of_sender(it, shown):
    return of(it, "person", sender(it).public_id, shown)


def touched(it):
    items = one(it.rows["activity"])
    items.update(correction=Correction.objects.get())
    return [items]


def written_otherwise(it):
    """An item whose mail writes the address in other letters."""
    sent_by = it.rows["message"].from_email.upper()
    Message.objects.all().update(from_email=sent_by)
    items = one(it.rows["activity"])
    items.update(sender=sent_by, person=sender(it))
    return [items]


def namesake(it):
    Person.objects.filter(pk=it.rows["contact"].pk).update(fn=sender(it).fn)
    return [one(it.rows["contact"])]


def rejected(it):
    rows = one(first(it))
    rows.update(state="rejected")
    return [rows]


def brought_by_mail(it):
    Event.objects.filter(pk=it.rows["event"].pk).update(message=it.rows["message"])
    return [one(it.rows["message"])]


def named_by_a_receipt(it):
    call("get_thread", it.calls["get_thread"], it.actor)
    return [one(it.rows["message"].thread)]


SHOWN = {
    "deliveries of a webhook": (
        lambda it: [WebhookDelivery.objects.all()],
        lambda it: page(
            it,
            reverse("admin:agents_webhookendpoint_change", args=[WebhookEndpoint.objects.get().pk]),
        ).context["deliveries"],
    ),
    "what waits, in the title": (
        lambda it: [Approval.objects.all()],
        lambda it: page(it, reverse("notices-state")).json()["waiting"],
    ),
    "what was decided before": (
        rejected,
        lambda it: page(it, f"/admin/?before={first(it).public_id}").context.get("decided"),
    ),
    "items of a correction": (
        touched,
        lambda it: page(
            it, reverse("correction", args=[Correction.objects.get().public_id])
        ).context["applied"] == "1",
    ),
    "how an account is mirrored": (
        lambda it: [SyncState.objects.all()],
        lambda it: page(it, reverse("admin:inbox_account_mirror", args=[it.account.pk])).context["state"],
    ),
    "messages of somebody": (
        lambda it: [Message.objects.all()], lambda it: of_sender(it, "threads"),
    ),
    "messages under an address as it is written": (
        written_otherwise, lambda it: of_sender(it, "threads"),
    ),
    "what a receipt names": (
        named_by_a_receipt,
        lambda it: page(
            it, reverse("admin:agents_receipt_change", args=[Receipt.objects.latest("pk").pk])
        ).context["named"],
    ),
    "threads of somebody": (lambda it: [Thread.objects.all()], lambda it: of_sender(it, "threads")),
    "corrections of somebody": (
        lambda it: [Correction.objects.all()], lambda it: of_sender(it, "corrections"),
    ),
    "who has the same name": (namesake, lambda it: of_sender(it, "namesakes")),
    "a message to read until": (
        lambda it: [one(it.rows["message"])],
        lambda it: page(
            it,
            f"{reverse('thread', args=[it.rows['message'].thread.public_id])}"
            f"?until={it.rows['message'].public_id}",
        ).status_code == 200,
    ),
    "an event": (
        lambda it: [one(it.rows["event"])],
        lambda it: page(it, reverse("event", args=[it.rows["event"].public_id])).status_code == 200,
    ),
    "the message that brought an event": (
        brought_by_mail,
        lambda it: page(it, reverse("event", args=[it.rows["event"].public_id])).context["message"],
    ),
    "events of a calendar": (
        lambda it: [Event.objects.all()],
        lambda it: "About the walnut" in page(
            it, reverse("admin:calendar_app_calendar_change", args=[it.rows["calendar"].pk])
        ).text,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("rows", "shown"), SHOWN.values(), ids=SHOWN.keys())
def test_a_row_that_is_another_workspaces_is_not_shown(ours, own_rows, rows, shown):
    misplaced = rows(ours)
    assert shown(ours)
    for each in misplaced:
        assert each.update(workspace=own_rows["elsewhere"])
    assert not shown(ours)
