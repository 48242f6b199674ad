"""Words in one field of the message `m`, in the forms in which the free words of a query hit.

The index has other forms of words beside all texts of a message together (`word_forms`): what has
them is looked for there, and of that the field is read.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from django.db import connection

from inbox.index_rules import plain_words
from inbox.rfc5322.text.folds import folded, spelled_out
from inbox.rfc5322.text.word_forms import STEM_MARK, forms_of
from inbox.search.letters import any_writing, one_of

Condition: TypeAlias = tuple[str, list[Any]]
TEXT_COLUMNS = "{subject from_name from_email search_extra text}"
# The field's columns in FTS5, its weight in PostgreSQL's index (`database_rules`), and its SQL.
_FIELDS = {
    "from": ("{from_name from_email}", "B", "(m.from_name || ' ' || m.from_email)"),
    "subject": ("{subject}", "A", "m.subject"),
}
_WORD = re.compile(r"[^\W_]+")
_MOST_WORDS = 10
_SHORTEST_STEM, _LONGEST_ENDING = 3, 6
# The end of a compound is so long at least, and has so much before it at most.
_SHORTEST_PART, _LONGEST_HEAD = 5, 20


def in_field(operator: str) -> Callable[[Any], Condition]:
    """Make the condition that words stand in one field, the last one perhaps as a beginning."""
    columns, weight, text = _FIELDS[operator]

    def read(value: Any) -> Condition:
        words = _WORD.findall(value)[:_MOST_WORDS]
        if _on_sqlite():
            holds, given = match(f"{columns} : {quoted(value, is_open=True)}")
        else:
            holds, given = _begins(weight, text, words)
        forms = [forms_of(word) for word in words]
        if not any(forms):
            return holds, given
        among, asked = _in_any_form(words, forms)
        pattern = _start_of_word() + _gap().join(map(_any_form, words, forms))
        matches = f"{text} {'REGEXP' if _on_sqlite() else '~*'} %s"
        return f"({holds}) OR ({among} AND {matches})", [*given, *asked, pattern]

    return read


def match(query: str) -> Condition:
    """Return the condition that FTS5 finds the message by a query."""
    return "m.id IN (SELECT rowid FROM inbox_search WHERE inbox_search MATCH %s)", [query]


def quoted(text: str, *, is_open: bool = False) -> str:
    """Return a text as a string of FTS5, in which no character has a meaning."""
    return f'"{text.replace(chr(34), " ")}"{" *" if is_open else ""}'


def _on_sqlite() -> bool:
    return connection.vendor == "sqlite"


def _begins(weight: str, text: str, words: Sequence[str]) -> Condition:
    """Return PostgreSQL's condition that a text has the words in order, the last as a beginning.

    The index has stems of English, and of its commonest words none; the weight is not of this text
    alone. So what is found there is read.
    """
    *whole, last = (word.lower() for word in words)
    indexed = " <-> ".join([*(f"{word}:{weight}" for word in whole), f"{last}:*{weight}"])
    typed = " <-> ".join([*whole, f"{last}:*"])
    query = "to_tsquery('english', %s)"
    reads = " OR ".join(
        f"to_tsvector('{it}', {plain_words(text)}) @@ to_tsquery('{it}', %s)"
        for it in ("english", "simple")
    )
    found = f"(numnode({query}) = 0 OR m.search @@ {query}) AND ({reads})"
    return found, [indexed, indexed, typed, typed]


def _in_any_form(words: Sequence[str], forms: Sequence[Sequence[str]]) -> Condition:
    """Return the condition that a message has each word, in one of its forms, wherever."""
    every = [(word, *others) for word, others in zip(words, forms, strict=True)]
    if _on_sqlite():
        asked = " AND ".join(f"({' OR '.join(map(quoted, one))})" for one in every)
        return match(f"{TEXT_COLUMNS} : ({asked})")
    phrase = f"phraseto_tsquery('english', {plain_words('%s')})"
    query = " && ".join(f"({' || '.join([phrase] * len(one))})" for one in every)
    return f"m.search @@ ({query})", [form for one in every for form in one]


def _any_form(word: str, forms: Sequence[str]) -> str:
    """Return the pattern of a word in its forms, of a stem with what may stand around it."""
    plain = {folded(word), spelled_out(word)}
    stems = {form.removeprefix(STEM_MARK) for form in forms if form.startswith(STEM_MARK)}
    return one_of([any_writing(one) for one in plain] + [_around(stem) for stem in stems])


def _around(stem: str) -> str:
    if len(stem) < _SHORTEST_STEM:
        return any_writing(stem) + _end_of_word()
    head = f"{_letter()}{{0,{_LONGEST_HEAD}}}" if len(stem) >= _SHORTEST_PART else ""
    ending = f"{_letter()}{{0,{_LONGEST_ENDING}}}"
    return head + any_writing(stem) + ending + _end_of_word()


def _letter() -> str:
    return r"[^\W_]" if _on_sqlite() else "[[:alnum:]]"


def _start_of_word() -> str:
    return r"(?i)(?<![^\W_])" if _on_sqlite() else r"\m"


def _end_of_word() -> str:
    return r"(?![^\W_])" if _on_sqlite() else r"\M"


def _gap() -> str:
    return r"[\W_]+" if _on_sqlite() else "[^[:alnum:]]+"
