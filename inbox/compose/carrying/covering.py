"""Whether what a letter says has the words of the clause that it is to say; pure."""

from collections.abc import Sequence
from functools import cache

import regex

from inbox.compose.acts.sentence import Sentence
from inbox.compose.carrying.carrier import Carrier
from inbox.languages import language, lazy_regex

_FLAGS = regex.IGNORECASE
# Of a longer word so many letters stay the same where it is put into another form.
_STEM = 4
_LONGER = lazy_regex(r"(?<![\p{L}@./])\p{L}{5,}(?![\p{L}@])")
_NUMBER = lazy_regex(r"(?<!\d)\d{2,}(?!\d)")


def leaves_out(clause: str, said: Sequence[Sentence], by: Carrier) -> bool:
    """Return True if a number or a longer word of the clause is in none of the sentences.

    Words that tell the writer what to do are not looked for, nor what a sentence names as missing;
    and only numbers where a language does not tell what words those are.
    """
    text = " ".join(f"{it.text} {it.missed}" for it in said).casefold()
    if any(it not in text for it in _NUMBER.findall(clause)):
        return True
    if not by.words.uncovered:
        return False
    names = {it.casefold() for it in by.saying.situation.names}
    orders = _orders(by.code)
    return any(
        word[:_STEM] not in text and word not in names and not orders.fullmatch(word)
        for word in _LONGER.findall(clause.casefold())
    )


@cache
def _orders(code: str) -> regex.Pattern[str]:
    """Return what is no content: verbs of instructions, how it is said, and whom it tells."""
    known = language(code)
    if known is None:
        return regex.compile("(?!)")
    words = known.carrying
    each = (
        words.orders, words.verbs, words.reader, words.objects, words.subordinate, words.within,
        known.clauses.speaks, known.clauses.tasks, known.clauses.does, known.clauses.reader,
        known.instructions.whom, known.instructions.politely, known.talk.manners, known.talk.how,
        known.talk.small_words, known.carrying.uncovered,
    )  # fmt: skip
    return regex.compile("|".join(f"(?:{it})\\s*" for it in each if it), _FLAGS)
