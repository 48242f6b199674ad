"""Times told on our clock that the mail has on theirs, or the reverse; pure."""

from collections.abc import Iterator, Sequence

from agents.evidence.claims.distance import plain
from agents.evidence.claims.readers.moments import TIMES
from agents.evidence.claims.readers.people import written_words
from agents.evidence.claims.records import (
    Claim,
    Mark,
    Place,
    ProposedMessage,
    Source,
    Value,
    values_in,
)
from agents.evidence.claims.things.clocks import whose_clock

_OTHER = {"ours": "yours", "yours": "ours"}
_BEHIND = 34


def check_turned_clocks(
    claims: Sequence[Claim], proposed: ProposedMessage, sources: Sequence[Source]
) -> Iterator[Mark]:
    """Yield a mark for each time that all mail which says so has on the other side's clock.

    "At 14:00 our time", where their mail has "14:00 my time". There counts the mail of the
    message's readers, and of whomever it names.
    """
    times = [it for it in claims if it.reader is TIMES and it.part == "body"]
    sided = _sided(times[0].text, [it.value for it in times]) if times else {}
    mail = [it for it in sources if it.type == "message" and _is_of(it, proposed)] if sided else []
    told = [it for one in mail for it in _told(one)]
    for claim in times:
        whose = sided.get(claim.value.start, "")
        own = [(place, side) for place, side in told if place.value.key == claim.value.key]
        if not whose or not own or any(side == whose for _, side in own):
            continue
        place = own[0][0]
        meant = next(
            (it.words for it, side in told if side == whose and it.source is place.source), ""
        )
        start, end = claim.value.start, claim.value.end
        yield Mark(
            "time", "body", claim.words, start, end, "differs", meant or place.cited.excerpt,
            (place.cited,),
        )  # fmt: skip


def _is_of(source: Source, proposed: ProposedMessage) -> bool:
    """Return True for mail with the readers of a message, or with somebody whom it names."""
    own = proposed.sender.email.lower()
    others = [it for it in source.people if it.email.lower() != own]
    readers = {it.email.lower() for it in proposed.greeted}
    used = written_words([proposed.body])
    names = {plain(word) for it in others for word in it.name.split()}
    return any(it.email.lower() in readers for it in others) or not names.isdisjoint(used)


def _told(source: Source) -> Iterator[tuple[Place, str]]:
    """Yield the times of a message that say whose they are, seen from our side."""
    values = values_in(TIMES, source.text, source.written_on, source.language)
    sides = _sided(source.text, values)
    for value in values:
        if side := sides.get(value.start, ""):
            yield Place(source, value), side if source.is_ours else _OTHER[side]


def _sided(text: str, values: Sequence[Value]) -> dict[int, str]:
    """Return whose clock the times of a text are on, by where they begin, as far as it is told."""
    found = {}
    ordered = sorted((it for it in values if it.end > it.start), key=lambda it: it.start)
    for at, value in enumerate(ordered):
        last = ordered[at + 1].start if at + 1 < len(ordered) else value.end + _BEHIND
        side = whose_clock(text, value, last)
        if side in _OTHER:
            found[value.start] = side
    return found
