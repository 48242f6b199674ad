"""What a person does with an activity: the next comes by itself, and every action can be undone."""

import re

import pytest
from django.test import Client

from agents.dispatching import dispatch
from agents.models import AgentMessage, Approval, Receipt
from inbox.models import ActivityChange, ActivityStatus, Role
from tests import factories
from tests.agents.admin.desk import make_activity, propose

pytestmark = pytest.mark.django_db
ACTIONS = ("move", "undo", "snooze", "wake", "ask", "reclassify")


def place(activity, action="", query=""):
    return f"/admin/activities/{activity.public_id}/{action}{query}"


def undo_form(page: str) -> tuple[str, dict[str, str]]:
    """The address and the fields of the line that takes the last action back."""
    form = re.search(
        r'<form class="undo-line" method="post" action="([^"]+)">(.*?)</form>', page, re.DOTALL
    )
    assert form is not None
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form[2]))
    return form[1].replace("&amp;", "&"), fields


@pytest.fixture
def next_one(inbox, activity):
    return make_activity(factories.make_message(inbox, subject="The next"))


def test_after_an_action_the_next_item_comes_by_itself(browser, activity, next_one):
    page = browser.post(place(activity, "move/"), {"status": "processed"}, follow=True)
    assert page.redirect_chain[-1][0] == place(next_one)
    assert "Done: A question" in page.content.decode()


def test_after_the_last_item_the_queue_comes(browser, activity):
    answer = browser.post(place(activity, "move/", "?in=tab%3Dsurfaced"), {"status": "archived"})
    assert answer["Location"] == "/admin/?tab=surfaced"


def test_the_next_is_one_of_what_it_was_opened_from(browser, activity, inbox):
    other = make_activity(factories.make_message(inbox), ActivityStatus.QUARANTINED)
    later = make_activity(factories.make_message(inbox), ActivityStatus.QUARANTINED)
    query = "?in=tab%3Dquarantine"
    answer = browser.post(place(other, "move/", query), {"status": "archived"})
    assert answer["Location"] == place(later, "", query)


@pytest.mark.parametrize("status", ["processed", "archived", "quarantined"])
def test_undo_puts_it_back_where_it_stood_with_a_receipt(browser, activity, next_one, status):
    page = browser.post(place(activity, "move/"), {"status": status}, follow=True)
    url, fields = undo_form(page.content.decode())
    back = browser.post(url, fields, follow=True)
    assert back.redirect_chain[-1][0] == place(activity)
    activity.refresh_from_db()
    assert activity.status == "surfaced"
    assert Receipt.objects.get(tool="undo_activity_change").result == {"status": "surfaced"}
    assert browser.post(url, fields).status_code == 409


def test_undo_takes_back_no_change_of_another_item(browser, activity, next_one):
    browser.post(place(next_one, "move/"), {"status": "archived"})
    change = ActivityChange.objects.get()
    answer = browser.post(place(activity, "undo/"), {"change": change.public_id})
    assert answer.status_code == 400
    next_one.refresh_from_db()
    assert next_one.status == "archived"


@pytest.mark.parametrize(
    ("action", "fields"),
    [
        ("move/", {"status": "archived"}),
        ("reclassify/", {"route": "note", "scope": "item", "urgency": "low"}),
    ],
)
def test_undo_takes_back_no_change_that_is_another_workspaces(browser, activity, action, fields):
    browser.post(place(activity, action), fields)
    change = ActivityChange.objects.get()
    ActivityChange.objects.update(workspace=factories.make_workspace())
    answer = browser.post(place(activity, "undo/"), {"change": change.public_id})
    assert answer.status_code == 400
    # It stands there already: the only change is not ours to take back.
    again = browser.post(place(activity, action), fields, follow=True)
    assert ActivityChange.objects.count() == 1
    assert change.public_id not in again.text


def test_what_is_put_off_is_gone_until_then_and_comes_back(browser, activity, next_one):
    page = browser.post(place(activity, "snooze/"), {"until": "tomorrow"}, follow=True)
    assert page.redirect_chain[-1][0] == place(next_one)
    activity.refresh_from_db()
    assert activity.snoozed_until is not None
    url, fields = undo_form(page.content.decode())
    browser.post(url, fields)
    activity.refresh_from_db()
    assert activity.snoozed_until is None
    assert browser.post(place(activity, "snooze/"), {"until": "never"}).status_code == 400


