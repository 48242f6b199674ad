"""What is asked of memories: words to rank by, phrases, and conditions that must hold.

The same is typed as in a search of mail, with operators of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from django.db import connection
from django.db.models import Q, QuerySet
from django.db.models.expressions import RawSQL

from agents.models import Memory, MemoryWord
from agents.models.memory import MemoryQuerySet
from agents.recall.forms import find_forms
from agents.recall.words import index_word, spellings, words_of
from inbox.actor import Actor
from inbox.errors import invalid
from inbox.reasons.text import phrase as _
from inbox.search.operators import Operators, Test, read_moment, read_text
from inbox.search.rows.folding import contains
from inbox.search.words import read_query

# Other forms of a stem, each with how much it counts for.
_Forms: TypeAlias = Mapping[str, Mapping[str, float]]
# In a list no more words of a query are looked for.
_MOST_TERMS = 16
OPERATORS: Operators = {
    "about": read_text,
    "agent": read_text,
    "after": read_moment,
    "before": read_moment,
}


@dataclass(frozen=True, slots=True)
class Question:
    """The words to rank by, those that stand together, and the memories that may answer.

    With `is_bare`, whatever the agent may recall does.
    """

    words: str
    phrases: tuple[tuple[str, ...], ...]
    rows: MemoryQuerySet
    is_bare: bool = True

    def holds(self) -> tuple[str, list[Any]]:
        """Return the SQL condition on the memory `m`, and its parameters; "" where it is bare."""
        if self.is_bare:
            return "", []
        mine: Any = self.rows.filter(pk=RawSQL("m.id", [])).order_by().values("pk")
        sql, values = mine.query.sql_with_params()
        return f" AND EXISTS ({sql})", list(values)


def read_question(actor: Actor, query: str, *, is_text: bool = False) -> Question:
    """Return what is asked; in what `is_text` no operator has a meaning.

    DomainError names an operator that has a bad value.
    """
    rows = Memory.objects.visible_to(actor)
    asked = None if is_text else read_query(query, OPERATORS)
    if asked is None or not (asked.conditions or any(" " in it.text for it in asked.terms)):
        return Question(query, (), rows)
    forms = _forms_in(actor, _texts_of(asked.conditions))
    for tests in asked.conditions:
        rows = rows.filter(_one_of(tests, forms))
    words = " ".join(form for term in asked.terms for form in term.forms)
    phrases = (tuple(words_of(term.text)) for term in asked.terms if " " in term.text)
    return Question(words, tuple(filter(None, phrases)), rows, not asked.conditions)


def has_phrases(text: str, question: Question) -> bool:
    """Return True if a text has the words of every phrase next to each other, in any ending."""
    words = f" {' '.join(words_of(text))} "
    return all(f" {' '.join(phrase)} " in words for phrase in question.phrases)


def _texts_of(conditions: Sequence[Sequence[Test]]) -> list[str]:
    """Return the words that conditions ask for."""
    return [
        str(test.value) for tests in conditions for test in tests if test.operator in {"", "about"}
    ]


def _forms_in(actor: Actor, texts: Sequence[str]) -> _Forms:
    """Return the other forms that memories have of the words; one query, none without words."""
    if not texts:
        return {}
    agents = Memory.objects.visible_to(actor).values("agent")
    return find_forms(MemoryWord.objects.filter(agent__in=agents), " ".join(texts))


def _one_of(tests: Sequence[Test], forms: _Forms) -> Q:
    one_holds = Q()
    for test in tests:
        condition = _condition(test, forms)
        one_holds |= ~condition if test.is_negated else condition
    return one_holds


def _condition(test: Test, forms: _Forms) -> Q:
    match test.operator:
        case "after":
            return Q(created_at__gte=test.value)
        case "before":
            return Q(created_at__lt=test.value)
        case "agent":
            return contains("agent__name", str(test.value))
    text = str(test.value)
    # What is left out is what says this; what is asked about may be said in any order.
    if not words_of(text):
        return Q(pk__in=())
    found = Q(pk__in=_having(text, forms))
    return found & contains("content", text) if not test.operator and " " in text else found


def _having(text: str, forms: _Forms) -> Any:
    """Return the keys of the memories that have every word of a text, as a part of a query."""
    words = dict.fromkeys(words_of(text))
    every = [[word, *spellings(word), *forms.get(word, ())] for word in words]
    if connection.vendor == "sqlite":
        groups = [f"({' OR '.join(index_word(one) for one in group)})" for group in every]
        sql = "SELECT rowid FROM agents_memory_search WHERE agents_memory_search MATCH %s"
        return RawSQL(sql, [" AND ".join(groups)])  # noqa: S611 (of letters and digits)
    groups = [f"({' | '.join(index_word(one) for one in group)})" for group in every]
    sql = "SELECT id FROM agents_memory WHERE search @@ to_tsquery('simple', %s)"
    return RawSQL(sql, [" & ".join(groups)])  # noqa: S611 (of letters and digits)


def keep_memories(actor: Actor, rows: QuerySet[Any], query: str) -> QuerySet[Any]:
    """Keep the memories that have every word of a query, as a part of one too, in any order.

    The name of the agent that saved it is among its words. DomainError names an operator that has a
    bad value, and says where there is no word.
    """
    asked = read_query(query, OPERATORS)
    if not asked.terms and not asked.conditions:
        raise invalid("query", _("There is no word to look for."), _("words to look for"))
    rows = rows.filter(pk__in=Memory.objects.visible_to(actor).values("pk"))
    terms = asked.terms[:_MOST_TERMS]
    typed = [form for term in terms for form in term.forms]
    forms = _forms_in(actor, [*typed, *_texts_of(asked.conditions)])
    for tests in asked.conditions:
        rows = rows.filter(_one_of(tests, forms))
    for term in terms:
        found = Q()
        for form in term.forms:
            found |= contains("content", form) | contains("agent__name", form)
            if " " not in form:
                found |= Q(pk__in=_having(form, forms)) if words_of(form) else Q()
        rows = rows.filter(found)
    return rows
