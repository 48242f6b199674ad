"""Finding memories: a small set of notes and questions, measured."""

from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import F

from agents.models import Memory
from agents.operations.sharing.memories import delete_memories, save_memory
from agents.recall.searching import LEAST_SCORE, search_memories
from tests import factories
from tests.agents.recall.saved import save_many
from tests.cases import in_one_test

pytestmark = pytest.mark.django_db

NOTES = {
    "seat": "Ada prefers a window seat on long flights.",
    "diet": "Ada is vegetarian and does not eat fish either.",
    "nuts": "Grace has an allergy to peanuts.",
    "phone": "Grace's new mobile is +44 20 7946 0018.",
    "birthday": "Ada was born on 10 December 1815.",
    "spouse": "Alan is married to Joan; she runs the bakery.",
    "dog": "The Hoppers have a dog called Debug.",
    "office": "The Lantern office is at 12 Quay Street, Bristol.",
    "meetings": "Never book meetings before ten in the morning for Alan.",
    "holiday": "Grace is on holiday from 3 to 17 August.",
    "invoice": "Invoices from Northwind are paid within 14 days.",
    "contract": "The contract with Contoso ends on 31 March 2027.",
    "language": "Señor Núñez writes in Spanish but reads English well.",
    "hotel": "In Paris they stay at the Hôtel du Nord, near the canal.",
    "coffee": "Joan drinks her coffee black.",
    "train": "Alan gets sick in cars and takes the train.",
    "shoe": "Ada's shoe size is 38.",
    "boss": "Grace reports to Margaret, who leads the software group.",
    "project": "Project Walnut is the rewrite of the billing system.",
    "password": "The guest wifi is changed each Monday.",
    "german": "Herr Müller möchte immer einen Fensterplatz.",
    "japanese": "田中さんは窓側の席を希望しています。",
    "russian": "Иван предпочитает переписку по электронной почте.",
    "standup": "The stand-up of the billing team is at 9:15 on Tuesdays.",
    "signature": "Sign letters to customers with 'Kind regards, Lantern'.",
}
# A question, and the notes that answer it: the first of what is found is one of them.
QUESTIONS = {
    "prefers windows seats": {"seat"},
    "Which seat does Ada like on a plane?": {"seat"},
    "what does Ada eat": {"diet"},
    "Is anybody allergic?": {"nuts"},
    "peanut allergies": {"nuts"},
    "Grace telephone number": {"phone"},
    "When is Ada's birthday?": {"birthday"},
    "Who is Alan's wife?": {"spouse"},
    "name of their pet": {"dog"},
    "address of the Bristol office": {"office"},
    "Can I schedule a meeting with Alan early in the morning?": {"meetings"},
    "When is Grace on vacation?": {"holiday"},
    "How fast do we pay Northwind's invoices?": {"invoice"},
    "contoso agreement ending": {"contract"},
    "Which language does senor nunez speak?": {"language"},
    "accommodation in Paris": {"hotel"},
    "hotel du nord": {"hotel"},
    "How does Joan take her coffee?": {"coffee"},
    "Does Alan travel by train or by car?": {"train"},
    "shoe sizes": {"shoe"},
    "Who is Grace's supervisor?": {"boss"},
    "walnut project": {"project"},
    "wnidow seat": {"seat"},
    "vegetarain": {"diet"},
    "guest wifi password": {"password"},
    "Wo sitzt Müller gern, am Fensterplatz?": {"german"},
    "窓側の席": {"japanese"},
    "электронная почта": {"russian"},
    "billing": {"project", "standup"},
    "how to sign a letter to a customer": {"signature"},
}
# Asked and noted after the rules were made, and never tuned to.
HELD_OUT_NOTES = {
    "mortgage": "The mortgage on the warehouse is refinanced every five years.",
    "visa": "Kofi needs a visa for the United States; it expires in June.",
    "gift": "For Lena's retirement the team wants to give her a garden bench.",
    "printer": "The printer on the third floor jams when it is fed thick paper.",
    "lawyer": "Our lawyer is Dr Okafor; she answers fastest by text message.",
    "tone": "Mr Park expects formal letters without exclamation marks.",
    "budget": "Marketing may spend 4,000 euros a month without asking.",
    "keys": "Spare keys for the van hang behind the reception desk.",
    "piano": "Lena plays the piano and sings in a choir on Thursdays.",
    "backup": "Backups run nightly at two and are kept for ninety days.",
    "knee": "Kofi had surgery on his knee and cannot climb stairs.",
    "tea": "The Osaka delegation likes green tea, never milk.",
}
HELD_OUT = {
    "How often is the warehouse loan refinanced?": "mortgage",
    "When does Kofi's visa expire?": "visa",
    "present for Lena": "gift",
    "why does the printer keep jamming": "printer",
    "How do I reach our attorney?": "lawyer",
    "How should I write to Mr Park?": "tone",
    "What is the monthly marketing budget?": "budget",
    "Where are the van's spare keys?": "keys",
    "Which instrument does Lena play?": "piano",
    "how long do we keep backups": "backup",
    "Can Kofi use the stairs?": "knee",
    "What drinks do we offer visitors from Osaka?": "tea",
    "knee operation": "knee",
    "is Lena musical": "piano",
}
# What none of the notes is about.
STRANGERS = (
    "quarterly revenue forecast",
    "kubernetes cluster upgrade",
    "Does she own a bicycle?",
    "weather in Oslo tomorrow",
    "database migration rollback",
    "Fahrradwerkstatt",
    "自転車",
    "xyzzy",
    "?!",
    "the of and",
)


