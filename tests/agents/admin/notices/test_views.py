"""The page of notices: what a person sets, the code that confirms an address, what a page is told."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from agents.models import Approval, NoticeBundle, NoticeItem, NoticeSettings
from agents.notices.bundling import make_bundles
from agents.notices.preferences import confirm_address, send_code
from inbox.accounts.credentials import decrypt
from inbox.errors import DomainError
from tests.agents.admin.desk import make_desk
from tests.agents.notices.conftest import carry, hook, sink, wish  # noqa: F401

pytestmark = pytest.mark.django_db
PLACE = "/admin/me/notices/"
FORM = {
    "kinds": ["approval"], "every_minutes": "5", "quiet_from": "20:00", "quiet_to": "07:00",
    "quiet_days": ["0", "1"], "quiet_zone": "Europe/Berlin", "language": "en",
}  # fmt: skip


@pytest.fixture
def page(client, reviewer):
    client.force_login(reviewer)
    return client


def code_in(mail):
    return re.match(r"\d{6}", mail.get_content())[0]


def test_an_address_is_confirmed_by_the_code_that_went_there(page, sink, carry):  # noqa: F811
    answer = page.post(PLACE, {**FORM, "by_mail": "on", "mail_address": "rhea@lantern.example"})
    assert answer.status_code == 302
    assert NoticeSettings.objects.get().mail_confirmed_at is None
    carry()
    ((recipients, mail),) = sink.got
    assert recipients == ["rhea@lantern.example"]
    page.post(f"{PLACE}confirm/", {"code": "000000" if code_in(mail) != "000000" else "1"})
    assert NoticeSettings.objects.get().mail_confirmed_at is None
    page.post(f"{PLACE}confirm/", {"code": code_in(mail)})
    assert NoticeSettings.objects.get().mail_confirmed_at is not None


def test_a_code_is_tried_five_times_and_lapses(page, sink, carry):  # noqa: F811
    page.post(PLACE, {**FORM, "by_mail": "on", "mail_address": "rhea@lantern.example"})
    carry()
    code = code_in(sink.got[0][1])
    for _ in range(5):
        page.post(f"{PLACE}confirm/", {"code": "x"})
    page.post(f"{PLACE}confirm/", {"code": code})
    assert NoticeSettings.objects.get().mail_confirmed_at is None
    NoticeSettings.objects.update(
        mail_code_tries=0, mail_code_sent_at=timezone.now() - timedelta(minutes=31)
    )
    page.post(f"{PLACE}confirm/", {"code": code})
    assert NoticeSettings.objects.get().mail_confirmed_at is None


def test_codes_are_not_sent_one_after_the_other(page, sink, carry):  # noqa: F811
    page.post(PLACE, {**FORM, "by_mail": "on", "mail_address": "rhea@lantern.example"})
    page.post(f"{PLACE}code/")
    page.post(PLACE, {**FORM, "by_mail": "on", "mail_address": "victim@other.example"})
    carry()
    assert len(sink.got) == 1


def test_a_code_confirms_no_address_that_was_set_meanwhile(wish, sink):  # noqa: F811
    stale = wish(mail_confirmed_at=None)
    send_code(settings=stale)
    stale.refresh_from_db()
    NoticeSettings.objects.update(mail_address="victim@other.example")
    with pytest.raises(DomainError):
        confirm_address(settings=stale, code=decrypt(stale.mail_code).reveal())
    assert NoticeSettings.objects.get().mail_confirmed_at is None


def test_another_address_has_to_be_confirmed_anew(page, wish, sink):  # noqa: F811
    wish()
    page.post(PLACE, {**FORM, "by_mail": "on", "mail_address": "other@lantern.example"})
    assert NoticeSettings.objects.get().mail_confirmed_at is None


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("webhook_url", "http://169.254.169.254/", "It must start with https://"),
        ("quiet_zone", "Mars/Olympus", "not one of the available choices"),
        ("every_minutes", "0", "not one of the available choices"),
        ("kinds", ["everything"], "not one of the available choices"),
        ("quiet_from", "25:00", "valid time"),
    ],
)
def test_what_cannot_be_is_refused_at_its_field(page, field, value, words):
    answer = page.post(
        PLACE, {**FORM, "by_webhook": "on", "webhook_url": "https://x.example", field: value}
    )
    assert answer.status_code == 400
    assert words in str(answer.context["form"].errors[field])
    assert not NoticeSettings.objects.exists()


def test_without_a_server_there_is_no_mail_and_the_page_says_so(page):
    assert "Email is not available" in page.get(PLACE).text
    assert (
        page.post(PLACE, {**FORM, "by_mail": "on", "mail_address": "a@b.example"}).status_code
        == 400
    )


def test_a_new_webhook_has_a_secret_that_is_shown_once(page):
    form = {**FORM, "by_webhook": "on", "webhook_url": "https://chat.example.com/hooks/1"}
    assert "whsec_" in page.post(PLACE, form).text
    assert "whsec_" not in page.get(PLACE).text
    assert page.post(PLACE, form).status_code == 302


def test_looking_at_the_page_writes_nothing(page):
    page.get(PLACE)
    assert not NoticeSettings.objects.exists()


@pytest.fixture
def told(page, wish, inbox, actor, carry):  # noqa: F811
    """A bundle with a proposal, for the browser."""
    wish(by_browser=True, by_mail=False)
    made = make_desk(inbox, actor)
    carry()
    make_bundles()
    return made


def test_an_open_page_learns_of_what_waits_and_of_news_once(page, told):
    url = f"{PLACE}state/"
    first = page.get(url).json()
    assert (first["waiting"], first["news"]) == (1, None)
    news = page.get(url, {"since": 0}).json()
    assert news["news"]["title"] == "1 proposal needs approval"
    assert page.get(url, {"since": news["last"]}).json()["news"] is None
    for hours, waiting in ((-1, 1), (1, 0)):
        Approval.objects.update(snoozed_until=timezone.now() + timedelta(hours=hours))
        assert page.get(url).json()["waiting"] == waiting


@pytest.mark.parametrize("wants", [True, False])
def test_what_expires_within_the_quiet_is_told_on_the_page_where_so_wished(page, told, wants):
    now = timezone.now()
    NoticeSettings.objects.update(
        is_quiet=True, quiet_zone="UTC", quiet_from=(now - timedelta(hours=1)).time(),
        quiet_to=(now + timedelta(hours=1)).time(), tells_expiring=wants,
    )  # fmt: skip
    Approval.objects.update(expires_at=now + timedelta(minutes=30))
    answer = page.get(f"{PLACE}state/", {"since": 0}).json()
    assert (answer["news"] is not None) is wants


def test_in_quiet_hours_the_page_is_told_nothing_new_but_later(page, told):
    now = timezone.now()
    NoticeSettings.objects.update(
        is_quiet=True, quiet_zone="UTC", quiet_from=(now - timedelta(hours=1)).time(),
        quiet_to=(now + timedelta(hours=1)).time(),
    )  # fmt: skip
    answer = page.get(f"{PLACE}state/", {"since": 0}).json()
    assert (answer["last"], answer["news"]) == (0, None)


def test_whoever_is_not_signed_in_is_told_nothing(client, told):
    client.logout()
    assert client.get(f"{PLACE}state/").status_code == 302


def test_opening_the_links_of_a_notice_changes_no_row(page, told, client):
    before = [
        list(model.objects.order_by("pk").values())
        for model in (Approval, NoticeItem, NoticeBundle)
    ]
    url = page.get(f"{PLACE}state/", {"since": 0}).json()["news"]["url"]
    place = "/" + url.split("/", 3)[3]
    for link in (place, "/admin/?tab=waiting", PLACE, f"{PLACE}state/?since=0"):
        assert page.get(link).status_code == 200
    after = [
        list(model.objects.order_by("pk").values())
        for model in (Approval, NoticeItem, NoticeBundle)
    ]
    assert after == before
    client.logout()
    answer = client.get(place)
    assert answer.status_code == 302
    assert place in answer.headers["location"]
