"""What a thread is about in a few sentences, taken from its own words."""

from collections.abc import Sequence

import regex

from inbox.classify.gist import gist
from inbox.compose.thread.situation import find_questions
from inbox.models import Direction, Message

LONGEST = 600


def summarise(messages: Sequence[Message]) -> str:
    """Return who wants what, what was answered, how it stands and what is open.

    At most 600 characters. The messages are given oldest first; the same ones always give the
    same summary.
    """
    if not messages:
        return "No messages."
    first, last = messages[0], messages[-1]
    lines = [f"{_who(first)}: {_gist(first)}"]
    answers = [it for it in messages if it.direction != first.direction and it is not last]
    if answers:
        lines.append(f"{_who(answers[-1])}: {_gist(answers[-1])}")
    if last is not first:
        lines.append(f"Latest, {_day(last)}, {_who(last)}: {_gist(last)}")
    if open_question := _open_question(messages):
        lines.append(f"Open: {open_question}")
    return _fit(begin_summary(messages), lines)


def begin_summary(messages: Sequence[Message]) -> str:
    """Return how a summary begins: the subject, how many messages, and when they came."""
    count = len(messages)
    words = "message" if count == 1 else "messages"
    return _short(f"{_subject(messages[0])} ({count} {words}, {_span(messages)}).", 150)


def _fit(head: str, lines: Sequence[str]) -> str:
    head += " "
    room = (LONGEST - len(head)) // max(len(lines), 1) - 1
    return (head + " ".join(_short(line, room) for line in lines)).strip()[:LONGEST]


def _subject(message: Message) -> str:
    return _short(" ".join(message.subject.split()) or "No subject", 90)


def _who(message: Message) -> str:
    name = " ".join((message.from_name or message.from_email or "somebody").split())
    return _short(name, 40)


def _gist(message: Message) -> str:
    return gist(message.subject, message.new_text or message.text) or "(no text)"


def _day(message: Message) -> str:
    return (message.sent_at or message.received_at).date().isoformat()


def _span(messages: Sequence[Message]) -> str:
    first, last = _day(messages[0]), _day(messages[-1])
    return first if first == last else f"{first} to {last}"


def _open_question(messages: Sequence[Message]) -> str:
    """Return the last question that came in and that we have not answered since."""
    for message in reversed(messages):
        if message.direction == Direction.OUTBOUND:
            return ""
        if questions := find_questions(message.new_text):
            return questions[-1]
    return ""


def _short(text: str, most: int) -> str:
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    if " " in cut[most // 2 :]:
        cut = cut.rpartition(" ")[0]
    return regex.sub(r"[\s,;:.]+$", "", cut) + "…"