@pytest.fixture
def notes(actor):
    save_many(actor, [*NOTES.values()])
    kept = dict(Memory.objects.values_list("content", "pk"))
    return {kept[text]: name for name, text in NOTES.items()}


def search(actor, query, limit=5):
    return search_memories(actor=actor, query=query, limit=limit)


def names(actor, notes, query, limit=5):
    return [notes[one.memory.pk] for one in search(actor, query, limit)]


def test_nearly_every_question_finds_its_note_first(actor, notes):
    wrong = {
        query: found
        for query, wanted in QUESTIONS.items()
        if not (found := names(actor, notes, query)) or found[0] not in wanted
    }
    share = 1 - len(wrong) / len(QUESTIONS)
    print(f"\n{share:.2f} of {len(QUESTIONS)} questions find their note first: {wrong}")  # noqa: T201
    assert share >= 0.9


def test_most_held_out_questions_find_their_note_first(actor):
    notes = {
        save_memory(actor=actor, content=text)[0].pk: name for name, text in HELD_OUT_NOTES.items()
    }
    found = {query: names(actor, notes, query)[:1] for query in HELD_OUT}
    wrong = {query: hits for query, hits in found.items() if hits != [HELD_OUT[query]]}
    share = 1 - len(wrong) / len(HELD_OUT)
    print(f"\n{share:.2f} of {len(HELD_OUT)} held-out questions: {wrong}")  # noqa: T201
    assert share >= 0.6


def test_what_is_about_something_else_finds_nothing(actor, notes):
    found = {query: names(actor, notes, query) for query in STRANGERS}
    assert {query: hits for query, hits in found.items() if hits} == {}


def test_the_score_tells_how_much_of_the_question_is_answered(actor, notes):
    (whole, *_), (part, *_) = search(actor, "window seat"), search(actor, "window office")
    assert whole.score == 1.0
    assert LEAST_SCORE <= part.score < 1.0


def test_words_that_no_memory_has_do_not_hide_one_that_answers(actor, notes):
    """The least score counted them: one telling word among several unknown ones found nothing."""
    question = "zeppelin xylophone harpsichord marzipan saxophone walnut"
    assert names(actor, notes, question) == ["project"]
    assert search(actor, question)[0].score == 1.0


def test_no_more_come_than_were_asked_for_best_first(actor):
    for number in range(9):
        save_memory(actor=actor, content=f"Note {number} about walnut{' trees' * (number % 2)}.")
        # Hours apart: what is saved at once is found together.
        Memory.objects.update(created_at=F("created_at") - timedelta(hours=1))
    found = search(actor, "walnut trees", limit=6)
    assert len(found) == 6
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert all("trees" in one.memory.content for one in found[:4])
    keys = [one.memory.pk for one in found[:4]]
    assert keys == sorted(keys, reverse=True)


def test_the_same_question_finds_the_same(actor, notes):
    runs = [[(one.memory.pk, one.score) for one in search(actor, "Ada")] for _ in range(3)]
    assert runs[0] == runs[1] == runs[2]


def test_another_agent_s_memories_are_not_found(actor, workspace, notes):
    scout = factories.agent_actor(factories.make_agent(workspace, "Scout"))
    assert search(scout, "window seat") == []
    save_memory(actor=scout, content="The window seat creaks.")
    assert [one.memory.agent_id for one in search(scout, "window seat")] == [scout.id]
    assert {one.memory.agent_id for one in search(actor, "window seat")} == {actor.id}


def test_what_others_saved_does_not_change_a_score(actor, workspace, notes):
    before = [(one.memory.pk, one.score) for one in search(actor, "window in Paris")]
    scout = factories.agent_actor(factories.make_agent(workspace, "Scout"))
    for number in range(20):
        save_memory(actor=scout, content=f"Paris has a window, number {number}.")
    assert [(one.memory.pk, one.score) for one in search(actor, "window in Paris")] == before


def test_what_was_deleted_is_not_found(actor, reviewer, notes):
    seat = [one.memory for one in search(actor, "window seat")][:1]
    delete_memories(actor=factories.person_actor(reviewer), memories=seat)
    assert "seat" not in names(actor, notes, "window seat")


@in_one_test(
    "query",
    ['"', "a AND (", "NOT *", "' OR 1=1 --", "\\", "w1 & !w2", "window:*", "-window", "😀", "\u200b",
     "x" * 1000, "seat " * 200, "\n\t"],
)  # fmt: skip
def test_no_character_of_a_question_has_a_meaning_to_the_database(actor, notes, query):
    assert isinstance(search(actor, query), list)


def test_an_old_memory_is_found_among_many_that_share_each_of_its_words(actor):
    first, _ = save_memory(actor=actor, content="The red gate is closed.")
    for one, other in (("red house", "gate keeper"), ("gate post", "red door")):
        save_many(actor, [f"{one if number % 2 else other} {number}" for number in range(420)])
    assert search(actor, "red gate", limit=1)[0].memory == first


def test_searching_costs_the_same_queries_however_much_there_is(
    actor, notes, django_assert_max_num_queries
):
    save_many(actor, [f"Seat {it} by the window, row {it % 7}." for it in range(100)])
    assert Memory.objects.count() == len(NOTES) + 100
    with django_assert_max_num_queries(9 if connection.vendor == "sqlite" else 11):
        search(actor, "wnidow seats in the mornnig")
