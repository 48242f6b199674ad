"""Searching the mail of an inbox."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from inbox.actor import Actor
from inbox.models import Attachment, Inbox, Message
from inbox.search.index import Span, find_all, find_any
from inbox.search.words import Term, open_last, parse_query, snippet

MOST_HITS = 50


@dataclass(frozen=True, slots=True)
class Hit:
    """A message that was found, how well (above zero, comparable within one search), and where."""

    message: Message
    score: float
    snippet: str


def search_messages(
    *,
    actor: Actor,
    inbox: Inbox,
    query: str,
    top_k: int = 10,
    start: datetime | None = None,
    end: datetime | None = None,
) -> list[Hit]:
    """Return the best hits in subjects, senders, attachment names and text, best first.

    Every word must hit, the last one perhaps as a beginning; where nothing has them all, what has
    some. `"…"` keeps words together, and no other character has a meaning. `start` is inclusive,
    `end` exclusive, on the time of receipt. Of equals the newest comes first. Five queries at most.
    """
    terms = parse_query(query)
    found = _rank((inbox.pk,), terms, min(top_k, MOST_HITS), start, end)
    if not found:
        return []
    rows = Message.objects.visible_to(actor).filter(inbox=inbox, pk__in=found).kept()
    messages = rows.defer("html", "new_text", "references", "signals")
    ordered = sorted(messages, key=lambda m: (found[m.pk], m.received_at), reverse=True)
    snippets = _snippets(terms, ordered)
    return [Hit(message, found[message.pk], snippets[message.pk]) for message in ordered]


def rank_messages(*, inboxes: Sequence[Inbox], query: str, limit: int) -> dict[int, float]:
    """Return the keys of the best hits over several inboxes with their scores; three queries."""
    inbox_ids = tuple(inbox.pk for inbox in inboxes)
    return _rank(inbox_ids, parse_query(query), limit) if inbox_ids else {}


def _rank(
    inbox_ids: tuple[int, ...],
    terms: Sequence[Term],
    limit: int,
    start: datetime | None = None,
    end: datetime | None = None,
) -> dict[int, float]:
    return _in_steps(_find(Span(inbox_ids, start, end), terms, limit)) if terms else {}


def _find(span: Span, terms: Sequence[Term], limit: int) -> list[tuple[int, float]]:
    found = find_all(span, terms, limit)
    opened = open_last(terms) if len(found) < limit else None
    if opened is not None:
        there = {pk for pk, _ in found}
        # Whole words first: what only begins like the last word stands behind them.
        lowest = min((score for _, score in found), default=1.0)
        more = [hit for hit in find_all(span, opened, limit) if hit[0] not in there]
        highest = max((score for _, score in more), default=1.0) or 1.0
        found += [(pk, lowest * 0.9 * score / highest) for pk, score in more][: limit - len(found)]
    if not found and len(terms) > 1:
        found = find_any(span, terms, limit)
    return found


def _in_steps(found: Sequence[tuple[int, float]]) -> dict[int, float]:
    """Return the scores in steps of a hundredth of the best, so that near equals are equals."""
    best = max((score for _, score in found), default=0.0)
    return {pk: best * max(round(score / best, 2), 0.01) for pk, score in found if best > 0}


def _snippets(terms: Sequence[Term], messages: Sequence[Message]) -> dict[int, str]:
    names: dict[int, list[str]] = {}
    rows = Attachment.objects.filter(message__in=messages).exclude(filename="")
    for message, filename in rows.values_list("message_id", "filename"):
        names.setdefault(message, []).append(filename)
    return {
        message.pk: snippet(
            terms,
            message.text,
            [
                ("Subject", message.subject),
                ("From", f"{message.from_name} {message.from_email}".strip()),
                *(("Attachment", name) for name in names.get(message.pk, ())),
            ],
        )
        for message in messages
    }
