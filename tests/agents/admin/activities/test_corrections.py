"""The pages on which the rules are corrected, and on which that is taken back."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.models import Receipt
from agents.operations import correcting
from inbox.models import Activity, Correction, Role
from tests import factories
from tests.factories import activities_from_messages, make_message
from tests.inbox.operations.activities.test_corrections import ASKS, PROVEN

pytestmark = pytest.mark.django_db
DISMISS = {"route": "dismiss", "scope": "sender"}


@pytest.fixture
def asked(inbox) -> list[Activity]:
    return activities_from_messages([make_message(inbox, text=ASKS, **PROVEN).pk for _ in range(3)])


def place(activity):
    return f"/admin/activities/{activity.public_id}/reclassify/"


def corrected(browser, activity, **fields) -> Correction:
    assert browser.post(place(activity), {**DISMISS, **fields}).status_code == 302
    return Correction.objects.get()


def statuses(asked):
    return [Activity.objects.get(pk=one.pk).status for one in asked]


def test_it_says_how_much_is_open_before_anything_is_done(browser, asked):
    page = browser.get(place(asked[0]))
    counts = {reach.scope: reach.count for reach in page.context["reaches"]}
    assert counts == {"item": 1, "sender": 3, "domain": 3}
    assert "3 open now" in page.content.decode()
    assert statuses(asked) == ["needs_review"] * 3


def test_the_item_s_page_leads_to_all_corrections(browser, asked):
    page = browser.get(f"/admin/activities/{asked[0].public_id}/").content.decode()
    assert 'href="/admin/corrections/"' in page


def test_this_item_alone_is_reclassified_and_the_rules_stay(browser, asked):
    browser.post(place(asked[0]), {"route": "note", "scope": "item", "urgency": "low"})
    assert statuses(asked) == ["processed", "needs_review", "needs_review"]
    assert not Correction.objects.exists()


def test_a_sender_is_corrected_for_this_item_and_what_comes_later(browser, asked, inbox):
    made = corrected(browser, asked[0], note="They only advertise.")
    assert (made.scope, made.value, made.note) == (
        "sender", "ada@customer.example", "They only advertise.",
    )  # fmt: skip
    assert statuses(asked) == ["archived", "needs_review", "needs_review"]
    [later] = activities_from_messages([make_message(inbox, text=ASKS, **PROVEN).pk])
    assert later.status == "archived"
    page = browser.get(f"/admin/activities/{later.public_id}/").content.decode()
    assert f"/admin/corrections/{made.public_id}/" in page
    assert "Because of a correction by rhea" in page


def test_the_open_items_follow_where_it_is_asked_for_and_come_back(browser, asked):
    made = corrected(browser, asked[0], open_too="yes")
    assert statuses(asked) == ["archived"] * 3
    browser.post(f"/admin/corrections/{made.public_id}/revoke/")
    assert statuses(asked) == ["archived"] * 3
    page = browser.get(f"/admin/corrections/{made.public_id}/").content.decode()
    assert "Reclassify affected items (3)" in page
    browser.post(f"/admin/corrections/{made.public_id}/again/")
    assert statuses(asked) == ["needs_review"] * 3
    tools = set(Receipt.objects.filter(actor__startswith="person").values_list("tool", flat=True))
    assert tools == {"make_correction", "apply_correction", "revoke_correction", "judge_again"}


def test_undoing_a_correction_takes_back_what_it_did(browser, asked):
    made = corrected(browser, asked[0], open_too="yes")
    browser.post(f"/admin/corrections/{made.public_id}/revoke/", {"again": "yes"})
    assert statuses(asked) == ["needs_review"] * 3


def test_restored_it_is_in_force_and_applied_on_request(browser, asked):
    made = corrected(browser, asked[0])
    for action in ("revoke", "restore", "apply"):
        browser.post(f"/admin/corrections/{made.public_id}/{action}/")
    assert statuses(asked) == ["archived"] * 3


def test_the_judging_is_over_before_anything_is_locked(browser, asked, reviewer):
    made = corrected(browser, asked[0])
    with CaptureQueriesContext(connection) as queries:
        assert len(correcting.apply(correction=made, by=reviewer)) == 2
    told = [query["sql"] for query in queries.captured_queries]
    begin = next(place for place, sql in enumerate(told) if sql.startswith("SAVEPOINT"))
    assert any("inbox_personemail" in sql for sql in told[:begin])
    assert not any("inbox_personemail" in sql for sql in told[begin:])
    assert any("agents_receipt" in sql for sql in told[begin:])


@pytest.mark.parametrize(
    "fields",
    [
        {"scope": "sender"}, {"scope": "list", "route": "note"}, {"route": "note"},
        {"scope": "planet", "route": "note"}, {"scope": "sender", "route": "explode"},
        {"scope": "sender", "route": "note", "urgency": "very"},
    ],
)  # fmt: skip
def test_what_says_nothing_is_refused_at_the_field(browser, asked, fields):
    answer = browser.post(place(asked[0]), fields)
    assert answer.status_code == 400
    assert 'role="alert"' in answer.content.decode() or "error" in answer.content.decode()
    assert not Correction.objects.exists()


def test_a_sender_that_nothing_proves_is_named_as_such(browser, inbox):
    [made] = activities_from_messages([make_message(inbox, text=ASKS).pk])
    page = browser.get(place(made)).content.decode()
    assert "nothing proves that its sender is the one it names" in page
    browser.post(place(made), DISMISS)
    page = browser.get(f"/admin/activities/{made.public_id}/").content.decode()
    assert "A correction would have ranked it lower but was not allowed to" in page
    assert statuses([made]) == ["needs_review"]


def test_the_list_says_how_often_each_had_a_say(
    browser, asked, django_assert_num_queries, django_assert_max_num_queries
):
    corrected(browser, asked[0], open_too="yes")
    page = browser.get("/admin/corrections/").content.decode()
    assert "affected 3" in page
    with django_assert_max_num_queries(8):
        browser.get("/admin/corrections/")


def test_others_neither_see_nor_revoke_it(browser, asked, workspace):
    made = corrected(browser, asked[0])
    viewer, foreign = Client(), Client()
    viewer.force_login(factories.make_person_user(workspace, Role.VIEWER))
    foreign.force_login(factories.make_person_user(factories.make_workspace()))
    url = f"/admin/corrections/{made.public_id}/"
    assert (viewer.get(url).status_code, foreign.get(url).status_code) == (200, 404)
    assert made.value not in foreign.get("/admin/corrections/").content.decode()
    for action in ("revoke", "restore", "apply", "again"):
        assert viewer.post(f"{url}{action}/").status_code == 403
        assert foreign.post(f"{url}{action}/").status_code == 404
        assert browser.get(f"{url}{action}/").status_code == 405
    made.refresh_from_db()
    assert made.revoked_at is None
