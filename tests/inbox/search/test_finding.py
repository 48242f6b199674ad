from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from inbox.actor import system_actor
from inbox.models import Message
from inbox.operations.mail.incoming import receive_message
from inbox.search import rank_messages, search_messages
from inbox.search.index import RANKED
from inbox.search.running import fetch_all
from tests import factories
from tests.cases import in_one_test
from tests.inbox.letters import MONDAY, letter

pytestmark = pytest.mark.django_db


@pytest.fixture
def office(inbox):
    """An inbox with a little mail in it."""
    receive = lambda *a, **k: receive_message(inbox=inbox, raw=letter(*a, **k))  # noqa: E731
    receive("oil", subject="Oil prices", text="The price of lamp oil rises.", day=1)
    receive("wick", subject="Wicks", text="We deliver wicks, and oil on request.", day=2)
    receive("party", subject="Summer party", text="Bring a lamp to the garden.", day=3)
    receive("grace", sender="Grace Hopper <grace@navy.example>", subject="Hello", text="Hi.", day=4)
    receive("jp", subject="=?utf-8?B?5Lya6K2w44Gu44GK55+l44KJ44Gb?=", text="Agenda below.", day=5)
    return inbox


def find(inbox, query, actor=None, **options) -> list[str]:
    actor = actor or system_actor(inbox.workspace_id, "test")
    hits = search_messages(actor=actor, inbox=inbox, query=query, **options)
    assert all(hit.score > 0 and len(hit.snippet) <= 240 for hit in hits)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    return [hit.message.message_id_header[1:].partition("@")[0] for hit in hits]


def test_what_has_every_word_comes_first_and_then_what_has_some(office):
    assert find(office, "lamp oil")[0] == "oil"
    assert set(find(office, "lamp oil")) == {"oil", "wick", "party"}
    assert find(office, "garden party oil")[0] == "party"


def test_a_subject_weighs_more_than_the_text(office):
    assert find(office, "oil") == ["oil", "wick"]


def test_other_endings_of_a_word_hit(office):
    assert find(office, "delivering") == ["wick"]


def test_a_phrase_must_stand_together(office):
    assert find(office, '"price of lamp"') == ["oil"]
    assert find(office, '"lamp price"') == []


def test_senders_are_found_by_name_and_address(office):
    assert (
        find(office, "hopper")
        == find(office, "grace@navy.example")
        == find(office, "navy")
        == ["grace"]
    )


def test_an_unspaced_script_is_found_by_part_of_a_clause(office):
    assert find(office, "会議") == find(office, "お知らせ") == find(office, "会") == ["jp"]
    assert find(office, "会計") == []


def test_attachments_are_found_by_name_and_shown(inbox):
    raw = (
        b"From: ada@customer.example\r\nSubject: Plan\r\nMIME-Version: 1.0\r\n"
        b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nSee here.\r\n--b\r\n"
        b'Content-Disposition: attachment; filename="zeppelin-sketch_2.pdf"\r\n\r\nx\r\n--b--\r\n'
    )
    message = receive_message(inbox=inbox, raw=raw)
    actor = system_actor(inbox.workspace_id, "test")
    for query in ("zeppelin", "zeppelin-sketch_2.pdf", "sketch"):
        (hit,) = search_messages(actor=actor, inbox=inbox, query=query)
        assert hit.message == message
        assert hit.snippet == "Attachment: zeppelin-sketch_2.pdf · See here."


def test_the_last_word_may_be_typed_half_way(office):
    assert find(office, "summer part") == ["party"]
    assert find(office, "summ party") == ["party"]  # nothing has both: what has some


def test_where_nothing_has_every_word_what_has_some_is_found(office):
    assert find(office, "oil zeppelin") == ["oil", "wick"]
    assert find(office, "garden oil deliver xylophone")[0] == "wick"
    assert find(office, "zeppelin xylophone") == []


def test_of_equals_the_newest_comes_first(inbox):
    for number in range(4):
        receive_message(inbox=inbox, raw=letter(str(number), text="A lamp.", day=number % 3))
    assert find(inbox, "lamp")[0] == "2"


def test_a_time_range_includes_its_start_and_not_its_end(office):
    day = timedelta(days=1)
    assert find(office, "oil", start=MONDAY + 2 * day) == ["wick"]
    assert find(office, "oil", end=MONDAY + 2 * day) == ["oil"]
    assert find(office, "oil", start=MONDAY + 1 * day, end=MONDAY + 1 * day) == []


def test_no_more_than_asked_for_is_found(office):
    assert len(find(office, "oil", top_k=1)) == 1


