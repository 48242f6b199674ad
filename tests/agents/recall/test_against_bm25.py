"""Memories are found at least as often as by plain BM25, FTS5's, over the same words."""

import random
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence

import pytest

from agents.recall.searching import search_memories
from tests import factories
from tests.agents.recall.saved import save_many
from tests.agents.recall.test_searching import NOTES, QUESTIONS
from tests.cases import every

pytestmark = pytest.mark.django_db

AMONG, NOTED = 10, 200
PEOPLE = ("Mara", "Jonas", "Priya", "Tom", "Elif", "Sven", "Carla", "Noor")
PLACES = ("Lisbon", "Leeds", "Oslo", "Graz", "Porto", "Cork")
MONTHS = ("January", "March", "April", "June", "August", "October", "December")
# What happened, as it was noted down; and as it is asked about later, in other forms of the words.
EVENTS = (
    ("{0} went hiking near {2} with {1} in {3}", "Where did {0} hike with {1}?"),
    (
        "{0} and {1} painted the kitchen of the flat in {2} in {3}",
        "Who is painting with {0} in {2}?",
    ),
    ("In {3} {0} lost a passport in {2} and called {1}", "What did {0} lose in {2}?"),
    ("{0} baked lemon cakes in {3} for the birthday of {1}", "For whom did {0} bake in {3}?"),
    ("{0} sold the old car to {1} in {2} in {3}", "To whom did {0} sell a car in {3}?"),
    (
        "{0} visited the museum of trains in {2} with {1} in {3}",
        "Which museum did {1} visit in {2}?",
    ),
    ("{0} ran the marathon of {2} in {3}, and {1} cheered", "When did {0} run in {2}?"),
    ("{1} taught {0} to play the cello in {2} until {3}", "Who teaches {0} to play an instrument?"),
    (
        "{0} bought concert tickets for {3} in {2} from {1}",
        "Which tickets has {0} bought from {1}?",
    ),
    ("{0} argued with {1} about the rent in {2} in {3}", "What were {0} and {1} arguing about?"),
)


def diary() -> Iterator[tuple[str, str]]:
    """Yield what was noted down about the same few people, places and months, and a question."""
    chance = random.Random(7)
    for _ in range(NOTED):
        note, question = chance.choice(EVENTS)
        one, other = chance.sample(PEOPLE, 2)
        named = (one, other, chance.choice(PLACES), chance.choice(MONTHS))
        yield note.format(*named), question.format(*named)


def by_bm25(notes: Sequence[str]) -> Callable[[str], list[str]]:
    """Return a search of the notes that ranks by BM25 over any of the words and nothing else."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE notes USING fts5(words, tokenize='porter unicode61')")
    database.executemany("INSERT INTO notes VALUES (?)", [(note,) for note in notes])
    sql = f"SELECT words FROM notes WHERE notes MATCH ? ORDER BY bm25(notes) LIMIT {AMONG}"

    def search(question: str) -> list[str]:
        words = dict.fromkeys(re.findall(r"\w+", question.lower()))
        asked = " OR ".join(f'"{word}"' for word in words)
        return [note for (note,) in database.execute(sql, [asked])]

    return search


@pytest.fixture
def ours(workspace, inbox):
    """Return what makes memories of notes, and a search of these."""
    actor = factories.agent_actor(factories.make_agent(workspace, "Scribe", (inbox,)))

    def remember(notes: Sequence[str]) -> Callable[[str], list[str]]:
        save_many(actor, notes)

        def search(question: str) -> list[str]:
            found = search_memories(actor=actor, query=question, limit=AMONG)
            return [one.memory.content for one in found]

        return search

    return remember


def reciprocal_ranks(
    search: Callable[[str], list[str]], asked: Sequence[tuple[str, set[str]]]
) -> float:
    """Return the sum over all questions of 1 where the answer comes first, a half where second, …"""
    total = 0.0
    for question, answers in asked:
        places = [place for place, note in enumerate(search(question), 1) if note in answers]
        total += 1 / places[0] if places else 0.0
    return total


def test_what_somebody_noted_down_is_found_as_high_as_by_plain_bm25_or_higher(ours):
    kept = list(dict(diary()).items())
    notes = [note for note, _ in kept]
    asked = [(question, {note}) for note, question in kept[:: every(1)]]
    anchor = reciprocal_ranks(by_bm25(notes), asked)
    assert anchor > len(asked) / 2
    assert reciprocal_ranks(ours(notes), asked) >= anchor


def test_what_is_asked_in_other_words_is_found_higher_than_by_plain_bm25(ours):
    notes = list(NOTES.values())
    asked = [(question, {NOTES[name] for name in names}) for question, names in QUESTIONS.items()]
    assert reciprocal_ranks(ours(notes), asked) > reciprocal_ranks(by_bm25(notes), asked)


def long_and_short() -> Iterator[tuple[str, str]]:
    """Yield notes of 4 to 80 of the same words, some much commoner than others, and a question."""
    chance = random.Random(11)
    words = [f"{first}{second}o" for first in ("ba", "ke", "mi", "tu") for second in SYLLABLES]
    for _ in range(NOTED):
        length = chance.choice((4, 6, 10, 80))
        note = [
            words[min(int(chance.paretovariate(0.6)) - 1, len(words) - 1)] for _ in range(length)
        ]
        asked = chance.sample(note, min(3, length))
        yield " ".join(note), f"what did you say about the {' '.join(asked)} zeppelin"


SYLLABLES = ("dra", "fel", "gim", "hos", "jun", "lak", "mep", "nit", "pov", "ruk", "sab", "tem")


def among_the_first(search: Callable[[str], list[str]], asked: Sequence[tuple[str, str]]) -> int:
    """Return how many questions have their note among the first ten."""
    return sum(note in search(question) for question, note in asked)


def test_short_notes_among_long_ones_are_found_as_often_as_by_plain_bm25(ours):
    kept = list(dict(long_and_short()).items())
    notes = [note for note, _ in kept]
    asked = [(question, note) for note, question in kept[:: every(1)]]
    anchor = among_the_first(by_bm25(notes), asked)
    assert anchor > len(asked) / 4
    assert among_the_first(ours(notes), asked) >= anchor
