"""A look at an item from the list: all of it, what can be done with it there, and the way back."""

import re

import pytest

from agents.models import Approval
from inbox.models import Activity, Role
from tests import factories
from tests.agents.admin.desk import make_activity, propose

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(make_rows)


def make_rows():
    lantern = factories.make_lantern()
    inbox = lantern["inbox"]
    factories.make_person(inbox.workspace, sent_count=2)
    for number in range(3):
        thread = factories.make_message(inbox, subject=f"Letter {number}").thread
        propose(lantern["actor"], thread, f"This is letter {number}.")
    Approval.objects.update(checks_due=False, risk_flags=[])
    for number in range(2):
        make_activity(factories.make_message(inbox, subject=f"In {number}"))
    reviewer = factories.make_person_user(lantern["workspace"], name="rhea")
    return {**lantern, "reviewer": reviewer}


@pytest.fixture
def browser(client, own_rows, reviewer):
    client.force_login(reviewer)
    return client


@pytest.fixture
def letters(browser):
    return list(Approval.objects.order_by("place_at", "pk"))


@pytest.fixture
def came_in(browser):
    return list(Activity.objects.order_by("created_at", "pk"))


def peek(browser, item, **query):
    return browser.get(f"/admin/queue/peek/{item.public_id}/", query)


def test_each_row_leads_to_its_look(browser, letters, came_in):
    text = browser.get("/admin/?tab=waiting").content.decode()
    for letter in letters:
        assert f"/admin/queue/peek/{letter.public_id}/?in=tab%3Dwaiting" in text


def test_a_letter_is_shown_with_the_mail_that_it_answers_and_nothing_around_it(browser, letters):
    response = peek(browser, letters[0])
    text = response.content.decode()
    assert "This is letter 0." in text
    assert letters[0].submission.draft.in_reply_to.text.split("\n")[0] in text
    assert "<html" not in text
    assert letters[0].sha256 in text
    assert re.search(r"<button[^>]* disabled[^>]*data-key=\"a\"", text)


def test_what_is_left_out_of_batches_is_not_approved_from_the_list(browser, letters):
    flag = {"flag": "external_link", "reason": "It links.", "excerpt": "", "source": None}
    Approval.objects.filter(pk=letters[0].pk).update(risk_flags=[flag])
    text = peek(browser, letters[0]).content.decode()
    assert 'data-key="a"' not in text
    assert "it is flagged" in text
    assert 'data-key="r"' in text
    assert 'data-key="s"' in text


def test_what_came_in_is_shown_and_can_be_done(browser, came_in):
    text = peek(browser, came_in[0]).content.decode()
    assert came_in[0].message.text.split("\n")[0] in text
    for key in "ars":
        assert f'data-key="{key}"' in text


def given(text):
    """The fields of the first form of a look, as a browser sends them."""
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', text))


def test_approving_from_the_list_leads_back_to_it_at_the_next_row(browser, letters):
    fields = given(peek(browser, letters[0], **{"in": "tab=waiting"}).content.decode())
    answer = browser.post(f"/admin/review/{letters[0].public_id}/approve/", fields)
    before, after = letters[0].public_id, letters[1].public_id
    assert answer["Location"] == f"/admin/?tab=waiting&before={before}#item-{after}"
    letters[0].refresh_from_db()
    assert letters[0].state == "approved"
    assert "Undo" in browser.get(answer["Location"]).content.decode()


@pytest.mark.parametrize(
    ("action", "more"), [("reject", {"preset": "untrue"}), ("snooze", {"until": "3h"})]
)
def test_so_do_rejecting_and_putting_off(browser, letters, action, more):
    fields = given(peek(browser, letters[0], **{"in": "tab=waiting"}).content.decode())
    answer = browser.post(f"/admin/review/{letters[0].public_id}/{action}/", {**fields, **more})
    assert answer["Location"].endswith(f"#item-{letters[1].public_id}")
    assert answer["Location"].startswith("/admin/?tab=waiting&before=")
    letters[0].refresh_from_db()
    assert letters[0].state == ("rejected" if action == "reject" else "waiting")
    assert bool(letters[0].snoozed_until) is (action == "snooze")


@pytest.mark.parametrize(
    ("action", "more"), [("move", {"status": "processed"}), ("snooze", {"until": "3h"})]
)
def test_what_came_in_is_decided_from_the_list_too(browser, came_in, action, more):
    text = peek(browser, came_in[0], **{"in": "tab=surfaced"}).content.decode()
    place = f"/admin/activities/{came_in[0].public_id}/{action}/?in=tab%3Dsurfaced"
    assert place in text
    answer = browser.post(place, {**given(text), **more})
    assert answer["Location"] == f"/admin/?tab=surfaced#item-{came_in[1].public_id}"


def test_it_leads_back_to_the_page_of_the_list_that_one_was_on(browser, letters):
    page = browser.get("/admin/?tab=waiting").context["page"]
    after = str(page.rows[0].place)
    text = peek(browser, letters[1], **{"in": "tab=waiting", "after": after}).content.decode()
    place = f"/admin/review/{letters[1].public_id}/approve/"
    answer = browser.post(place, given(text))
    assert f"&after={after}&before=" in answer["Location"]
    answer = browser.post(
        f"/admin/review/{letters[2].public_id}/approve/",
        {"sha256": letters[2].sha256, "then": "list", "after": "//elsewhere.example"},
    )
    assert answer["Location"].startswith("/admin/?before=")


def test_who_may_only_read_sees_no_decision(client, letters, workspace):
    client.force_login(factories.make_person_user(workspace, role=Role.VIEWER, name="vera"))
    text = peek(client, letters[0]).content.decode()
    assert "This is letter 0." in text
    assert "<form" not in text


def test_what_is_not_there_or_not_ones_own_is_not_found(client, letters, browser):
    assert browser.get("/admin/queue/peek/apr_x/").status_code == 404
    client.force_login(factories.make_person_user(factories.make_workspace(), name="sam"))
    assert peek(client, letters[0]).status_code == 404
