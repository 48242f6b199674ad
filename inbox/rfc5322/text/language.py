"""The language of a text, told by its script and its commonest words. Deterministic and small."""

import re
from collections import Counter
from functools import cache

from inbox.languages import languages
from inbox.languages.model import Detection

_SAMPLE = 1500
_LATIN_WORD = re.compile(r"[a-zà-öø-ÿœßąćęłńśźżčřšž]+")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")


@cache
def _by_word() -> dict[str, tuple[str, ...]]:
    """Return the common words of the languages, each with the codes of those that have it."""
    found: dict[str, list[str]] = {}
    for it in languages():
        for word in dict.fromkeys(it.detection.words.split()):
            if len(word) > 1:  # letters stand alone in program text, too
                found.setdefault(word, []).append(it.code)
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
    words = _LATIN_WORD.findall(sample)
    for word, count in Counter(words).items():
        for language in _by_word().get(word, ()):
            scores[language] += min(count, 5)
    ranked = scores.most_common(2)
    if not ranked or ranked[0][1] < (2 if len(words) < 15 else 4):
        return ""
    best, count = ranked[0]
    second = ranked[1][1] if len(ranked) > 1 else 0
    return best if count > second * 1.2 and count * 16 >= len(words) else ""
