"""Parting a goal into the clauses that each tell one thing to do; pure."""

import regex

from inbox.compose.instructions import politely
from inbox.compose.speech import means_others

_FLAGS = regex.IGNORECASE
LONGEST_GOAL = 2000
# Verbs that always begin another instruction.
_SPEAK = (
    r"apologi[sz]e|ask|thank|confirm|tell|explain|propose|suggest|promise|say|decline|accept|"
    r"inform|remind|"
    r"acknowledge|congratulate|reject|refuse|mention|invite|inquire|enquire|assure|reassure|"
    r"announce|"
    r"reschedule|postpone|escalate|apologise|don['’]t|do not|never|avoid|make sure|ensure|"
    r"without mentioning|"
    r"entschuldig\w*|bestätig\w*|frag\w*|bitte?n?(?=\s(?:um|ihn|sie|\p{Lu}))|lehn\w*|sag\w*|"
    r"schlag\w*|bedank\w*|dank\w*|lade?n?(?=\s(?:ihn|sie|ein))|verschieb\w*|versprich|teil\w*(?=\s(?:ihm|ihr|mit)\b)|"
    r"excuse|remercie|confirme|propose|demande|dis|dites|accuse|refuse|accepte|déplace|reporte|"
    r"promets|"
    r"disc[uú]lp\w+|p[ií]d\w+|confirm\w+|prop[oó]n\w*|agrad\w+|dile|diles|d[ií]gale|rechaza|"
    r"acepta|solicita|pregunt\w+|prom[eé]te\w*"
)
# Verbs that may also go on with what the clause before says: "we will check it and send …".
_DO = (
    r"send|attach|provide|give|forward|let|look into|investigate|check|cancel|schedul\w+|keep|"
    r"be|follow up|wish|"
    r"express|offer|reply|respond|answer|write|request|refund|process|update|note|notify|state|"
    r"add|include|use|"
    r"quote|cite|sign|cc|bcc|copy|mark|archive|delete|label|set|move|translate|summari[sz]e|"
    r"point out|stress|"
    r"emphasi[sz]e|verify|chase|turn down|agree|issue|deny|share|book|arrange|pass|hand|close|"
    r"leave|try|remember|"
    r"ignore|forget|disregard|sound|stay|highlight|clarify|advise|grant|approve|get back|call|urge"
)
# After these words a verb is one, and no noun.
_ITS = (
    r"(?=\s(?:the|a|an|that|them|him|her|it|this|our|my|their|his|all|any|to|for|if|whether|on|"
    r"up|about|short|brief|polite|friendly|\d|\p{Lu}))"
)
_BEFORE = politely()
_AND = (
    r"(?:and|und|et|y|then|but|dann|danach|puis|luego|aber|mais|pero|plus|also|&|as well as|sowie)"
)
_SPLIT = regex.compile(
    rf",?(?:\s{_AND}){{1,3}}+\s(?={_BEFORE}(?:(?:{_SPEAK})(?!\p{{L}})|(?:{_DO}){_ITS}))\s*"
    rf"|\s*,\s*(?={_BEFORE}(?:(?:{_SPEAK})(?!\p{{L}})|(?:{_DO}){_ITS}))"
    r"|(?<=\p{Han}|\p{Hiragana})、\s*|\s+ثم\s+|\s+و(?=(?:أكد|اكد|اعتذر|اطلب|اسأل|اشكر|اقترح|أخبر|"
    r"ارفض|اقبل|وافق|أجل|عد)\P{L}?)",
    _FLAGS,
)
_ASKS = regex.compile(rf"^{_BEFORE}(?:ask|inquire|enquire|find out)\b", _FLAGS)
_AND_WHETHER = regex.compile(
    r"\s*(?:,\s*(?:and\s)?|\sand\s)(?=(?:if|whether|when|what|which|where|who|how|why)\b)", _FLAGS
)
_SAYS = regex.compile(
    rf"^{_BEFORE}(?:say|tell|inform|explain|mention|write|reply|state|add|note|promise|let|"
    rf"assure|thank)\b",
    _FLAGS,
)
_AND_THAT = regex.compile(r"\s*(?:,\s*(?:and\s|but\s)?|\s(?:and|but)\s)that\s", _FLAGS)
_UNDER_WAY = regex.compile(
    r"\b(?:will|['’]ll|can|could|would|shall|should|might|may|must|to)\s", _FLAGS
)
_DO_FIRST = regex.compile(rf"(?:{_DO})\b", _FLAGS)
_SENTENCE = regex.compile(
    r"(?<!\b(?:Mr|Mrs|Ms|Dr|No|Nr|St|approx|ca|e\.g|i\.e|z\.B|[ap]\.m|\d))[.!?]+(?:\s+|$)|"
    r"\s*[;。]\s*|\s*\n\s*|\s+[-–—]\s+(?=\p{L})",
    _FLAGS,
)
_BULLET = regex.compile(r"^(?:[-*•–]|\(?\d{1,2}[.)](?=\s)|\(?[a-h][.)](?=\s))\s*", _FLAGS)
_QUOTED = regex.compile(
    r"\"[^\"]*\"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|"
    r"(?<!\p{L})['‘](?=\p{L})[^'‘’\n]{8,}[.!?]['’](?!\p{L})"
)
# What is to be done only in some case, or one of two things, is nothing that is to be done.
_CONDITIONAL = regex.compile(
    r"^\s*(?:if|unless|in case|depending on|should (?:the|he|she|they)|when(?:ever)?\b.*,|falls|"
    r"wenn|sofern|si|sauf si|salvo que|もし|إذا)\b"
    rf"|\b(?:otherwise|or else|ansonsten|andernfalls|sinon|de lo contrario|whatever|whichever)\b"
    rf"|\s(?:or|oder|ou)\s(?:{_SPEAK})(?!\p{{L}})",
    _FLAGS,
)


