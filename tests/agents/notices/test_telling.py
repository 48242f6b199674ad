"""Notices from the proposal to the mail and the webhook: bundled, quiet, once, and without a word."""

import base64
import hashlib
import hmac
from datetime import timedelta

import pytest
from django.utils import timezone
from django.utils.formats import date_format

from agents.approval import lifecycle
from agents.models import Approval, NoticeBundle, NoticeDelivery, NoticeItem, NoticeSettings
from agents.notices import collecting, summary
from agents.notices.bundling import make_bundles, remove_old_notices
from agents.notices.collecting import note_expiring
from inbox.accounts.credentials import encrypt
from inbox.background.jobs import publish
from inbox.models import Job, Membership, ReplyPolicy, Workspace
from inbox.operations.activities.activities import tell_surfaced
from inbox.operations.activities.understanding import save_version
from tests import factories
from tests.agents.admin.desk import make_activity
from tests.ports import CLOSED_PORT

pytestmark = pytest.mark.django_db


def test_a_proposal_is_told_by_mail_without_a_word_of_it(propose, wish, sink, carry, message):
    wish()
    approval = propose(text="A secret offer of 4711 euros.")
    carry()
    assert make_bundles() == 1
    carry()
    ((recipients, mail),) = sink.got
    assert recipients == ["rhea@lantern.example"]
    assert mail["Subject"] == "1 proposal needs approval"
    assert mail["Auto-Submitted"] == "auto-generated"
    assert "notices." in mail["List-Id"]
    assert mail["From"] == "chancery@lantern.example"
    assert mail.get_content_type() == "text/plain"
    text = mail.get_content()
    assert f"/admin/review/{approval.public_id}/" in text
    assert "Clerk" in text
    for word in ("4711", "secret", message.subject, message.from_email, "Ada"):
        assert word not in str(mail)


def test_what_is_decided_meanwhile_is_not_told(propose, wish, sink, carry, reviewer):
    wish()
    approval = propose()
    carry()
    make_bundles()
    lifecycle.reject(approval=approval, by=reviewer, reason="No.")
    carry()
    assert sink.got == []
    assert NoticeDelivery.objects.get().state == "moot"


def test_many_are_told_together_and_the_next_bundle_waits_its_time(propose, wish, sink, carry):
    settings = wish(every_minutes=15)
    propose(key="a")
    carry()
    make_bundles()
    propose(key="b", text="Another.")
    propose(key="c", text="A third.")
    carry()
    assert make_bundles() == 0
    assert make_bundles(timezone.now() + timedelta(minutes=15, seconds=1)) == 1
    carry()
    assert [mail["Subject"] for _, mail in sink.got] == [
        "1 proposal needs approval",
        "2 proposals need approval",
    ]
    assert "/admin/?tab=waiting" in sink.got[1][1].get_content()
    assert settings.items.filter(bundle=None).count() == 0


def quiet(now, **fields):
    """Settings that are quiet from an hour before now to two hours after, in UTC."""
    return {
        "is_quiet": True, "quiet_zone": "UTC", "quiet_from": (now - timedelta(hours=1)).time(),
        "quiet_to": (now + timedelta(hours=2)).time(), **fields,
    }  # fmt: skip


def test_in_quiet_hours_nothing_is_told_and_afterwards_all_at_once(propose, wish, sink, carry):
    now = timezone.now()
    wish(**quiet(now))
    propose(key="a")
    propose(key="b", text="Another.")
    carry()
    assert make_bundles(now) == 0
    assert make_bundles(now + timedelta(hours=2)) == 1
    NoticeSettings.objects.update(is_quiet=False)
    carry()
    assert [mail["Subject"] for _, mail in sink.got] == ["2 proposals need approval"]


def test_a_further_try_that_falls_into_the_quiet_waits_for_its_end(propose, wish, sink, carry):
    now = timezone.now()
    wish()
    propose()
    carry()
    make_bundles(now)
    sink.answer = "451 later"
    carry()
    sink.answer = "250 taken"
    hours = quiet(now, quiet_to=(now + timedelta(hours=2)).time().replace(microsecond=0))
    NoticeSettings.objects.update(**hours)
    Job.objects.filter(kind="notices.tell").update(run_at=now)
    carry()
    assert sink.got == []
    job = Job.objects.get(kind="notices.tell")
    assert now + timedelta(minutes=119) < job.run_at <= now + timedelta(hours=2)
    NoticeSettings.objects.update(is_quiet=False)
    Job.objects.update(run_at=now)
    carry()
    assert len(sink.got) == 1


