"""Mail is found by what it means, once a worker has worked that out, and by its words before."""

import sys
from datetime import timedelta

import pytest
from django.utils import timezone

from inbox.actor import system_actor
from inbox.models import Message, MessageVector
from inbox.operations.mail.incoming import receive_message
from inbox.search import search_messages
from inbox.semantic import embedding, loading, matrix, missing
from inbox.semantic.embedding import embed_messages
from inbox.semantic.finding import FIRST, MESSAGES, NEXT, place_nearest
from project.doctor import configuration
from tests import factories
from tests.inbox.letters import letter

pytestmark = pytest.mark.django_db

# A query without a word of the letter that is meant.
QUERY = "rental agreement expires"
MAIL = {
    "lease": ("The flat", "Our lease of the flat ends in March; the landlord wants it back."),
    "choir": ("Choir", "We sing on Thursdays at seven, and there is cake."),
    "printer": ("Third floor", "The printer jams when it is fed thick paper."),
    "nurse": ("Knee", "The surgeon says that the knee heals well."),
}


@pytest.fixture
def switched_on(settings):
    settings.SEMANTIC_SEARCH = True
    matrix.forget()
    yield
    matrix.forget()


@pytest.fixture
def office(inbox):
    """An inbox with a little mail in it."""
    for day, (name, (subject, text)) in enumerate(MAIL.items(), 1):
        receive_message(inbox=inbox, raw=letter(name, subject=subject, text=text, day=day))
    return inbox


def find(inbox, query=QUERY, **options):
    actor = system_actor(inbox.workspace_id, "test")
    hits = search_messages(actor=actor, inbox=inbox, query=query, **options)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(hit.score > 0 for hit in hits)
    return [hit.message.message_id_header[1:].partition("@")[0] for hit in hits]


def test_a_message_is_found_by_other_words_than_it_has(office, switched_on):
    assert find(office) == []
    assert embed_messages() == len(MAIL)
    assert find(office)[0] == "lease"
    assert "choir" not in find(office)


def test_where_it_is_off_nothing_is_worked_out_and_only_words_hit(office):
    assert embed_messages() == 0
    assert MessageVector.objects.count() == 0
    assert find(office) == []
    assert find(office, "printer") == ["printer"]


@pytest.fixture
def without_the_extra(settings, monkeypatch):
    settings.SEMANTIC_SEARCH = True
    monkeypatch.setitem(sys.modules, "inbox.semantic.encoder", None)
    loading._load.cache_clear()
    yield
    loading._load.cache_clear()


def test_without_the_extra_words_are_searched_and_it_is_said(office, without_the_extra, caplog):
    assert find(office, "printer") == ["printer"]
    assert embed_messages() == 0
    assert "chancery[semantic]" in caplog.text
    (said,) = configuration.look_at_meanings()
    assert said.kind == "bad"
    assert "only words are searched" in said.words


def test_the_doctor_says_whether_it_is_on(settings, switched_on):
    (on,) = configuration.look_at_meanings()
    settings.SEMANTIC_SEARCH = False
    (off,) = configuration.look_at_meanings()
    assert (on.kind, off.kind) == ("good", "good")
    assert "what it means" in on.words
    assert "CHANCERY_SEMANTIC_SEARCH is not set" in off.words


def test_the_first_by_its_words_stays_the_first(office, switched_on):
    embed_messages()
    assert find(office, "printer")[0] == "printer"


def test_what_is_quoted_is_found_by_words_alone(office, switched_on):
    embed_messages()
    assert find(office, f'"{QUERY}"') == []


def test_a_whole_message_is_found_by_words_alone(office, switched_on):
    embed_messages()
    assert find(office, f"{QUERY} {' '.join(f'zeppelin{it}' for it in range(30))}") == []


def test_operators_hold_for_what_is_near_as_well(office, switched_on):
    embed_messages()
    assert find(office, f"{QUERY} subject:flat") == ["lease"]
    assert "lease" not in find(office, f"{QUERY} -landlord")


