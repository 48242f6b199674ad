"""A message held against its sources: a mark for each claim of it; pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from agents.evidence.claims.enclosures import check_attached
from agents.evidence.claims.matching import Comparison, Further, shortened
from agents.evidence.claims.promises import check_promise, find_promises
from agents.evidence.claims.readers import people
from agents.evidence.claims.readers.moments import name_of_weekday, wrong_weekdays
from agents.evidence.claims.records import Cited, Mark, Named, ProposedMessage, Source, meets
from inbox.rfc5322.text.language import detect_language

MOST_MARKS = 200
# Below this many characters nobody can tell a language for sure.
_LEAST_LANGUAGE = 60
_GRAVITY = {"differs": 0, "nowhere": 1, "found": 2}


def check_claims(
    proposed: ProposedMessage,
    sources: Sequence[Source],
    further: Further = lambda _: (),
    known: Sequence[Named] = (),
) -> list[Mark]:
    """Return a mark for each claim of a message, in the order of the message.

    `sources` are what it answers and what goes with it. Where they are not enough, `further` is
    asked once, with the words of the claims that they do not have: for earlier mail, files, events
    and cards. `known` are those who may be named in it.
    """
    proposed = replace(proposed, language=proposed.language or detect_language(proposed.body))
    comparison = Comparison(proposed, shortened(sources), further, known)
    promises = list(_promises(comparison))
    marks = [
        *comparison.marks(),
        *_weekdays(comparison),
        *_greeting(proposed),
        *_names(comparison, known),
        *promises,
        *check_attached(comparison.parts["body"], proposed.attached),
        *_language(proposed, sources),
    ]
    return _without_overlaps(marks)[:MOST_MARKS]


def _without_overlaps(marks: Iterable[Mark]) -> list[Mark]:
    """Keep one mark of a place: the one that says most of what is wrong."""
    kept: list[Mark] = []
    for mark in sorted(marks, key=lambda it: (_GRAVITY[it.state], it.start - it.end)):
        if not any(
            mark.part == one.part and mark.start < one.end and one.start < mark.end for one in kept
        ):
            kept.append(mark)
    return sorted(kept, key=lambda it: (it.part != "subject", it.start, it.end))


def _promises(comparison: Comparison) -> Iterator[Mark]:
    """Yield the marks of promises; further sources are asked where the near ones have none."""
    code = comparison.proposed.language
    made = find_promises(comparison.parts["body"], code)
    marks = [check_promise(it, code, comparison.near) for it in made]
    comparison.wanted = [it.excerpt for it in marks if it.state != "found"]
    for promise, mark in zip(made, marks, strict=True):
        yield mark if mark.state == "found" else check_promise(promise, code, comparison.sources)


def _weekdays(comparison: Comparison) -> Iterator[Mark]:
    proposed = comparison.proposed
    for part, text in comparison.parts.items():
        for value, day in wrong_weekdays(text, proposed.written_on, proposed.language):
            written = text[value.start : value.end]
            cited = (Cited("calendar", day.isoformat(), day.isoformat()),)
            expected = name_of_weekday(day, like=written)
            yield Mark("weekday", part, written, value.start, value.end, "differs", expected, cited)


def _greeting(proposed: ProposedMessage) -> Iterator[Mark]:
    """Yield a mark for the name that is greeted."""
    name = people.greeted_name(proposed.body)
    if name is None or not proposed.greeted:
        return
    text = str(name.key)
    made = Mark("greeting", "body", text, name.start, name.end, "found")
    for one in proposed.greeted:
        if people.fits(text, people.words_of([one])):
            yield replace(made, sources=(Cited("recipient", one.email, one.name or one.email),))
            return
    named = next((one for one in proposed.greeted if one.name), None)
    if named is not None:
        cited = (Cited("recipient", named.email, named.name),)
        yield replace(made, state="differs", expected=named.name, sources=cited)


def _names(comparison: Comparison, known: Sequence[Named]) -> Iterator[Mark]:
    """Yield a mark for each name that is nearly somebody's."""
    proposed = comparison.proposed
    names = people.words_of(known, by_address=False)
    used = people.written_words(one.text for one in comparison.near)
    greeted = people.greeted_name(proposed.body)
    body = comparison.parts["body"]
    for value, whose in people.misspelt_names(body, names, used):
        if greeted is None or not meets(value, greeted):
            expected = whose.name or whose.email
            cited = (Cited("recipient", whose.email, expected),) if whose.email else ()
            yield Mark(
                "name", "body", str(value.key), value.start, value.end, "differs", expected, cited
            )


def _language(proposed: ProposedMessage, sources: Sequence[Source]) -> Iterator[Mark]:
    """Yield a mark where the message is in another language than the mail that it answers."""
    answered = next((one for one in sources if one.type == "message" and not one.is_ours), None)
    if answered is None or min(len(proposed.body), len(answered.text)) < _LEAST_LANGUAGE:
        return
    theirs = answered.language or detect_language(answered.text)
    if proposed.language and theirs and proposed.language != theirs:
        line = proposed.body.strip().split("\n")[0]
        start = proposed.body.find(line)
        cited = (Cited(answered.type, answered.id, " ".join(answered.text[:80].split())),)
        yield Mark("language", "body", line, start, start + len(line), "differs", theirs, cited)
