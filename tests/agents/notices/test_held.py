"""What quotas hold is told of once, with its number."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from agents.models import Approval, NoticeItem, Receipt
from agents.notices.bundling import make_bundles
from agents.notices.collecting import note_approval
from inbox.accounts.credentials import encrypt
from tests.agents.quotas.policies import save_policy

pytestmark = pytest.mark.django_db


def test_very_many_proposals_make_one_notice(propose, inbox, wish, sink, carry):
    save_policy(inbox.workspace, "{what: proposals, most: 2, within: 5m}")
    wish()
    for number in range(3):
        propose(text=f"Number {number}.", key=f"k{number}")
    over = Approval.objects.over_quota().get()
    _multiply(over, 197)
    carry()
    for pk in Approval.objects.values_list("pk", flat=True):
        note_approval({"approval_id": pk})
    assert NoticeItem.objects.count() == 3
    assert make_bundles() == 1
    carry()
    ((_, mail),) = sink.got
    assert mail["Subject"] == "200 proposals need approval"
    assert "198 are held by a quota." in mail.get_content()
    later = timezone.now() + timedelta(hours=1)
    for pk in Approval.objects.values_list("pk", flat=True)[:50]:
        note_approval({"approval_id": pk})
    assert make_bundles(later) == 0


def _multiply(approval, times):
    """Store so many more like it, which are held too."""
    entry = Receipt.objects.get(pk=approval.receipt_id)
    entries = [
        Receipt(workspace_id=entry.workspace_id, actor=entry.actor, actor_name=entry.actor_name,
                tool=entry.tool, arguments_sha256=entry.arguments_sha256, decision=entry.decision,
                opened_at=entry.opened_at)
        for _ in range(times)
    ]  # fmt: skip
    made = Receipt.objects.bulk_create(entries)
    values = {
        field.attname: getattr(approval, field.attname)
        for field in Approval._meta.concrete_fields
        if field.name not in {"id", "receipt", "submission"}
    }
    Approval.objects.bulk_create(Approval(**values, receipt=receipt) for receipt in made)


def test_notices_of_what_is_held_lead_to_it(propose, inbox, wish, hook, carry):
    save_policy(inbox.workspace, "{what: proposals, most: 0, within: 5m}")
    wish(
        by_mail=False,
        by_webhook=True,
        webhook_url=hook.url,
        webhook_secret=encrypt("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
    )
    propose(key="a")
    propose(text="Another.", key="b")
    carry()
    assert make_bundles() == 1
    carry()
    ((_, body),) = hook.got
    told = json.loads(body)["data"]
    assert (told["approvals"], told["held"]) == (2, 2)
    assert told["url"].endswith("/admin/?tab=waiting&held=yes")
