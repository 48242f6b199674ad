"""Saying in German, French and Spanish what a goal in that language reports; pure.

A clause with "that" stands as it is behind "We inform you that"; only what means the reader
changes. Whose "sie" it is can be told in a short German clause alone: "ob sie Zeit hat".
"""

import regex

from inbox.compose.languages import is_written_in
from inbox.compose.wholeness import goes_astray
from inbox.compose.words import load_words, one_of

_FLAGS = regex.IGNORECASE
_NOUN = r"(?=\s(?:\p{Ll}+e[nrms]?\s)?\p{Lu})"
_CHANGES = {
    "de": [
        # "wir erstatten ihr die Kosten": before an article it is to whom, not whose.
        (
            r"(?<!\p{L})ihr(?=\s(?:d(?:ie|as|en|er|em)|(?:k?ein|unser|dies|all)\p{Ll}*)\s)",
            "Ihnen",
        ),
        (rf"(?<!\p{{L}})(?:ihr|sein)(e[nrms]?|){_NOUN}", r"Ihr\1"),
        (r"(?<!\p{L})(?:ihr|ihm|ihnen|der Kundin|dem Kunden)(?!\p{L})", "Ihnen"),
    ],
    "fr": [
        (r"(?<!\p{L})s(?:on|a)(?=\s\p{Ll})", "votre"),
        (r"(?<!\p{L})ses(?=\s\p{Ll})", "vos"),
        (r"(?<!\p{L})lui(?=\s\p{Ll}+(?:ons|ai|ez|t|ra|rons)\b)", "vous"),
    ],
    "es": [],
}  # fmt: skip
_UNCLEAR = {
    language: regex.compile(rf"(?<!\p{{L}}){one_of(words['unclear'])}(?!\p{{L}})", _FLAGS)
    for language, words in load_words("own_words").items()
    if "unclear" in words
}
_UNFIT = regex.compile(
    r"\[[^\]]*\]|\{[^}]*\}|<[^>]*>|_{2,}|\bx{2,}\b|\.{3}|…|[()?¿]"
    r"|\b(?:usw|etc|evtl|ggf|höflich|freundlich|poliment|amablemente|unten|oben|anbei|im anhang|"
    r"ci-dessous|ci-joint\w*|adjunt\w*|más abajo)\b",
    _FLAGS,
)
# The subject of a short clause, and its verb at the end, which agrees with it.
_THIRD = regex.compile(
    r"(?P<lead>(?:ob|wann|wo|wie|warum|wie viele?|welche\w*) (?:\p{Lu}\p{L}+ )?)"
    r"(?P<who>sie|er) (?P<rest>[^,]* )?(?P<before>\p{Ll}*?)(?P<verb>hat|ist|kann|will|möchte|würde|"
    r"braucht|soll|muss|hätte|könnte|wäre|darf|kommt|nimmt|benötigt|bevorzugt|wünscht|wohnt|"
    r"arbeitet|bekommt|erhält|findet|zahlt|bezahlt|mitbringt|weiß|wird)",
    _FLAGS,
)
_WHO = {
    "er": regex.compile(r"\s*(?:ihn|ihm|Herrn?)\b", _FLAGS),
    "sie": regex.compile(r"\s*(?:sie|ihr|ihnen|Frau)\b", _FLAGS),
}
_PLURAL = {
    "hat": "haben", "ist": "sind", "kann": "können", "will": "wollen", "soll": "sollen",
    "muss": "müssen", "darf": "dürfen", "nimmt": "nehmen", "erhält": "erhalten", "weiß": "wissen",
    "wird": "werden", "möchte": "möchten", "würde": "würden", "hätte": "hätten", "wäre": "wären",
    "könnte": "könnten", "arbeitet": "arbeiten", "findet": "finden",
}  # fmt: skip


def report(clause: str, language: str, whom: str = "") -> str:
    """Return the clause as said to the reader; "" where it cannot be told what it means.

    `whom` is what the instruction calls the reader: "ihr".
    """
    if language not in _CHANGES or _UNFIT.search(clause) or not is_written_in(clause, language):
        return ""
    if goes_astray(clause, language):
        return ""
    said = clause
    third = _THIRD.fullmatch(clause) if language == "de" else None
    if third and _WHO[third["who"].lower()].match(whom):
        verb = _PLURAL.get(third["verb"], f"{third['verb'].removesuffix('t')}en")
        said = f"{third['lead']}Sie {third['rest'] or ''}{third['before']}{verb}"
    for pattern, replacement in _CHANGES[language]:
        said = regex.sub(pattern, replacement, said)
    rest = regex.sub(r"(?-i:Ihr\p{Ll}*|Ihnen|Sie|votre|vos|vous)", " ", said)
    return "" if _UNCLEAR[language].search(rest) else said.strip(" ,.!")
