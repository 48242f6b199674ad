"""Turning what a goal says of somebody into what one says to them, in English; pure."""

import regex

_FLAGS = regex.IGNORECASE
_THEY = r"(?:they|he|she|the (?:customer|client|sender|user|supplier|applicant|guest))"
_IRREGULAR = {
    "is": "are",
    "are": "are",
    "'s": " are",
    "was": "were",
    "were": "were",
    "has": "have",
    "does": "do",
    "isn't": "aren't",
    "wasn't": "weren't",
    "hasn't": "haven't",
    "doesn't": "don't",
    "'re": " are",
    "'ve": " have",
    "'ll": " will",
}
_NOT_VERBS = frozenset(
    {"always", "perhaps", "this", "thus", "was", "is", "has", "does", "us", "as"}
)
_CHANGES = [
    (
        regex.compile(
            (
                r"(?<!\p{L})(?:their|his|the (?:customer|client|sender|user|"
                r"supplier)['’]s)(?!\p{L})"
            ),
            _FLAGS,
        ),
        "your",
    ),
    (
        regex.compile(
            (
                r"(?<!\p{L})her(?=\s(?!to\b|that\b|if\b|on\b|in\b|at\b|by\b|with\b|for\b|and\b|"
                r"about\b|back\b|when\b|tomorrow\b|today\b)\p{L})"
            ),
            _FLAGS,
        ),
        "your",
    ),
    (
        regex.compile(
            r"(?<!\p{L})the(?=\s(?:next|last) (?:order|invoice|visit|purchase|bill))", _FLAGS
        ),
        "your",
    ),
    (regex.compile(r"(?<!\p{L})(?:theirs|hers)(?!\p{L})", _FLAGS), "yours"),
    (regex.compile(r"(?<!\p{L})(?:themselves|himself|herself)(?!\p{L})", _FLAGS), "yourself"),
    (regex.compile(rf"(?<!\p{{L}})(?:them|him|her|{_THEY})(?!\p{{L}})", _FLAGS), "you"),
]
_SUBJECT = regex.compile(
    (
        rf"(?<!\p{{L}}){_THEY}(?!\p{{L}})(?P<gap>\s(?:also |still |already |really "
        rf")?)?(?P<verb>['’](?:s|re|ve|ll)|[\p{{L}}'’]+)"
    ),
    _FLAGS,
)
_FINITE = regex.compile(
    (
        r"(?<!\p{L})(?:is|are|was|were|will|can|could|cannot|would|should|has|have|had|"
        r"does|do|did|ships?|arrives?|works?|need|needs|may|must|might|won['’]t|"
        r"can['’]t|isn['’]t|aren['’]t|don['’]t|doesn['’]t|we|i|you)(?!\p{L})"
    ),
    _FLAGS,
)


def to_you(text: str) -> str:
    """Return the words as said to the reader: "their order ships" → "your order ships"."""
    text = _SUBJECT.sub(lambda it: f"you{it['gap'] or ''}{_agree(it['verb'])}", text)
    for pattern, replacement in _CHANGES:
        text = pattern.sub(replacement, text)
    return text


def _agree(verb: str) -> str:
    low = verb.lower().replace("’", "'")
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if low in _NOT_VERBS or not low.endswith("s") or low.endswith("ss"):
        return verb
    if low.endswith("ies"):
        return verb[:-3] + "y"
    if regex.search(r"(?:sh|ch|x|ss|o)es$", low):
        return verb[:-2]
    return verb[:-1]


def as_sentence(text: str, end: str = ".") -> str:
    """Return the words as a sentence: a capital first, a stop last."""
    text = text.strip().rstrip(",;:")
    if not text:
        return ""
    text = regex.sub(r"(?<!\p{L})i(?=\s|['’])", "I", text)
    return text[0].upper() + text[1:] + ("" if text[-1] in ".!?" else end)


def is_clause(text: str) -> bool:
    """Tell whether the words are a clause, with a verb, rather than the name of a thing."""
    return _FINITE.search(text) is not None


def without_reason(text: str) -> tuple[str, str]:
    """Part what is done from why: `the offer because we are full` → `the offer`, `we are full`."""
    parts = regex.split(
        r"(?:^|\s)(?:because|since|as we|as I|due to the fact that)\s", text, maxsplit=1
    )
    if len(parts) == 1:
        return text, ""
    subject = regex.search(r"(?:^|\s)as (we|I)\s", text)
    return parts[0].strip(), f"{subject[1]} {parts[1]}" if subject else parts[1].strip()
