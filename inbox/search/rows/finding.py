"""Searching rows other than mail, by what the search of mail takes: words, phrases, operators."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db.models import Q, QuerySet

from inbox.actor import Actor
from inbox.errors import invalid
from inbox.reasons.text import phrase as _
from inbox.search.operators import Operators, Test, Value
from inbox.search.rows.index import RowHit, Scope, find_begun, rank_rows, with_all
from inbox.search.rows.kinds import Kind
from inbox.search.words import Query, Term, in_all_forms, open_last, parse_query, read_query

# Of a longer query the rest is not looked for.
MOST_TERMS = 32
# Of so many words a part is looked for where none is found whole.
_MOST_PARTS = 8


@dataclass(frozen=True, slots=True)
class Asked:
    """The words of a query, and what of the rows it may find."""

    terms: tuple[Term, ...]
    rows: QuerySet[Any]

    @property
    def every_form(self) -> tuple[Term, ...]:
        """The words with the other forms that the index has of them."""
        return in_all_forms(self.terms)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Whose rows are searched for what, by whom.

    An operator of `elsewhere` that the kind has not is one of another kind that is searched with
    it: no row of this kind fulfils it. In what `is_text`, and nothing that somebody typed to
    search, no operator has a meaning, and the hits are in the order of their scores alone.
    """

    kind: Kind
    actor: Actor
    owners: Sequence[int]
    query: str
    elsewhere: Collection[str] = ()
    is_text: bool = False


def read_asked(wanted: Wanted, rows: QuerySet[Any]) -> Asked:
    """Return the terms of a query, and those of the rows that fulfil its conditions.

    DomainError names an operator that has a bad value.
    """
    query = _read(wanted)
    return Asked(query.terms[:MOST_TERMS], _fulfilling(wanted, query, rows))


def terms_of(wanted: Wanted) -> tuple[Term, ...]:
    """Return what is looked for as words, for showing where it stands."""
    return _read(wanted).terms[:MOST_TERMS]


def find_rows(wanted: Wanted, rows: QuerySet[Any], limit: int) -> dict[int, float]:
    """Return the keys of the best of these rows with their scores, best first; five queries.

    First what has every word, then what has them with the last one as a beginning, then what has
    each as a part of a word where nothing has it whole, then what has some. Of nothing but
    operators the first in the order of the kind are found. DomainError names an operator that has a
    bad value.
    """
    return _in_order(find_apart(wanted, rows, limit), limit)


def find_apart(wanted: Wanted, rows: QuerySet[Any], limit: int) -> list[Mapping[int, float]]:
    """Return the same in the lists of which `find_rows` makes one; the last has some of the words.

    What is no more than a text has one list.
    """
    mine = rows.filter(**{f"{wanted.kind.owner}__in": wanted.owners})
    asked = read_asked(wanted, mine)
    if not wanted.owners:
        return []
    if not asked.terms:
        newest = asked.rows if asked.rows is not mine else mine.none()
        keys = newest.order_by(*wanted.kind.newest).values_list("pk", flat=True)
        return [dict.fromkeys(keys[:limit], 1.0), {}]
    scope = Scope(wanted.kind, wanted.owners, asked.rows)
    try:
        ranked = rank_rows(scope, asked.every_form, limit)
        if wanted.is_text:
            ranked.sort(key=lambda hit: (hit.score, hit.key), reverse=True)
            return [{hit.key: hit.score for hit in ranked}]
        return _more(scope, asked.terms, ranked, limit)
    except EmptyResultSet:
        # What the actor may see is nothing, as is known without the database.
        return []


def keep_rows(wanted: Wanted, rows: QuerySet[Any]) -> QuerySet[Any]:
    """Keep the rows that have every word of a query, as a part of one too, whatever their order.

    DomainError as with `find_rows`, and where there is nothing to look for.
    """
    asked = read_asked(wanted, rows)
    if not asked.terms and asked.rows is rows:
        raise invalid("query", _("There is no word to look for."), _("words to look for"))
    if not asked.terms:
        return asked.rows
    indexed = with_all(wanted.kind, wanted.owners, asked.every_form)
    return asked.rows.filter(Q(pk__in=indexed) | _has_parts(wanted.kind, asked.terms))


def _read(wanted: Wanted) -> Query:
    if wanted.is_text:
        return Query(parse_query(wanted.query))
    own = wanted.kind.operators
    others: Operators = {name: _take for name in wanted.elsewhere if name not in own}
    return read_query(wanted.query, {**wanted.kind.readers, **others})


def _take(_name: str, text: str) -> Value:
    return text


def _fulfilling(wanted: Wanted, query: Query, rows: QuerySet[Any]) -> QuerySet[Any]:
    for tests in query.conditions:
        one_holds = Q()
        for test in tests:
            condition = _condition(wanted, test)
            one_holds |= ~condition if test.is_negated else condition
        rows = rows.filter(one_holds)
    return rows


def _condition(wanted: Wanted, test: Test) -> Q:
    kind = wanted.kind
    if not test.operator:
        return Q(pk__in=with_all(kind, (), [Term(str(test.value))]))
    if test.operator not in kind.operators:
        return Q(pk__in=())
    return kind.operators[test.operator].condition(test.value, wanted.actor)


def _more(
    scope: Scope, terms: Sequence[Term], ranked: Sequence[RowHit], limit: int
) -> list[Mapping[int, float]]:
    """Return what has every term, the last as a beginning, each as a part, and some."""
    whole = {hit.key: hit.score for hit in ranked if hit.has_all}
    some = {hit.key: hit.score for hit in ranked if not hit.has_all}
    opened = open_last(terms) if len(whole) < limit else None
    begun = find_begun(scope, in_all_forms(opened), limit) if opened else []
    parts: dict[int, float] = {}
    if not whole and not begun and len(terms) <= _MOST_PARTS:
        rows = scope.rows.filter(_has_parts(scope.kind, terms)).order_by(*scope.kind.newest)
        parts = dict.fromkeys(rows.values_list("pk", flat=True)[:limit], 1.0)
    return [whole, {hit.key: hit.score for hit in begun}, parts, some]


def _has_parts(kind: Kind, terms: Sequence[Term]) -> Q:
    every = Q()
    for term in terms[:_MOST_PARTS]:
        every &= kind.has_part(term.text)
    return every


def _in_order(found: Sequence[Mapping[int, float]], limit: int) -> dict[int, float]:
    """Return the scores, those of each list below those of the one before."""
    scores: dict[int, float] = {}
    for hits in found:
        best = max(hits.values(), default=1.0)
        scale = min(scores.values(), default=best / 0.9) * 0.9 / best
        for key, score in hits.items():
            scores.setdefault(key, max(round(score * scale, 9), 1e-9))
    return dict(list(scores.items())[:limit])
