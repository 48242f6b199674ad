"""Numbers and addresses that are somebody else's, or of another matter, by what stands with them.

"Invoice F-203 for the dinner at the Nansa": a number, of what its sentence says of it; pure.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import regex

from agents.evidence.claims.contexts import Context, Contexts
from agents.evidence.claims.readers.codes import BANK_ACCOUNTS, CODES, EMAILS
from agents.evidence.claims.readers.measures import LENGTHS
from agents.evidence.claims.records import Claim, Mark, Place, Reader, Source, Value
from agents.evidence.claims.things.segments import segment_of
from agents.evidence.claims.wording.replaced import is_taken_back
from inbox.languages import lazy_regex

_READERS = (CODES, EMAILS, BANK_ACCOUNTS, LENGTHS)
# A term is told by words of its own language alone.
_BY_LANGUAGE = (LENGTHS,)
# What stands in the segment of a value, in those beside it, and in a text that it heads.
_SAME, _BESIDE, _HEADED = 1.0, 0.35, 0.6
_HEAD = 160
_NUMBER = lazy_regex(r"\d[\d.,]*")
# So many rare words more, and so many times what its own texts share, must another one's share.
_CLEAR, _TIMES = 1.6, 2.2
# Few words stand with an account.
_CLEAR_OF = {"bank_account": 1.2}
_MOST_PLACES, _MOST_OTHERS = 12, 60


@dataclass
class Profiles:
    """What stands with the values of sources.

    `places` returns all that a reader finds, `words` the words of a text, `rarity` what one tells.
    """

    sources: Sequence[Source]
    places: Callable[[Reader, Iterable[Source]], Sequence[Place]]
    words: Callable[[str, str], Contexts]
    rarity: Callable[[str], float]
    _made: dict[tuple[int, Hashable], Context] = field(default_factory=dict)

    def of(self, reader: Reader, places: Sequence[Place]) -> Context:
        """Return the words with one value, by all places that have it."""
        key = (id(reader), places[0].value.key)
        if key not in self._made:
            made: Context = {}
            for one in places[:_MOST_PLACES]:
                for word, weight in self._around(one).items():
                    made[word] = max(weight, made.get(word, 0.0))
            self._made[key] = made
        return self._made[key]

    def _around(self, place: Place) -> Context:
        source, value = place.source, place.value
        words = self.words(source.text, source.language)
        found = around(words, source.text, value, beside=False)
        if value.start < _HEAD and source.type in {"file", "attachment", "contact"}:
            found = {**dict.fromkeys((it.key for it in words.tokens), _HEADED), **found}
        return found

    def share(self, claimed: Context, profile: Context) -> float:
        """Return how much of the words with a claim stands with a value."""
        return sum(
            weight * profile[word] * self.rarity(word) ** 2
            for word, weight in claimed.items() if word in profile
        )  # fmt: skip


def around(words: Contexts, text: str, value: Value, *, beside: bool) -> Context:
    """Return the words of the segment that a value stands in, and less of those beside it."""
    first, last = segment_of(text, value)
    inside = (it for it in words.between(first, last) if not value.start <= it.start < value.end)
    found = dict.fromkeys((it.key for it in inside), _SAME)
    if not beside:
        return found
    before, _ = segment_of(text, Value("", max(0, first - 2), max(0, first - 2)))
    _, behind = segment_of(text, Value("", min(len(text), last + 2), min(len(text), last + 2)))
    near = dict.fromkeys((it.key for it in words.between(before, behind)), _BESIDE)
    own = {it.key for it in words.between(value.start, value.end)}
    return {key: weight for key, weight in (near | found).items() if key not in own}


def check_identities(
    claims: Sequence[Claim], profiles: Profiles, code: str, known: frozenset[str],
    is_reckoned: Callable[[Claim], bool],
) -> Iterator[Mark]:  # fmt: skip
    """Yield a mark for each number or address whose sentence speaks of another one's matter.

    `code` is the language of the message, `known` are words that tell nothing in it, and
    `is_reckoned` says whether it works a value out itself.
    """
    for reader in _READERS:
        own = [it for it in claims if it.reader is reader and it.part == "body"]
        if not own:
            continue
        placed: dict[Hashable, list[Place]] = {}
        for one in profiles.places(reader, profiles.sources):
            is_foreign = reader in _BY_LANGUAGE and one.source.language not in {code, ""}
            if one.value.end > one.value.start and one.value.is_sure and not is_foreign:
                placed.setdefault(one.value.key, []).append(one)
        said = {it.value.key for it in own}
        written = frozenset(it.words.casefold() for it in own)
        for claim in own:
            if claim.value.key not in placed or is_reckoned(claim):
                continue
            beside = around(profiles.words(claim.text, code), claim.text, claim.value, beside=True)
            idle = known | written
            claimed = {word: weight for word, weight in beside.items() if word not in idle}
            others = (
                places for key, places in placed.items()
                if key not in said and reader.is_alike(claim.value.key, key)
            )  # fmt: skip
            rival = _rival(reader, claimed, placed[claim.value.key], others, profiles)
            if rival and not is_denied(rival, claim.text) and not _is_withdrawn(rival):
                value = claim.value
                yield Mark(
                    reader.kind, "body", claim.words, value.start, value.end, "differs",
                    rival.words, (rival.cited,),
                )  # fmt: skip


def _is_withdrawn(rival: Place) -> bool:
    return is_taken_back(rival.source.text, rival.value.start, rival.value.end)


def is_denied(rival: Place, text: str) -> bool:
    """Return True if a message denies another value by its number alone: "45 days, not 60"."""
    number = _NUMBER.match(rival.words)
    if number is None:
        return False
    alone = rf"(?<![\d:.,/-]){regex.escape(number[0])}(?![:.,/-]?\d|\s?\p{{L}})"
    return regex.search(alone, text) is not None


def _rival(
    reader: Reader, claimed: Context, own: Sequence[Place], others: Iterable[Sequence[Place]],
    profiles: Profiles,
) -> Place | None:  # fmt: skip
    """Return the first place of the value that clearly more of a claim's words stand with."""
    ours = profiles.of(reader, own)
    best, most = None, 0.0
    for places in islice(others, _MOST_OTHERS):
        theirs = profiles.of(reader, places)
        apart = {
            word: weight for word, weight in claimed.items()
            if theirs.get(word, 0.0) > ours.get(word, 0.0)
        }  # fmt: skip
        rest = {word: weight for word, weight in claimed.items() if word not in apart}
        more, less = profiles.share(apart, theirs), profiles.share(rest, ours)
        less -= profiles.share(rest, {it: min(ours.get(it, 0), theirs.get(it, 0)) for it in rest})
        if (
            more >= _CLEAR_OF.get(reader.kind, _CLEAR)
            and more >= _TIMES * less
            and more - less > most
        ):
            best, most = places[0], more - less
    return best
