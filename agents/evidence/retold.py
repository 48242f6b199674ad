"""What is confidential and told in other words: the same telling words, close to each other."""

from collections.abc import Iterator, Sequence

import regex

from agents.recall.related_words import related_to
from agents.recall.words import says_little, words_of
from inbox.flags import Finding, found

# Two sentences tell the same where so many of their telling words are, and such a share of them.
_LEAST_WORDS, _LEAST_SHARE = 5, 0.5
_SHORTEST_WORD = 3
_SENTENCE = regex.compile(r"[^.!?\n]+(?:[.!?](?=\w)[^.!?\n]*)*")
# Links, addresses and names of files are names, and no words.
_NAME = regex.compile(r"\S*(?:://|@|\w\.\w)\S*")
_LONGEST_SAID, _LONGEST_KEPT = 20_000, 60_000
_LONGEST_EXCERPT = 200


def find_retold(
    said: str, kept: Sequence[tuple[str, str]], read: Sequence[str]
) -> Iterator[Finding]:
    """Yield each confidential text of which `said` retells a sentence or two, once.

    `kept` are their public ids with what they say. Words count in any ending and order,
    and words of the same field for each other; those that the recipients have read anywhere in
    `read` do not.
    """
    if not kept:
        return
    sentences = _sentences(said[:_LONGEST_SAID])
    ours = [_widened(words) for words in _windows([stems for stems, _text in sentences])]
    known = {word for text in read for word in words_of(text[:_LONGEST_KEPT])}
    everything = frozenset[str]().union(*ours)
    for source, text in kept:
        place = _place_of(text[:_LONGEST_KEPT], known, everything, ours)
        if place is not None:
            excerpt = sentences[place][1].strip()[:_LONGEST_EXCERPT]
            yield found("not_for_these_readers", "retold", excerpt=excerpt, source=source)


def _place_of(
    text: str, known: set[str], everything: frozenset[str], ours: Sequence[frozenset[str]]
) -> int | None:
    """Return the place of the first sentence that retells one of a text; None: none does."""
    for theirs in _windows([stems for stems, _text in _sentences(text)]):
        telling = theirs - known
        least = max(_LEAST_WORDS, len(telling) * _LEAST_SHARE)
        if len(telling & everything) < least:
            continue
        for place, words in enumerate(ours):
            if len(telling & words) >= least:
                return place
    return None


def _sentences(text: str) -> list[tuple[frozenset[str], str]]:
    """Return the sentences of a text that say anything, with the stems of their telling words."""
    found_there = ((_telling(hit[0]), hit[0]) for hit in _SENTENCE.finditer(text))
    return [(stems, words) for stems, words in found_there if stems]


def _telling(text: str) -> frozenset[str]:
    words = set(words_of(_NAME.sub(" ", text)))
    return frozenset(it for it in words if len(it) >= _SHORTEST_WORD and not says_little(it))


def _windows(sentences: Sequence[frozenset[str]]) -> Iterator[frozenset[str]]:
    """Yield what each sentence says together with the next."""
    for place, stems in enumerate(sentences):
        following = sentences[place + 1] if place + 1 < len(sentences) else frozenset[str]()
        yield stems | following


def _widened(words: frozenset[str]) -> frozenset[str]:
    """Return words with those of the same field."""
    return words.union(*(related_to(word) for word in words))
