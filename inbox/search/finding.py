"""Searching the mail of an inbox."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from inbox.actor import Actor
from inbox.models import Attachment, Inbox, Message
from inbox.search.conversations import LOOKED_AT, weigh_conversations
from inbox.search.index import Span, find_all
from inbox.search.ranking import MOST_TYPED, is_message, rank
from inbox.search.words import Term, open_last, parse_query, snippet, words_of

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

    First what has every word, then what has them with the last as a beginning, then what has some;
    each by BM25, in which the inbox and the times have no part. Of the first 20,000 characters
    400 words are looked for. `"…"` keeps words together, unless the query is a whole message, and
    no other character has a meaning. `start` is inclusive, `end` exclusive, on the time of receipt.
    Of equals the newest comes first. Five queries at most. On PostgreSQL a query of nothing but
    words such as "the" or "will" is answered from the `LOOKED_THROUGH` newest messages.
    """
    terms = parse_query(query)
    found = _rank((inbox.pk,), terms, min(top_k, MOST_HITS), start, end)
    if not found:
        return []
    rows = Message.objects.visible_to(actor).filter(inbox=inbox, pk__in=found).kept()
    messages = rows.defer("html", "new_text", "references", "signals")
    ordered = sorted(messages, key=lambda m: (found[m.pk], m.received_at), reverse=True)
    snippets = _snippets(actor, terms, ordered)
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
    if not terms:
        return {}
    scores = _one_after_another(_find(Span(inbox_ids, start, end), terms, limit))
    return dict(list(scores.items())[:limit])


_Scores: TypeAlias = list[tuple[int, float]]


def _find(span: Span, terms: Sequence[Term], limit: int) -> list[_Scores]:
    """Return what has every term, what has the last one as a beginning, and what has some."""
    ranked = rank(span, terms, max(limit, LOOKED_AT))
    is_whole_message = is_message(words_of(terms))
    ranked = weigh_conversations(span, ranked, is_whole_message=is_whole_message)
    whole = [(one.key, one.score) for one in ranked if one.has_all]
    some = [(one.key, one.score) for one in ranked if not one.has_all]
    may_open = len(whole) < limit and len(terms) <= MOST_TYPED
    opened = open_last(terms) if may_open else None
    begun = find_all(span, opened, limit) if opened is not None else []
    there = {key for key, _ in whole}
    begun = [hit for hit in begun if hit[0] not in there]
    there = {key for key, _ in begun}
    return [whole, begun, [hit for hit in some if hit[0] not in there]]


def _one_after_another(found: Sequence[_Scores]) -> dict[int, float]:
    """Return the scores, those of each list below those of the one before; near equals equal."""
    scores: dict[int, float] = {}
    for hits in found:
        best = max((score for _, score in hits), default=1.0)
        scale = min(scores.values(), default=best / 0.9) * 0.9 / best
        scores |= {key: max(round(score * scale, 9), 1e-9) for key, score in hits}
    return scores


def _snippets(
    actor: Actor, terms: Sequence[Term], messages: Sequence[Message]
) -> dict[int, str]:  # fmt: skip
    names: dict[int, list[str]] = {}
    rows = Attachment.objects.visible_to(actor).filter(message__in=messages).exclude(filename="")
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