def split_goal(goal: str) -> list[tuple[str, bool]]:
    """Return the clauses of a goal in its order, and whether each may be done as it stands."""
    goal = goal[:LONGEST_GOAL]
    quotes: list[str] = []

    def keep(found: regex.Match[str]) -> str:
        quotes.append(found[0])
        return chr(0xE000 + len(quotes) - 1)

    text = _QUOTED.sub(keep, regex.sub(r"[\uE000-\uF8FF]", "", goal))
    clauses: list[tuple[str, bool]] = []
    for written in _SENTENCE.split(text):
        sentence = _BULLET.sub("", " ".join(written.split())).strip(" ,.!")
        if not sentence:
            continue
        parts = [sentence] if _CONDITIONAL.search(sentence) else _parts(sentence)
        clauses += [
            (_restored(part, quotes), len(parts) > 1 or not _CONDITIONAL.search(part))
            for part in parts
        ]
    return clauses


def _restored(text: str, quotes: list[str]) -> str:
    return regex.sub(r"[\uE000-\uF8FF]", lambda it: quotes[ord(it[0]) - 0xE000], text)


def _parts(sentence: str) -> list[str]:
    parts: list[str] = []
    at = 0
    for found in [*_SPLIT.finditer(sentence), None]:
        end = found.start() if found else len(sentence)
        piece = sentence[at:end].strip(" ,.!")
        if parts and _goes_on(parts[-1], piece, sentence[:at]):
            parts[-1] = sentence[sentence.rindex(parts[-1], 0, at) : end].strip(" ,.!")
        elif piece:
            parts.append(piece)
        at = found.end() if found else end
    return [clause for part in parts for clause in _spread(part)]


def _goes_on(before: str, piece: str, upto: str) -> bool:
    """Return True if the piece goes on with what "we will …" or "to …" says before it."""
    joined_by_and = regex.search(r"(?:\sand|,)\s*$", upto, _FLAGS) is not None
    return bool(joined_by_and and _DO_FIRST.match(piece) and _UNDER_WAY.search(before))


# The verb and to whom it speaks: "tell her that".
_LEAD = regex.compile(r"^\S+(?:\s(?:to|know|him|her|them|the customer|that))*\s", _FLAGS)


def _spread(part: str) -> list[str]:
    """Return "ask for A and whether B" and "say that A and that B" as an instruction each."""
    # "our interns are paid and that they work": apart from each other "they" would be the reader.
    if means_others(_LEAD.sub("", part)):
        return [part]
    if _ASKS.match(part):
        first, *others = _AND_WHETHER.split(part)
        return [first, *(f"ask {other}" for other in others)]
    if _SAYS.match(part):
        first, *others = _AND_THAT.split(part)
        return [first, *(f"say that {other}" for other in others)]
    return [part]
