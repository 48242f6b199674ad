"""What became of webhooks, notices and imports is kept as codes, and said in German on German pages."""

from collections.abc import Container
from datetime import timedelta
from html import unescape

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from agents.models import (
    NoticeBundle,
    NoticeDelivery,
    NoticeSettings,
    WebhookDelivery,
    WebhookEndpoint,
)
from agents.notices import delivering
from agents.operations.webhooks import endpoints
from inbox.intake.sources import open_source
from inbox.models import (
    Account,
    Activity,
    Import,
    ImportProblem,
    RemoteFolder,
    RemoteMessage,
)
from inbox.operations.mail.imports import import_mail
from inbox.reasons import ReasonText, phrase
from inbox.syncing.incoming.fetching import NOT_HANDED_OUT
from tests import factories
from tests.ports import CLOSED_PORT
from tests.project.english_words import english_in
from tests.project.failures import give_up, import_what_is_no_mail

pytestmark = pytest.mark.django_db
GONE = f"http://127.0.0.1:{CLOSED_PORT}/hook"
OLD = "It failed from 2026-01-02 03:04 UTC on; last: HTTP 500"


@pytest.fixture
def olga(workspace):
    return factories.make_person_user(workspace, "owner", "olga")


@pytest.fixture
def message(inbox):
    return factories.make_message(inbox, text="Where is the offer?")


@pytest.fixture
def german(olga) -> Client:
    client = Client(headers={"accept-language": "de"})
    client.force_login(olga)
    return client


def text_of(client: Client, place: str, given: Container[str] = (GONE, "Lantern")) -> str:
    page = unescape(client.get(place).content.decode())
    assert english_in(page.replace("bdi>", "span>"), given=given) == set()
    return page


def set_column(table: str, column: str, words: str) -> None:
    """Write a column as a release before this one did."""
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE {table} SET {column} = %s", [words])


# -- webhooks --------------------------------------------------------------------------------------
@pytest.fixture
def endpoint(workspace, olga, settings) -> WebhookEndpoint:
    settings.WEBHOOK_ALLOW = frozenset({"127.0.0.1"})
    by = factories.person_actor(olga)
    return endpoints.create_webhook(workspace=workspace, by=by, url=GONE, facts=[])[0]


def test_why_a_webhook_was_switched_off_is_german(german, message, endpoint):
    endpoint = give_up(message, endpoint)
    assert not endpoint.is_enabled
    assert endpoint.disabled_reason.startswith("It has been failing since 20")
    assert "; last answer: No answer: " in endpoint.disabled_reason
    page = text_of(german, f"/admin/agents/webhookendpoint/{endpoint.pk}/change/")
    assert "UTC fehl; letzte Antwort: Keine Antwort: " in page
    assert page.count("Keine Antwort: ") == 2
    note = Activity.objects.get(source="note")
    noted = text_of(german, f"/admin/activities/{note.public_id}/")
    assert "Er schlägt seit " in noted
    assert "Ereignisse, während er ausgeschaltet ist, werden nicht gesendet." in noted


def test_what_0_2_0_wrote_of_a_webhook_is_shown_as_it_is(german, message, endpoint):
    endpoint = give_up(message, endpoint)
    set_column("agents_webhookendpoint", "disabled_reason", OLD)
    set_column("agents_webhookdelivery", "last_answer", "No answer: nobody is there.")
    endpoint.refresh_from_db()
    assert endpoint.disabled_reason == OLD
    page = german.get(f"/admin/agents/webhookendpoint/{endpoint.pk}/change/").content.decode()
    assert OLD in page
    assert "No answer: nobody is there." in page


def test_what_an_endpoint_answers_is_shown_to_the_letter(german, message, endpoint):
    give_up(message, endpoint)
    said = '[{"code": "leaves"}, {"code": 1'
    WebhookDelivery.objects.update(last_status=500, last_answer=said)
    place = f"/admin/agents/webhookendpoint/{endpoint.pk}/change/"
    assert said in unescape(german.get(place).content.decode())
    # Without a status it is ours, or began as ours does by chance.
    WebhookDelivery.objects.update(last_status=None)
    assert said in unescape(german.get(place).content.decode())