def test_an_agent_is_asked_for_a_draft_and_its_proposal_is_linked(browser, activity, agent, actor):
    wish = {"agent": agent.public_id, "preset": "Agree.", "wish": "Name Thursday."}
    page = browser.post(place(activity, "ask/"), wish, follow=True).content.decode()
    assert "It has not read your request yet" in page
    given = {"agent_name": actor.name, "unread_only": True, "mark_as_read": True}
    [message] = dispatch.call("get_messages_from_agents", given, actor).result["messages"]
    assert (message["from"], message["type"]) == ("person:rhea", "task")
    assert "Agree.\nName Thursday." in message["message"]
    thread = re.search(r"thread_id: (\S+)", message["message"])
    assert thread is not None
    assert "It has read your request" in browser.get(place(activity)).content.decode()
    reply = {
        "thread_id": thread[1], "body_or_draft_id": "Dear Ada,\n\nThursday it is.", "idempotency_key": "k",
    }  # fmt: skip
    dispatch.call("send_reply", reply, actor)
    page = browser.get(place(activity)).content.decode()
    assert f"/admin/review/{Approval.objects.get().public_id}/" in page
    assert "Open the proposal" in page
    assert Receipt.objects.filter(tool="ask_for_draft", outcome="ok").count() == 1


def test_a_draft_is_asked_of_nobody_else(browser, activity, agent, workspace):
    stranger = factories.make_agent(factories.make_workspace())
    ungranted = factories.make_agent(workspace, name="Ungranted")
    for one, status in ((stranger, 400), (ungranted, 403)):
        fields = {"agent": one.public_id, "wish": "Say yes."}
        assert browser.post(place(activity, "ask/"), fields).status_code == status
    agent.status = "paused"
    agent.save()
    fields = {"agent": agent.public_id, "wish": "Say yes."}
    assert browser.post(place(activity, "ask/"), fields).status_code == 403
    assert not AgentMessage.objects.exists()


def test_a_draft_of_nothing_is_not_asked_for(browser, activity, agent):
    answer = browser.post(place(activity, "ask/"), {"agent": agent.public_id, "wish": " "})
    assert answer.status_code == 400
    assert "Say what the draft is for." in answer.content.decode()


@pytest.mark.parametrize("wish", ["Say\0yes.", "x" * 4001])
def test_a_wish_that_cannot_be_kept_is_refused_and_shown_again(browser, activity, agent, wish):
    answer = browser.post(place(activity, "ask/"), {"agent": agent.public_id, "wish": wish})
    assert answer.status_code == 400
    assert "in at most 4000 characters" in answer.content.decode()
    assert not AgentMessage.objects.exists()


def test_the_keys_of_other_people_do_nothing(activity, workspace, agent):
    viewer, foreign = Client(), Client()
    viewer.force_login(factories.make_person_user(workspace, Role.VIEWER))
    foreign.force_login(factories.make_person_user(factories.make_workspace()))
    for action in ACTIONS:
        assert viewer.post(place(activity, f"{action}/"), {"status": "archived"}).status_code == 403
        assert (
            foreign.post(place(activity, f"{action}/"), {"status": "archived"}).status_code == 404
        )
    assert not ActivityChange.objects.exists()


def test_nothing_is_done_by_get(browser, activity):
    for action in ACTIONS[:-1]:
        assert browser.get(place(activity, f"{action}/")).status_code == 405
    browser.get(place(activity, "reclassify/", "?route=dismiss&scope=item"))
    activity.refresh_from_db()
    assert activity.status == "surfaced"


def test_where_two_lines_offer_undo_one_has_the_key(browser, actor, activity, next_one, inbox):
    letter = propose(actor, factories.make_message(inbox, subject="A letter").thread)
    browser.post(f"/admin/review/{letter.public_id}/approve/", {"sha256": letter.sha256})
    sealed = f"?before={letter.public_id}"
    assert keys_to_undo(browser, place(next_one, "", sealed)) == {"review"}
    browser.post(place(activity, "move/"), {"status": "archived"})
    assert keys_to_undo(browser, place(next_one, "", sealed)) == {"activities"}


def keys_to_undo(browser, url: str) -> set[str]:
    """What the forms whose button has the key z are about; only these show it."""
    page = browser.get(url).content.decode()
    forms = re.findall(r'action="/admin/(\w+)/[^"]*undo/[^>]*>(.*?)</form>', page, re.DOTALL)
    keyed = [about for about, inside in forms if 'data-key="z"' in inside]
    assert keyed == [about for about, inside in forms if ">z</kbd>" in inside]
    return set(keyed)
