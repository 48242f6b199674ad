"""The language of a text, told by its script and its commonest words. Deterministic and small."""

import re
from collections import Counter
from functools import cache

from inbox.languages import languages
from inbox.languages.model import Detection

_SAMPLE = 1500
# So many of a language's common words tell that a text is in it, and so few that a part may be.
_TELL, _HINT = 5, 3
_LATIN_WORD = re.compile(r"[a-zà-öø-ÿœßąćęłńśźżčřšž]+")
# Of ASCII, all that is in no such word.
_BLANKS = {code: " " for code in range(128) if not "a" <= chr(code) <= "z"}
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")


@cache
def _by_word() -> dict[str, tuple[str, ...]]:
    """Return the common words of the languages, each with the codes of those that have it."""
    found: dict[str, list[str]] = {}
    for code, words in _common_words().items():
        for word in words:
            found.setdefault(word, []).append(code)
    return {word: tuple(codes) for word, codes in found.items()}


@cache
def _scripts() -> dict[str, tuple[Detection, re.Pattern[str]]]:
    return {
        it.code: (it.detection, re.compile(it.detection.letters))
        for it in languages()
        if it.detection.letters
    }


def detect_language(text: str) -> str:
    """Return the ISO 639-1 code of the language of `text`; "" when it cannot be told."""
    sample = text[:_SAMPLE]
    if not sample.isascii():
        found = _by_script(sample)
        if found:
            return found
    return _by_words(sample.lower())


def possible_languages(text: str) -> frozenset[str]:
    """Return the codes of the languages that a text in lower case, or a part of it, may be in.

    Where it is told by its common words, those of which it has hardly any are left out. Languages
    that have no list of such words are always possible.
    """
    words = set(text.split())
    found = {code: own & words for code, own in _common_words().items()}
    most = max(found.values(), key=len)
    if len(most) < _TELL:
        return _all_codes()
    return _all_codes() - {
        code for code, own in found.items() if own is not most and len(own - most) < _HINT
    }


@cache
def _all_codes() -> frozenset[str]:
    return frozenset(it.code for it in languages())


@cache
def _common_words() -> dict[str, frozenset[str]]:
    """Return the common words of each language that has a list of them."""
    listed = {it.code: it.detection.words.split() for it in languages() if it.detection.words}
    # Letters stand alone in program text, too.
    return {code: frozenset(it for it in own if len(it) > 1) for code, own in listed.items()}


def _by_script(sample: str) -> str:
    scripts = _scripts()
    found = {code: len(letters.findall(sample)) for code, (_, letters) in scripts.items()}
    counts = {code: count for code, count in found.items() if not scripts[code][0].within}
    for code, (how, _) in scripts.items():
        if shared := how.with_letters_of:
            has_own = found[code] > 0 and found[code] * how.one_in >= found[shared]
            counts[code] = found[code] + found[shared] if has_own else 0
            counts[shared] = 0 if counts[code] else found[shared]
    best = max(counts, key=lambda code: counts[code])
    weight = scripts[best][0].letter_weight
    if counts[best] * weight <= len(_LATIN.findall(sample)) or counts[best] < 2:
        return ""
    for code, (how, _) in scripts.items():
        if how.within == best and found[code] * how.one_in > counts[best]:
            return code
    return best


def _by_words(sample: str) -> str:
    scores: Counter[str] = Counter()
    words = sample.translate(_BLANKS).split() if sample.isascii() else _LATIN_WORD.findall(sample)
    known = _by_word()
    for word, count in Counter(filter(known.__contains__, words)).items():
        for language in known[word]:
            scores[language] += min(count, 5)
    ranked = scores.most_common(2)
    if not ranked or ranked[0][1] < (2 if len(words) < 15 else 4):
        return ""
    best, count = ranked[0]
    second = ranked[1][1] if len(ranked) > 1 else 0
    return best if count > second * 1.2 and count * 16 >= len(words) else ""
