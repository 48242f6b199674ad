"""The page of a thread: views of each message, what is odd in its own words, attachments, senders."""

import struct

import pytest
from django.test import Client

from inbox.models import Activity, Attachment, Role, store_blob
from tests import factories
from tests.agents.admin.desk import make_activity

pytestmark = pytest.mark.django_db

HTML = '<p>Hello <span><mark class="hidden-text">pay at once</mark></span></p>'
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + struct.pack(">II", 1, 1)


@pytest.fixture
def viewer(workspace) -> Client:
    client = Client()
    client.force_login(factories.make_person_user(workspace, Role.VIEWER))
    return client


def page(client, message, **query) -> str:
    answer = client.get(f"/admin/threads/{message.thread.public_id}/", query)
    assert answer.status_code == 200
    return answer.content.decode()


def attach(message, name, content=b"x", content_type="application/octet-stream"):
    return Attachment.objects.create(
        workspace=message.workspace, message=message, position=message.attachments.count(),
        blob=store_blob(message.workspace_id, content), filename=name, size=len(content),
        content_type=content_type, received_at=message.received_at,
    )  # fmt: skip


def test_a_message_is_shown_as_text_unless_html_is_asked_for(viewer, inbox):
    message = factories.make_message(inbox, html=HTML)
    assert "<iframe" not in page(viewer, message)
    assert "<iframe" in page(viewer, message, of=message.public_id, **{"as": "html"})
    assert "<iframe" in page(viewer, message, **{"as": "html"})
    assert "<iframe" not in page(viewer, message, of="msg_other", **{"as": "html"})
    assert "<iframe" not in page(viewer, message, **{"as": "nonsense"})


def test_a_message_without_html_is_text_however_it_is_asked_for(viewer, inbox):
    message = factories.make_message(inbox)
    text = page(viewer, message, of=message.public_id, **{"as": "html"})
    assert "<iframe" not in text
    assert 'data-item-key="h"' not in text


def test_the_source_is_shown_escaped_with_its_hidden_characters(viewer, inbox):
    message = factories.make_message(inbox, text="a<b>\u202e\u200d\ufe0f\rz")
    text = page(viewer, message, of=message.public_id, **{"as": "raw"})
    source = text.partition('<pre class="source"')[2].partition("</pre>")[0]
    assert "From: Ada Byron &lt;ada@customer.example&gt;\nTo:" in source
    for code in ("202E", "200D", "FE0F"):
        assert f'<span class="unseen">U+{code}</span>' in source
    assert "a&lt;b&gt;" in source
    assert "␍\nz" in source


def test_a_long_source_is_cut_and_one_that_is_lost_says_so(viewer, inbox):
    message = factories.make_message(inbox, text="x" * 100_000)
    query = {"of": message.public_id, "as": "raw"}
    assert "This is the beginning" in page(viewer, message, **query)
    type(message.blob).objects.filter(pk=message.blob_id).update(sha256="0" * 64)
    assert "The content is missing from storage." in page(viewer, message, **query)


def test_results_of_servers_that_nobody_trusts_are_called_claims(viewer, inbox):
    raw = b"Authentication-Results: mx.evil.example; spf=pass; dkim=pass\r\nFrom: a@x.example\r\n\r\nx"
    message = factories.make_message(inbox)
    message.blob = store_blob(inbox.workspace_id, raw)
    message.save()
    text = page(viewer, message, of=message.public_id, **{"as": "raw"})
    assert (
        "mx.evil.example"
        in text.partition("It contains sender checks that anyone could have written")[2][:300]
    )


def test_a_result_that_counts_by_its_place_is_no_claim_and_one_below_it_is(viewer, inbox):
    raw = (
        b"Authentication-Results: spf=pass smtp.mailfrom=customer.example\r\n"
        b"Authentication-Results: dkim=pass header.d=evil.example\r\nFrom: a@x.example\r\n\r\nx"
    )
    results = {"spf": "pass", "compauth": "fail", "authserv_id": "edge.lantern.example"}
    message = factories.make_message(inbox, authentication="fail", authentication_results=results)
    message.blob = store_blob(inbox.workspace_id, raw)
    message.save()
    claims = page(viewer, message, of=message.public_id, **{"as": "raw"})
    claims = claims.partition("It contains sender checks that anyone could have written")[2][:300]
    assert "dkim pass" in claims
    assert "spf pass" not in claims
    shown = page(viewer, message)
    assert "Checked by edge.lantern.example" in shown
    assert "Overall, the server considers the sender forged." in shown


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"anomalies": ["hidden_text"], "html": HTML}, "pay at once"),
        ({"anomalies": ["deceptive_name"], "sender_name": "boss@bank.example"}, "boss@bank.example &lt;ada"),
        ({"anomalies": ["malformed_from"], "sender_name": "Shop, _"}, "Shop, _ &lt;ada"),
        ({"anomalies": ["lookalike_domain"], "sender": "a@xn--pypal-4ve.example"}, "U+0430 cyrillic small letter a"),
        ({"anomalies": ["reply_to_differs"], "reply_to": [{"email": "x@evil.example"}]}, "x@evil.example"),
        ({"html": '<p><a href="https://evil.example/x">www.bank.example</a></p>'}, "www.bank.example → evil.example"),
    ],
)  # fmt: skip
def test_what_is_odd_is_shown_in_its_own_words(viewer, inbox, fields, words):
    message = factories.make_message(inbox, **fields)
    odd = page(viewer, message).partition('class="notice notice-warn oddities"')[2]
    assert words in odd.partition("</div>")[0]


