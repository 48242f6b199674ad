"""For a word that no mail has, what stands nearest to it in the mail that one may see."""

import time

import pytest
from django.utils import timezone

from inbox.actor import system_actor
from inbox.operations.mail.incoming import receive_message
from inbox.search import rank_messages, search_messages
from inbox.search.letters import distance, may_be_near
from tests import factories
from tests.cases import in_one_test
from tests.inbox.letters import letter


@in_one_test(
    ("one", "other", "off"),
    [
        ("recieve", "receive", 1),
        ("invoce", "invoice", 1),
        ("invoiice", "invoice", 1),
        ("inwoice", "invoice", 1),
        ("nivocie", "invoice", 2),
        ("abc", "abc", 0),
        ("kitten", "sitting", 3),
        ("", "ab", 2),
    ],
)
def test_letters_that_are_off_are_counted(one, other, off):
    assert distance(one, other, 3) == distance(other, one, 3) == off
    assert may_be_near(one, other, off)
    assert distance(one, other, 0) > 0 or off == 0


@pytest.fixture
def office(inbox):
    receive = lambda *a, **k: receive_message(inbox=inbox, raw=letter(*a, **k))  # noqa: E731
    receive("pay", subject="Payment", text="You will receive the invoices on Friday.", day=1)
    receive("lamp", subject="Lamps", text="We deliver lamps to the garden.", day=2)
    receive("muell", subject="Termin", text="Frau Müller erwartet die Rechnungen.", day=3)
    return inbox


def find(inbox, query, **options):
    actor = system_actor(inbox.workspace_id, "test")
    hits = search_messages(actor=actor, inbox=inbox, query=query, **options)
    return [hit.message.message_id_header[1:].partition("@")[0] for hit in hits], hits


@pytest.mark.django_db
@in_one_test(
    ("query", "found", "instead"),
    [
        ("recieve", ["pay"], {"recieve": "receive"}),
        ("invoces", ["pay"], {"invoces": "invoices"}),
        ("dellivering", ["lamp"], {"dellivering": "deliver"}),
        ("Freiday", ["pay"], {"Freiday": "friday"}),
        ("garden lmaps", ["lamp"], {"lmaps": "lamps"}),
        ("Mülelr", ["muell"], {"Mülelr": "müller"}),
        ("recieve -payment", [], {}),
        ("recieve from:nobody", [], {}),
        ('"recieve"', [], {}),
        ("zeppelin", [], {}),
        ("1nvoice", [], {}),
        ("lamp", ["lamp"], {}),
        ("garde", ["lamp"], {}),
    ],
)
def test_the_nearest_word_is_looked_for_where_none_is_there(office, query, found, instead):
    keys, hits = find(office, query)
    assert (keys, dict(hits.instead)) == (found, instead)
    ranked = rank_messages(inboxes=[office], query=query, limit=9)
    assert dict(ranked.instead) == instead
    assert not rank_messages(inboxes=[office], query=query, limit=9, is_text=True).instead


@pytest.mark.django_db
def test_the_passage_shown_has_the_word_that_was_looked_for(office):
    text = "Nothing. " * 60 + "The zeppelin has landed. " + "Nothing. " * 60
    receive_message(inbox=office, raw=letter("zep", text=text))
    ((_, *others), hits) = find(office, "zepelin")
    assert not others
    assert "zeppelin" in hits[0].snippet


@pytest.mark.django_db
def test_no_word_of_mail_that_one_may_not_see_is_shown(office, workspace):
    """Nor of what was deleted, nor one that only another inbox of the same people has."""
    strangers = factories.make_workspace()
    for other in (factories.make_inbox(strangers), factories.make_inbox(workspace)):
        receive_message(inbox=other, raw=letter("theirs", text="The zeppelin of Wolfenstein."))
    receive_message(inbox=office, raw=letter("gone", subject="Gone", text="The submarine."))
    assert office.messages.filter(subject="Gone").update(deleted_at=timezone.now())
    for query in ("zepelin", "wolfenstien", "submarnie"):
        keys, hits = find(office, query)
        assert (keys, dict(hits.instead)) == ([], {}), query


@pytest.mark.django_db
def test_many_words_that_are_nowhere_take_no_longer_than_some(office):
    text = " ".join(f"re{one}{two}ve{three}" for one in "abcdefghijklm" for two in "nopqrstuvw"
                    for three in "abcdefghijklmnop")  # fmt: skip
    receive_message(inbox=office, raw=letter("many", text=text))
    start = time.process_time()
    find(office, "rezzive rezaive aezzive rzzzive")
    assert time.process_time() - start < 3
