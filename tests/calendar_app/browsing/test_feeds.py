"""The page on which owners share calendars by an address: made, shown once, listed, revoked."""

import re

import pytest
from django.test import Client

from calendar_app.models import Calendar, CalendarFeed
from inbox.models import Role
from tests import factories

pytestmark = pytest.mark.django_db
PLACE = "/admin/calendar/feeds/"


@pytest.fixture
def calendar(inbox) -> Calendar:
    return Calendar.objects.create(workspace=inbox.workspace, account=inbox.account, name="Main")


def signed_in(workspace, role=Role.OWNER) -> Client:
    client = Client()
    client.force_login(factories.make_person_user(workspace, role))
    return client


@pytest.fixture
def owner(workspace) -> Client:
    return signed_in(workspace)


def create(client, calendar, **fields):
    given = {"calendar": calendar, "detail": "busy", "name": "Ada & sons", **fields}
    return client.post(f"{PLACE}create/", given)


def test_the_address_is_shown_once_and_opens_the_calendar(owner, calendar, settings):
    settings.BASE_URL = "https://desk.example"
    shown = create(owner, calendar.public_id)
    assert "no-store" in shown["Cache-Control"]
    (path,) = re.findall(r"https://desk\.example(/calendars/[\w-]{43}\.ics)", shown.text)
    assert Client().get(path).status_code == 200
    listed = owner.get(PLACE).text
    assert path not in listed
    assert "Ada &amp; sons" in listed
    assert "read once" in listed


def test_revoking_ends_it(owner, calendar):
    path = re.search(r"/calendars/[\w-]+\.ics", create(owner, calendar.public_id).text)[0]
    feed = CalendarFeed.objects.get()
    response = owner.post(f"{PLACE}{feed.public_id}/revoke/", follow=True)
    assert response.redirect_chain == [(PLACE, 302)]
    assert Client().get(path).status_code == 404
    assert f"{feed.public_id}/revoke/" not in response.text


def test_what_is_missing_or_made_up_is_said_and_nothing_made(owner, calendar, workspace):
    foreign = factories.make_inbox(factories.make_workspace())
    theirs = Calendar.objects.create(workspace=foreign.workspace, account=foreign.account, name="X")
    for fields in (
        {"name": ""},
        {"detail": "all"},
        {"calendar": theirs.public_id},
        {"name": "x" * 101},
    ):
        response = create(owner, **{"calendar": calendar.public_id, **fields})
        assert response.status_code == 400
        assert 'class="error"' in response.text
    assert not CalendarFeed.objects.exists()


def test_only_owners_see_the_page_or_use_it(owner, calendar, workspace):
    create(owner, calendar.public_id)
    feed = CalendarFeed.objects.get()
    for role in (Role.REVIEWER, Role.VIEWER):
        client = signed_in(workspace, role)
        assert "feeds/" not in client.get("/admin/calendar/").text
        assert client.get(PLACE).status_code == 403
        assert create(client, calendar.public_id).status_code == 403
        assert client.post(f"{PLACE}{feed.public_id}/revoke/").status_code == 403
    assert PLACE in owner.get("/admin/calendar/").text
    assert CalendarFeed.objects.get().revoked_at is None


def test_who_owns_another_workspace_neither_sees_nor_revokes_it(owner, calendar, workspace):
    create(owner, calendar.public_id)
    feed = CalendarFeed.objects.get()
    stranger = signed_in(factories.make_workspace())
    assert "Ada" not in stranger.get(PLACE).text
    assert stranger.post(f"{PLACE}{feed.public_id}/revoke/").status_code == 404
    both = factories.make_person_user(factories.make_workspace(), Role.OWNER)
    workspace.memberships.create(user=both, role=Role.REVIEWER)
    client = Client()
    client.force_login(both)
    assert "Ada" not in client.get(PLACE).text
    assert create(client, calendar.public_id).status_code == 400
