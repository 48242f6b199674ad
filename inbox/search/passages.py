"""Passages of one conversation in a text that goes to people who are not in it."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import regex
from django.db import connection
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

from inbox.actor import Actor
from inbox.flags import Finding, found
from inbox.index_rules import plain_words
from inbox.models import Direction, Message

# A passage is eight words running. Every fifth phrase of four words is looked up in the index: a
# run of eight holds at least one of them whole.
_PASSAGE = 8
_PHRASE = 4
_STRIDE = 5
_MOST_PHRASES = 200
_MOST_CANDIDATES = 100
_LONGEST_EXCERPT = 200
_WORD = regex.compile(r"\w+")


def find_borrowed_passages(
    *, actor: Actor, body: str, recipients: Sequence[str], thread_id: int | None
) -> list[Finding]:
    """Return a finding for each message, of another thread, that the text repeats eight words of.

    Only what others wrote counts, and only where somebody among the recipients is not in that
    message's conversation.
    """
    spans = [match.span() for match in _WORD.finditer(body)]
    words = [body[start:end].casefold() for start, end in spans]
    if len(words) < _PASSAGE:
        return []
    runs = {tuple(words[i : i + _PASSAGE]): i for i in range(len(words) - _PASSAGE, -1, -1)}
    findings = []
    for message in _candidates(actor, words, thread_id):
        passage = _first_shared(runs, message.new_text)
        if passage is None or _all_take_part(message, recipients):
            continue
        excerpt = body[spans[passage[0]][0] : spans[passage[1]][1]][:_LONGEST_EXCERPT]
        findings.append(
            found(
                "content_from_other_thread", "passage", address=message.from_email,
                excerpt=excerpt, source=message.public_id,
            )
        )  # fmt: skip
    return findings


def _candidates(actor: Actor, words: list[str], thread_id: int | None) -> Iterable[Message]:
    phrases = {tuple(words[i : i + _PHRASE]) for i in range(0, len(words) - _PHRASE + 1, _STRIDE)}
    rows = Message.objects.visible_to(actor).kept().filter(direction=Direction.INBOUND)
    matching = with_phrases(rows, [" ".join(phrase) for phrase in sorted(phrases)[:_MOST_PHRASES]])
    matching = matching.exclude(thread_id=thread_id) if thread_id else matching
    return matching.select_related("thread").defer("text", "html", "search_extra")[
        :_MOST_CANDIDATES
    ]


def with_phrases(rows: QuerySet[Message], phrases: Sequence[str]) -> QuerySet[Message]:
    """Keep the messages whose indexed text has at least one of the phrases of plain words."""
    if connection.vendor == "sqlite":
        query = " OR ".join(f'"{phrase}"' for phrase in phrases)
        found: Any = RawSQL("SELECT rowid FROM inbox_search WHERE inbox_search MATCH %s", [query])
        return rows.filter(pk__in=found)
    phrase = f"phraseto_tsquery('english', {plain_words('value')})"
    condition = RawSQL(  # noqa: S611 (of our own words, the phrases are its parameter)
        f"inbox_message.search @@ (SELECT string_agg({phrase}::text,"  # noqa: S608
        " ' | ')::tsquery FROM json_array_elements_text(%s::json)"
        f" WHERE numnode({phrase}) > 0)",
        [json.dumps(list(phrases))],
    )
    return rows.annotate(has_phrase=condition).filter(has_phrase=True)


def _first_shared(runs: dict[tuple[str, ...], int], text: str) -> tuple[int, int] | None:
    """Return the places of the first and last word of the first passage that the text has too."""
    shared = {runs[run] for run in _runs(text) if run in runs}
    if not shared:
        return None
    first = last = min(shared)
    while last + 1 in shared:
        last += 1
    return first, last + _PASSAGE - 1


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    words = [match[0].casefold() for match in _WORD.finditer(text)]
    return (tuple(words[i : i + _PASSAGE]) for i in range(len(words) - _PASSAGE + 1))


def _all_take_part(message: Message, recipients: Sequence[str]) -> bool:
    named = [*message.to, *message.cc, *message.thread.participants, message.sender]
    taking_part = {address.get("email", "").lower() for address in named}
    return all(recipient.lower() in taking_part for recipient in recipients)
