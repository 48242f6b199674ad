"""Discounts and terms that a message gives or takes, and who said that it may; pure."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

import regex

from agents.evidence.claims.prose import is_question
from agents.evidence.claims.readers.figures import PERCENTAGES
from agents.evidence.claims.readers.measures import LENGTHS
from agents.evidence.claims.records import Cited, Claim, Mark, Source, Value, values_in
from agents.evidence.claims.sentences import sentence_around
from agents.evidence.claims.wording.discounts import find_discounts, names_discount
from agents.evidence.claims.wording.promises import takes_back
from inbox.languages import any_of, lazy_regex
from inbox.rfc5322.text.language import detect_language

_GRANTS = lazy_regex(
    lambda: rf"(?<!\p{{L}})(?:{any_of(lambda it: it.claims.grants)})(?!\p{{L}})", regex.IGNORECASE
)
_NUMBER = lazy_regex(r"\d+(?:[.,]\d+)?")
# What takes something back stands so near before a number.
_BEFORE = 12
_LONGEST_RULE = 600


class Told(NamedTuple):
    """A sentence of a source about something given, and whether it takes it back."""

    source: Source
    sentence: str
    is_withheld: bool
    # Of a rule the line that it stands in: "To shops alone: 5 % from 300 bottles, 8 % from 600".
    rule: str = ""

    @property
    def is_ours(self) -> bool:
        """Whether one of us says so."""
        return self.source.is_ours or self.source.is_inside

    @property
    def cited(self) -> Cited:
        """The sentence."""
        return Cited(self.source.type, self.source.id, " ".join(self.sentence.split())[:120])


def check_grants(
    claims: Iterable[Claim], code: str, sources: Sequence[Source],
    is_share: Callable[[Claim], bool],
) -> Iterator[Mark]:  # fmt: skip
    """Yield a mark for each discount and each term that is given or taken though nobody may.

    `code` is the language of the message; `is_share` says whether a percentage is only counted.
    """
    for claim in claims:
        if claim.reader not in (PERCENTAGES, LENGTHS) or claim.part != "body":
            continue
        sentence = sentence_around(claim.text, *claim.value[1:3])
        if is_question(sentence) or takes_back(sentence, code):
            continue
        against = None
        if claim.reader is PERCENTAGES and _is_given(sentence, claim.words) and not is_share(claim):
            against = _against_discount(claim.value, sources, code)
        elif claim.reader is LENGTHS and _GRANTS.search(sentence):
            against = _refused(claim.words, sources, code)
        if against is not None:
            start, end = claim.value.start, claim.value.end
            yield Mark(
                claim.reader.kind, "body", claim.words, start, end, "differs",
                against.cited.excerpt, (against.cited,),
            )  # fmt: skip


def _is_given(sentence: str, words: str) -> bool:
    """Return True if a sentence gives a share of something as a discount."""
    if names_discount(sentence):
        return True
    return any(
        words in sentence[match.end() : match.end() + 40] for match in _GRANTS.finditer(sentence)
    )


def _against_discount(value: Value, sources: Sequence[Source], code: str) -> Told | None:
    """Return what speaks against a discount: a rule, a refusal, or that it was only asked for."""
    same = [it for it in _with(value, sources, code) if _counts(it) and _is_about(it.sentence)]
    # What a rule gives with an "if" is a limit, and no refusal.
    refused = [
        it for it in same if it.is_ours and it.is_withheld and it.source.type != "policy"
    ]  # fmt: skip
    if any(not it.is_withheld for it in same if it.source.type == "goal" or not refused):
        return None
    if refused:
        return refused[0]
    rules = [it for it in _about_discounts(sources, code) if it.is_ours and _counts(it)]
    for rule in rules:
        rates = [it.key for it in _percentages(rule.rule, rule.source)]
        if any(_at_most(value.key, rate) for rate in rates):
            return None
    limits = [it for it in rules if _limits(it)]
    asked = [it for it in same if not it.is_ours]
    return next(iter(limits), None) if limits else next(iter(asked), None)


def _is_about(sentence: str) -> bool:
    return names_discount(sentence) or _GRANTS.search(sentence) is not None


def _counts(told: Told) -> bool:
    """Return True for what people and rules say; files tell of other matters as well."""
    return told.source.type in {"message", "policy", "goal"}


def _limits(told: Told) -> bool:
    """Return True for a rule, and for what takes a share back: "not 8 %", "only 5 %"."""
    if told.source.type == "policy":
        return True
    return told.is_withheld and bool(_percentages(told.sentence, told.source))


def _at_most(one: object, most: object) -> bool:
    return isinstance(one, Decimal) and isinstance(most, Decimal) and one <= most


def _percentages(text: str, source: Source) -> Sequence[Value]:
    return values_in(PERCENTAGES, text, source.written_on, source.language)


def _with(value: Value, sources: Iterable[Source], code: str) -> Iterator[Told]:
    """Yield the sentences of sources that have a percentage."""
    for source in sources:
        for it in _percentages(source.text, source):
            if it.key == value.key:
                yield _told(source, it.start, it.end, code)


def _about_discounts(sources: Iterable[Source], code: str) -> Iterator[Told]:
    for source in sources:
        for match in find_discounts(source.text):
            yield _told(source, match.start(), match.end(), code)


def _told(source: Source, start: int, end: int, code: str) -> Told:
    sentence = sentence_around(source.text, start, end)
    if source.type == "goal":
        # "Say no to theirs, offer our own 5 %": of what is wanted each part stands alone.
        first = source.text.rfind(",", 0, start) + 1
        sentence = source.text[first:end]
    spoken = source.language or detect_language(source.text) or code
    is_withheld = is_question(sentence) or takes_back(sentence, spoken)
    first = source.text.rfind("\n", 0, start) + 1
    line = source.text[first : first + _LONGEST_RULE].partition("\n")[0]
    return Told(source, sentence, is_withheld, line if source.type == "policy" else sentence)


def _refused(words: str, sources: Iterable[Source], code: str) -> Told | None:
    """Return where one of us refuses a number: "not 60"."""
    number = _NUMBER.search(words)
    if number is None:
        return None
    for source in sources:
        if source.type != "message" or not (source.is_ours or source.is_inside):
            continue
        spoken = source.language or detect_language(source.text) or code
        for match in regex.finditer(rf"(?<![\d.,]){number[0]}(?![\d]|[.,]\d)", source.text):
            before = source.text[max(0, match.start() - _BEFORE) : match.start()]
            if takes_back(before.rpartition("\n")[2], spoken):
                return _told(source, match.start(), match.end(), code)
    return None
