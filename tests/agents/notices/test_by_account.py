"""Notices by an account of the workspace, where an owner allowed it and the operator gave no server."""

from datetime import timedelta

import pytest
from django.test import Client, override_settings
from django.utils import timezone

from agents.models import NoticeDelivery, NoticeSettings, Receipt
from agents.notices.bundling import make_bundles
from agents.notices.untold import nobody_told
from inbox.background.jobs import run_due
from inbox.models import Account, Job, Membership, Role
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def account(settings, sink, inbox) -> Account:
    """The workspace's account, whose mail leaves by the sink; the operator has set no server."""
    port = int(settings.NOTIFY_SMTP.rpartition(":")[2])
    settings.NOTIFY_SMTP = ""
    found = inbox.account
    found.provider = "imap_smtp"
    found.settings = {"smtp_host": "127.0.0.1", "smtp_port": port, "smtp_security": "none"}
    found.sends_notices = True
    found.save()
    return found


@pytest.fixture
def owner(workspace) -> Client:
    client = Client()
    client.force_login(factories.make_person_user(workspace, Role.OWNER, name="olga"))
    return client


def tell(propose, carry) -> None:
    propose(text="A secret offer of 4711 euros.")
    carry()
    assert make_bundles() == 1
    carry()


def test_it_leaves_from_the_account_without_a_word_of_the_proposal(
    account, propose, wish, sink, carry
):
    wish()
    tell(propose, carry)
    ((recipients, mail),) = sink.got
    assert recipients == ["rhea@lantern.example"]
    assert mail["From"] == account.address
    assert mail["To"] == "rhea@lantern.example"
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail["Message-ID"].startswith("<notice-")
    assert "Clerk" in mail.get_content()
    assert "4711" not in str(mail)
    assert NoticeDelivery.objects.get().state == "sent"


def test_the_operator_s_own_server_goes_first(account, propose, wish, sink, carry):
    wish()
    with override_settings(NOTIFY_SMTP=f"smtp://127.0.0.1:{account.settings['smtp_port']}"):
        tell(propose, carry)
    ((_, mail),) = sink.got
    assert mail["From"] == "chancery@lantern.example"


def test_an_account_that_no_owner_allowed_or_of_another_workspace_sends_none(
    account, propose, wish, sink, carry
):
    Account.objects.update(sends_notices=False)
    other = factories.make_inbox(factories.make_workspace("other"), "office@other.example")
    Account.objects.filter(pk=other.account_id).update(
        sends_notices=True, provider=account.provider, settings=account.settings
    )
    wish()
    tell(propose, carry)
    assert sink.got == []
    assert NoticeDelivery.objects.get().state == "failed"


def test_what_is_refused_for_now_is_tried_again_and_what_is_refused_for_good_is_not(
    account, propose, wish, sink, carry
):
    wish()
    sink.answer = "451 4.3.0 later"
    tell(propose, carry)
    delivery = NoticeDelivery.objects.get()
    assert (delivery.state, delivery.attempts) == ("pending", 1)
    assert "later" in delivery.outcome
    sink.answer = "550 5.7.1 no notices here"
    Job.objects.update(run_at=timezone.now())
    carry()
    delivery.refresh_from_db()
    assert delivery.state == "failed"
    assert "no notices here" in delivery.outcome


def test_while_its_login_is_refused_the_account_is_left_alone(account, propose, wish, sink, carry):
    wish()
    Account.objects.update(
        sending_resumes_at=timezone.now() + timedelta(hours=1), sending_problem="No."
    )
    tell(propose, carry)
    assert sink.got == []
    assert NoticeDelivery.objects.get().state == "pending"


def test_a_password_that_cannot_be_opened_pauses_the_account_as_any_sending_does(
    account, propose, wish, sink, carry
):
    wish()
    Account.objects.update(secret=b"no key opens this")
    tell(propose, carry)
    account.refresh_from_db()
    assert account.sending_resumes_at > timezone.now()
    assert sink.got == []
    assert NoticeDelivery.objects.get().state == "failed"


def test_an_owner_allows_it_on_the_account_s_page_with_a_receipt(account, owner, reviewer):
    Account.objects.update(sends_notices=False)
    place = f"/admin/inbox/account/{account.pk}/change/"
    assert 'name="sends_notices"' in owner.get(place).content.decode()
    given = {"action": "mail_settings", "name": account.name, "undo_seconds": 10, "authserv_id": ""}
    client = Client()
    client.force_login(reviewer)
    assert client.post(place, given | {"sends_notices": "on"}).status_code == 403
    owner.post(place, given | {"sends_notices": "on"})
    account.refresh_from_db()
    assert account.sends_notices
    run_due()
    receipt = Receipt.objects.get(tool="account.changed")
    assert receipt.arguments["changed"] == ["sends_notices"]


def test_people_can_choose_mail_and_are_sent_a_code_by_it(account, reviewer, sink, carry, client):
    client.force_login(reviewer)
    page = client.get("/admin/me/notices/")
    assert 'name="mail_address"' in page.content.decode()
    form = page.context["form"]
    given = {name: form[name].value() for name in form.fields if form[name].value() is not None}
    given |= {"by_mail": "on", "mail_address": "rhea@lantern.example"}
    answer = client.post("/admin/me/notices/", given)
    assert answer.status_code == 302, answer.content.decode()[:2000]
    carry()
    ((_, mail),) = sink.got
    assert mail["From"] == account.address
    Account.objects.update(sends_notices=False)
    assert 'name="mail_address"' not in client.get("/admin/me/notices/").content.decode()


def test_a_workspace_whose_people_are_mailed_by_it_is_told(account, wish):
    wish()
    rows = Membership.objects.annotate(untold=nobody_told(has_server=False))
    assert not rows.get().untold
    Account.objects.update(sends_notices=False)
    assert rows.get().untold
    assert NoticeSettings.objects.get().by_mail