def test_of_very_many_all_are_counted_and_the_first_to_expire_is_said(
    propose, wish, sink, carry, monkeypatch
):
    monkeypatch.setattr(summary, "NAMED", 2)
    wish()
    soon = timezone.now() + timedelta(hours=1)
    for key in "abc":
        last = propose(key=key, text=f"Letter {key}.")
    flags = [{"flag": "x", "reason": "y"}]
    Approval.objects.update(risk_flags=[], checks_due=False)
    Approval.objects.filter(pk=last.pk).update(expires_at=soon, risk_flags=flags)
    carry()
    make_bundles()
    carry()
    mail = sink.got[0][1]
    assert mail["Subject"] == "3 proposals need approval"
    assert "1 has a flag." in mail.get_content()
    assert date_format(soon, "H:i") in mail.get_content()


def test_what_nobody_asked_for_keeps_nobody_else_s_notices_back(
    propose, wish, carry, workspace, monkeypatch
):
    monkeypatch.setattr(collecting, "AT_ONCE", 2)
    other = factories.make_workspace("elsewhere")
    soon = timezone.now() + timedelta(hours=1)
    for key in "abc":
        propose(key=key, text=f"Letter {key}.")
    moved = list(Approval.objects.order_by("pk").values_list("pk", flat=True))
    Approval.objects.update(expires_at=soon + timedelta(minutes=1))
    Approval.objects.filter(pk__in=moved[:2]).update(workspace=other, expires_at=soon)
    wish(kinds=["expiring"])
    note_expiring()
    assert NoticeItem.objects.get().approval_id == moved[2]


@pytest.mark.parametrize(("wants", "bundles"), [(True, 1), (False, 0)])
def test_what_expires_within_the_quiet_may_break_it(propose, wish, carry, wants, bundles):
    now = timezone.now()
    wish(**quiet(now, tells_expiring=wants, kinds=["expiring"]))
    approval = propose()
    Approval.objects.filter(pk=approval.pk).update(expires_at=now + timedelta(hours=1))
    note_expiring()
    note_expiring()
    assert NoticeItem.objects.count() == 1
    assert make_bundles(now) == bundles


@pytest.mark.parametrize(("flags", "told"), [([], 0), ([{"flag": "x", "reason": "y"}], 1)])
def test_only_flagged_ones_where_so_wished(propose, wish, carry, flags, told):
    wish(kinds=["flagged"])
    approval = propose()
    Approval.objects.filter(pk=approval.pk).update(risk_flags=flags, checks_due=False)
    carry()
    assert NoticeItem.objects.count() == told


@pytest.mark.parametrize(("urgency", "told"), [("high", 1), ("normal", 0)])
def test_urgent_items_that_surface_are_told_where_so_wished(wish, carry, message, urgency, told):
    wish(kinds=["urgent"])
    activity = make_activity(message, urgency=urgency)
    tell_surfaced([activity])
    carry()
    assert NoticeItem.objects.count() == told


def test_a_fact_that_is_handled_twice_is_told_once(propose, wish, sink, carry):
    wish()
    approval = propose()
    publish(
        "approval.created", {"approval_id": approval.pk, "state": "waiting"},
        workspace_id=approval.workspace_id,
    )  # fmt: skip
    carry()
    make_bundles()
    carry()
    Job.objects.filter(kind="notices.tell").update(state="queued", run_at=timezone.now())
    carry()
    assert len(sink.got) == 1


def test_a_bundle_is_made_by_one_of_two_processes(propose, wish, carry, monkeypatch):
    """The other read the settings before: its compare-and-set finds them changed."""
    wish()
    propose()
    carry()
    stale = NoticeSettings.objects.in_bulk()
    assert make_bundles() == 1
    NoticeItem.objects.update(bundle=None)
    monkeypatch.setattr(NoticeSettings.objects, "in_bulk", lambda keys: stale)
    assert make_bundles() == 0
    assert NoticeBundle.objects.count() == 1


def test_whoever_left_the_workspace_is_told_nothing(propose, wish, sink, carry):
    wish()
    propose()
    carry()
    make_bundles()
    Membership.objects.all().delete()
    carry()
    assert sink.got == []


