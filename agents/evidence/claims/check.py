"""A message held against its sources: a mark for each claim of it; pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date

import regex

from agents.evidence.claims.contexts import token_keys
from agents.evidence.claims.matching import Comparison
from agents.evidence.claims.meetings.agreed import find_agreed
from agents.evidence.claims.meetings.busy import check_busy
from agents.evidence.claims.meetings.ruled_out import check_ruled_out
from agents.evidence.claims.named.members import check_members
from agents.evidence.claims.named.people import people_in
from agents.evidence.claims.named.places import check_places
from agents.evidence.claims.named.sentences import sentences_of
from agents.evidence.claims.named.states import check_states
from agents.evidence.claims.readers import people
from agents.evidence.claims.readers.moments import (
    DATES,
    name_of_weekday,
    read_dates,
    wrong_weekdays,
)
from agents.evidence.claims.reading import Further
from agents.evidence.claims.records import (
    Agreed,
    Cited,
    Mark,
    Named,
    ProposedMessage,
    Source,
    meets,
    shortened,
)
from agents.evidence.claims.things.identities import Profiles, check_identities
from agents.evidence.claims.things.keys import check_keys
from agents.evidence.claims.things.moved import check_moved
from agents.evidence.claims.things.newer import Texts, check_newer
from agents.evidence.claims.things.pairs import check_pairs
from agents.evidence.claims.things.sides import check_sides
from agents.evidence.claims.things.sums import check_sums
from agents.evidence.claims.things.turned_clocks import check_turned_clocks
from agents.evidence.claims.wording.addressed import check_form, check_greeting, check_titles
from agents.evidence.claims.wording.contacts import check_contacts
from agents.evidence.claims.wording.contents import check_contents
from agents.evidence.claims.wording.enclosures import check_attached
from agents.evidence.claims.wording.grants import check_grants
from agents.evidence.claims.wording.promises import check_promise, find_promises
from agents.evidence.claims.wording.replaced import check_replaced
from agents.evidence.claims.wording.secrets import check_secrets
from inbox.languages import language, lazy_regex
from inbox.rfc5322.text.language import detect_language, possible_languages

MOST_MARKS = 200
# Below this many characters nobody can tell a language for sure.
_LEAST_LANGUAGE = 60
_WORDS = lazy_regex(r"\p{L}+")
# The first line of a message, and the sentence behind it.
_BEGINS = lazy_regex(r"\S[^\n]*(?:\s*[^\n.!?]+[.!?]?)?")
_GRAVITY = {"differs": 0, "nowhere": 1, "found": 2}


def check_claims(
    proposed: ProposedMessage,
    sources: Sequence[Source],
    further: Further = lambda *_: (),
    known: Sequence[Named] = (),
) -> list[Mark]:
    """Return a mark for each claim of a message, in the order of the message.

    `sources` are what it answers and what goes with it. Where they are not enough, `further` is
    asked once, with the words of the claims that they do not have: for earlier mail, files, events
    and cards. `known` are those who may be named in it.
    """
    proposed = replace(proposed, language=proposed.language or detect_language(proposed.body))
    comparison = Comparison(proposed, shortened(sources), further, known)
    agreed = list(_agreed(comparison))
    claims = comparison.claims
    dates = [it for it in claims if it.reader is DATES]
    promises = [*_promises(comparison), *_contacts(comparison)]
    marks = [
        *comparison.marks(),
        *_weekdays(comparison),
        *check_busy(agreed, proposed, *_calendar(comparison, agreed), known),
        *_of_others(comparison),
        *check_ruled_out(dates, comparison.near, proposed.language),
        *check_replaced(claims, comparison.read_sources),
        *check_greeting(proposed, comparison.near),
        *_names(comparison, known),
        *_named(comparison, known),
        *check_grants(claims, proposed.language, comparison.sources, comparison.reckoning.is_share),
        *promises,
        *check_attached(comparison.parts["body"], proposed.attached, comparison.read_sources),
        *check_contents(
            comparison.parts["body"], proposed.language, comparison.claims, comparison.near
        ),
        *check_titles(proposed, comparison.read_sources),
        *check_form(proposed, comparison.read_sources),
        *_language(comparison),
    ]
    return _without_overlaps(marks)[:MOST_MARKS]


def _of_others(comparison: Comparison) -> Iterator[Mark]:
    """Yield the marks of values that sources have, but of other things or otherwise."""
    claims, found = comparison.claims, comparison.found
    reckoning = comparison.reckoning
    yield from check_keys(claims, comparison.sources, found, comparison.places)
    yield from check_sides(claims, found, comparison.places)
    yield from check_sums(claims, reckoning.workings.figures, reckoning.rates, found)
    rarity = comparison.around.rarity
    texts = Texts(comparison.sources, found, comparison.with_words, rarity)
    yield from check_newer(claims, texts, reckoning.spans.counts_from_today)
    words_of = comparison.around.of_claim
    yield from check_moved(claims, texts, words_of, reckoning.spans.counts_from_today)
    profiles = Profiles(comparison.sources, comparison.places, comparison.around.contexts, rarity)
    proposed = comparison.proposed
    own_words = token_keys(proposed.own_words)
    yield from check_identities(
        claims, profiles, proposed.language, own_words, reckoning.spans.counts_days
    )
    yield from check_pairs(claims, comparison.sources, comparison.proposed.language)
    yield from check_secrets(claims, comparison.proposed, comparison.found, comparison.around)
    yield from check_turned_clocks(claims, comparison.proposed, comparison.sources)


def _without_overlaps(marks: Iterable[Mark]) -> list[Mark]:
    """Keep one mark of a place: the one that says most of what is wrong."""
    kept: list[Mark] = []
    for mark in sorted(marks, key=lambda it: (_GRAVITY[it.state], it.start - it.end)):
        if not any(
            mark.part == one.part and mark.start < one.end and one.start < mark.end for one in kept
        ):
            kept.append(mark)
    return sorted(kept, key=lambda it: (it.part != "subject", it.start, it.end))


def _agreed(comparison: Comparison) -> Iterator[Agreed]:
    """Yield what the message agrees to; the calendar is asked for it."""
    proposed, body = comparison.proposed, comparison.parts["body"]
    for one in find_agreed(body, proposed.written_on, proposed.language):
        comparison.wanted = [*comparison.wanted, body[one.start : one.end]]
        yield one


def _calendar(comparison: Comparison, agreed: Sequence[Agreed]) -> tuple[list[Source], list[date]]:
    """Return our events, and the days to come that the thread speaks of."""
    if not agreed:
        return [], []
    dated = (
        it.key
        for one in comparison.near
        for it in read_dates(one.text, one.written_on, one.language)
    )
    days = [it for it in dated if isinstance(it, date) and it >= comparison.proposed.written_on]
    return [it for it in comparison.sources if it.type == "event"], days


def _promises(comparison: Comparison) -> Iterator[Mark]:
    """Yield the marks of promises; further sources are asked where the near ones have none."""
    code = comparison.proposed.language
    made = find_promises(comparison.parts["body"], code)
    marks = [check_promise(it, code, comparison.near) for it in made]
    settled = [
        it.is_of_thread or (mark.state == "found" and not it.is_ruled)
        for it, mark in zip(made, marks, strict=True)
    ]  # fmt: skip
    unsaid = [mark.excerpt for mark, is_told in zip(marks, settled, strict=True) if not is_told]
    comparison.wanted = [*comparison.wanted, *unsaid]
    for promise, mark, is_told in zip(made, marks, settled, strict=True):
        if promise.is_of_thread and not any(it.type == "message" for it in comparison.near):
            continue
        told = mark if is_told else check_promise(promise, code, comparison.sources)
        if told.state == "differs" or not promise.is_harmless:
            yield told


def _contacts(comparison: Comparison) -> Iterator[Mark]:
    """Return the marks of who will get in touch; further sources are asked for who is in none."""
    given = comparison.proposed, comparison.parts["body"]
    marks = list(check_contacts(*given, comparison.near, comparison.near))
    if all(it.state == "found" for it in marks):
        return iter(marks)
    comparison.wanted = [*comparison.wanted, *(it.excerpt for it in marks)]
    return check_contacts(*given, comparison.near, comparison.sources)


def _weekdays(comparison: Comparison) -> Iterator[Mark]:
    proposed = comparison.proposed
    for part, text in comparison.parts.items():
        for value, day in wrong_weekdays(
            text, proposed.written_on, proposed.language, comparison.other_years
        ):
            written = text[value.start : value.end]
            cited = (Cited("calendar", day.isoformat(), day.isoformat()),)
            expected = name_of_weekday(day, like=written)
            yield Mark("weekday", part, written, value.start, value.end, "differs", expected, cited)


def _names(comparison: Comparison, known: Sequence[Named]) -> Iterator[Mark]:
    """Yield a mark for each name that is nearly somebody's."""
    proposed = comparison.proposed
    names = people.words_of(known, by_address=False)
    used = people.written_words(one.text for one in comparison.near)
    spoken = language(proposed.language)
    # Where nouns have a capital, it tells no name.
    has_nouns = bool(spoken and spoken.claims.capitalised)
    greeted = people.greeted_name(proposed.body)
    body = comparison.parts["body"]
    for value, whose in people.misspelt_names(body, names, used, only_known=has_nouns):
        if greeted is None or not meets(value, greeted):
            expected = whose.name or whose.email
            cited = (Cited("recipient", whose.email, expected),) if whose.email else ()
            yield Mark(
                "name", "body", str(value.key), value.start, value.end, "differs", expected, cited
            )


