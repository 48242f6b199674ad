"""What an owner's kinds are about by their own words, and how much of a message speaks of that.

A kind's name, description and phrases have words, which a message may have in any of their forms:
by the stems of its language, and in parts of compounds. Beside them stand the matters that
languages know: a kind called "Invoices" and a letter that says "Rechnung" are both about billing.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final

from inbox.classify.phrases import has_cjk
from inbox.languages import any_of, languages, lazy
from inbox.rfc5322.text.folds import folded
from inbox.rfc5322.text.language import detect_language
from inbox.rfc5322.text.word_forms import parts_of, stem_in

# What a word counts for where it stands: in the subject, at the beginning, and behind that.
_IN_SUBJECT, _FIRST, _BEHIND = 1.6, 1.0, 0.5
_BEGINNING: Final = 400
_LOOKED_AT: Final = 2_500
# A word that is a kind's own, beside a matter that both speak of.
_OF_MATTERS: Final = 0.8
# A sum of as much is half of all that words can say.
_HALF: Final = 0.8
_MOST_TIMES: Final = 3
_WORD: Final = lazy(r"[^\W\d_]{2,40}(?:-[^\W\d_]{2,20}){0,2}")
_JOINTS: Final = lazy(r"(?<=[a-z])(?=[A-Z])|[_/*()|]")
_MATTER: Final = "matter/"
_GREETING: Final = lazy(
    lambda: rf"(?im)^\W{{0,3}}{any_of(lambda it: it.letters.greetings)}\b[^.!?\n]{{0,80}}[,:!\n]"
)


class KindWords:
    """The words of kinds: of each its name, and texts with what a word of theirs counts for."""

    def __init__(self, kinds: Iterable[tuple[str, Sequence[tuple[str, float]]]]) -> None:
        self._kinds = tuple(kinds)
        self._by_language: dict[str, dict[str, dict[str, float]]] = {}

    def scores(self, subject: str, text: str) -> Mapping[str, float]:
        """Return how much of a message is about each kind (0 to 1); none are left out."""
        language = detect_language(f"{subject}\n{text[:_LOOKED_AT]}") or "en"
        terms = self._terms(language)
        sums = dict.fromkeys((name for name, _ in self._kinds), 0.0)
        for term, weight in _terms_of_mail(subject, text, language).items():
            for name, worth in terms.get(term, {}).items():
                sums[name] += weight * worth
        return {name: total / (total + _HALF) for name, total in sums.items()}

    def _terms(self, language: str) -> dict[str, dict[str, float]]:
        """Return what each stem and matter counts for which kind, in mail of a language."""
        found = self._by_language.get(language)
        if found is None:
            found = self._by_language[language] = self._weighed(language)
        return found

    def _weighed(self, language: str) -> dict[str, dict[str, float]]:
        terms: dict[str, dict[str, float]] = {}
        for name, texts in self._kinds:
            for text, weight in texts:
                for term in _terms_of_words(_words(text), language):
                    own = terms.setdefault(term, {})
                    own[name] = max(own.get(name, 0.0), weight)
        most = math.log(1 + len(self._kinds))
        for term, own in terms.items():
            # What all kinds say tells none of them.
            rarity = math.log(len(self._kinds) / len(own) + 0.15) / most
            scale = max(0.0, rarity) * (_OF_MATTERS if term.startswith(_MATTER) else 1.0)
            terms[term] = {name: weight * scale for name, weight in own.items()}
        return terms


def _words(text: str) -> list[str]:
    parted = _JOINTS.sub(" ", text)
    return [word.lower() for word in _WORD.findall(parted)]


def _terms_of_mail(subject: str, text: str, language: str) -> dict[str, float]:
    """Return the stems and matters of a message, each by where and how often it stands."""
    text = _GREETING.sub("", text[:_LOOKED_AT])
    found: dict[str, float] = {}
    for part, weight in (
        (subject[:300], _IN_SUBJECT),
        (text[:_BEGINNING], _FIRST),
        (text[_BEGINNING:], _BEHIND),
    ):
        times = Counter(_terms_of_words(_words(part), language))
        times.update(_joined_matters(part))
        for term, count in times.items():
            here = weight * (1 + math.log(min(count, _MOST_TIMES)))
            found[term] = max(found.get(term, 0.0), here)
    return found


def _terms_of_words(words: Sequence[str], language: str) -> Iterator[str]:
    """Yield the stems of words that say something, and the matters that they are of."""
    little, matters = _little_words(), _matters()
    for word in words:
        if word in little:
            continue
        for part in (word, *parts_of(word, language)):
            stem = stem_in(part, language)
            yield stem
            for key in {stem, stem_in(part, "en"), folded(part)}:
                for matter in matters.get(key, ()):
                    yield f"{_MATTER}{matter}"


def _joined_matters(text: str) -> Iterator[str]:
    """Yield the matters of a text that is written without spaces."""
    if has_cjk(text):
        yield from (f"{_MATTER}{matter}" for word, matter in _joined_words() if word in text)


@cache
def _matters() -> dict[str, frozenset[str]]:
    """Return the matters of each word, by its form and by its stem in its language."""
    found: dict[str, set[str]] = {}
    for it in languages():
        for matter, words in it.classify.matters.items():
            for word in words.split():
                for key in (folded(word), stem_in(word, it.code)):
                    found.setdefault(key, set()).add(matter)
    return {key: frozenset(own) for key, own in found.items()}


@cache
def _joined_words() -> tuple[tuple[str, str], ...]:
    return tuple(
        (word, matter)
        for it in languages()
        for matter, words in it.classify.matters.items()
        for word in words.split()
        if has_cjk(word)
    )


@cache
def _little_words() -> frozenset[str]:
    """Return words that say little of what a text is about."""
    found = {word for it in languages() for word in it.recall.little_words.split()}
    found |= {word for it in languages() for word in it.detection.words.split()}
    # A letter to "Customer Support" is not about support yet.
    return frozenset(
        found | {word for it in languages() for word in it.classify.of_anybody.split()} - _told()
    )


@cache
def _told() -> frozenset[str]:
    """Return the words that some matter has."""
    return frozenset(
        w for it in languages() for own in it.classify.matters.values() for w in own.split()
    )