def test_nobody_is_told_of_another_workspace_or_of_one_not_chosen(propose, wish, carry, workspace):
    stranger = factories.make_person_user(factories.make_workspace("elsewhere"))
    wish(stranger)
    chooser = factories.make_person_user(workspace)
    other = factories.make_workspace("other")
    Membership.objects.create(user=chooser, workspace=other)
    wish(chooser).workspaces.add(other)
    propose()
    carry()
    assert not NoticeItem.objects.exists()


def test_an_address_that_was_not_confirmed_is_sent_nothing(propose, wish, sink, carry):
    wish(mail_confirmed_at=None)
    propose()
    carry()
    make_bundles()
    carry()
    assert sink.got == []


def test_a_server_that_is_away_is_tried_again_under_the_same_id(propose, wish, sink, carry):
    wish()
    propose()
    carry()
    make_bundles()
    sink.answer = "451 later"
    carry()
    delivery = NoticeDelivery.objects.get()
    assert (delivery.state, delivery.attempts) == ("pending", 1)
    assert "451" in delivery.outcome
    sink.answer = "250 taken"
    Job.objects.filter(kind="notices.tell").update(run_at=timezone.now())
    carry()
    delivery.refresh_from_db()
    assert delivery.state == "sent"
    assert delivery.bundle.key in sink.got[0][1]["Message-ID"]


def test_a_refusal_for_good_is_the_end_and_stands_in_the_log(propose, wish, sink, carry):
    wish()
    propose()
    carry()
    make_bundles()
    sink.answer = "554 no such place"
    carry()
    delivery = NoticeDelivery.objects.get()
    assert (delivery.state, delivery.outcome) == ("failed", "554 no such place")


def test_a_webhook_is_signed_and_says_counts_ids_and_a_link(propose, wish, hook, carry):
    key = base64.b64encode(b"k" * 32).decode()
    wish(
        by_mail=False, by_webhook=True, webhook_url=hook.url, webhook_secret=encrypt(f"whsec_{key}")
    )
    approval = propose(text="A secret offer of 4711 euros.")
    carry()
    make_bundles()
    carry()
    ((headers, body),) = hook.got
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    mac = base64.b64encode(hmac.new(b"k" * 32, signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{mac}"
    said = hook.bodies[0]
    assert (said["type"], said["data"]["approvals"]) == ("notice", 1)
    assert said["data"]["approval_ids"] == [approval.public_id]
    assert said["data"]["url"].endswith(f"/admin/review/{approval.public_id}/")
    assert b"4711" not in body


def test_a_webhook_at_a_private_address_is_never_called(propose, wish, hook, carry, settings):
    settings.WEBHOOK_ALLOW = frozenset()
    secret = encrypt("whsec_" + base64.b64encode(b"k" * 32).decode())
    wish(
        by_mail=False,
        by_webhook=True,
        webhook_url=f"https://127.0.0.1:{CLOSED_PORT}/",
        webhook_secret=secret,
    )
    propose()
    carry()
    make_bundles()
    carry()
    assert NoticeDelivery.objects.get().state == "failed"
    assert hook.got == []


def test_a_name_of_many_lines_makes_no_header_and_no_line(propose, wish, sink, carry, agent):
    wish()
    propose()
    type(agent).objects.update(name="Clerk\r\nBcc: evil@x.example\u202e")
    carry()
    make_bundles()
    carry()
    mail = sink.got[0][1]
    assert mail["Bcc"] is None
    assert "Clerk Bcc: evil@x.example." in mail.get_content()


def test_what_was_told_long_ago_is_removed(propose, wish, sink, carry):
    wish()
    propose()
    carry()
    make_bundles()
    remove_old_notices(timezone.now() + timedelta(days=15))
    assert not NoticeItem.objects.exists()
    assert not NoticeBundle.objects.exists()


def test_who_may_be_the_second_is_told_once_the_first_has_approved(
    propose, approve, wish, carry, reviewer
):
    workspace = Workspace.objects.get()
    save_version(
        ReplyPolicy, workspace=workspace, name="House", stored=None,
        content="decisions:\n  - {second_approver: true}",
    )  # fmt: skip
    other = factories.make_person_user(workspace, name="otto")
    told = {wish(user=user, kinds=["flagged"]).pk: user for user in (reviewer, other)}
    wish(user=factories.make_person_user(workspace, name="uma"), kinds=["urgent"])
    approve(propose())
    carry()
    carry()
    second = NoticeItem.objects.filter(kind="second")
    assert [told[it.settings_id] for it in second] == [other]
