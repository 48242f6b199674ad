"""Values that nobody outside is told, in words to somebody outside; pure."""

from collections.abc import Callable, Iterator, Sequence

import regex

from agents.evidence.claims.readers.codes import EMAILS, PHONES
from agents.evidence.claims.readers.figures import AMOUNTS, PERCENTAGES
from agents.evidence.claims.readers.people import NAMES
from agents.evidence.claims.readers.quantities import QUANTITIES
from agents.evidence.claims.records import Cited, Claim, Mark, Place, ProposedMessage, Source
from agents.evidence.claims.rivals import Surroundings
from agents.evidence.claims.sentences import sentence_around
from inbox.languages import any_of, lazy_regex

_READERS = (AMOUNTS, PERCENTAGES, QUANTITIES, NAMES, EMAILS, PHONES)
_SECRET = lazy_regex(
    lambda: rf"(?<!\p{{L}})(?:{any_of(lambda it: it.claims.secret)})(?!\p{{L}})",
    regex.IGNORECASE,
)
# What a file says of itself where it begins: "draft - internal until 15 December".
_MARKED = lazy_regex(
    lambda: (
        rf"(?<!\p{{L}})(?:{any_of(lambda it: it.claims.confidential)})(?!\p{{L}})"
        rf"|(?:^|[-\u2013:;,(*#/][ ]?){any_of(lambda it: it.claims.internal)}(?!\p{{L}})"
    ),
    regex.IGNORECASE | regex.MULTILINE,
)
# A rule or a point of minutes is a line.
_LONGEST_LINE, _MOST_EXCERPT, _HEAD = 400, 120, 300
_ROW = lazy_regex(r"[;|\t]|\p{L},[\p{L}\d\"]")
_OURS = frozenset({"file", "policy"})


def check_secrets(
    claims: Sequence[Claim], proposed: ProposedMessage,
    found: Callable[[Claim], Sequence[Place]], around: Surroundings,
) -> Iterator[Mark]:  # fmt: skip
    """Yield a mark for each value that only texts of ours have which say that it stays here.

    Nothing that goes within the house is marked, nor what its owner's goal has told to say.
    """
    house = proposed.sender.email.lower().rpartition("@")[2]
    if not any(it.email.lower().rpartition("@")[2] != house for it in proposed.greeted):
        return
    for claim in claims:
        if claim.reader not in _READERS or claim.part != "body":
            continue
        places = found(claim)
        if not places or not all(_is_of_house(one.source) for one in places):
            continue
        said = (words for one in places if (words := _secret_words(claim, one, around)))
        if (cited := next(said, None)) is not None:
            start, end = claim.value.start, claim.value.end
            yield Mark(
                "confidential", "body", claim.words, start, end, "differs", cited.excerpt, (cited,)
            )


def _is_of_house(source: Source) -> bool:
    """Return True for a text that nobody outside has had: a file, a rule, a colleague's mail."""
    return source.type in _OURS or (source.type == "message" and source.is_inside)


def _secret_words(claim: Claim, place: Place, around: Surroundings) -> Cited | None:
    """Return the words of a text by which a value of it is told to nobody; None where it has none.

    They stand in its line, where the file begins, or in any line of a table; of a file the line
    has a word in common with the claim, as any number stands in some list.
    """
    source, value = place.source, place.value
    if value.end <= value.start:
        return None
    first = source.text.rfind("\n", 0, value.start) + 1
    line = source.text[first:].partition("\n")[0]
    match = _SECRET.search(line[:_LONGEST_LINE])
    start = first + match.start() if match else -1
    if match is None and source.type == "file":
        words = around.contexts(source.text, source.language).between(first, first + len(line))
        if around.of_claim(claim).keys().isdisjoint(it.key for it in words):
            return None
        is_table = _ROW.search(line) is not None
        match = _MARKED.search(source.text if is_table else source.text[:_HEAD])
        start = match.start() if match else -1
    if match is None:
        return None
    sentence = sentence_around(source.text, start, start + len(match[0]))
    return Cited(source.type, source.id, " ".join(sentence.split())[:_MOST_EXCERPT])