def test_what_is_too_long_for_its_column_keeps_the_beginning(endpoint):
    words = phrase("No answer: %(why)s", why='"\\\x01' * 300)
    WebhookEndpoint.objects.update(disabled_reason=words)
    with connection.cursor() as cursor:
        cursor.execute("SELECT length(disabled_reason) FROM agents_webhookendpoint")
        assert cursor.fetchone()[0] <= 500
    kept = WebhookEndpoint.objects.get().disabled_reason
    assert isinstance(kept, ReasonText)
    assert words.startswith(kept)
    assert len(kept) > 50


# -- notices ---------------------------------------------------------------------------------------
@pytest.fixture
def told(olga, workspace) -> NoticeDelivery:
    settings = NoticeSettings.objects.create(user=olga, mail_address="olga@lantern.example")
    bundle = NoticeBundle.objects.create(settings=settings, key="k", created_at=timezone.now())
    return NoticeDelivery.objects.create(bundle=bundle, way="mail")


def test_why_a_notice_was_not_told_is_german(german, told, settings):
    settings.NOTIFY_SMTP = f"smtp+plain://127.0.0.1:{CLOSED_PORT}"
    with pytest.raises(delivering.NotDelivered) as caught:
        delivering.mail_or_raise(told.bundle.settings, subject="x", text="x", key="k")
    delivering._finish(told, "failed", caught.value.words)
    told.refresh_from_db()
    assert told.outcome.startswith("No answer: ")
    assert "Keine Antwort: " in text_of(german, "/admin/me/notices/")


def test_what_0_2_0_wrote_of_a_notice_is_shown_as_it_is(german, told):
    NoticeDelivery.objects.update(state="sent", finished_at=timezone.now() - timedelta(days=1))
    set_column("agents_noticedelivery", "outcome", "554 no such place")
    assert "554 no such place" in german.get("/admin/me/notices/").content.decode()


# -- imports ---------------------------------------------------------------------------------------
def test_what_an_import_could_not_read_is_german(german, inbox, tmp_path):
    run = import_what_is_no_mail(inbox, tmp_path)
    told = dict(run.problems.values_list("source", "problem"))
    assert told == {
        "empty.eml": "is empty",
        "scan.pdf": "is not mail",
        "away.eml": "is a link that leads outside the folder and was not followed",
    }
    names = {*told, str(tmp_path)}
    for place in (f"import/{run.pk}/change/", "importproblem/"):
        page = text_of(german, f"/admin/inbox/{place}", given=names)
        for said in ("ist leer", "ist keine E-Mail", "Link, der aus dem Ordner hinausführt"):
            assert said in page
    whole = f"/admin/inbox/importproblem/{run.problems.get(source='empty.eml').pk}/change/"
    assert "ist leer" in text_of(german, whole, given=names)


def test_what_is_lost_of_a_message_is_german_and_told_once_each(german, inbox, tmp_path):
    deep = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n) for n in range(200)
    )
    (tmp_path / "deep.eml").write_bytes(b"From: ada@x.example\r\nSubject: Deep\r\n" + deep)
    run = import_mail(inbox=inbox, source=open_source(tmp_path))
    assert "is nested too deeply; deeper parts were not read" in run.problems.get().problem
    page = german.get("/admin/inbox/importproblem/").content.decode()
    assert "ist zu tief verschachtelt; tiefere Teile wurden nicht gelesen" in page


def test_what_0_2_0_wrote_of_an_import_is_shown_as_it_is(german, inbox):
    run = Import.objects.create(workspace=inbox.workspace, inbox=inbox, source="a.mbox")
    ImportProblem.objects.create(workspace=inbox.workspace, run=run, source="1", problem="x")
    set_column("inbox_importproblem", "problem", "is empty")
    assert "is empty" in german.get("/admin/inbox/importproblem/").content.decode()


def test_what_a_server_did_not_hand_over_is_german(german, inbox):
    account = inbox.account
    Account.objects.update(provider="imap_smtp", settings={"imap_host": "127.0.0.1"})
    folder = RemoteFolder.objects.create(
        account=account, mailbox=inbox.mailboxes.first(), name="INBOX"
    )
    for uid, words in enumerate((NOT_HANDED_OUT, "It has no header.")):
        RemoteMessage.objects.create(folder=folder, uid=uid, problem=words)
    page = german.get(f"/admin/inbox/account/{account.pk}/change/").content.decode()
    assert "Der Server führt sie auf, gibt sie aber nicht heraus." in page
    assert "It has no header." in page
