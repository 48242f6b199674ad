"""Looking for a part of a column's text, with no regard to case, marks and ligatures."""

from typing import Any

from django.db.models import F, Func, Q, TextField
from django.db.models.expressions import Combinable
from django.db.models.lookups import Contains

from inbox.rfc5322.text.folds import LETTERS, folded, spelled_out

_UMLAUTS = ("ae", "oe", "ue")


class Folded(Func):
    """A text as `folded` has it."""

    function = "chancery_folded"
    arity = 1
    output_field = TextField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """Fold in the database itself, letter by letter."""
        ones = {letter: plain for letter, plain in LETTERS.items() if len(plain) == 1}
        more = [(letter, plain) for letter, plain in LETTERS.items() if len(plain) > 1]
        text = "normalize(lower(%(expressions)s), NFKD)"
        text = f"regexp_replace({text}, '[\u0300-\u036f]', '', 'g')"
        text = f"translate({text}, '{''.join(ones)}', '{''.join(ones.values())}')"
        for letter, plain in more:
            text = f"replace({text}, '{letter}', '{plain}')"
        return self.as_sql(compiler, connection, template=text, **context)


def contains(column: str | Combinable, value: str) -> Q:
    """Return the condition that a column has a text in it, umlauts spelled out or not."""
    text = Folded(F(column) if isinstance(column, str) else column)
    plain = folded(value)
    short = plain
    for spelled in _UMLAUTS:
        short = short.replace(spelled, spelled[0])
    found = Q()
    for form in dict.fromkeys((plain, spelled_out(value), short)):
        found |= Q(Contains(text, form))
    return found