def _named(comparison: Comparison, known: Sequence[Named]) -> Iterator[Mark]:
    """Yield a mark for each name of somebody or something that the sources have another one for."""
    proposed, body, around = comparison.proposed, comparison.parts["body"], comparison.around
    said = sentences_of(comparison.sources, proposed.language, around)
    people = people_in(comparison.sources, known)
    yield from check_states(body, proposed.language, said, people, around)
    yield from check_places(body, proposed.language, said, around)
    yield from check_members(body, proposed.language, comparison.sources)


def _language(comparison: Comparison) -> Iterator[Mark]:
    """Yield a mark where a message is in no language in which its readers write, or were answered.

    The mail that it answers says so; where none of it is theirs, other mail that was read.
    """
    proposed = comparison.proposed
    if not proposed.language or len(proposed.body) < _LEAST_LANGUAGE:
        return
    theirs = _spoken(proposed, comparison.near) or _spoken(proposed, comparison.read_sources)
    answered = {_language_of(it) for it in comparison.near if it.type == "message" and it.is_ours}
    spoken = {*answered, *(code for code, _ in theirs)}
    text = " ".join(it.text for _, it in theirs)
    if not theirs or proposed.language in spoken or _is_asked_for(comparison):
        return
    if not _may_be(proposed.language, text):
        begins = _BEGINS.search(proposed.body)
        assert begins  # noqa: S101
        line, start = begins[0], begins.start()
        code, one = theirs[0]
        cited = (Cited(one.type, one.id, " ".join(one.text[:80].split())),)
        yield Mark("language", "body", line, start, start + len(line), "differs", code, cited)


