"""The page of a thread too long for one: older messages by link, each message on its page."""

from datetime import timedelta

import pytest
from django.test import Client

from inbox.admin.messages import views
from inbox.models import Role
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def viewer(workspace) -> Client:
    client = Client()
    client.force_login(factories.make_person_user(workspace, Role.VIEWER))
    return client


@pytest.fixture
def message(inbox):
    return factories.make_message(inbox)


@pytest.fixture
def long_thread(message, monkeypatch):
    """Five messages, three of one moment, of which a page shows two."""
    monkeypatch.setattr(views, "NEWEST", 2)
    rest = [factories.make_message(message.inbox, thread=message.thread) for _ in range(4)]
    for hours, one in enumerate(rest):
        moment = message.received_at + timedelta(hours=max(hours - 1, 0))
        type(one).objects.filter(pk=one.pk).update(received_at=moment)
    type(message.thread).objects.filter(pk=message.thread_id).update(message_count=5)
    return [message, *rest]


def test_older_messages_of_a_long_thread_are_a_link_away(viewer, long_thread):
    place = f"/admin/threads/{long_thread[0].thread.public_id}/"
    seen, link = [], ""
    for _ in range(3):
        response = viewer.get(place + link)
        seen.append([reading.message for reading in response.context["readings"]])
        assert ("Back to the newest messages" in response.content.decode()) == bool(link)
        link = f"?until={response.context['older']}"
        assert (f'href="{link}"' in response.content.decode()) == bool(response.context["older"])
    assert seen == [long_thread[3:], long_thread[1:3], long_thread[:1]]
    assert not response.context["older"]


def test_an_old_message_leads_to_the_page_that_holds_it(viewer, long_thread):
    old = long_thread[1]
    response = viewer.get(f"/admin/messages/{old.public_id}/", follow=True)
    assert [reading.message for reading in response.context["readings"]] == long_thread[:2]


def test_a_thread_opens_only_at_its_own_messages(viewer, message):
    other = factories.make_message(message.inbox)
    for key in (other.public_id, "nonsense"):
        response = viewer.get(f"/admin/threads/{message.thread.public_id}/?until={key}")
        assert response.status_code == 404
