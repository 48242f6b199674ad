"""Conversations whose turns are memories: how often a search finds what answers a question."""

import json
import math
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

from agents.models import Agent, Memory
from agents.recall.searching import search_memories
from agents.recall.words import says_little, words_of
from bench.results import percentile
from inbox.actor import Actor
from inbox.models import Workspace
from inbox.operations.accounts.workspaces import create_workspace
from tests.agents.recall.saved import save_many

AMONG = 10
# Turns of one session follow each other so fast.
_TURN = timedelta(seconds=30)
_K1, _B = 1.2, 0.75
_TURN_ID = re.compile(r"D\d+:\d+")
_Search: TypeAlias = Callable[[str], Sequence[int]]


@dataclass(frozen=True)
class Turn:
    """What somebody said, and when."""

    name: str
    speaker: str
    text: str
    shown: str
    said: str
    at: datetime


# A turn as it is kept: by itself, and as LoCoMo's own retrieval has it.
FORMS: dict[str, Callable[[Turn], str]] = {
    "the bare words": lambda turn: turn.text,
    "date, speaker and words": lambda turn: (
        f"({turn.said}) {turn.speaker}: {turn.text}{turn.shown}"
    ),
}


@dataclass(frozen=True)
class Conversation:
    """Turns in order, and each question with the places of the turns that answer it."""

    turns: Sequence[Turn]
    questions: Sequence[tuple[str, frozenset[int]]]


def read(path: Path) -> list[Conversation]:
    """Return the conversations of the file, or of each file of the folder, in order."""
    paths = sorted(path.rglob("*.json")) if path.is_dir() else [path]
    read_in = [json.loads(each.read_text()) for each in paths]
    raw = read_in[0] if isinstance(read_in[0], list) else read_in
    return [_read_one(one) for one in raw]


def _read_one(raw: dict[str, Any]) -> Conversation:
    said = raw.get("conversation", raw)
    turns = []
    number = 1
    while f"session_{number}" in said:
        turns += _session(said[f"session_{number}"], said[f"session_{number}_date_time"])
        number += 1
    places = {turn.name: place for place, turn in enumerate(turns)}
    questions = []
    for asked in raw["qa"]:
        named = _TURN_ID.findall(" ".join(asked["evidence"]))
        answers = frozenset(places[name] for name in named if name in places)
        if answers:
            questions.append((asked["question"], answers))
    return Conversation(turns, questions)


def _session(raw: Sequence[dict[str, Any]], said: str) -> Iterator[Turn]:
    start = datetime.strptime(said, "%I:%M %p on %d %B, %Y").replace(tzinfo=ZoneInfo("UTC"))
    for place, turn in enumerate(raw):
        shown = f" (shows {turn['blip_caption']})" if turn.get("blip_caption") else ""
        yield Turn(
            turn["dia_id"], turn["speaker"], turn["text"], shown, said, start + place * _TURN
        )


def remember(workspace: Workspace, name: str, turns: Sequence[tuple[str, datetime]]) -> _Search:
    """Return a search of an agent that has saved these; the places of the turns that it finds."""
    agent = Agent.objects.create(workspace=workspace, name=name)
    actor = Actor(
        kind="agent", id=agent.pk, name=name, workspace_ids=(workspace.pk,),
        account_ids=frozenset(), scopes=frozenset(),
    )  # fmt: skip
    places: dict[str, list[int]] = {}
    for place, (text, _) in enumerate(turns):
        places.setdefault(text, []).append(place)
    save_many(actor, list(places))
    rows = list(Memory.objects.filter(agent=agent).only("content"))
    for row in rows:
        row.created_at = turns[places[row.content][0]][1]
    Memory.objects.bulk_update(rows, ["created_at"], batch_size=100)

    def search(question: str) -> list[int]:
        found = search_memories(actor=actor, query=question, limit=AMONG)
        return [place for one in found for place in places[one.memory.content]]

    return search


def plain_bm25(texts: Sequence[str]) -> _Search:
    """Return a search that ranks by BM25 and nothing else."""
    counted = [Counter(words_of(text)) for text in texts]
    average = sum(map(Counter.total, counted)) / len(counted)
    having = Counter(word for words in counted for word in words)

    def weigh(word: str, words: Counter[str]) -> float:
        rarity = math.log(1 + (len(counted) - having[word] + 0.5) / (having[word] + 0.5))
        often = words[word]
        return rarity * often * (_K1 + 1) / (often + _K1 * (1 - _B + _B * words.total() / average))

    def search(question: str) -> list[int]:
        asked = [word for word in dict.fromkeys(words_of(question)) if not says_little(word)]
        scores = [sum(weigh(word, words) for word in asked if word in words) for words in counted]
        best = sorted(range(len(texts)), key=lambda place: -scores[place])
        return [place for place in best[:AMONG] if scores[place] > 0]

    return search


def measure(conversations: Sequence[Conversation], every: int) -> Iterator[str]:
    """Yield a line for each form of the turns and each half of the conversations."""
    workspace = create_workspace(name="Bench", slug="bench")
    for form, as_text in FORMS.items():
        for half, name in enumerate(("tuning", "other")):
            asked, ours, anchor = 0, 0, 0
            times: list[float] = []
            for number, one in enumerate(conversations[half::2]):
                turns = [(as_text(turn), turn.at) for turn in one.turns]
                search = remember(workspace, f"{form} {name} {number}", turns)
                plain = plain_bm25([text for text, _ in turns])
                for question, answers in one.questions[::every]:
                    start = time.perf_counter()
                    found = search(question)
                    times.append(time.perf_counter() - start)
                    asked += 1
                    ours += not answers.isdisjoint(found)
                    anchor += not answers.isdisjoint(plain(question))
            yield (
                f"{form}, {name} half, {asked} questions: any of ten {ours / asked:.3f}, "
                f"plain BM25 {anchor / asked:.3f}; a search {percentile(times, 50) * 1000:.1f} ms, "
                f"p95 {percentile(times, 95) * 1000:.1f} ms"
            )


if __name__ == "__main__":
    for line in measure(read(Path(sys.argv[1])), int(sys.argv[2])):
        print(line)
