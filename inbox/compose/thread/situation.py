"""What of a thread a reply needs: who asks what, in which language, and the facts at hand."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import regex

from inbox.compose.phrasing.languages import guess_language, is_informal
from inbox.compose.thread.meetings import Proposal, proposed_times, speaks_of_meeting
from inbox.extract.document import Document, layers_of
from inbox.extract.readers.display_names import is_personal
from inbox.extract.readers.identifiers import find_identifiers
from inbox.extract.readers.numbers import Amount, find_amounts
from inbox.extract.readers.people import find_writer
from inbox.languages import any_of, lazy_regex
from inbox.models import Direction, Message

LONGEST_QUESTION = 160
MOST_QUESTIONS = 4
_SENTENCE = lazy_regex(
    r"[^.!?。!?؟\n]*(?:\n(?!\s*\n)[^.!?。!?؟\n]+)*[.!?。!?؟]?(?=\s|$|"
    r"[\p{Han}\p{Hiragana}\p{Katakana}])"
)
# Sentences that speak to a machine or would have something done are never repeated.
_NEVER_REPEATED = lazy_regex(
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
_LEAD = lazy_regex(
    lambda: (
        rf"^(?:{any_of(lambda it: it.talk.question_greetings)}(?:\s\p{{Lu}}\p{{L}}+)?[,!]\s+"
        rf"|{any_of(lambda it: it.talk.question_joints)},?\s+"
        r"|(?:\d{1,2}[.)]|[a-h]\))\s*){1,3}"
    ),
    regex.IGNORECASE,
)
_ASKS = lazy_regex(lambda: rf"(?:[?\uff1f؟]|{any_of(lambda it: it.talk.question_ends)})$")
# What asks for a yes or a no, or for something to be done.
_WANTS = lazy_regex(
    lambda: (
        rf"[?\uff1f؟]|{any_of(lambda it: it.talk.question_ends)}"
        rf"|\b{any_of(lambda it: it.talk.wants)}\b|{any_of(lambda it: it.talk.wants_joined)}"
    ),
    regex.IGNORECASE,
)
_RHETORICAL = lazy_regex(
    lambda: rf"^\W*{any_of(lambda it: it.talk.rhetorical)}\W*|^\W*\p{{L}}{{0,12}}\W*$",
    regex.IGNORECASE,
)


@dataclass(frozen=True)
class Fact:
    """Something that the thread says, and the message that says it."""

    text: str
    message: Message


@dataclass(frozen=True)
class Situation:
    """The thread as the reply sees it; `answered` is the message to reply to.

    `informal` is the language in which the writer is on first-name terms with us, "" if not so;
    `proposals` are the times for a meeting that it proposes, and `meets` says that it is about one;
    `text` is all that was written, `asks` says that the writer wants something, and `names` are the
    writer's own.
    """

    answered: Message | None
    language: str = ""
    name: str = ""
    questions: tuple[str, ...] = ()
    numbers: dict[str, Fact] = field(default_factory=dict)
    amount: Amount | None = None
    amount_from: Message | None = None
    proposals: tuple[Proposal, ...] = ()
    meets: bool = False
    text: str = ""
    asks: bool = False
    names: frozenset[str] = frozenset()
    informal: str = ""


def read_thread(messages: Sequence[Message]) -> Situation:
    """Return the situation of a thread, its messages given oldest first."""
    came_in = [message for message in messages if message.direction == Direction.INBOUND]
    written = "\n".join(f"{it.subject}\n{it.new_text[:8000]}" for it in messages[-8:])
    of_all = Situation(
        None, _language(messages), text=written, proposals=proposed_times(messages),
        meets=speaks_of_meeting(messages[-8:]),
    )  # fmt: skip
    if not came_in:
        return of_all
    newest = came_in[-1]
    amount, amount_from = _amount(came_in)
    language = _language([newest]) or guess_language(newest.new_text) or of_all.language
    return replace(
        of_all, answered=newest, name=_name(newest), language=language,
        informal=language if is_informal(newest.new_text[:8000], language) else "",
        questions=tuple(find_questions(newest.new_text)), numbers=_numbers(came_in), amount=amount,
        amount_from=amount_from, asks=_WANTS.search(newest.new_text[:8000]) is not None,
        names=_names_of(newest),
    )  # fmt: skip


def _numbers(came_in: Sequence[Message]) -> dict[str, Fact]:
    numbers: dict[str, Fact] = {}
    for message in reversed(came_in[-8:]):
        text = f"{message.subject}\n{message.new_text[:8000]}"
        for role in ("order", "invoice", "ticket"):
            if role not in numbers and (found := find_identifiers(text, role)):
                numbers[role] = Fact(str(found[0].value), message)
    return numbers


def _names_of(message: Message) -> frozenset[str]:
    """Return the words of the writer's name, as one would speak of them."""
    return frozenset(
        word
        for word in regex.findall(r"\p{L}{2,}", f"{message.from_name} {_name(message)}")
        if word[0].isupper()
    )


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


def find_questions(text: str) -> list[str]:
    """Return the questions that the text asks and a reply may repeat."""
    found = []
    for match in _SENTENCE.finditer(text[:8000], timeout=1.0):
        sentence = _LEAD.sub("", " ".join(match[0].split()).strip("-*•> "))
        asks = _ASKS.search(sentence) and 8 <= len(sentence) <= LONGEST_QUESTION
        if asks and not _NEVER_REPEATED.search(match[0]) and not _RHETORICAL.fullmatch(sentence):
            found.append(sentence[0].upper() + sentence[1:])
    return list(dict.fromkeys(found))[:MOST_QUESTIONS]
