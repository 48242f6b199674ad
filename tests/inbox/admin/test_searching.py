"""The search boxes of messages and threads: operators, the best first, and what is no search."""

import re
from html import unescape

import pytest
from django.test import Client
from django.utils import timezone

from inbox.models import Role
from inbox.operations.mail.incoming import receive_message
from tests import factories
from tests.inbox.letters import letter

pytestmark = pytest.mark.django_db
MESSAGES, THREADS = "/admin/inbox/message/", "/admin/inbox/thread/"


@pytest.fixture
def reader(workspace, inbox):
    receive = lambda *a, **k: receive_message(inbox=inbox, raw=letter(*a, **k))  # noqa: E731
    receive("oil", subject="Oil prices", text="The price of lamp oil rises.", day=1)
    receive("wick", subject="Wicks", text="We deliver wicks, and oil on request.", day=2)
    receive("party", sender="grace@navy.example", subject="Summer party", text="A lamp.", day=3)
    client = Client()
    client.force_login(factories.make_person_user(workspace, Role.REVIEWER))
    return client


def subjects(reader, place, query, **more) -> list[str]:
    page = reader.get(place, {"q": query, **more})
    assert page.status_code == 200
    return [row.subject for row in page.context["cl"].result_list]


@pytest.mark.parametrize("place", [MESSAGES, THREADS])
def test_texts_are_searched_and_the_best_come_first(reader, place):
    assert subjects(reader, place, "oil lamp")[0] == "Oil prices"
    assert set(subjects(reader, place, "oil lamp")) == {"Oil prices", "Wicks", "Summer party"}
    assert subjects(reader, place, "lamp from:grace") == ["Summer party"]
    assert subjects(reader, place, "-lamp") == ["Wicks"]


def test_a_column_that_is_chosen_orders_what_is_found(reader):
    newest_last = subjects(reader, MESSAGES, "oil", o="4")
    assert newest_last == ["Oil prices", "Wicks"]


def test_a_bad_value_is_said_above_the_list_with_what_would_be_taken(reader):
    page = reader.get(MESSAGES, {"q": "oil after:soon"})
    text = page.content.decode()
    assert "The operator after: does not take" in text
    assert "2026-03-31" in text
    assert subjects(reader, MESSAGES, "oil after:soon") == []


@pytest.mark.parametrize("place", [MESSAGES, THREADS])
def test_for_a_word_that_is_nowhere_the_nearest_is_shown_with_a_way_to_the_literal_words(
    reader, place
):
    page = reader.get(place, {"q": "delivver from:ada", "o": "1"})
    assert [row.subject for row in page.context["cl"].result_list] == ["Wicks"]
    text = page.content.decode()
    assert "Nothing for delivver, showing deliver." in text
    link = re.search(r'<a href="(\?[^"]*)">Search for the words as typed</a>', text)
    literal = reader.get(place + unescape(link[1]))
    assert literal.context["cl"].query == '"delivver" from:ada'
    assert literal.context["cl"].params["o"] == "1"
    assert not literal.context["cl"].result_list
    assert "Nothing for" not in literal.content.decode()


def test_what_can_be_typed_is_told_beside_the_box(reader):
    assert 'class="search-help"' in reader.get(THREADS).content.decode()


def test_the_mail_of_others_is_not_found(reader):
    other = factories.make_inbox(factories.make_workspace())
    receive_message(inbox=other, raw=letter("theirs", subject="Theirs", text="Oil, oil."))
    assert subjects(reader, MESSAGES, "oil") == ["Oil prices", "Wicks"]


def test_what_was_deleted_is_still_found_among_the_deleted(reader, inbox):
    inbox.messages.filter(subject="Wicks").update(deleted_at=timezone.now())
    assert subjects(reader, MESSAGES, "oil") == ["Oil prices"]
    assert subjects(reader, MESSAGES, "wicks", deleted="yes") == ["Wicks"]
