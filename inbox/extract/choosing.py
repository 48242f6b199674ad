"""Choosing the value that a field asks for by what the text says of each; pure."""

from collections.abc import Mapping, Sequence

import regex

from inbox.extract import labels
from inbox.extract.fields import Field, telling_words
from inbox.extract.labels import Candidate
from inbox.extract.meanings import expression_for

# "It must arrive by 5 April" names the day of the arrival.
_LONGEST_SENTENCE = 300
_HAS_DEADLINES = frozenset({"delivery", "shipping", "end"})


def choose(
    field: Field,
    found: Sequence[Candidate],
    text: str,
    known: Mapping[str, regex.Pattern[str]],
    free: frozenset[str],
) -> list[Candidate]:
    """Return the candidates in the role that the field asks for.

    Without a label of its own a value is taken for the roles in `free`, or where it is the only
    one and nothing else is said of it.
    """
    role = field.role(known)
    named = labels.with_roles(found, text, known)
    if role and (right := [it for it in named if it.role == role]):
        return surest(right)
    telling = telling_words(field)
    if not role and telling and (right := beside(named, text, telling)):
        return surest(right)
    unnamed = [it for it in named if not it.role]
    if role in free and (not telling or role):
        # "Moved to 17 March": a small word gives no role to the only one.
        is_one = len({it.value for it in named}) == 1
        small = is_one and all(it.role in {"", "start", "end"} for it in named)
        return surest(unnamed) or (surest(named) if is_one and (small or not role) else [])
    if len({it.value for it in named}) == 1 and unnamed and not role:
        return [less_sure(it, 0.8) for it in unnamed]
    allowed = {"", "due"} if role in _HAS_DEADLINES else {""}
    told = [
        it
        for it in named
        if role and it.role in allowed and known[role].search(_sentence_before(text, it.start))
    ]
    is_one = len({it.value for it in told}) == 1 and (len(named) == 1 or role in _HAS_DEADLINES)
    return [less_sure(it, 0.7) for it in told] if is_one else []


def _sentence_before(text: str, start: int) -> str:
    """Return what stands before a place in its sentence, however long that is."""
    since = max(0, start - _LONGEST_SENTENCE)
    return regex.split(r"[.!?](?=\s)|\n\s*\n", text[since:start])[-1]


def surest(found: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates, the surest first."""
    return sorted(found, key=lambda it: (-round(it.sure, 3), it.start))


def less_sure(candidate: Candidate, factor: float) -> Candidate:
    """Return the candidate as less sure by the factor (or surer, above 1)."""
    return Candidate(
        candidate.value, candidate.start, candidate.end, candidate.sure * factor, candidate.written
    )


def any_of(words: Sequence[str]) -> regex.Pattern[str]:
    """Return an expression for any of the words, a long one in whatever form: `departs`."""
    forms = [rf"{regex.escape(word[:6])}\p{{L}}*" for word in words if len(word) > 7]
    forms += [expression_for(word) for word in words]
    return regex.compile(rf"(?<!\p{{Latin}})(?:{'|'.join(forms)})", regex.IGNORECASE)


def beside(found: Sequence[Candidate], text: str, words: Sequence[str]) -> list[Candidate]:
    """Return the candidates that have one of the words beside them."""
    pattern = any_of(words)
    near = []
    for index, it in enumerate(found):
        since = found[index - 1].end if index else 0
        if pattern.search(labels.before(text, it.start, since)):
            near.append(less_sure(it, 1.4))
        elif pattern.search(labels.after(text, it.end, len(text))):
            near.append(less_sure(it, 1.2))
    return near
