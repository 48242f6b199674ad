"""What a kind of rows is searched by: its index, its columns and its operators."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from django.db.models import Model, Q

from inbox.actor import Actor
from inbox.search.operators import Operators, Value
from inbox.search.words import Term, words_of

# Makes the condition of an operator out of its value, for whom it is asked.
Condition: TypeAlias = Callable[[Any, Actor], Q]


@dataclass(frozen=True, slots=True)
class Operator:
    """How the value of an operator is read, and which rows fulfil it."""

    read: Callable[[str, str], Value]
    condition: Condition


@dataclass(frozen=True, slots=True)
class Kind:
    """Rows that have an index of their words (`database_rules.SEARCHED`)."""

    model: type[Model]
    # The table of FTS5, and its columns with what a word in each counts for.
    index: str
    weights: Mapping[str, float]
    # The column whose number is a word of the index, so that a search keeps to its own rows.
    owner: str
    # What D, C, B and A count for on PostgreSQL.
    ts_rank: str
    operators: Mapping[str, Operator]
    # The order of what is found by operators alone.
    newest: Sequence[str]
    # Makes the condition that a text stands in one of the short columns, as a part of a word too.
    has_part: Callable[[str], Q]
    # Whether PostgreSQL's index has all words as they stand as well (`index_rules.row_index`).
    has_all_words: bool = False
    # Whether the parts of what is joined by dots hit by themselves, as those of a file's name do.
    splits: bool = True

    def words(self, terms: Sequence[Term]) -> Sequence[Term]:
        """Return the words of which each hits by itself."""
        if self.splits:
            return words_of(terms)
        return [
            word for term in terms for word in ([term] if "." in term.text else words_of([term]))
        ]

    @property
    def table(self) -> str:
        """The table of the rows."""
        return self.model._meta.db_table

    @property
    def readers(self) -> Operators:
        """What the parser has to know of the operators."""
        return {name: operator.read for name, operator in self.operators.items()}
