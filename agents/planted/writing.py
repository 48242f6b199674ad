"""A planted letter, written from a kind of the deck about a message that really came in."""

import random
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from agents.planted import facts
from agents.planted.deck import LANGUAGES, Kind, Letter, Meeting, frame_of
from calendar_app.icalendar import Invitee, ItipEvent, ItipMessage
from calendar_app.itip_writing import write_itip
from inbox.compose.outgoing import AddressList
from inbox.operations.drafts.replying import ReplyPlan

# Whose clock an invitation is written on.
_ZONES = {"en": "Europe/London", "de": "Europe/Berlin"}
# Reserved names (RFC 2606, RFC 6761): nobody has such an address, and no server is asked for it.
STRANGERS = ("office@westbrook.example", "r.hartmann@kontor-nord.example", "info@lindfield.example")


@dataclass(frozen=True, slots=True)
class Source:
    """What a planted letter answers: how it would be answered, and what is known of it."""

    plan: ReplyPlan
    language: str
    found: facts.Facts
    today: date

    @property
    def name(self) -> str:
        """Whom it is written to; empty where no name is known."""
        return self.plan.to[0].get("name", "").strip()


@dataclass(frozen=True, slots=True)
class PlantedLetter:
    """A letter with one thing wrong."""

    kind: str
    language: str
    subject: str
    body: str
    to: AddressList
    cc: AddressList
    calendar: str
    wrong: str
    expected: str


def read_source(plan: ReplyPlan, text: str, today: date) -> Source | None:
    """Return what letters can be written about a message; None where it is in no language of ours.

    `text` is what the message itself says.
    """
    language = plan.in_reply_to.language[:2]
    if language not in LANGUAGES or not plan.to:
        return None
    return Source(plan, language, facts.find_facts(text), today)


def suits(kind: Kind, source: Source) -> bool:
    """Return True if the message states what the kind needs."""
    return bool(source.name) and all(getattr(source.found, fact) for fact in kind.needs)


def write_letter(kind: Kind, source: Source, chance: random.Random) -> PlantedLetter:
    """Write the letter of a kind that suits its source."""
    words = _words(source, chance)
    letter = kind.letter(source.language)
    filled = {name: _filled(getattr(letter, name), words) for name in Letter.model_fields}
    greeting = filled["greeting"] or _filled(frame_of(source.language).greeting, words)
    closing = filled["closing"] or _filled(frame_of(source.language).closing, words)
    body = filled["body"]
    if source.language == "en":
        body = body[:1].upper() + body[1:]
    to, cc = list(source.plan.to), list(source.plan.cc)
    if kind.to == "lookalike":
        to = [{**to[0], "email": words["lookalike"]}, *to[1:]]
    if kind.cc == "stranger":
        cc = [*cc, {"email": words["stranger"]}]
    subject, calendar = "", ""
    if kind.meeting is not None:
        subject, cc = filled["subject"], []
        to = [to[0], *([{"email": words["stranger"]}] if kind.meeting.stranger else [])]
        calendar = _invitation(kind.meeting, source, subject, to, chance)
    return PlantedLetter(
        kind.code, source.language, subject, f"{greeting}\n\n{body}\n\n{closing}", to, cc, calendar,
        filled["wrong"], filled["expected"],
    )  # fmt: skip


def _filled(text: str, words: dict[str, str]) -> str:
    for name, word in words.items():
        text = text.replace(f"{{{name}}}", word)
    return text


def _words(source: Source, chance: random.Random) -> dict[str, str]:
    """Return what the words in braces stand for."""
    language, found, email = source.language, source.found, source.plan.to[0]["email"]
    day, received = _day_of(source), source.plan.in_reply_to.received_at.date()
    wrong_day = day + timedelta(days=2)
    past = facts.working_day(source.today, -45)
    sender = source.plan.identity.name or source.plan.identity.email
    wrong_received = received - timedelta(days=19)
    amount, number, host = found.amount, found.number, found.host
    return {
        "name": source.name, "other_name": facts.other_name(source.name, language, chance),
        "sender": sender, "email": email, "lookalike": facts.likeness_of(email),
        "stranger": chance.choice(STRANGERS),
        "day": facts.day_words(day, language), "weekday": facts.weekday_of(day, language),
        "wrong_weekday": facts.weekday_of(wrong_day, language),
        "past_day": facts.day_words(past, language),
        "day_of_last_year": facts.day_words(day.replace(year=day.year - 1, day=1), language),
        "received": facts.day_words(received, language),
        "wrong_received": facts.day_words(wrong_received, language),
        "amount": amount, "other_amount": facts.transposed(amount) if amount else "",
        "tenfold_amount": facts.tenfold(amount) if amount else "",
        "foreign_amount": facts.other_currency(amount) if amount else "",
        "number": number, "other_number": facts.transposed(number) if number else "",
        "host": host, "other_host": facts.likeness_of_host(host) if host else "",
    }  # fmt: skip


def _day_of(source: Source) -> date:
    """Return the working day that a letter speaks of."""
    return facts.working_day(source.today, 11)


def _invitation(
    meeting: Meeting, source: Source, subject: str, to: AddressList, chance: random.Random
) -> str:
    identity, zone = source.plan.identity, _ZONES[source.language]
    day = _day_of(source)
    if meeting.later:
        day = facts.working_day(day, meeting.later)
    start = datetime.combine(day, time.fromisoformat(meeting.at), ZoneInfo(zone)).astimezone(UTC)
    event = ItipEvent(
        uid=f"{chance.getrandbits(120):030x}@{identity.email.rpartition('@')[2]}", sequence=0,
        recurrence_id="", dtstamp=None, start=start,
        end=start + timedelta(minutes=meeting.minutes), all_day=False, timezone=zone, rrule="",
        summary=subject.partition(": ")[2] or subject, description="", location="",
        status="confirmed", organizer=Invitee(identity.email.lower(), identity.name),
        attendees=tuple(
            Invitee(one["email"].lower(), one.get("name", ""), rsvp=True) for one in to
        ),
    )  # fmt: skip
    return write_itip(ItipMessage("REQUEST", (event,)))
