"""Searching the mail of an inbox."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeAlias

from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

from inbox.actor import Actor
from inbox.errors import invalid
from inbox.models import Attachment, Inbox, Mailbox, Message
from inbox.prepared import Prepared, padded
from inbox.reasons.text import phrase as _
from inbox.rfc5322.text.language import detect_language
from inbox.search.attachments import find_attached
from inbox.search.conversations import LOOKED_AT, weigh_conversations
from inbox.search.corrections import correct
from inbox.search.index import WALKED, Span, find_all, find_newest, is_cut, look_around, matching
from inbox.search.operators import Test, refuse
from inbox.search.ranking import rank
from inbox.search.snippets import LONGEST_SNIPPET, snippet
from inbox.search.words import (
    MOST_TYPED,
    Query,
    Term,
    in_all_forms,
    is_message,
    open_last,
    parse_query,
    read_query,
)
from inbox.semantic.finding import near_messages, place_nearest

MOST_HITS = 50
# Of so many inboxes at once, at most.
MOST_SEARCHED = 500
_MOST_LABELS = 1000
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class Hit:
    """A message that was found, how well (above zero, comparable within one search), and where."""

    message: Message
    score: float
    snippet: str


class Hits(list[Hit]):
    """Hits, best first; `instead` has by word that no mail has the one that was looked for.

    `looked_through` is how many of the newest messages were asked, where not all were.
    """

    instead: Mapping[str, str] = MappingProxyType({})
    looked_through: int = 0


class Scores(dict[int, float]):
    """Keys of messages with their scores, best first; the others as with `Hits`."""

    instead: Mapping[str, str] = MappingProxyType({})
    looked_through: int = 0
    terms: Sequence[Term] = ()
    # By message the attachment that has words which it lacks itself.
    attachments: Mapping[int, int] = MappingProxyType({})


def search_messages(
    *,
    actor: Actor,
    inbox: Inbox,
    query: str,
    top_k: int = 10,
    start: datetime | None = None,
    end: datetime | None = None,
) -> Hits:
    """Return the best hits in subjects, senders, attachment names and text, best first.

    First what has every word, then what has them with the last as a beginning, then what has some;
    each by BM25 and its conversation, in which the inbox and the times have no part. What has every
    word only with its attachments comes behind what has them itself. Where nothing
    has every word, and one of them stands in no mail of the inbox, the nearest that does is looked
    for (`inbox.search.corrections`). Of the first 20,000 characters 400 words are looked for. What
    somebody typed may have operators (`inbox.search.words.read_query`); of nothing but these the
    newest are found. A whole message has none. `start` is inclusive, `end` exclusive, on the time
    of receipt. Of equals the newest comes first. Sixteen queries at most, and as many again where
    a word is replaced. On PostgreSQL a query of nothing but words such as "the" or "will" is
    answered from the `LOOKED_THROUGH` newest messages. DomainError names an operator that has a
    bad value.
    """
    asked = read_query(query)
    asked = _with_labels((inbox.pk,), asked)
    span = Span((inbox.pk,), start, end, asked.conditions)
    found = _rank(span, asked.terms, min(top_k, MOST_HITS))
    if not found:
        return _with_remarks(Hits(), found)
    messages = _MESSAGES.rows(actor=actor, inbox=inbox.pk, found=padded(list(found)))
    ordered = sorted(messages, key=lambda m: (found[m.pk], m.received_at), reverse=True)
    snippets = _snippets(actor, found, ordered)
    hits = Hits(Hit(message, found[message.pk], snippets[message.pk]) for message in ordered)
    return _with_remarks(hits, found)


def _messages(*, actor: Actor, inbox: int, found: tuple[int, ...]) -> Sequence[QuerySet[Message]]:
    rows = Message.objects.visible_to(actor).filter(inbox=inbox, pk__in=found).kept()
    return [rows.only(*_SHOWN)]


def _attached(*, actor: Actor, messages: tuple[int, ...]) -> Sequence[QuerySet[Any, Any]]:
    rows = Attachment.objects.visible_to(actor).filter(message__in=messages)
    return [rows.exclude(filename="").values_list("message_id", "filename")]


# What passages are taken from, and what names a hit.
_SHOWN = (
    "submission_id", "thread_id", "inbox_id", "received_at", "from_email", "from_name", "subject",
    "text", "language",
)  # fmt: skip
_MESSAGES, _ATTACHED = Prepared(_messages), Prepared(_attached)


def _with_remarks(hits: Hits, found: Scores) -> Hits:
    hits.instead, hits.looked_through = found.instead, found.looked_through
    return hits


def rank_messages(
    *, inboxes: Sequence[Inbox], query: str, limit: int, is_text: bool = False
) -> Scores:
    """Return the keys of the best hits over several inboxes with their scores.

    In what is a text, and nothing that somebody typed to search, no operator has a meaning, and no
    word is replaced. Fourteen queries at most, and as many more where one is.
    DomainError as with `search_messages`.
    """
    inbox_ids = tuple(inbox.pk for inbox in inboxes)
    if not inbox_ids:
        return Scores()
    asked = Query(parse_query(query)) if is_text else read_query(query)
    asked = _with_labels(inbox_ids, asked)
    span = Span(inbox_ids, conditions=asked.conditions)
    return _rank(span, asked.terms, limit, may_replace=not is_text)


def keep_matching(
    rows: QuerySet[Message], *, inboxes: Sequence[Inbox], query: str
) -> QuerySet[Message]:
    """Keep the messages of these inboxes that have every word of a query, whatever their order.

    DomainError as with `search_messages`, and where there is nothing to look for.
    """
    asked = read_query(query)
    if not asked.terms and not asked.conditions:
        raise invalid("query", _("There is no word to look for."), _("words to look for"))
    inbox_ids = tuple(inbox.pk for inbox in inboxes)
    if not inbox_ids:
        return rows.none()
    asked = _with_labels(inbox_ids, asked)
    sql, values = matching(Span(inbox_ids, conditions=asked.conditions), in_all_forms(asked.terms))
    found: Any = RawSQL(sql, values)  # noqa: S611 (of our own words and numbers)
    return rows.filter(pk__in=found)


def _with_labels(inbox_ids: tuple[int, ...], asked: Query) -> Query:
    """Return the query with the mailboxes of its labels, by key, in place of their names.

    Raises DomainError where a label is asked for that none of the inboxes has.
    """
    if not any(test.operator == "label" for tests in asked.conditions for test in tests):
        return asked
    rows = Mailbox.objects.filter(inbox__in=inbox_ids).order_by("name")
    mailboxes = list(rows.values_list("pk", "name", "role")[:_MOST_LABELS])

    def known(test: Test) -> Test:
        if test.operator != "label":
            return test
        label = str(test.value)
        keys = tuple(
            pk for pk, name, role in mailboxes if label.lower() in {name.lower(), role.lower()}
        )
        if len(mailboxes) == _MOST_LABELS:
            return test
        if not keys:
            names = dict.fromkeys(name for _, name, _ in mailboxes)
            raise refuse("label", label, ", ".join(f'label:"{name}"' for name in names)[:500])
        return replace(test, value=keys)

    return replace(asked, conditions=tuple(tuple(map(known, it)) for it in asked.conditions))


def _rank(span: Span, terms: Sequence[Term], limit: int, *, may_replace: bool = True) -> Scores:
    """Return the scores of the best hits by key, best first: the one list, or several fused."""
    if not terms:
        newest = find_newest(span, limit) if span.conditions else []
        told = Scores(dict.fromkeys(newest, 1.0))
        if span.conditions and len(newest) < limit and is_cut(span):
            told.looked_through = WALKED
        return told
    span = look_around(span)
    found, instead = _find(span, terms, limit), {}
    if may_replace and not found.has_all and not is_message(terms):
        better = correct(span, terms)
        again = _find(span, better.terms, limit) if better else None
        if better and again and any(again.lists):
            found, terms, instead = again, better.terms, dict(better.instead)
    scores = _one_after_another(found.lists)
    if found.has_every < limit and _may_be_meant(terms):
        text = " ".join(form for term in terms for form in term.forms)
        near = near_messages(text, span.inbox_ids, span.condition)
        scores = _one_after_another(place_nearest(scores, near, found.has_every))
    best = Scores(list(scores.items())[:limit])
    best.terms, best.instead, best.attachments = terms, instead, found.attachments
    return best


_Scores: TypeAlias = list[tuple[int, float]]


@dataclass(frozen=True, slots=True)
class _Found:
    """Hits in lists of which each comes before the next, and the attachments that told of some."""

    lists: Sequence[_Scores]
    attachments: Mapping[int, int]

    @property
    def has_all(self) -> bool:
        """Return True if anything has every term, or has all with the last one as a beginning."""
        return any(self.lists[:-1])

    @property
    def has_every(self) -> int:
        """How many have every term, some of them with what is attached."""
        return sum(map(len, self.lists[:2]))


def _may_be_meant(terms: Sequence[Term]) -> bool:
    """Return True if what has a meaning like that of the terms is looked for as well.

    What is quoted is looked for as it stands, and a whole message says enough in its words.
    """
    return len(terms) <= MOST_TYPED and not any(" " in term.text for term in terms)


def _find(span: Span, terms: Sequence[Term], limit: int) -> _Found:
    """Find what has every term, with attachments, with the last as a beginning, and what has some.

    Of a whole message nothing is looked for in attachments.
    """
    is_whole_message = is_message(terms)
    asked = terms if is_whole_message else in_all_forms(terms)
    ranked = rank(span, asked, max(limit, LOOKED_AT), shown=limit)
    ranked = weigh_conversations(span, ranked, is_whole_message=is_whole_message)
    whole = [(one.key, one.score) for one in ranked if one.has_all]
    some = [(one.key, one.score) for one in ranked if not one.has_all]
    may_go_on = len(whole) < limit and not is_whole_message
    attached = find_attached(span, asked, limit) if may_go_on else []
    opened = open_last(terms) if may_go_on and len(terms) <= MOST_TYPED else None
    begun = find_all(span, opened, limit) if opened is not None else []
    lists = [whole, [(one.key, one.score) for one in attached], begun, some]
    told = {one.key: one.attachment for one in attached}
    return _Found(_each_once(lists), told)


def _each_once(lists: Sequence[_Scores]) -> list[_Scores]:
    """Return the lists, of each only what none before it has."""
    there: set[int] = set()
    kept = []
    for hits in lists:
        kept.append([hit for hit in hits if hit[0] not in there])
        there |= {key for key, _ in hits}
    return kept


def _one_after_another(found: Sequence[_Scores]) -> dict[int, float]:
    """Return the scores, those of each list below those of the one before; near equals equal."""
    scores: dict[int, float] = {}
    for hits in found:
        best = max((score for _, score in hits), default=1.0)
        scale = min(scores.values(), default=best / 0.9) * 0.9 / best
        scores |= {key: max(round(score * scale, 9), 1e-9) for key, score in hits}
    return scores


class _Labels:
    """What messages are shown by where their texts have no hit; names of files only if need be."""

    def __init__(self, actor: Actor, keys: list[int]) -> None:
        self._actor, self._keys = actor, keys

    def of(self, message: Message) -> Iterator[tuple[str, str]]:
        """Yield the shorter texts of one of the messages, each with its name."""
        yield "Subject", message.subject
        yield "From", f"{message.from_name} {message.from_email}".strip()
        for name in self._filenames.get(message.pk, ()):
            yield "Attachment", name

    @cached_property
    def _filenames(self) -> dict[int, list[str]]:
        names: dict[int, list[str]] = {}
        for key, name in _ATTACHED.fetched(actor=self._actor, messages=padded(self._keys)):
            names.setdefault(key, []).append(name)
        return names


def _snippets(actor: Actor, found: Scores, messages: Sequence[Message]) -> dict[int, str]:
    """Return by message the passage that has the hit, of itself or of what is attached to it."""
    labels = _Labels(actor, [message.pk for message in messages])
    shown = {
        message.pk: snippet(found.terms, message.text, labels.of(message), message.language)
        for message in messages
    }
    telling = [found.attachments[it.pk] for it in messages if it.pk in found.attachments]
    if not telling:
        return shown
    rows = Attachment.objects.visible_to(actor).filter(message__in=messages, pk__in=telling)
    for message, filename, text in rows.values_list("message_id", "filename", "said__text"):
        passage = snippet(found.terms, text or "", [], detect_language(text or ""))
        name = " ".join(filename.split())[:_LONGEST_NAME]
        shown[message] = f"Attachment: {name} · {passage}"[:LONGEST_SNIPPET]
    return shown
