"""Search puts what is looked for about as high as plain BM25, or higher, on SQLite and PostgreSQL."""

import random
from collections.abc import Sequence
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.operations.setup.own_mail import bring_own_mail
from bench.in_process import rankings
from inbox.actor import system_actor
from inbox.intake.sources import open_source
from inbox.models import Inbox, Message
from inbox.operations.mail.incoming import receive_message
from inbox.search import ranking, search_messages
from inbox.search.index import Span, look_around, match_all, match_any
from inbox.search.ranking import rank
from inbox.search.running import fetch_all
from inbox.search.words import Term, in_all_forms, parse_query, words_of
from tests import factories
from tests.factories import NOON
from tests.inbox.letters import letter

pytestmark = pytest.mark.django_db(transaction=True)

_SYLLABLES = ("ka", "lo", "mi", "ren", "tus", "bel", "dor", "fin", "gra", "hum", "jel", "pos")
# Among them some that join two words to one for many a parser.
_LINKS = ("{} {}", "{}-{}", "{}/{}", "{}.{}", "{}@{}", "{}_{}")
_THREADS = 80
# In so few letters of random words, one that comes second for first is a hundredth.
LEAST = 0.97


def _vocabulary(chance: random.Random) -> list[str]:
    words = {"".join(chance.choices(_SYLLABLES, k=chance.randint(2, 4))) for _ in range(1500)}
    return sorted(words)


def _text(chance: random.Random, words: list[str], topic: list[str], size: int) -> str:
    """Return a text of common words, of rare ones and of its topic, some of them joined."""
    shares = [1 / (place + 3) for place in range(len(words))]
    drawn = chance.choices(words, shares, k=size) + chance.choices(topic, k=max(3, size // 6))
    chance.shuffle(drawn)
    pairs = zip(drawn[::2], drawn[1::2], strict=False)
    return "\n".join(chance.choice(_LINKS).format(*pair) for pair in pairs)


def _letter(key: str, answered: str, subject: str, text: str) -> bytes:
    mail = EmailMessage()
    mail["From"], mail["To"] = "ada@customer.example", "desk@lantern.example"
    mail["Subject"], mail["Message-ID"] = subject, f"<{key}@customer.example>"
    mail["Date"] = "Mon, 2 Mar 2026 09:00:00 +0000"
    if answered:
        mail["In-Reply-To"] = mail["References"] = f"<{answered}@customer.example>"
    mail.set_content(text)
    return mail.as_bytes()


def _write_conversations(folder: Path) -> None:
    """Write conversations whose letters share some words, in texts of all lengths."""
    chance = random.Random(11)
    words = _vocabulary(chance)
    for thread in range(_THREADS):
        topic = chance.sample(words, 8)
        subject, answered = " ".join(chance.sample(topic, 3)), ""
        for number in range(chance.randint(2, 4)):
            text = _text(chance, words, topic, chance.choice((20, 40, 60, 150)))
            key, title = f"{thread}.{number}", f"Re: {subject}" if number else subject
            (folder / f"{key}.eml").write_bytes(_letter(key, answered, title, text))
            answered = key
            topic = [*topic[:5], *chance.sample(words, 3)]


def test_what_is_looked_for_is_about_as_high_as_by_plain_bm25_or_higher(tmp_path):
    folder = tmp_path / "letters"
    folder.mkdir()
    _write_conversations(folder)
    bring_own_mail(
        source=open_source(folder), address="desk@lantern.example", authserv_id="",
        on_progress=lambda done: None,
    )  # fmt: skip
    results = rankings.measure()
    assert len(results) == 4
    for result in results:
        assert float(result.ratio) >= LEAST, result


@pytest.fixture
def conversations(tmp_path, workspace):
    """An inbox with conversations, some of it deleted, and another with the rest of them."""
    _write_conversations(tmp_path)
    inbox, other = factories.make_inbox(workspace), factories.make_inbox(workspace)
    for number, path in enumerate(sorted(tmp_path.iterdir())):
        receive_message(inbox=inbox if number % 4 else other, raw=path.read_bytes())
    inbox.messages.filter(pk__in=[*inbox.messages.values_list("pk", flat=True)[::7]]).update(
        deleted_at=NOON
    )
    return inbox


def _queries() -> list[str]:
    """Return queries of common words and rare ones."""
    chance, words = random.Random(5), _vocabulary(random.Random(11))
    common, rare = words[:10], words[10:300]
    return [
        chance.choice(_LINKS).format(
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
    found = [(bool(whole), round(score, 9), key) for key, score, whole in rows if key in kept]
    return sorted(found, reverse=True)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="of what FTS5 is asked")
def test_the_best_are_found_without_scoring_all_that_hits(conversations, monkeypatch):
    monkeypatch.setattr(ranking, "_WORTH_LEAVING", 1)
    for limit in (3, 20, 60):
        for query in _queries():
            terms = in_all_forms(parse_query(query))
            found = [
                (one.has_all, round(one.score, 9), one.key)
                for one in rank(look_around(Span((conversations.pk,))), terms, limit)
            ]
            # In which order FTS5 adds what words score decides on the last digits.
            assert sorted(found, reverse=True) == _plainly_ranked(conversations, terms)[:limit]


@pytest.mark.skipif(connection.vendor != "sqlite", reason="of what FTS5 is asked")
def test_what_is_left_out_changes_no_place(conversations, monkeypatch):
    """What has nothing but words of most mail is looked for where somebody would see it."""
    actor = system_actor(conversations.workspace_id, "test")
    statements, answers = [], []
    for most in (10**9, 1):
        monkeypatch.setattr(ranking, "_WORTH_LEAVING", most)
        with CaptureQueriesContext(connection) as queries:
            hits = [
                search_messages(actor=actor, inbox=conversations, query=query, top_k=top_k, end=end)
                for query in _queries()
                for top_k, end in ((3, None), (10, None), (3, NOON + timedelta(days=1)))
            ]
        answers.append([[(it.message.pk, it.score) for it in found] for found in hits])
        statements.append(sum("bm25" in each["sql"] for each in queries))
    assert answers[0] == answers[1]
    assert statements[0] != statements[1]


@pytest.mark.skipif(connection.vendor != "sqlite", reason="of what FTS5 is asked")
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
