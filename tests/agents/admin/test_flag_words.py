"""Flags are told in words on every page: the name by which programs know one stands on none."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags

from agents.approval import lifecycle
from agents.models import Approval, DecisionMeasure, Receipt
from inbox.flags import FLAGS, as_json, collect, found
from inbox.models import Message, ReplyPolicy
from tests import factories
from tests.agents.admin.desk import make_activity, propose

pytestmark = pytest.mark.django_db

CODES = {code for code in FLAGS if "_" in code}
# What no reader sees: attributes, scripts, and what a person writes for programs.
UNSEEN = re.compile(r"<(script|style|textarea|template)\b.*?</\1>", re.DOTALL)


def every_flag():
    for code, kind in FLAGS.items():
        reason, sentence = next(iter(kind.reasons.items()))
        names = [part.partition(")")[0] for part in sentence.split("%(")[1:]]
        yield found(code, reason, excerpt="words", **dict.fromkeys(names, "2"))


@pytest.fixture
def flagged(actor, inbox, reviewer) -> Approval:
    """A letter with every flag there is, mail with its oddities, and a decision on another."""
    asked = factories.make_message(inbox, anomalies=["lookalike_sender", "hidden_text"])
    make_activity(factories.make_message(inbox, anomalies=sorted(CODES)[:9]))
    approval = propose(actor, asked.thread)
    Approval.objects.update(checks_due=False, risk_flags=as_json(collect(every_flag())))
    approval.refresh_from_db()
    other = propose(actor, factories.make_message(inbox).thread)
    lifecycle.reject(approval=other, by=reviewer, reason="Not this one.")
    assert DecisionMeasure.objects.update(flags=" ".join(sorted(FLAGS)))
    return approval


def pages(approval):
    message = Message.objects.filter(direction="inbound").first()
    receipt = Receipt.objects.order_by("-pk").first()
    policy = ReplyPolicy.objects.first()
    queue = reverse("queue")
    yield from (
        f"{queue}?tab={tab}" for tab in ("needs-you", "waiting", "surfaced", "noted", "done")
    )
    yield from (f"{queue}?flag={code}" for code in sorted(FLAGS)[:3])
    yield f"{reverse('batch')}?item={approval.public_id}"
    yield reverse("review", args=[approval.public_id])
    yield reverse("peek", args=[approval.public_id])
    yield reverse("message", args=[message.public_id])
    yield reverse("thread", args=[message.thread.public_id])
    for name in ("oversight", "notices", "everything", "me"):
        yield reverse(name)
    yield reverse("admin:agents_receipt_changelist")
    yield reverse("admin:agents_receipt_change", args=[receipt.pk])
    yield reverse("admin:inbox_replypolicy_changelist")
    if policy is not None:
        yield reverse("admin:inbox_replypolicy_change", args=[policy.pk])


def seen_codes(client, place):
    answer = client.get(place, follow=True)
    assert answer.status_code == 200, place
    text = strip_tags(UNSEEN.sub("", answer.content.decode()))
    return sorted(code for code in CODES if re.search(rf"\b{code}\b", text))


def test_no_page_calls_a_flag_by_its_code(flagged, reviewer):
    client = Client()
    client.force_login(reviewer)
    shown = {place: codes for place in pages(flagged) if (codes := seen_codes(client, place))}
    assert shown == {}