def _spoken(proposed: ProposedMessage, sources: Iterable[Source]) -> list[tuple[str, Source]]:
    """Return the languages that readers of a message write, each with where.

    Of mail whose writer is not known, all that came in counts as theirs.
    """
    readers = {one.email.lower() for one in proposed.greeted}
    theirs = [
        (_language_of(one), one) for one in sources
        if one.type == "message" and not one.is_ours and (not one.by or one.by in readers)
    ]  # fmt: skip
    return [it for it in theirs if it[0]]


def _is_asked_for(comparison: Comparison) -> bool:
    """Return True if the goal, or a card of a reader, names the language of a message."""
    proposed = comparison.proposed
    known = language(proposed.language)
    if known is None or not known.compose.names:
        return False
    readers = {it.email.lower() for it in proposed.greeted}
    named = regex.compile(rf"(?<!\p{{L}})(?:{known.compose.names})(?!\p{{L}})", regex.IGNORECASE)
    return any(
        named.search(one.text) is not None for one in comparison.read_sources
        if one.type == "goal"
        or (one.type == "contact" and any(it in one.text.lower() for it in readers))
    )  # fmt: skip


def _may_be(code: str, text: str) -> bool:
    """Return True if a text may be in a language, or have a part that is."""
    return code in possible_languages(" ".join(_WORDS.findall(text.lower())))


def _language_of(source: Source) -> str:
    if len(source.text) < _LEAST_LANGUAGE:
        return ""
    return source.language or detect_language(source.text)
