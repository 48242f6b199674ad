"""What is typed into a search: words, phrases, operators, and what they find."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from inbox.actor import system_actor
from inbox.errors import DomainError
from inbox.models import Mailbox
from inbox.operations.mail.incoming import receive_message
from inbox.search import rank_messages, search_messages
from inbox.search.operators import Test as Condition
from inbox.search.words import LONGEST_TYPED, Term, read_query
from tests.cases import in_one_test
from tests.inbox.letters import letter


@in_one_test(
    ("query", "terms", "conditions"),
    [
        ("lamp from:ada", ["lamp"], [("from", "ada", False)]),
        ('from:"Ada Byron" -is:read', [], [("from", "Ada Byron", False), ("is", "read", True)]),
        ("lamp -oil", ["lamp"], [("", "oil", True)]),
        ('-"lamp oil" wick', ["wick"], [("", "lamp oil", True)]),
        ("FROM:ada SUBJECT:Lamp", [], [("from", "ada", False), ("subject", "Lamp", False)]),
        (
            "foo:bar re:lamp https://lamp.example",
            ["foo:bar", "re:lamp", "https://lamp.example"],
            [],
        ),
        ("from: ada", ["from", "ada"], []),
        ("--verbose - -: well-known", ["verbose", "well-known"], []),
        ("OR lamp OR", ["OR", "lamp"], []),
        ("from:ada OR from:grace oil", ["oil"], [("from", "ada", False), ("from", "grace", False)]),
        ("lamp OR from:ada", [], [("", "lamp", False), ("from", "ada", False)]),
        ("is:", ["is"], []),
    ],
)
def test_words_and_operators_are_told_apart(query, terms, conditions):
    found = read_query(query)
    assert [term.text for term in found.terms] == terms
    tests = [(t.operator, t.value, t.is_negated) for some in found.conditions for t in some]
    assert tests == conditions


def test_either_of_two_words_is_one_term():
    assert read_query('lamp OR "oil can" wick').terms == (
        Term("lamp", others=("oil can",)), Term("wick"),
    )  # fmt: skip


def test_in_a_message_that_is_asked_with_nothing_is_an_operator():
    for text in ("Hello,\nis:it -there OR from:ada?", f"is:nothing {'lamp ' * 80}"):
        assert not read_query(text).conditions
    assert len("is:nothing " + "lamp " * 80) > LONGEST_TYPED


@in_one_test(
    ("value", "moment"),
    [
        ("2026-03-31", datetime(2026, 3, 31, tzinfo=UTC)),
        ("2026/3/1", datetime(2026, 3, 1, tzinfo=UTC)),
        ("2026-03", datetime(2026, 3, 1, tzinfo=UTC)),
        ("2026", datetime(2026, 1, 1, tzinfo=UTC)),
    ],
)
def test_a_day_begins_in_the_zone_of_whoever_asks(value, moment):
    assert read_query(f"after:{value}").conditions == ((Condition("after", moment),),)
    with timezone.override("Europe/Berlin"):
        ((condition,),) = read_query("after:2026-03-31").conditions
    assert condition.value == datetime(2026, 3, 30, 22, tzinfo=UTC)


def test_so_long_ago_is_counted_from_now():
    ((condition,),) = read_query("before:2w").conditions
    assert abs(timezone.now() - timedelta(days=14) - condition.value) < timedelta(minutes=1)


@in_one_test(
    ("query", "operator", "accepted"),
    [
        ("after:soon", "after", "2026-03-31"),
        ("lamp before:2026-13-01", "before", "2026-03-31"),
        ("after:0000", "after", "2026-03-31"),
        ("after:9999y", "after", "2026-03-31"),
        ("is:blue", "is", "is:unread"),
        ("has:teeth", "has", "has:attachment"),
        ("from:???", "from", "from: and a word"),
        ('subject:""', "subject", "subject: and a word"),
    ],
)
def test_a_bad_value_is_refused_by_its_name_with_what_would_be_taken(query, operator, accepted):
    with pytest.raises(DomainError) as caught:
        read_query(query)
    assert caught.value.field == "query"
    assert str(caught.value.message).startswith(f"The operator {operator}: does not take")
    assert accepted in caught.value.accepted


ATTACHED = (
    "From: Grace Hopper <grace@navy.example>\r\nTo: Öffice Desk <office@lantern.example>, "
    "buyer@lantern.example\r\nMessage-ID: <plan@x>\r\n"
    "Subject: Plan for the lamps\r\nDate: Mon, 2 Mar 2026 09:00:00 +0000\r\nMIME-Version: 1.0\r\n"
    "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nOil is in it.\r\n--b\r\n"
    "Content-Type: application/pdf\r\n"
    'Content-Disposition: attachment; filename="Zeppelin_100%.pdf"\r\n\r\nx\r\n--b--\r\n'
).encode()


@pytest.fixture
def office(inbox):
    receive = lambda *a, **k: receive_message(inbox=inbox, raw=letter(*a, **k))  # noqa: E731
    receive("oil", subject="Oil prices", text="The price of lamp oil rises, says Grace.", day=1)
    receive("wick", subject="Wicks", text="We deliver wicks, and oil on request.", day=2)
    receive("party", subject="Summer party", text="Bring a lamp to the garden.", day=3)
    receive_message(inbox=inbox, raw=ATTACHED)
    oil = inbox.messages.get(subject="Oil prices")
    oil.keywords = ["$flagged", "$seen"]
    oil.save()
    label = Mailbox.objects.create(workspace=inbox.workspace, inbox=inbox, name="Später")
    oil.mailboxes.add(label)
    return inbox


def find(inbox, query) -> set[str]:
    actor = system_actor(inbox.workspace_id, "test")
    hits = search_messages(actor=actor, inbox=inbox, query=query)
    found = {hit.message.message_id_header[1:].partition("@")[0] for hit in hits}
    ranked = rank_messages(inboxes=[inbox], query=query, limit=50)
    assert set(ranked) == {hit.message.pk for hit in hits}
    assert all(hit.score > 0 for hit in hits)
    return found


@pytest.mark.django_db
@in_one_test(
    ("query", "found"),
    [
        ("from:grace", {"plan"}),
        ("from:grace@navy.example", {"plan"}),
        ("from:nav", {"plan"}),
        ("-from:grace", {"oil", "wick", "party"}),
        ("oil from:ada", {"oil", "wick"}),
        ("to:buyer", {"plan"}),
        ("to:öffice", {"plan"}),
        ("to:office@lantern.example lamp", {"oil", "party", "plan"}),
        ("to:_ffice", set()),
        ("subject:oil", {"oil"}),
        ("subject:wicks OR subject:party", {"wick", "party"}),
        ('subject:"summer party"', {"party"}),
        ("has:attachment", {"plan"}),
        ("has:pdf oil", {"plan"}),
        ("has:image", set()),
        ("-has:attachment lamp", {"oil", "party"}),
        ("filename:zeppelin", {"plan"}),
        ("filename:100%", {"plan"}),
        ("filename:1%0", set()),
        ("is:flagged", {"oil"}),
        ("is:unread", {"wick", "party", "plan"}),
        ("is:read", {"oil"}),
        ("is:received after:2026-03-04", {"wick", "party"}),
        ("oil before:2026-03-04", {"oil", "plan"}),
        ("label:Später", {"oil"}),
        ("lamp -label:später", {"party", "plan"}),
        ("oil -price", {"wick", "plan"}),
        ('oil -"lamp oil"', {"wick", "plan"}),
        ("garden OR wicks", {"party", "wick"}),
        ("price OR garden lamp", {"oil", "party", "plan"}),
        ("from:nobody oil", set()),
    ],
)
def test_operators_keep_what_they_say(office, query, found):
    assert find(office, query) == found


@pytest.mark.django_db
def test_what_has_either_word_and_the_other_comes_first(office):
    actor = system_actor(office.workspace_id, "test")
    hits = search_messages(actor=actor, inbox=office, query="garden OR price lamp")
    first = {hit.message.subject for hit in hits[:2]}
    assert first == {"Oil prices", "Summer party"}


@pytest.mark.django_db
def test_a_label_that_is_not_there_is_refused_with_those_that_are(office):
    with pytest.raises(DomainError) as caught:
        find(office, "label:nowhere")
    assert 'label:"Später"' in caught.value.accepted


@pytest.mark.django_db
def test_of_operators_alone_the_newest_come_first(office):
    actor = system_actor(office.workspace_id, "test")
    hits = search_messages(actor=actor, inbox=office, query="-from:grace", top_k=2)
    assert [hit.message.subject for hit in hits] == ["Summer party", "Wicks"]


@pytest.mark.django_db
@in_one_test(
    ("query", "found"),
    [
        ("from:mueller", {"bill"}),
        ("from:muller", {"bill"}),
        ('from:"jürgen mueller"', {"bill"}),
        ("from:MÜLL", {"bill"}),
        ("subject:rechnung", {"bill"}),
        ("subject:Häuser", {"bill"}),
        ("subject:hauses", {"bill"}),
        ("subject:strasse", {"bill"}),
        ("subject:invoice", {"house"}),
        ("subject:garden", set()),
        ("subject:garten", set()),
        ("from:rechnung", set()),
        ("subject:paid", set()),
        ("-subject:rechnung", {"house"}),
        ("from:strasse", set()),
    ],
)
def test_words_of_a_field_are_known_in_other_forms(inbox, query, found):
    receive_message(
        inbox=inbox,
        raw=letter(
            "bill", subject="=?utf-8?Q?Schlussrechnungen_f=C3=BCr_das_Haus_in_der_Stra=C3=9Fe?=",
            sender="=?utf-8?Q?J=C3=BCrgen_M=C3=BCller?= <jm@bau.example>",
            text="Sehr geehrte Damen und Herren, anbei die Rechnung für den Garten und das Haus.",
        ),
    )  # fmt: skip
    receive_message(
        inbox=inbox,
        raw=letter("house", subject="Invoices of the houses", text="The garden is to be paid."),
    )
    assert find(inbox, query) == found


@pytest.mark.django_db
def test_operators_alone_look_through_so_many_of_the_newest_and_say_so(office, monkeypatch):
    monkeypatch.setattr("inbox.search.index.WALKED", 2)
    monkeypatch.setattr("inbox.search.finding.WALKED", 2)
    actor = system_actor(office.workspace_id, "test")

    def ask(query):
        hits = search_messages(actor=actor, inbox=office, query=query)
        return [hit.message.subject for hit in hits], hits.looked_through

    assert ask("is:unread") == (["Summer party", "Wicks"], 2)
    assert ask("is:flagged") == ([], 2)
    assert ask("to:office -is:flagged") == (["Summer party", "Wicks"], 2)
    # What an index tells is not walked to; and what is left is.
    assert ask("label:später") == (["Oil prices"], 0)
    assert ask("label:später is:flagged") == (["Oil prices"], 0)
    assert ask("from:grace has:pdf") == (["Plan for the lamps"], 0)
    assert ask("subject:oil") == (["Oil prices"], 0)
    assert ask("is:flagged before:2026-03-04") == (["Oil prices"], 0)
    assert ask("label:später OR is:flagged") == ([], 2)
    with CaptureQueriesContext(connection) as queries:
        ask("is:unread")
    assert len(queries) <= 4
