"""Words that are about the same: what a person's habits, people, places and work are called.

A language's list (`recall.related`) is small on purpose: it holds what notes about people are most
often asked by other words for.
"""

from functools import cache

from agents.recall.words import stem
from inbox.languages import languages


@cache
def _kin() -> dict[str, frozenset[str]]:
    kin: dict[str, set[str]] = {}
    for line in [line for it in languages() for line in it.recall.related]:
        group = {stem(word) for word in line.split()}
        for word in group:
            kin.setdefault(word, set()).update(group - {word})
    return {word: frozenset(others) for word, others in kin.items()}


def related_to(word: str) -> frozenset[str]:
    """Return the stems that are about the same as this one."""
    return _kin().get(word, frozenset())
