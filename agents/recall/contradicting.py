"""A memory that says the same of something with another figure, date or address."""

import re

from agents.models import Memory
from agents.recall.searching import search_memories
from agents.recall.words import says_little, words_of
from inbox.actor import Actor

# Two texts are about the same where they share so much of their words, and have so many.
_LEAST_ALIKE, _LEAST_WORDS = 0.6, 2
_LOOKED_AT = 10
_LONGEST_QUERY = 1000
# A figure, date, time, number or address; no space within.
_VALUE = re.compile(r"[^\s,;()]*[\d@][^\s,;()]*")


def find_contradicting(agent: Actor, content: str) -> Memory | None:
    """Return the agent's memory that says the same with another figure, date or address, if any.

    Precise rather than complete: other words, or no figure in one of them, are no contradiction.
    """
    subject, values = _read(content)
    if len(subject) < _LEAST_WORDS or not values:
        return None
    query = content[:_LONGEST_QUERY]
    for one in search_memories(actor=agent, query=query, limit=_LOOKED_AT, is_text=True):
        others, said = _read(one.memory.content)
        alike = len(subject & others) / len(subject | others)
        if alike >= _LEAST_ALIKE and said and said != values:
            return one.memory
    return None


def _read(text: str) -> tuple[set[str], set[str]]:
    values = {value.strip(".:!?\"'").casefold() for value in _VALUE.findall(text)}
    rest = _VALUE.sub(" ", text)
    return {word for word in words_of(rest) if not says_little(word)}, values
