"""What of a thread a reply needs: who asks what, in which language, and the facts at hand."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

import regex

from inbox.extract.dates import find_dates
from inbox.extract.document import Document, layers_of
from inbox.extract.identifiers import find_identifiers
from inbox.extract.numbers import Amount, find_amounts
from inbox.extract.people import find_writer, is_personal
from inbox.extract.times import find_times
from inbox.models import Direction, Message

LONGEST_QUESTION = 160
MOST_QUESTIONS = 4
_SENTENCE = regex.compile(
    r"[^.!?。!?؟\n]*(?:\n(?!\s*\n)[^.!?。!?؟\n]+)*[.!?。!?؟]?(?=\s|$|"
    r"[\p{Han}\p{Hiragana}\p{Katakana}])"
)
# Sentences that speak to a machine or would have something done are never repeated.
_NEVER_REPEATED = regex.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,60}\b(?:instruction|prompt|rule|"
    r"polic|above|previous)|system prompt|"
    r"\b(?:assistant|language model|chatbot|a\.?i\.?(?: agent| model)?|llm|gpt)\b|"
    r"\b(?:agent|bot)s?\b|"
    r"\b(?:password|passwort|credential|api key|secret|token|iban|bitcoin|gift card|wire)\w*|"
    r"\b(?:forward|bcc|send)\b.{0,40}\b(?:all|every|inbox|e-?mails|list|customers?|"
    r"contacts)\b|https?:|www\.|@|"
    r"\b(?:reply|respond|answer) (?:only )?with\b|\bexecute\b|\bcurl\b|<[^>]*>",
    regex.IGNORECASE,
)
# What a question begins with and can do without: a greeting, a number, a joint.
_LEAD = regex.compile(
    r"^(?:(?:hi|hello|hey|dear|hallo|guten tag|bonjour|hola|buenos días)(?:\s\p{Lu}\p{L}+)?[,!]\s+"
    r"|(?:also|and|so|but|und|außerdem|et|y|además),?\s+|(?:\d{1,2}[.)]|[a-h]\))\s*){1,3}",
    regex.IGNORECASE,
)
# A Japanese question needs no question mark.
_ASKS = regex.compile(r"(?:[?\uff1f؟]|か。)$")
_RHETORICAL = regex.compile(
    (
        r"^\W*(?:how are you|how is it going|wie geht es|comment allez|ça va|¿?cómo "
        r"está|お元気|كيف حال|are you (?:kidding|serious)|really)\W*|^\W*\p{L}{0,12}\W*$"
    ),
    regex.IGNORECASE,
)


@dataclass(frozen=True)
class Fact:
    """Something that the thread says, and the message that says it."""

    text: str
    message: Message


@dataclass(frozen=True)
class Situation:
    """The thread as the reply sees it; `answered` is the message to reply to."""

    answered: Message | None
    language: str = ""
    name: str = ""
    questions: tuple[str, ...] = ()
    numbers: dict[str, Fact] = field(default_factory=dict)
    amount: Amount | None = None
    amount_from: Message | None = None
    meeting_on: date | None = None
    meeting_at: str = ""


def read_thread(messages: Sequence[Message]) -> Situation:
    """Return the situation of a thread, its messages given oldest first."""
    came_in = [message for message in messages if message.direction == Direction.INBOUND]
    if not came_in:
        return Situation(None, _language(messages))
    newest = came_in[-1]
    meeting_on, meeting_at = _meeting(newest)
    numbers: dict[str, Fact] = {}
    for message in reversed(came_in[-8:]):
        text = f"{message.subject}\n{message.new_text[:8000]}"
        for role in ("order", "invoice", "ticket"):
            if role not in numbers and (found := find_identifiers(text, role)):
                numbers[role] = Fact(str(found[0].value), message)
    amount, amount_from = _amount(came_in)
    return Situation(
        answered=newest, language=_language([newest]), name=_name(newest),
        questions=tuple(find_questions(newest.new_text)), numbers=numbers, amount=amount,
        amount_from=amount_from,
        meeting_on=meeting_on, meeting_at=meeting_at,
    )  # fmt: skip


def _language(messages: Sequence[Message]) -> str:
    return next((message.language for message in reversed(messages) if message.language), "")


def _name(message: Message) -> str:
    document = Document(
        layers=layers_of("", message.new_text, message.text, ()),
        sent_at=message.received_at, sender_name=message.from_name,
    )  # fmt: skip
    found = find_writer(document)
    name = found.text if found else ""
    return (
        name if is_personal(name) and len(name) <= 60 and not _NEVER_REPEATED.search(name) else ""
    )


def _amount(came_in: Sequence[Message]) -> tuple[Amount | None, Message | None]:
    """Return the one amount in the newest message that has any; of several none is taken."""
    for message in reversed(came_in[-8:]):
        amounts = find_amounts(f"{message.subject}\n{message.new_text[:8000]}")
        if amounts:
            distinct = {(it.value, it.currency) for it in amounts}
            return (amounts[0], message) if len(distinct) == 1 else (None, None)
    return None, None


def _meeting(message: Message) -> tuple[date | None, str]:
    """Return the one day that the message proposes, and the time beside it."""
    sent_on = (message.sent_at or message.received_at).date()
    text = message.new_text[:8000]
    days = [it for it in find_dates(text, sent_on, message.language) if it.day >= sent_on]
    if len({it.day for it in days}) != 1:
        return None, ""
    near = [it for it in find_times(text) if abs(it.start - days[0].end) < 40]
    return days[0].day, near[0].at.isoformat("minutes") if near else ""


def find_questions(text: str) -> list[str]:
    """Return the questions that the text asks and a reply may repeat."""
    found = []
    for match in _SENTENCE.finditer(text[:8000], timeout=1.0):
        sentence = _LEAD.sub("", " ".join(match[0].split()).strip("-*•> "))
        asks = _ASKS.search(sentence) and 8 <= len(sentence) <= LONGEST_QUESTION
        if asks and not _NEVER_REPEATED.search(match[0]) and not _RHETORICAL.fullmatch(sentence):
            found.append(sentence[0].upper() + sentence[1:])
    return list(dict.fromkeys(found))[:MOST_QUESTIONS]
