"""The values that a message states, each held against those of its sources; pure."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property

import regex

from agents.evidence.claims.arithmetic import written_like
from agents.evidence.claims.contexts import Context
from agents.evidence.claims.distance import plain
from agents.evidence.claims.prose import accepts, asks, is_offered
from agents.evidence.claims.readers.codes import BANK_ACCOUNTS, CODES, EMAILS, PHONES
from agents.evidence.claims.readers.figures import AMOUNTS, PERCENTAGES
from agents.evidence.claims.readers.measures import LENGTHS, MEASURES
from agents.evidence.claims.readers.moments import DATES, TIMES, WEEKDAYS
from agents.evidence.claims.readers.numbered import NUMBERED, is_written
from agents.evidence.claims.readers.people import NAMES, fits, is_somebody, written_words
from agents.evidence.claims.readers.quantities import QUANTITIES
from agents.evidence.claims.readers.terms import Terms
from agents.evidence.claims.readers.zones import converted, is_elsewhere
from agents.evidence.claims.reading import Readings
from agents.evidence.claims.reckoning import Reckoning
from agents.evidence.claims.records import (
    Claim,
    Mark,
    Place,
    Reader,
    Source,
    State,
    Value,
)
from agents.evidence.claims.rivals import Surroundings, find_fitting, find_rival
from agents.evidence.claims.sentences import sentence_around, words_around
from agents.evidence.claims.things.clocks import Clocks, compare_clocks
from agents.evidence.claims.things.identities import is_denied
from agents.evidence.claims.things.keys import is_of_key
from agents.evidence.claims.things.pairs import told_together
from agents.evidence.claims.totals import meant_total
from agents.evidence.claims.wording.replaced import is_taken_back
from inbox.languages import any_of, lazy_regex
from inbox.rfc5322.text.language import detect_language

_OUR_ACCOUNT = lazy_regex(lambda: any_of(lambda it: it.claims.our_account), regex.IGNORECASE)
# From here on a value is taken for what was meant; each word that stands around both adds to it.
_MEANT, _SHARED_WORD, _MOST_SHARED = 0.75, 0.2, 3
# What may be no time at all, as 3.12, needs more; of days and times that are offered another one is
# meant, however far it is from all of them.
_PERHAPS = 1.0
_OFFERED, _DAYS, _ACCEPTED = (DATES, WEEKDAYS, TIMES), (DATES, WEEKDAYS), 0.2
# What stands beside words of anything: only words of its own language tell it.
_TIMED = (*_OFFERED, LENGTHS)
# What one reckons with.
_QUANTITIES = (MEASURES, LENGTHS, QUANTITIES)
# Of numbers as long as this a message may have two changed round.
_NUMBER = 3
# What stands in texts of any matter.
_OF_ANY_MATTER = (TIMES, MEASURES, QUANTITIES)
_FIGURES = (AMOUNTS, PERCENTAGES, CODES, PHONES, *_QUANTITIES)


@dataclass
class Comparison(Readings):
    """A proposed message held against its sources."""

    _beside: dict[tuple[int, int], set[str]] = field(default_factory=dict)
    _offers: dict[tuple[int, int], bool] = field(default_factory=dict)
    _written: dict[int, set[str]] = field(default_factory=dict)

    def marks(self) -> Iterator[Mark]:
        """Yield the marks of the values that the message states."""
        for claim, near in zip(self.claims, self._near, strict=True):
            made = Mark(claim.reader.kind, claim.part, claim.words, *claim.value[1:3], "found")
            if (zoned := self._on_another_clock(claim, made)) is not None:
                yield zoned
            elif found := near or self._same(claim, self.sources):
                yield self._with_sources(made, claim, found)
            elif (mark := self._other(claim, made)) is not None:
                yield mark

    def _with_sources(self, made: Mark, claim: Claim, found: Sequence[Place]) -> Mark:
        cited = tuple(one.cited for one in found[:3])
        if claim.reader is BANK_ACCOUNTS and self._is_foreign(claim):
            ours = [it for it in self.places(BANK_ACCOUNTS, self.sources) if it.source.is_ours]
            ours = self._own_accounts or ours
            expected = ours[0].words if ours else ""
            return replace(made, state="differs", expected=expected, sources=cited)
        if claim.reader is AMOUNTS and (total := self._total(claim, made)) is not None:
            return total
        if (rival := self._rival(claim, found)) is not None:
            return replace(made, state="differs", expected=rival.words, sources=(rival.cited,))
        return replace(made, sources=cited)

    def _on_another_clock(self, claim: Claim, made: Mark) -> Mark | None:
        """Return the mark of a time that is told on another clock, here or by its sources."""
        if claim.reader is not TIMES:
            return None
        return self._on_two_clocks(claim, made) or self._in_another_zone(claim, made)

    def _on_two_clocks(self, claim: Claim, made: Mark) -> Mark | None:
        cited = Place(self._body, claim.value).cited
        if any(it is claim for it in self._clocks.right):
            return replace(made, sources=(cited,))
        expected = next((meant for it, meant in self._clocks.wrong if it is claim), None)
        if expected is None:
            return None
        return replace(made, state="differs", expected=expected, sources=(cited,))

    @cached_property
    def _clocks(self) -> Clocks:
        return compare_clocks(self.proposed, self.claims, self.sources)

    def _in_another_zone(self, claim: Claim, made: Mark) -> Mark | None:
        """Return the mark of a time that is told in another zone than the sources tell it in."""
        days = [it.value.key for it in self.claims if it.reader is DATES]
        day = next((it for it in days if isinstance(it, date)), self.proposed.written_on)
        other = converted(claim, self.places(TIMES, self.near), day)
        if other is None:
            return None
        state: State = "found" if other.is_same else "differs"
        return replace(made, state=state, expected=other.expected, sources=(other.place.cited,))

    def _total(self, claim: Claim, made: Mark) -> Mark | None:
        """Return the mark of a total that is but a part of what it adds up."""
        own = [it for it in self.claims if it.reader is AMOUNTS and it.part == claim.part]
        meant = meant_total(claim, own, self.places(AMOUNTS, self.near))
        if meant is None:
            return None
        value, place = meant
        cited = (place or Place(self._body, claim.value)).cited
        expected = written_like(made.excerpt, value)
        return replace(made, state="differs", expected=expected, sources=(cited,))

    def _rival(self, claim: Claim, found: Sequence[Place]) -> Place | None:
        """Return the value that the words around a claim belong to, where it is another one."""
        if claim.reader in (BANK_ACCOUNTS, NAMES) or (
            claim.reader is TIMES and not claim.value.is_sure
        ):
            return None
        if is_of_key(claim, found):
            return None
        if any(it is claim for it in self._together):
            return None
        if claim.reader in _TIMED and self._is_settled(claim, found):
            return None
        sources = self.sources
        if claim.reader in _TIMED:
            sources = [it for it in sources if not self._is_foreign_to(it)]
        read = ((it, self._read(claim.reader, it)) for it in sources)
        rival = find_rival(claim, read, self.around)
        if rival is None or self._is_given_up(claim, rival):
            return None
        return None if self._is_borne_out(claim, rival, found) else rival

    def _is_given_up(self, claim: Claim, rival: Place) -> bool:
        """Return True for a value that the message has as well, or that its source takes back."""
        is_number = claim.reader.kind == "code" and len(claim.words) >= _NUMBER
        if not is_number and self._says(claim.reader, rival.value.key):
            return True
        return is_taken_back(rival.source.text, rival.value.start, rival.value.end)

    @cached_property
    def _together(self) -> list[Claim]:
        """The days and times that a source has together as well."""
        return told_together(self.claims, self.sources)

    def _is_borne_out(self, claim: Claim, rival: Place, found: Sequence[Place]) -> bool:
        """Return True if the message reckons with a figure, or has the other one as well.

        Nothing is told by words either where only texts of another language have the figure.
        """
        if claim.reader not in _FIGURES:
            return False
        if all(self._is_foreign_to(it.source) for it in found) or is_denied(rival, claim.text):
            return True
        if claim.reader is AMOUNTS and self.reckoning.is_rest(claim, rival):
            return True
        if self.reckoning.shows(claim) or self.reckoning.spans.lies_between(claim, near=True):
            return True
        return self._says(claim.reader, rival.value.key)

    def _says(self, reader: Reader, key: Hashable) -> bool:
        """Return True if the message has a value itself."""
        return any(it.reader is reader and it.value.key == key for it in self.claims)

    @cached_property
    def reckoning(self) -> Reckoning:
        """What the figures of the message follow from."""
        return Reckoning(self._body, self.near, lambda: self.sources, self.places)

    def _is_settled(self, claim: Claim, found: Sequence[Place]) -> bool:
        """Return True for a day or a time that needs no words in common with its source.

        The owner's goal names it, its sentence counts to it, or the source is in another language.
        """
        if any(one.source.type == "goal" for one in found) or self._terms.by_sentence(claim):
            return True
        return all(self._is_foreign_to(one.source) for one in found)

    def _is_foreign_to(self, source: Source) -> bool:
        """Return True for a source in another language than the message, with words of its own."""
        ours = self.proposed.language
        return bool(ours) and (source.language or detect_language(source.text) or ours) != ours

    @cached_property
    def around(self) -> Surroundings:
        """The words around the claims and around the values of the sources."""
        return Surroundings(self.claims, self.proposed.language, sources=self.sources)

    def with_words(self, claim: Claim, source: Source) -> list[tuple[Value, Context]]:
        """Return what a source has of a claim's kind, each with the words that belong to it."""
        values = self._read(claim.reader, source)
        contexts = self.around.of_source(claim.reader, source, values)
        return list(zip(values, contexts, strict=True))

    def _is_foreign(self, claim: Claim) -> bool:
        """Return True for an account that is given as ours, and that only others have written."""
        if not _OUR_ACCOUNT.search(sentence_around(claim.text, *claim.value[1:3])):
            return False
        ours = [it for it in self._same(claim, self.sources) if it.source.is_ours]
        called = {it.value.key for it in self._own_accounts}
        written = any(it.source.type == "message" for it in ours)
        return not ours or (bool(called) and claim.value.key not in called and not written)

    @cached_property
    def _own_accounts(self) -> list[Place]:
        """The accounts that our own texts call ours."""
        return [
            it for it in self.places(BANK_ACCOUNTS, self.sources)
            if it.source.is_ours
            and _OUR_ACCOUNT.search(sentence_around(it.source.text, *it.value[1:3]))
        ]  # fmt: skip

    def _other(self, claim: Claim, made: Mark) -> Mark | None:
        if (mark := self._worked_out(claim, made)) is not None:
            return mark
        reader = claim.reader
        is_accepted = reader in _OFFERED and accepts(sentence_around(claim.text, *claim.value[1:3]))
        is_open = reader.may_be_open and not is_accepted
        if is_open and asks(sentence_around(claim.text, *claim.value[1:3]), self.proposed.language):
            return None
        if reader is NAMES and self._is_written(claim):
            return None
        if reader is EMAILS and self._is_of_house(claim):
            return None
        if reader is DATES and self._terms.is_worked_out(claim):
            return None
        if (meant := self._meant(claim, _ACCEPTED if is_accepted else _MEANT)) is not None:
            return replace(made, state="differs", expected=meant.words, sources=(meant.cited,))
        if (fitting := self._fitting(claim)) is not None:
            return replace(made, state="differs", expected=fitting.words, sources=(fitting.cited,))
        is_told = claim.value.is_sure and reader.tells_nowhere and self._is_spoken_of(claim)
        return replace(made, state="nowhere") if is_told else None

    def _is_spoken_of(self, claim: Claim) -> bool:
        """Return True if what is answered has such values; asked of kinds that any text may have.

        Where a message begins a matter, some mail that nobody has found may tell such a value.
        """
        if claim.reader not in _OF_ANY_MATTER:
            return True
        mail = [it for it in self.near if it.type == "message"]
        told = (it.value for it in self.places(claim.reader, mail))
        is_alike = claim.reader.is_alike
        return any(it.end > it.start and is_alike(claim.value.key, it.key) for it in told)

    def _worked_out(self, claim: Claim, made: Mark) -> Mark | None:
        """Return the mark of an amount or a date that follows from others, or nearly does."""
        if claim.reader is AMOUNTS and (explained := self.reckoning.explained(claim)):
            cited = tuple(one.cited for one in explained.of[:4])
            if explained.meant is None:
                return replace(made, sources=cited)
            expected = written_like(made.excerpt, explained.meant)
            return replace(made, state="differs", expected=expected, sources=cited)
        if claim.reader is PERCENTAGES and (share := self.reckoning.share(claim)) is not None:
            return replace(made, sources=(share,))
        if claim.reader in _QUANTITIES and self._follows(claim):
            return replace(made, sources=(Place(self._body, claim.value).cited,))
        if claim.reader in _DAYS and (place := self._terms.by_sentence(claim)):
            return replace(made, sources=(place.cited,))
        if claim.reader is DATES and (place := self._day(claim)):
            return replace(made, sources=(place.cited,))
        return self._time(claim, made) if claim.reader is TIMES else None

    def _day(self, claim: Claim) -> Place | None:
        """Return the day that a claimed one is told by: a term from it, or the week of it."""
        return self._terms.by_any(claim, self.sources) or self._terms.by_week(claim)

    def _time(self, claim: Claim, made: Mark) -> Mark | None:
        """Return the mark of a time that lies a length after another one, or is one elsewhere."""
        if self.reckoning.spans.ends_length(claim):
            return replace(made, sources=(Place(self._body, claim.value).cited,))
        return self._elsewhere(claim, made)

    def _elsewhere(self, claim: Claim, made: Mark) -> Mark | None:
        """Return the mark of a time as it is where somebody else is, and told so beside it."""
        same = [it.value for it in self.claims if it.reader is TIMES and self._same(it, self.near)]
        if not is_elsewhere(claim, same):
            return None
        return replace(made, sources=(Place(self._body, same[0]).cited,))

    def _is_of_house(self, claim: Claim) -> bool:
        """Return True for an address of our own house with a name that the sources have."""
        name, _, domain = str(claim.value.key).partition("@")
        ours = self.proposed.sender.email.lower().rpartition("@")[2]
        used = written_words(it.text for it in (*self.sources, *self._named))
        return bool(ours) and domain == ours and plain(name) in used

    def _is_written(self, claim: Claim) -> bool:
        """Return True if every word of a name stands somewhere in the sources."""
        assert isinstance(claim.value.key, tuple)  # noqa: S101
        sources = self.sources if claim.value.is_sure else self.near
        left = set(claim.value.key)
        for source in (*sources, *self._named):
            if id(source) not in self._written:
                self._written[id(source)] = written_words([source.text])
            left = {it for it in left if not fits(it, self._written[id(source)])}
        return not left

    def _fitting(self, claim: Claim) -> Place | None:
        """Return the value of a source that the words around a claim, which has none, belong to."""
        if claim.reader is not LENGTHS:
            return None
        read = ((it, self._read(claim.reader, it)) for it in self.sources)
        return find_fitting(claim, read, self.around)

    def _follows(self, claim: Claim) -> bool:
        """Return True if a quantity that no source has follows from what is there."""
        own = self.reckoning
        if own.shows(claim) or own.counts(claim) or own.spans.lies_between(claim):
            return True
        return own.follows_from_alike(claim) or own.spans.is_between_times(claim)

    @cached_property
    def _terms(self) -> Terms:
        near = self.places(DATES, [*self.near, self._body])
        return Terms(self._body, self.near, near, lambda: self.places(DATES, self.sources))

    def _meant(self, claim: Claim, least: float = _MEANT) -> Place | None:
        """Return the value of a source that a claim most likely means, and is not."""
        if claim.reader is NUMBERED and self._is_numbered(claim):
            return None
        least = _PERHAPS if claim.reader is TIMES and not claim.value.is_sure else least
        context = words_around(claim.text, claim.value.start, claim.value.end)
        best, most = None, 0.0
        for one in self.places(claim.reader, self.sources):
            if claim.reader is NAMES and not is_somebody(claim, one, self.proposed.language):
                continue
            near = claim.reader.near(claim.value, one.value)
            if near > 0:
                near += min(len(context & self._words_beside(one)), _MOST_SHARED) * _SHARED_WORD
            if near > most and (near >= _MEANT or (near >= least and self._is_offered(one))):
                best, most = one, near
        return best if most >= least else None

    def _is_numbered(self, claim: Claim) -> bool:
        """Return True if a source has the number of a thing under another name."""
        return any(is_written(claim.value.key, it.text) for it in self.sources)

    def _words_beside(self, place: Place) -> set[str]:
        key = (id(place.source), place.value.start)
        if key not in self._beside:
            self._beside[key] = words_around(place.source.text, key[1], place.value.end)
        return self._beside[key]

    def _is_offered(self, place: Place) -> bool:
        key = (id(place.source), place.value.start)
        if key not in self._offers:
            self._offers[key] = is_offered(place, self.proposed.language)
        return self._offers[key]
