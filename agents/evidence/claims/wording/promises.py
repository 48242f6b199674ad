"""What a message promises or admits, and whether anything of ours says the same; pure."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import cache, lru_cache
from itertools import islice
from typing import NamedTuple

import regex

from agents.evidence.claims.prose import is_question
from agents.evidence.claims.records import Cited, Mark, Source
from agents.evidence.claims.sentences import sentence_around
from inbox.languages import language, languages, lazy_regex
from inbox.rfc5322.text.language import detect_language

# What may be said by either side, and counts as said by whoever states it.
_BY_ANYONE = frozenset({"free", "guarantee", "granted", "agreed"})
# What only those may have said who write to each other here.
_IN_THREAD = frozenset({"agreed"})
_OURS = frozenset({"goal", "policy", "file"})
# What a policy rules out stays so whatever else is found; whoever gave the goal may say otherwise.
_RULED = frozenset({"liability", "mistake", "guarantee", "bank_details"})
# What is marked only where a rule is against it: anybody may have forgotten something.
_HARMLESS = frozenset({"mistake"})
_ADMITS = frozenset({"liability", "mistake"})
# What files and rules say counts where it is about the same thing.
_OF_MATTERS = frozenset({"guarantee"})
_WORD, _STEM = lazy_regex(r"\p{L}{5,}"), 6
# A word that takes a promise back stands so near before it.
_BEFORE = 45
_MOST_PROMISES = 10
_AROUND = 60
_MOST_LANGUAGES = 32
_SENTENCE_END = lazy_regex(r"[.!?。！？\n]\s?")
_APART, _END = r"(?<![\p{Latin}\p{Cyrillic}\p{Greek}])", r"(?![\p{Latin}\p{Cyrillic}\p{Greek}])"


class Promise(NamedTuple):
    """Something promised or admitted: what it is about, and its words."""

    topic: str
    match: regex.Match[str]

    @property
    def is_of_thread(self) -> bool:
        """Whether only the mail that is answered can say so, as that something was agreed."""
        return self.topic in _IN_THREAD

    @property
    def is_harmless(self) -> bool:
        """Whether it is no matter where no rule speaks against it."""
        return self.topic in _HARMLESS

    @property
    def is_ruled(self) -> bool:
        """Whether a policy that rules it out counts for more than what else is found."""
        return self.topic in _RULED


def _pattern(words: Iterable[str]) -> regex.Pattern[str]:
    found = "|".join(dict.fromkeys(filter(None, words)))
    return regex.compile(f"{_APART}(?:{found or '(?!)'}){_END}", regex.IGNORECASE)


@lru_cache(maxsize=_MOST_LANGUAGES)
def _promises(code: str) -> dict[str, regex.Pattern[str]]:
    """Return how a language promises, by what; how any does for one that has no such words."""
    known = language(code)
    spoken = [known] if known and known.claims.promises else languages()
    topics = sorted({topic for it in spoken for topic in it.claims.promises})
    return {topic: _pattern(it.claims.promises.get(topic, "") for it in spoken) for topic in topics}


@cache
def _promised(topic: str) -> regex.Pattern[str]:
    return _pattern(it.claims.promised.get(topic, "") for it in languages())


@lru_cache(maxsize=_MOST_LANGUAGES)
def _withheld(code: str) -> regex.Pattern[str]:
    """Return what takes a promise back in a language, or in any for one that is not known."""
    known = language(code)
    return _pattern(it.claims.withheld for it in ([known] if known else languages()))


def takes_back(sentence: str, code: str) -> bool:
    """Return True if something in a sentence of a language takes back or restricts what it says."""
    return _withheld(code).search(sentence) is not None


def find_promises(body: str, code: str) -> list[Promise]:
    """Return the promises and admissions in a message's own prose, in the language `code`."""
    found = (
        Promise(topic, match)
        for topic, pattern in _promises(code).items() for match in pattern.finditer(body)
        if _is_made(body, code, match)
    )  # fmt: skip
    return list(islice(found, _MOST_PROMISES))


