"""What search leaves out of what it scores, on SQLite, changes nothing that is found."""

import random
from collections.abc import Sequence
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from inbox.actor import system_actor
from inbox.models import Inbox, Message
from inbox.operations.mail.incoming import receive_message
from inbox.search import ranking, search_messages
from inbox.search.index import Span, look_around, match_all, match_any
from inbox.search.ranking import rank
from inbox.search.running import fetch_all
from inbox.search.words import Term, in_all_forms, parse_query, words_of
from tests import factories
from tests.cases import made_up
from tests.factories import NOON
from tests.inbox.letters import letter
from tests.inbox.search.test_ranking import LINKS, vocabulary, write_conversations

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "sqlite", reason="of what FTS5 is asked"),
]


@pytest.fixture(scope="module")
def made_once(make_once, tmp_path_factory):
    folder = tmp_path_factory.mktemp("conversations")
    write_conversations(folder, 40)
    return make_once(lambda: make_conversations(folder))


def make_conversations(folder):
    """An inbox with conversations, some of it deleted, and another with the rest of them."""
    workspace = factories.make_workspace("lantern")
    inbox, other = factories.make_inbox(workspace), factories.make_inbox(workspace)
    for number, path in enumerate(sorted(folder.iterdir())):
        receive_message(inbox=inbox if number % 4 else other, raw=path.read_bytes())
    inbox.messages.filter(pk__in=[*inbox.messages.values_list("pk", flat=True)[::7]]).update(
        deleted_at=NOON
    )
    return {"workspace": workspace, "conversations": inbox}


@pytest.fixture
def conversations(own_rows, db):
    return own_rows["conversations"]


def _queries() -> list[str]:
    """Return queries of common words and rare ones."""
    chance, words = random.Random(5), vocabulary(random.Random(11))
    common, rare = words[:10], words[10:300]
    return [
        chance.choice(LINKS).format(
            " ".join([*chance.sample(common, number % 3), *chance.sample(rare, number % 2)])
            or "re",
            chance.choice(common),
        )
        for number in range(60)
    ]


def _plainly_ranked(inbox: Inbox, terms: Sequence[Term]) -> list[tuple[bool, float, int]]:
    """Return all that has a word, each scored by the index, as `rank` puts it in order."""
    sql = (
        "SELECT rowid, -bm25(inbox_search, 0.0, 4.0), rowid IN (SELECT rowid FROM inbox_search "
        "WHERE inbox_search MATCH %s) FROM inbox_search WHERE inbox_search MATCH %s"
    )
    rows = fetch_all(sql, [match_all((), terms), match_any(words_of(terms))])
    kept = set(Message.objects.filter(inbox=inbox).kept().values_list("pk", flat=True))
    found = [(bool(whole), rounded(score), key) for key, score, whole in rows if key in kept]
    return sorted(found, reverse=True)


def rounded(score: float) -> float:
    """Return nine digits of a score: in which order FTS5 adds what words score decides on the last."""
    return float(f"{score:.9g}")


def test_the_best_are_found_without_scoring_all_that_hits(conversations, monkeypatch):
    monkeypatch.setattr(ranking, "_WORTH_LEAVING", 1)
    for limit in (3, 20, 60):
        for query in _queries():
            terms = in_all_forms(parse_query(query))
            ranked = rank(look_around(Span((conversations.pk,))), terms, limit)
            found = [(one.has_all, rounded(one.score), one.key) for one in ranked]
            plainly = _plainly_ranked(conversations, terms)
            # Of equals at the end of the list those last digits decide which is in it.
            assert sorted(it[:2] for it in found) == sorted(it[:2] for it in plainly[:limit])
            assert len({*found} & {*plainly}) == len(found)


def test_what_is_left_out_changes_no_place(conversations, monkeypatch):
    """What has nothing but words of most mail is looked for where somebody would see it."""
    actor = system_actor(conversations.workspace_id, "test")
    statements, answers = [], []
    for most in (10**9, 1):
        monkeypatch.setattr(ranking, "_WORTH_LEAVING", most)
        with CaptureQueriesContext(connection) as queries:
            hits = [
                search_messages(actor=actor, inbox=conversations, query=query, top_k=top_k, end=end)
                for query in _queries()[: made_up(60)]
                for top_k, end in ((3, None), (10, None), (3, NOON + timedelta(days=1)))
            ]
        answers.append([[(it.message.pk, it.score) for it in found] for found in hits])
        statements.append(sum("bm25" in each["sql"] for each in queries))
    assert answers[0] == answers[1]
    assert statements[0] != statements[1]


@pytest.mark.parametrize(("size", "found"), [(1, ["two", "one"]), (90, ["one", "two"])])
def test_what_answers_a_good_hit_of_common_words_begins_nothing(inbox, monkeypatch, size, found):
    """The letter that is answered counts where it is among the best, which is a matter of length."""
    monkeypatch.setattr("inbox.search.finding.LOOKED_AT", 6)
    monkeypatch.setattr(ranking, "_WORTH_LEAVING", 1)
    receive_message(
        inbox=inbox, raw=letter("cover", subject="News", text="A lamp. " + "Oil. " * size)
    )
    for number in range(20):
        text = "A lamp. " + "Oil. " * (20 + number)
        receive_message(inbox=inbox, raw=letter(f"{number}", subject=f"News {number}", text=text))
    for day, (key, answered) in enumerate((("two", "nothing"), ("one", "cover")), 1):
        given = {"subject": f"Wicks {key}", "text": "A brass lamp.", "day": day}
        raw = letter(key, in_reply_to=answered, **given)
        receive_message(inbox=inbox, raw=raw)
    actor = system_actor(inbox.workspace_id, "test")
    hits = search_messages(actor=actor, inbox=inbox, query="lamp brass", top_k=2)
    assert [hit.message.message_id_header for hit in hits] == [
        f"<{key}@customer.example>" for key in found
    ]


@pytest.mark.parametrize("newest", [3, 12, 1000])
def test_of_words_that_are_everywhere_the_newest_are_scored_as_all_of_them_would_be(
    conversations, monkeypatch, newest
):
    monkeypatch.setattr(ranking, "CANDIDATES", 0)
    monkeypatch.setattr(ranking, "RANKED", newest)
    plainly, quickly, asked_of = ranking._sqlite, ranking._newest_sqlite, []

    def ask(asked):
        asked_of.append(asked)
        return quickly(asked)

    monkeypatch.setattr(ranking, "_newest_sqlite", ask)
    spans = [look_around(Span((conversations.pk,))), Span((conversations.pk,), end=NOON)]
    for query in _queries()[:40]:
        for span in spans:
            rank(span, in_all_forms(parse_query(query)), 10, shown=5)
    found = [fetch_all(*plainly(asked)) for asked in asked_of]
    assert [fetch_all(*quickly(asked)) for asked in asked_of] == found
    assert sum(map(bool, found)) > 20