def test_bounds_of_time_and_what_was_deleted_count(office, switched_on):
    embed_messages()
    lease = Message.objects.get(message_id_header__startswith="<lease")
    assert find(office, start=lease.received_at)[0] == "lease"
    assert "lease" not in find(office, end=lease.received_at)
    assert "lease" not in find(office, start=lease.received_at + timedelta(seconds=1))
    Message.objects.filter(pk=lease.pk).update(deleted_at=timezone.now())
    assert "lease" not in find(office)


def test_another_inbox_is_another_s(office, workspace, switched_on):
    embed_messages()
    assert find(factories.make_inbox(workspace)) == []


def test_it_goes_on_where_it_stopped_with_what_came_first(office, switched_on, monkeypatch):
    monkeypatch.setattr(missing, "BATCH", 2)
    monkeypatch.setattr(embedding, "_ROUND", 0.0)
    monkeypatch.setattr(embedding, "_LOOKED_BACK", 0)
    assert embed_messages() == 0
    keys = list(Message.objects.order_by("pk").values_list("pk", flat=True))

    def one_batch():
        without = embedding.missing_messages()
        without.embed(loading.find_encoder(), without.next())
        return sorted(MessageVector.objects.values_list("pk", flat=True))

    assert one_batch() == keys[2:]
    assert find(office) == []
    receive_message(inbox=office, raw=letter("late", subject="Late", text="News.", day=9))
    assert one_batch() == [*keys[2:], keys[-1] + 1]
    assert one_batch() == [*keys, keys[-1] + 1]
    assert embedding.missing_messages().next() == []
    # What is older and what is newer than all that a process has in memory is read as well.
    assert find(office)[0] == "lease"


def test_the_nearest_are_those_with_the_largest_cosine(office, switched_on):
    embed_messages()
    model = loading.find_encoder()
    texts = {row.pk: embedding.text_of(row) for row in Message.objects.all()}
    vectors = dict(zip(texts, model.encode(list(texts.values())), strict=True))
    asked = model.encode([QUERY])[0]
    cosines = {
        key: float(
            one.astype(float)
            @ asked
            / (one.astype(float) @ one * (asked.astype(float) @ asked)) ** 0.5
        )
        for key, one in vectors.items()
    }
    found = dict(matrix.nearest(MESSAGES, office.pk, asked, 9))
    assert list(found) == sorted(cosines, key=cosines.get, reverse=True)
    assert all(abs(found[key] - cosines[key]) < 0.05 for key in found)


def test_a_vector_goes_with_its_message(office, switched_on):
    embed_messages()
    Message.objects.filter(message_id_header__startswith="<lease").delete()
    assert MessageVector.objects.count() == len(MAIL) - 1


def test_what_is_near_comes_behind_the_best_by_words():
    found = {key: 1 / key for key in range(1, 13)}
    near = {20: 0.9, 1: 0.8, 12: 0.7, 21: 0.6, 22: 0.5, 8: 0.4}
    lists = [[key for key, _ in one] for one in place_nearest(found, near, 0)]
    assert lists == [[1, 2, 3, 4, 5, 6, 7], [20, 12, 21], [8, 9, 10, 11], [22]]
    assert (FIRST, NEXT) == (7, 3)


def test_what_has_every_word_comes_before_what_is_near():
    found = {key: 1 / key for key in range(1, 11)}
    lists = place_nearest(found, {20: 0.9, 9: 0.8}, 9)
    assert [[key for key, _ in one] for one in lists] == [[*range(1, 10)], [20], [10], []]
    assert place_nearest({}, {}, 0) == [[], [], [], []]


def test_where_enough_have_every_word_no_meaning_is_asked_for(office, switched_on, monkeypatch):
    embed_messages()
    asked = []
    nearest = matrix.nearest
    monkeypatch.setattr(matrix, "nearest", lambda *given: asked.append(given) or nearest(*given))
    assert find(office, "printer", top_k=1) == ["printer"]
    assert not asked
    assert find(office, "printer")[0] == "printer"
    assert len(asked) == 1
