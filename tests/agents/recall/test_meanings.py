"""Memories are recalled by what they mean, where the model for it is on; what may not be is not."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents.models import Memory, MemoryVector
from agents.operations.sharing.memories import save_memory
from agents.recall import embedding
from agents.recall.embedding import embed_memories
from agents.recall.meanings import add_meaning
from agents.recall.searching import search_memories
from inbox.semantic import matrix, missing
from tests import factories

pytestmark = pytest.mark.django_db

# A question without a word of the memory that answers it.
QUESTION = "rental agreement expires"
NOTES = (
    "Our lease of the flat ends in March; the landlord wants it back.",
    "The choir sings on Thursdays at seven.",
    "The printer jams when it is fed thick paper.",
)


@pytest.fixture(autouse=True)
def switched_on(settings):
    settings.SEMANTIC_SEARCH = True
    matrix.forget()
    yield
    matrix.forget()


@pytest.fixture
def agent(workspace):
    actor = factories.agent_actor(factories.make_agent(workspace))
    for note in NOTES:
        save_memory(actor=actor, content=note)
    return actor


def recall(actor, question=QUESTION, limit=10):
    found = search_memories(actor=actor, query=question, limit=limit)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert all(0 < one.score <= 1 for one in found)
    return [one.memory.content for one in found]


def test_a_memory_is_recalled_by_other_words_than_it_has(agent):
    assert recall(agent) == []
    assert embed_memories() == len(NOTES)
    assert embed_memories() == 0
    assert recall(agent)[0] == NOTES[0]
    assert NOTES[1] not in recall(agent)
    assert recall(agent, "printer")[0] == NOTES[2]


def test_where_it_is_off_nothing_is_worked_out(agent, settings):
    settings.SEMANTIC_SEARCH = False
    assert embed_memories() == 0
    assert MemoryVector.objects.count() == 0
    assert recall(agent) == []
    assert recall(agent, "printer") == [NOTES[2]]


@pytest.mark.parametrize(
    "change",
    [
        {"waits": True},
        {"deleted_at": timezone.now()},
        {"expires_at": timezone.now() - timedelta(days=1)},
        {"valid_from": timezone.now() + timedelta(days=1)},
    ],
)
def test_what_no_agent_recalls_is_not_recalled_by_its_meaning(agent, change):
    embed_memories()
    Memory.objects.filter(content=NOTES[0]).update(**change)
    assert NOTES[0] not in recall(agent)
    assert NOTES[0] not in recall(agent, f"{QUESTION} printer")


def test_another_agent_s_memories_are_another_s(agent, workspace):
    embed_memories()
    assert recall(factories.agent_actor(factories.make_agent(workspace))) == []


def test_it_goes_on_with_what_came_first_and_with_what_came_since(agent, monkeypatch):
    monkeypatch.setattr(missing, "BATCH", 2)
    monkeypatch.setattr(embedding, "_LOOKED_BACK", 0)
    keys = list(Memory.objects.order_by("pk").values_list("pk", flat=True))
    monkeypatch.setattr(embedding, "_ROUND", 60.0)
    assert embed_memories() == len(NOTES)
    save_memory(actor=agent, content="The boiler was repaired in April.")
    assert embed_memories() == 1
    assert MemoryVector.objects.filter(pk__in=keys).count() == len(NOTES)
    assert "The boiler was repaired in April." in recall(
        agent, "heating engineer fixed the furnace"
    )


def test_a_vector_goes_with_its_memory(agent):
    embed_memories()
    Memory.objects.filter(content=NOTES[0]).delete()
    assert MemoryVector.objects.count() == len(NOTES) - 1


def test_what_has_the_words_and_the_meaning_counts_for_most():
    scores = add_meaning({1: 0.5, 2: 0.5}, {2: 0.6, 3: 0.6})
    assert scores[2] > scores[1] > scores[3] > 0
    assert add_meaning({1: 1.0}, {1: 1.0}) == {1: 1.0}