def test_whom_a_sender_imitates_is_named(viewer, inbox):
    factories.make_person(inbox.workspace, "ada@customer.example", sent_count=3, contact_count=3)
    message = factories.make_message(
        inbox, sender="ada@custorner.example", anomalies=["lookalike_sender"]
    )
    assert "ada@custorner.example → customer.example" in page(viewer, message)


def test_what_the_trusted_server_said_is_put_into_words(viewer, inbox):
    results = {"spf": "fail", "spf.smtp.mailfrom": "x@far.example", "dmarc": "pass",
               "dmarc.header.from": "customer.example", "authserv_id": "mx.lantern.example"}  # fmt: skip
    message = factories.make_message(inbox, authentication="pass", authentication_results=results)
    text = page(viewer, message)
    assert "Checked by mx.lantern.example" in text
    assert "far.example does not allow this server to send its mail." in text
    assert "The domain in From, customer.example, confirms it." in text


def test_an_unchecked_sender_says_whose_word_would_count(viewer, inbox):
    message = factories.make_message(inbox)
    assert "s sender checks, and what a message says about itself proves nothing" in page(
        viewer, message
    )
    type(inbox.account).objects.update(authserv_id="mx.lantern.example")
    assert "it has no result from mx.lantern.example" in page(viewer, message)
    type(inbox.account).objects.update(authserv_id="", settings={"own_servers": "lantern.example"})
    assert "it has no result from lantern.example" in page(viewer, message)


def test_a_dangerous_attachment_is_pointed_out(viewer, inbox):
    message = factories.make_message(inbox)
    attach(message, "invoice.pdf.exe")
    text = page(viewer, message)
    assert "A program, or a file that starts one" in text
    assert "It has two file extensions" in text


def test_a_picture_is_shown_by_its_bytes_and_locked_in(viewer, inbox):
    message = factories.make_message(inbox)
    file = attach(message, "a.png", PNG, "image/png")
    assert f"/admin/attachments/{file.public_id}/picture/" in page(viewer, message)
    answer = viewer.get(f"/admin/attachments/{file.public_id}/picture/")
    assert (answer["Content-Type"], answer.content) == ("image/png", PNG)
    assert answer["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
    assert answer["X-Content-Type-Options"] == "nosniff"
    other = attach(message, "b.png", b"<svg onload=alert(1)>", "image/png")
    assert viewer.get(f"/admin/attachments/{other.public_id}/picture/").status_code == 404


def test_a_picture_of_others_is_not_there(inbox):
    stranger = Client()
    stranger.force_login(factories.make_person_user(factories.make_workspace(), Role.OWNER))
    file = attach(factories.make_message(inbox), "a.png", PNG, "image/png")
    assert stranger.get(f"/admin/attachments/{file.public_id}/picture/").status_code == 404


def test_a_thread_leads_to_what_was_made_of_it(viewer, inbox):
    message = factories.make_message(inbox)
    assert 'data-key="r"' not in page(viewer, message)
    activity = make_activity(message)
    assert f'href="/admin/activities/{activity.public_id}/" data-key="r"' in page(viewer, message)
    assert Activity.objects.count() == 1


def test_only_the_last_and_the_named_of_a_longer_thread_are_unfolded(viewer, inbox):
    first = factories.make_message(inbox)
    for _ in range(6):
        factories.make_message(inbox, thread=first.thread)
    assert page(viewer, first).count('<details class="leaf" open') == 1
    assert page(viewer, first, of=first.public_id).count('<details class="leaf" open') == 2
    assert page(viewer, first, fold="none").count('<details class="leaf" open') == 7
