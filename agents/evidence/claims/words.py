"""Words that say nothing of what stands beside them; pure."""

from functools import lru_cache

from agents.evidence.claims.distance import plain
from inbox.languages import language, words_of

_MOST_LANGUAGES = 32


@lru_cache(maxsize=_MOST_LANGUAGES)
def small_words(code: str) -> frozenset[str]:
    """Return words that say nothing of a value: the commonest of a language, or of every one."""
    known = language(code)
    words = known.detection.words.split() if known else words_of(lambda it: it.detection.words)
    return frozenset(map(plain, words))
