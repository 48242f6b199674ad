"""Reads a text: its sentences, the signals in each, and what the signals add up to."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from inbox.classify.phrases import Hit, PhraseIndex, fold, has_cjk
from inbox.classify.rules import NEGATION, UNLESS, Rules, Signal, load_rules
from inbox.languages import any_of, lazy
from inbox.rfc5322.text.language import possible_languages

# What is looked at of a long text: how it begins, and its last lines (the way out of a list).
HEAD, TAIL = 4000, 600
EXCERPT = 60
MOST_TIMES = 3.0
_WRAPPED = lazy(r"\n(?<=[^\n]{45}\n)(?=[^\n\s>*•-])")
_SENTENCE_END = lazy(r"[.!?…]+(?=[\s\"')\]]|$)|[。！？؟]+|\n+|(?<=[a-z]{4})[.!?](?=[A-Z])")
_QUESTION = lazy(r"[?？؟]")
_LETTER = lazy(r"\w")
_DATE_REST = lazy(
    r"(?:[-/.]\d{1,4}){1,2}\.?|\.?\s[^\W\d_]{3,10}\b(?:\s\d{4})?|,?\s\d{4}\b|[月日]\d{0,2}日?"
)
_CLAUSE_END = lazy(lambda: rf"[,;:、،–]|\b{any_of(lambda it: it.classify.turns)}\b")
_NEGATION_REACH = 28


@dataclass(slots=True)
class Sentence:
    """One sentence: where it stands, its signals with what was found, and its log-odds."""

    start: int
    end: int
    text: str
    found: dict[str, str] = field(default_factory=dict)
    wordings: set[tuple[str, str]] = field(default_factory=set)
    asks: float = 0.0


@dataclass(frozen=True, slots=True)
class Reading:
    """What the rules saw in a text."""

    sentences: tuple[Sentence, ...]
    found: Mapping[str, str]
    # How many times over a signal counts that is said in several wordings.
    times: Mapping[str, float]
    strongest: Sentence | None
    # The log-odds that the text asks or promises something, by its strongest sentence.
    asks: float


def read_text(text: str, rules: Rules | None = None) -> Reading:
    """Find every signal in a text; only its beginning and its last lines are looked at."""
    rules = rules or load_rules()
    text = clip(text)
    sentences = split_sentences(text)
    folded = fold(text)
    codes = possible_languages(folded)
    starts = frozenset(at for sentence in sentences for at in _beginnings(sentence, codes))
    hits = _of_languages(codes, rules.phrases.find(folded, starts), folded, rules)
    _attribute(hits, sentences, text, rules)
    bias = rules.signals["any_sentence"].adds["asks"]
    for sentence in sentences:
        if _QUESTION.search(sentence.text[-4:]):
            sentence.found.setdefault("question_mark", "?")
        sentence.asks = bias + _asked(sentence.found, rules)
    return _summed(sentences, rules, bias)


def _asked(found: Mapping[str, str], rules: Rules) -> float:
    """Return what a sentence's signals say of its asking: each alone, and some together."""
    alone = sum(rules.signals[name].adds.get("asks", 0.0) for name in found)
    return alone + sum(points for names, points in rules.together if names <= found.keys())


@cache
def _opening(codes: frozenset[str]) -> re.Pattern[str]:
    """Return what stands before what a sentence begins with: "Hi Sam - …", "And …"."""
    words = any_of(lambda it: it.classify.openings if it.code in codes else "")
    return re.compile(
        rf"[\W_]*(?:{words}\b[\s,]*)?"
        r"(?:[\w.&]{1,20}(?: [\w.&]{1,20}){0,2} ?(?:[,:]|--?|\u2013) ?)?"
    )


def _of_languages(codes: frozenset[str], hits: list[Hit], folded: str, rules: Rules) -> list[Hit]:
    """Leave out the hits of languages that the text is not in: "toll" is good in German only.

    The first line is a subject, which may be in another language than the letter.
    """
    foreign = {hit for hit in hits if hit.language not in codes and hit.name not in rules.wary}
    if not foreign:
        return hits
    title = folded.find("\n")
    of_title = possible_languages(folded[:title]) if title > 0 else frozenset()
    foreign -= {hit for hit in foreign if hit.end <= title and hit.language in of_title}
    return [hit for hit in hits if hit not in foreign]


