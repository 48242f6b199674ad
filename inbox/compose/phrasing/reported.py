"""Saying what a goal reports in a language other than English; pure.

A clause with "that" stands as it is behind "We inform you that"; only what means the reader
changes. Whose "sie" it is can be told in a short German clause alone: "ob sie Zeit hat".
"""

import regex

from inbox.compose.phrasing.languages import is_written_in
from inbox.compose.phrasing.wholeness import goes_astray
from inbox.languages import any_of, language, lazy_regex
from inbox.languages.writing import Reported

_FLAGS = regex.IGNORECASE
_UNFIT = lazy_regex(
    lambda: (
        r"\[[^\]]*\]|\{[^}]*\}|<[^>]*>|_{2,}|\bx{2,}\b|\.{3}|…|[()?¿]"
        rf"|\b{any_of(lambda it: it.own_words.unfit)}\b"
    ),
    _FLAGS,
)


def report(clause: str, code: str, whom: str = "") -> str:
    """Return the clause as said to the reader; "" where it cannot be told what it means.

    `whom` is what the instruction calls the reader: "ihr".
    """
    known = language(code)
    if known is None or not known.reported.reports or _UNFIT.search(clause):
        return ""
    if not is_written_in(clause, code) or goes_astray(clause, code):
        return ""
    said = _to_you(clause, known.reported, whom)
    for pattern, replacement in known.reported.changes:
        said = regex.sub(pattern, replacement, said)
    reader = known.reported.reader
    rest = regex.sub(rf"(?-i:{reader})", " ", said) if reader else said
    unclear = rf"(?<!\p{{L}})(?:{known.own_words.unclear})(?!\p{{L}})"
    return "" if regex.search(unclear, rest, _FLAGS) else said.strip(" ,.!")


def _to_you(clause: str, known: Reported, whom: str) -> str:
    """Return a short clause about the reader with "you" as its subject, the verb agreeing."""
    third = regex.fullmatch(known.third, clause, _FLAGS) if known.third else None
    if third is None:
        return clause
    # Whom the goal does not name is the one who is asked: "frag, ob er Zeit hat".
    asked = not whom.strip() and third["lead"]
    if not asked and not regex.match(known.whom[third["who"].lower()], whom, _FLAGS):
        return clause
    ends, plural = known.verb_ends
    verb = known.plurals.get(third["verb"], f"{third['verb'].removesuffix(ends)}{plural}")
    return f"{third['lead']}{known.you} {third['rest'] or ''}{third['before']}{verb}"
