"""Saying in German, French and Spanish what a goal in that language reports; pure.

A clause with "that" stands as it is behind "We inform you that"; only what means the reader
changes.
"""

import regex

from inbox.compose.languages import is_written_in

_FLAGS = regex.IGNORECASE
_NOUN = r"(?=\s(?:\p{Ll}+e[nrms]?\s)?\p{Lu})"
_CHANGES = {
    "de": [
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
# Who else the words may mean: nothing is said then.
_UNCLEAR = {
    "de": r"(?<!\p{L})(?:er|ihn|(?-i:sie)|du|dein\w*|dir|dich|der Kunde|die Kundin|den Kunden|"
        r"des Kunden|ihr(?:e[nrms]?)?|sein(?:e[nrms]))(?!\p{L})",
    "fr": r"(?<!\p{L})(?:il|elle|ils|elles|leurs?|eux|lui|tu|ton|ta|tes|te|le client|la cliente|"
        r"(?:nous|je|on) (?:les?|la))(?!\p{L})|(?<!\p{L})(?:nous|je|on) l['’]",
    "es": r"(?<!\p{L})(?:él|ella|ellos|ellas|tú|tu|tus|te|ti|el cliente|la clienta|les|"
        r"vosotros)(?!\p{L})",
}  # fmt: skip
_UNFIT = regex.compile(r"\[[^\]]*\]|\{[^}]*\}|<[^>]*>|_{2,}|\bx{2,}\b|\.{3}|…", _FLAGS)


def report(clause: str, language: str) -> str:
    """Return the clause as said to the reader; "" where it cannot be told what it means."""
    if language not in _CHANGES or _UNFIT.search(clause) or not is_written_in(clause, language):
        return ""
    if regex.match(
        r"\W*(?:was|wie|wann|warum|ob|ce que|quand|comment|qué|cuándo|cómo)(?!\p{L})",
        clause,
        _FLAGS,
    ):
        return ""
    said = clause
    for pattern, replacement in _CHANGES[language]:
        said = regex.sub(pattern, replacement, said)
    rest = regex.sub(r"(?-i:Ihr\p{Ll}*|Ihnen|Sie|votre|vos|vous)", " ", said)
    return "" if regex.search(_UNCLEAR[language], rest, _FLAGS) else said.strip(" ,.!")