def clip(text: str) -> str:
    """Return what is looked at of a text, with hard-wrapped lines joined."""
    if len(text) > HEAD + TAIL:
        text = text[:HEAD] + "\n\n" + text[-TAIL:]
    return _WRAPPED.sub(" ", text.replace("\r\n", "\n"))


def split_sentences(text: str) -> list[Sentence]:
    """Cut a text into sentences, in several scripts; an empty line or a short line ends one."""
    sentences: list[Sentence] = []
    at = 0
    for end in [match.end() for match in _SENTENCE_END.finditer(text)] + [len(text)]:
        piece = text[at:end]
        if _LETTER.search(piece):
            sentences.append(Sentence(at, end, piece.strip()))
        at = end
    return sentences


def find_signals(phrases: PhraseIndex, text: str) -> list[Hit]:
    """Return the hits of other phrases (a taxonomy's) in a text, with sentences as here."""
    text = clip(text)
    folded = fold(text)
    codes = possible_languages(folded)
    starts = frozenset(at for s in split_sentences(text) for at in _beginnings(s, codes))
    return phrases.find(folded, starts)


def _beginnings(sentence: Sentence, codes: frozenset[str]) -> tuple[int, ...]:
    """Return where the sentence begins, without and with its opening words."""
    raw = sentence.text
    lead = sentence.start
    first = _LETTER.search(raw)
    opening = _opening(codes).match(raw)
    return (
        lead + (first.start() if first else 0),
        lead + (opening.end() if opening else 0),
    )


def _attribute(hits: list[Hit], sentences: list[Sentence], text: str, rules: Rules) -> None:
    """Give each sentence its signals, less those that something in it takes back."""
    begins = [sentence.start for sentence in sentences]
    by_sentence: dict[int, list[Hit]] = {}
    for hit in hits:
        by_sentence.setdefault(bisect_right(begins, hit.start) - 1, []).append(hit)
    for number, own in by_sentence.items():
        if number < 0:
            continue
        taken_back = {hit.name.removeprefix(UNLESS) for hit in own if hit.name.startswith(UNLESS)}
        negations = [hit.end for hit in own if hit.name == NEGATION]
        for hit in own:
            signal = rules.signals.get(hit.name)
            if signal is None or hit.name in taken_back or _negated(signal, hit, negations, text):
                continue
            excerpt = " ".join(text[hit.start : _end_of(hit, text)].split())[:EXCERPT]
            sentences[number].wordings.add((hit.name, excerpt.lower()))
            before = sentences[number].found.get(hit.name, "")
            if len(excerpt) > len(before):
                sentences[number].found[hit.name] = excerpt


def _end_of(hit: Hit, text: str) -> int:
    """Return where a hit ends, with the rest of a date it begins ("by 30" of "by 30 March")."""
    rest = _DATE_REST.match(text, hit.end) if text[hit.end - 1].isdigit() else None
    return rest.end() if rest else hit.end


def _negated(signal: Signal, hit: Hit, negations: list[int], text: str) -> bool:
    """Return True if a "not" stands shortly before, in the same clause."""
    return signal.negatable and any(
        0 < hit.start - end <= _NEGATION_REACH and not _CLAUSE_END.search(text, end, hit.start)
        for end in negations
    )


def _summed(sentences: list[Sentence], rules: Rules, bias: float) -> Reading:
    found: dict[str, str] = {}
    for sentence in sentences:
        for name, excerpt in sentence.found.items():
            # The longest wording says most: "by 30 April" more than "overdue".
            found[name] = max(found.get(name, ""), excerpt, key=len)
    wordings = {wording for sentence in sentences for wording in sentence.wordings}
    strongest = max(sentences, key=lambda sentence: sentence.asks, default=None)
    times = _times(wordings, rules)
    asks = strongest.asks if strongest else bias
    return Reading(tuple(sentences), found, times, strongest, asks)


def _times(wordings: set[tuple[str, str]], rules: Rules) -> dict[str, float]:
    """Return how many times over signals count; half, where all that shows one is a single word."""
    counts = Counter(name for name, _ in wordings)
    times = {
        name: min(1 + (count - 1) / 2, MOST_TIMES)
        for name, count in counts.items()
        if rules.signals[name].repeats
    }
    for name, words in wordings:
        if (
            counts[name] == 1
            and rules.signals[name].halved
            and words.isalpha()
            and not has_cjk(words)
        ):
            times[name] = 0.5
    return times