def test_what_was_deleted_is_not_found(office):
    message = office.messages.get(subject="Wicks")
    message.deleted_at = timezone.now()
    message.save()
    assert find(office, "oil") == ["oil"]


def test_a_change_and_a_removal_reach_the_index(office):
    message = office.messages.get(subject="Wicks")
    message.text = "Candles only."
    message.save()
    assert find(office, "oil") == ["oil"]
    assert find(office, "candles") == ["wick"]
    message.delete()
    assert find(office, "candles") == []


def test_other_inboxes_and_tenants_are_not_searched(office, workspace):
    other = factories.make_inbox(workspace)
    stranger = factories.make_inbox(factories.make_workspace())
    for inbox in (other, stranger):
        receive_message(inbox=inbox, raw=letter("theirs", text="Oil, oil, oil."))
    assert find(office, "oil") == ["oil", "wick"]
    assert find(other, "oil") == ["theirs"]
    assert find(office, "oil", actor=system_actor(stranger.workspace_id, "test")) == []


def test_an_agent_finds_nothing_in_an_account_it_was_not_granted(office, workspace):
    agent = factories.make_agent(workspace, "Stranger")
    assert find(office, "oil", actor=factories.agent_actor(agent)) == []


@in_one_test(
    "query",
    [
        "", " ", '"', '""', "*", "AND", "oil AND", "NEAR(oil, 2)", "subject:oil", "-oil", "oil*", "^oil",
        "{subject} : oil", "oil)", "'; DROP TABLE inbox_message; --", "\\", "%s %(x)s", "a:*|b&!c",
        "\x00", "\ud83d", "𞤀𞤁𞤂", "🦆", "²", "ก", "و", "x" * 5000, "oil " * 5000, "!:*", "'oil':*", "%",
    ],
)  # fmt: skip
def test_whatever_is_typed_is_harmless(office, query):
    find(office, query)
    assert office.messages.count() == 5


def test_queries_are_few_and_constant(office):
    actor = system_actor(office.workspace_id, "test")
    counts = []
    for query, top_k in (("oil", 1), ("oil", 50), ("oil garden par", 50), ("ogl zeppelin", 50)):
        with CaptureQueriesContext(connection) as queries:
            search_messages(actor=actor, inbox=office, query=query, top_k=top_k)
        counts.append(len(queries))
    assert max(counts[:3]) <= 8
    assert counts[3] <= 16


def test_names_of_files_are_asked_for_only_where_a_text_has_no_hit(office):
    actor = system_actor(office.workspace_id, "test")
    asked = []
    # No text has what stands in a subject only.
    for query in ("oil", "summer"):
        with CaptureQueriesContext(connection) as queries:
            assert search_messages(actor=actor, inbox=office, query=query)
        asked.append(sum("filename" in one["sql"] for one in queries))
    assert asked == [0, 0]


def few_candidates(monkeypatch):
    for module in ("ranking", "lexemes"):
        monkeypatch.setattr(f"inbox.search.{module}.RANKED", 5)
        monkeypatch.setattr(f"inbox.search.{module}.CANDIDATES", 9)


def test_a_word_that_is_everywhere_is_ranked_among_the_newest(inbox, monkeypatch):
    monkeypatch.setattr("inbox.search.index.RANKED", 5)
    few_candidates(monkeypatch)
    for number in range(20):
        receive_message(inbox=inbox, raw=letter(str(number), text="A lamp.", day=number))
    assert sorted(find(inbox, "lamp"), key=int) == ["15", "16", "17", "18", "19"]
    assert RANKED == 1000


def test_a_rare_word_finds_the_old_letter_however_common_the_others_are(inbox, monkeypatch):
    few_candidates(monkeypatch)
    receive_message(inbox=inbox, raw=letter("old", text="A lamp made of brass.", day=0))
    for number in range(20):
        receive_message(inbox=inbox, raw=letter(str(number), text="A lamp.", day=number + 1))
    assert find(inbox, "lamp zeppelin brass oil") == ["old"]


def test_a_whole_letter_can_be_asked_with(inbox):
    """Of a long query only the first sixteen words were looked for."""
    receive_message(inbox=inbox, raw=letter("wick", text="The wick is delivered on Friday."))
    receive_message(inbox=inbox, raw=letter("lamp", text="The lamp needs brass polish."))
    opening = " ".join(f"greeting{number}" for number in range(200))
    assert find(inbox, f'{opening} thanks, "brass polish is there"')[0] == "lamp"


