"""A person adds, ticks, mends and throws away to-dos; and finds letters to somebody on their page."""

from itertools import chain

import pytest
from django.test import Client

from agents.models import Receipt
from calendar_app.models import Todo
from inbox.models import Direction, Role
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(reviewer) -> Client:
    client = Client()
    client.force_login(reviewer)
    client.cookies["tz"] = "Europe/Berlin"
    return client


def test_a_to_do_is_added_ticked_mended_and_thrown_away(browser, workspace):
    form = {"workspace": workspace.pk, "title": "Call <b>Ada</b>", "due": "2026-03-10T10:00"}
    assert "Call <b>" not in browser.post("/admin/todos/add/", form, follow=True).text
    todo = Todo.objects.get()
    assert todo.due.isoformat() == "2026-03-10T09:00:00+00:00"
    place = f"/admin/todos/{todo.public_id}/"
    standing = []
    for deed in ("completed", "needsAction"):
        browser.post(place, {"do": deed})
        todo.refresh_from_db()
        standing.append((todo.status, todo.completed_at is None))
    assert standing == [("completed", False), ("needs-action", True)]
    browser.post(place, {"do": "edit", "title": "Write to Ada", "due": "", "notes": "soon"})
    todo.refresh_from_db()
    assert (todo.summary, todo.due, todo.description) == ("Write to Ada", None, "soon")
    page = browser.post(place, {"do": "edit", "title": "", "due": "x"})
    assert (page.status_code, page.context["lines"][0]["is_open"]) == (400, True)
    browser.post(place, {"do": "delete"})
    assert not Todo.objects.filter(deleted_at=None).exists()
    assert Receipt.objects.filter(outcome="ok").count() == 5


def test_only_who_decides_there_changes_to_dos(browser, workspace):
    browser.post("/admin/todos/add/", {"workspace": workspace.pk, "title": "Call Ada"})
    todo = Todo.objects.get()
    reader, stranger = Client(), Client()
    reader.force_login(factories.make_person_user(workspace, role=Role.VIEWER, name="rita"))
    stranger.force_login(factories.make_person_user(factories.make_workspace("o"), name="sven"))
    assert "Call Ada" in reader.get("/admin/todos/").text
    assert "Call Ada" not in stranger.get("/admin/todos/").text
    for who, status in ((reader, 403), (stranger, 404)):
        answer = who.post(f"/admin/todos/{todo.public_id}/", {"do": "delete"})
        assert answer.status_code == status
        more = {"workspace": workspace.pk, "title": "More"}
        assert who.post("/admin/todos/add/", more).status_code == 403
    assert Todo.objects.filter(deleted_at=None).count() == 1


def test_the_page_of_a_person_has_the_letters_to_them(browser, inbox):
    person = factories.make_person(inbox.workspace)
    theirs = factories.make_message(inbox)
    to = [{"email": person.email}]
    ours = factories.make_message(inbox, subject="The offer", direction=Direction.OUTBOUND, to=to)
    factories.make_message(
        inbox, subject="Another's", direction=Direction.OUTBOUND, to=[{"email": "x@y.example"}]
    )
    page = browser.get(f"/admin/people/{person.public_id}/")
    assert [one.pk for one in page.context["letters"]] == [ours.pk]
    assert ours.public_id in page.text
    assert theirs.thread in page.context["threads"]


def test_many_to_dos_stand_on_pages_and_each_on_one(browser, workspace, monkeypatch):
    monkeypatch.setattr("agents.admin.planning.todos.PAGE", 2)
    for number in range(5):
        form = {"workspace": workspace.pk, "title": f"Number {number}"}
        browser.post("/admin/todos/add/", form)
    done = Todo.objects.order_by("pk")[1]
    browser.post(f"/admin/todos/{done.public_id}/", {"do": "completed"})
    place, seen = "/admin/todos/", []
    while True:
        page = browser.get(place)
        seen.append([line["todo"].summary for line in page.context["lines"]])
        if not page.context["following"]:
            break
        assert 'rel="next"' in page.text
        place = f"/admin/todos/?after={page.context['following']}"
    assert sorted(chain(*seen)) == [f"Number {number}" for number in range(5)]
    assert [len(one) for one in seen] == [2, 2, 1]
    assert seen[-1] == ["Number 1"]
    # What is ticked on a page leads back to it.
    last = Todo.objects.get(summary="Number 1")
    back = browser.post(
        f"/admin/todos/{last.public_id}/{place.partition('todos/')[2]}", {"do": "needsAction"}
    )
    assert back.url == place
