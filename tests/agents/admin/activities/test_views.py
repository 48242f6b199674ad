"""The activity page, and the review of a call that sends nothing."""

import html
import re

import pytest
from django.test import Client
from django.utils import timezone

from agents import receipts
from agents.dispatching.canonical import canonical, digest
from agents.models import Approval, Receipt
from agents.receipts import ReceiptEntry
from inbox.models import ActivityStatus, Role
from tests import factories
from tests.agents.admin.desk import make_activity, propose

pytestmark = pytest.mark.django_db


def place(activity, action=""):
    return f"/admin/activities/{activity.public_id}/{action}"


def test_it_answers_why_it_was_surfaced(browser, activity):
    text = browser.get(place(activity)).content.decode()
    for words in (activity.reasoning, activity.option_framing, "Reply with the offer", "90 %"):
        assert words in text


def test_it_warns_in_words_of_what_is_odd_about_the_message(browser, activity):
    text = browser.get(place(activity)).content.decode()
    assert "It contains text hidden by its HTML" in text
    assert "could not confirm the sender" in text


def test_it_tells_what_we_know_of_the_sender(browser, activity, workspace):
    factories.make_person(workspace, fn="Ada Byron", received_count=7, contact_count=7)
    text = browser.get(place(activity)).content.decode()
    assert "never written to before" in text
    assert "<dd>7</dd>" in text


def test_it_leads_to_what_waits_about_it(browser, activity, actor):
    approval = propose(actor, activity.message.thread)
    assert f"/admin/review/{approval.public_id}/" in browser.get(place(activity)).content.decode()


@pytest.mark.parametrize("status", ["needs_review", "processed", "archived", "quarantined"])
def test_a_person_may_move_it_anywhere_and_a_receipt_says_so(browser, activity, status, reviewer):
    response = browser.post(place(activity, "move/"), {"status": status})
    assert response.status_code == 302
    activity.refresh_from_db()
    assert activity.status == status
    receipt = Receipt.objects.get(tool="update_activities")
    assert (receipt.actor, receipt.outcome) == (f"person:{reviewer.pk}", "ok")


def test_it_cannot_be_moved_to_nowhere(browser, activity):
    for status in ("", "pending", "everything"):
        assert browser.post(place(activity, "move/"), {"status": status}).status_code == 400
    activity.refresh_from_db()
    assert activity.status == ActivityStatus.SURFACED


def test_nothing_is_moved_by_get_or_without_the_form_s_token(browser, activity, reviewer):
    assert browser.get(place(activity, "move/")).status_code == 405
    client = Client(enforce_csrf_checks=True)
    client.force_login(reviewer)
    assert client.post(place(activity, "move/"), {"status": "archived"}).status_code == 403
    activity.refresh_from_db()
    assert activity.status == ActivityStatus.SURFACED


def test_a_viewer_reads_and_moves_nothing(activity, workspace):
    client = Client()
    client.force_login(factories.make_person_user(workspace, Role.VIEWER))
    assert client.get(place(activity)).status_code == 200
    assert client.post(place(activity, "move/"), {"status": "archived"}).status_code == 403


def test_a_foreign_activity_is_not_there(activity):
    client = Client()
    client.force_login(factories.make_person_user(factories.make_workspace()))
    assert client.get(place(activity)).status_code == 404
    assert client.post(place(activity, "move/"), {"status": "archived"}).status_code == 404


def test_a_page_costs_the_same_queries_whatever_it_shows(
    browser, activity, actor, django_assert_max_num_queries
):
    browser.get(place(activity))
    with django_assert_max_num_queries(27):
        browser.get(place(activity))


def test_a_call_that_sends_nothing_shows_what_would_change(browser, activity, agent, actor):
    arguments = {
        "activity_ids": [activity.public_id],
        "updates": {"status": "archived", "classification": {"urgency": "low", "autonomy_tier": 4}},
    }
    receipt = receipts.open_receipt(
        actor, ReceiptEntry(tool="update_activities", arguments=arguments)
    )
    approval = Approval.objects.create(
        workspace=agent.workspace, agent=agent, tool="update_activities", arguments=arguments,
        receipt=receipt, sha256=digest(canonical(arguments)), reason="It lowers what was surfaced.",
        expires_at=timezone.now() + timezone.timedelta(hours=1), place_at=timezone.now(),
    )  # fmt: skip
    approval.activities.add(activity)
    response = browser.get(f"/admin/review/{approval.public_id}/")
    [one] = response.context["review"].changes
    assert [(change.field, change.before, change.after) for change in one.changes] == [
        ("status", "surfaced", "archived"),
        ("urgency", "normal", "low"),
    ]
    assert "Edit and approve" not in response.content.decode()


def test_amounts_days_and_questions_of_a_message_are_marked(browser, inbox):
    text = "Hello,\n\nthe invoice is over 384.00 EUR.\nCan we meet\non 12 March 2031? No hurry.\n"
    message = factories.make_message(inbox, text=text)
    page = browser.get(place(make_activity(message))).content.decode()
    marked = re.findall(r'<mark class="[a-z -]*mark-telling">([^<]*)</mark>', page)
    assert "".join(marked) == "384.00 EURCan we meet\non 12 March 2031?"


def test_what_is_marked_of_a_message_is_marked_whole(browser, inbox):
    text = (
        "Guten Tag,\n\nkommen Sie am 4. März 2031 um 9 Uhr? Es geht um RE-2026-0412, 1.204.500,00 €"
        " und CHF 1'234.50.\nGeht 5. 12. oder 6. 12. auch?"
    )
    message = factories.make_message(inbox, text=text)
    page = browser.get(place(make_activity(message))).content.decode()
    marked = re.findall(r'<mark class="[a-z -]*mark-telling">([^<]*)</mark>', page)
    whole = "".join(map(html.unescape, marked))
    assert whole == (
        "kommen Sie am 4. März 2031 um 9 Uhr?1.204.500,00 €CHF 1'234.50Geht 5. 12. oder 6. 12. auch?"
    )
    assert {"4. März 2031", "5. 12.", "6. 12."} <= set(marked)