def test_a_whole_letter_of_common_words_finds_what_has_them_all(inbox, monkeypatch):
    """On PostgreSQL a word that too many letters have brings none of them."""
    monkeypatch.setattr("inbox.search.lexemes._MOST_OF_ONE", 5)
    words = [f"common{number}" for number in range(20)]
    for number in range(10):
        text = " ".join(words[:10] if number % 2 else words[10:])
        receive_message(inbox=inbox, raw=letter(str(number), text=text, day=number))
    receive_message(inbox=inbox, raw=letter("whole", text=" ".join(reversed(words)), day=0))
    assert find(inbox, " ".join(words))[0] == "whole"


def test_the_best_of_many_that_have_a_word_are_scored(inbox, monkeypatch):
    """On PostgreSQL those are the best that `ts_rank` says."""
    monkeypatch.setattr("inbox.search.lexemes._SCORED", 3)
    for number in range(10):
        text = "A lamp. " + "Nothing else is said of it here. " * 10
        receive_message(inbox=inbox, raw=letter(str(number), text=text, day=number))
    receive_message(inbox=inbox, raw=letter("best", subject="Lamp", text="Oil.", day=0))
    text = "One is of brass. " + "Nothing else is said here. " * 20 + "The lamp."
    receive_message(inbox=inbox, raw=letter("both", text=text, day=0))
    assert find(inbox, "lamp")[0] == "best"
    assert find(inbox, "lamp brass")[0] == "both"


@pytest.mark.skipif(connection.vendor == "sqlite", reason="of indexes of PostgreSQL")
def test_no_index_of_words_keeps_a_list_of_new_ones(db):
    indexes = ["inbox_message_search", "inbox_person_search", "agents_memory_search"]
    options = "SELECT reloptions FROM pg_class WHERE relname = ANY(%s)"
    assert fetch_all(options, [indexes]) == [(["fastupdate=off"],)] * 3


def test_the_number_of_an_inbox_is_no_word_of_its_letters(inbox):
    receive_message(inbox=inbox, raw=letter("one", text="A lamp."))
    assert find(inbox, str(inbox.pk)) == []
    assert find(inbox, f"lamp {inbox.pk}") == ["one"]


def test_the_mail_of_another_inbox_is_no_candidate(inbox, workspace, monkeypatch):
    other = factories.make_inbox(workspace)
    for number in range(20):
        receive_message(inbox=other, raw=letter(str(number), text="A lamp.", day=number + 1))
    receive_message(inbox=inbox, raw=letter("ours", text="A lamp.", day=0))
    few_candidates(monkeypatch)
    assert find(inbox, "lamp") == ["ours"]


def test_mail_of_others_changes_nothing_of_what_is_found(office, workspace):
    """An index that has no other mail is not asked whose a message is."""
    queries = ("oil", "lamp oil", "garden lamp", "from:grace hello", "lam")
    alone = [find(office, query) for query in queries]
    for other in (factories.make_inbox(workspace), factories.make_inbox(workspace)):
        receive_message(inbox=other, raw=letter("theirs", text="Lamp oil, in a garden. Hello!"))
    assert [find(office, query) for query in queries] == alone
    office.messages.filter(subject="Oil prices").update(deleted_at=timezone.now())
    assert find(office, "lamp oil") == ["party", "wick"]


def test_of_several_inboxes_each_has_a_part_in_what_is_found(office, workspace):
    others = [factories.make_inbox(workspace) for _ in range(3)]
    for number, other in enumerate(others):
        receive_message(inbox=other, raw=letter(str(number), text="A lamp.", day=number))
    found = rank_messages(inboxes=[others[2], office, others[0]], query="lamp", limit=50)
    inboxes = set(Message.objects.filter(pk__in=found).values_list("inbox_id", flat=True))
    assert inboxes == {others[2].pk, office.pk, others[0].pk}
    assert len(found) == 4


def test_words_that_are_too_common_for_the_index_are_found(office):
    receive_message(inbox=office, raw=letter("name", subject="Will", text="Is it theirs?", day=6))
    assert find(office, "theirs") == ["name"]
    assert find(office, "will") == ["name"]
    assert find(office, "the")[0] == "party"
    assert set(find(office, "the")[:2]) == {"oil", "party"}
    assert find(office, "will theirs") == ["name"]
    assert find(office, "yourselves") == []


_TRIED = (
    "We tried every burner twice this morning and could not get any of them to light, sorry for "
    "having promised otherwise yesterday."
)


def _write(inbox, key, answers="", **given):
    raw = letter(key, in_reply_to=answers, **given)
    return receive_message(inbox=inbox, raw=raw)