def check_promise(promise: Promise, code: str, sources: Iterable[Source]) -> Mark:
    """Return the mark of a promise: whether the sources, in order, say the same or take it back."""
    made = Mark("promise", "body", promise.match[0], *promise.match.span(), "nowhere")
    sentence = sentence_around(promise.match.string, *promise.match.span())
    cited, taken_back = _basis(promise.topic, code, sources, _words(sentence, promise.topic))
    if cited is not None:
        return replace(made, state="found", sources=(cited,))
    if taken_back is not None:
        return replace(made, state="differs", expected=taken_back.excerpt, sources=(taken_back,))
    return made


def _is_made(body: str, code: str, match: regex.Match[str]) -> bool:
    """Return True if nothing in the sentence asks, or takes back what is said."""
    sentence = sentence_around(body, *match.span())
    if is_question(sentence):
        return False
    return not _withheld(code).search(_before_in_sentence(body, match.start()))


def _before_in_sentence(text: str, place: int) -> str:
    """Return what stands in the sentence shortly before a place."""
    before = _SENTENCE_END.split(text[max(0, place - _BEFORE) : place])[-1]
    return before if place <= _BEFORE else before.partition(" ")[2]


def _may_say(source: Source, topic: str) -> bool:
    """Return True if what a source says of a topic counts: ours, or that of whoever may say it."""
    if topic in _IN_THREAD and source.type not in {"message", "goal", "event"}:
        return False
    is_ours = source.is_ours or source.is_inside or source.type in _OURS
    return is_ours or topic in _BY_ANYONE


def _basis(
    topic: str, code: str, sources: Iterable[Source], words: Collection[str]
) -> tuple[Cited | None, Cited | None]:
    """Return what says the same, and what of ours takes it back."""
    taken_back: Cited | None = None
    said: Cited | None = None
    for source in sources:
        if not _may_say(source, topic):
            continue
        for cited, is_withheld in _said(source, topic, code, words):
            if not is_withheld:
                said = said or cited
            elif source.type == "policy" and topic in _RULED and not _is_wanted(said):
                return None, cited
            elif source.is_ours:
                taken_back = taken_back or cited
        if said and (topic not in _RULED or _is_wanted(said)):
            return said, None
    return said, taken_back


def _is_wanted(said: Cited | None) -> bool:
    return said is not None and said.type == "goal"


def _said(
    source: Source, topic: str, code: str, words: Collection[str]
) -> Iterator[tuple[Cited, bool]]:
    """Yield the sentences of a source about a topic, and whether each takes it back."""
    spoken = source.language or detect_language(source.text) or code
    # A rule may be against it in whatever words it is told.
    is_rule = source.type == "policy" and topic in _ADMITS
    for match in _promised("mistake" if is_rule else topic).finditer(source.text):
        sentence = sentence_around(source.text, *match.span())
        if is_question(sentence):
            continue
        cited = Cited(source.type, source.id, " ".join(sentence.split())[: 2 * _AROUND])
        is_withheld = takes_back(sentence, spoken)
        is_shared = not _words(sentence, topic).isdisjoint(words)
        is_near = spoken != code or is_shared
        if topic in _OF_MATTERS and is_withheld and source.type == "policy" and not is_shared:
            continue
        if is_withheld or source.type in {"goal", "message"} or _tells(topic, is_near):
            yield cited, is_withheld


def _tells(topic: str, is_near: bool) -> bool:
    """Return True if files and rules tell something of a topic, where they are about the same.

    A contract or an insurance speaks of liability, and admits none.
    """
    return topic not in _ADMITS and (is_near or topic not in _OF_MATTERS)


def _words(sentence: str, topic: str) -> set[str]:
    """Return the words of a sentence that say what is promised, by their beginnings."""
    rest = _promised(topic).sub(" ", sentence)
    return {it.casefold()[:_STEM] for it in _WORD.findall(rest)}