def test_what_began_a_conversation_comes_before_its_answers(inbox):
    _write(
        inbox, "first", subject="Lamp oil", text="Do you have lamp oil? We have none left.", day=1
    )
    for number in range(3):
        _write(inbox, f"re{number}", "first", subject="Re: Lamp oil", text="Yes.", day=2 + number)
    assert find(inbox, "lamp oil")[0] == "first"


def test_a_letter_leads_to_the_one_it_answers_though_that_has_none_of_its_words(inbox):
    _write(inbox, "asked", subject="Question", text="Did it help?", day=1)
    _write(inbox, "answer", "asked", subject="Tests", text=_TRIED, day=2)
    _write(inbox, "other", subject="Burner", text="A burner for this morning.", day=3)
    assert find(inbox, _TRIED)[:2] == ["answer", "asked"]


def test_what_is_answered_is_brought_along_only_from_within_the_search(inbox, workspace):
    _write(inbox, "asked", subject="Question", text="Did it help?", day=1)
    _write(factories.make_inbox(workspace), "other", subject="Question", text="Did it help?", day=3)
    _write(inbox, "answer", "asked", subject="Tests", text=_TRIED, day=5)
    _write(inbox, "more", "other", subject="Tests", text=_TRIED, day=5)
    since = MONDAY + timedelta(days=4)
    assert set(find(inbox, _TRIED, start=since)) == {"answer", "more"}
    message = inbox.messages.get(subject="Question")
    message.deleted_at = timezone.now()
    message.save()
    assert set(find(inbox, _TRIED)) == {"answer", "more"}


def _quoted(text):
    return "\r\n".join(["Thank you!", *(f"> {line}" for line in text.splitlines())])


def test_a_letter_that_is_not_here_leads_to_what_it_answers_by_those_that_quote_it(
    inbox, workspace
):
    _write(inbox, "root", subject="Help", text="A shop in Cork.", day=1)
    _write(inbox, "asked", "root", subject="Question", text="Did it help?", day=2)
    _write(inbox, "other", subject="Burner", text="A burner for this morning.", day=3)
    past = ("root", "asked", "tried")
    _write(inbox, "quote", subject="Re: Tests", text=_quoted(_TRIED), references=past, day=4)
    assert find(inbox, _TRIED)[:2] == ["asked", "quote"]
    # What the search leaves out is there nonetheless: nothing is told of what it answered.
    since = MONDAY + timedelta(days=3.5)
    assert find(inbox, _TRIED, start=since) == ["quote"]
    tried = _write(inbox, "tried", "asked", subject="Tests", text=_TRIED, day=3.2)
    assert set(find(inbox, _TRIED)[:2]) == {"tried", "quote"}
    assert "root" not in find(inbox, _TRIED, end=MONDAY + timedelta(days=3.1))
    tried.deleted_at = timezone.now()
    tried.save()
    assert find(inbox, _TRIED)[0] == "asked"
    inbox.messages.filter(subject="Question").update(deleted_at=timezone.now())
    assert find(inbox, _TRIED)[0] == "root"
    assert "root" not in find(inbox, _TRIED.partition(" any ")[0])
    Message.objects.filter(subject="Re: Tests").update(inbox=factories.make_inbox(workspace))
    assert "root" not in find(inbox, _TRIED)


def test_ids_by_the_thousand_that_a_message_names_are_not_followed(inbox):
    past = ("root", *(f"gone{number}" for number in range(1500)))
    _write(inbox, "root", subject="Help", text="A shop in Cork.", day=1)
    _write(inbox, "quote", subject="Re: Tests", text=_quoted(_TRIED), references=past, day=4)
    assert find(inbox, _TRIED) == ["quote"]


def test_a_whole_letter_of_common_words_alone_is_found(inbox, monkeypatch):
    monkeypatch.setattr("inbox.search.index._FEW", 1)
    for number in range(4):
        receive_message(inbox=inbox, raw=letter(str(number), text=_TRIED, day=number + 1))
    assert set(find(inbox, _TRIED)) == {"0", "1", "2", "3"}


def test_words_are_found_without_marks_by_stem_and_as_parts_of_compounds(inbox):
    text = "Sehr geehrte Frau Müller, anbei die Rechnungsnummern für die Häuser in der Straße."
    receive_message(inbox=inbox, raw=letter("de", subject="Gruesse", text=text))
    receive_message(
        inbox=inbox, raw=letter("en", subject="Hello", text="The houses of the street.")
    )
    for query in ("mueller", "muller", "müller", "Grüße", "strasse", "haus", "rechnung", "Nummer"):
        assert find(inbox, query) == ["de"], query
    assert find(inbox, "house") == ["en"]
