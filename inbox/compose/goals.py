"""Reading the goal of a reply: what it is to do, clause by clause; pure.

A goal is an instruction of the caller: "confirm the refund and apologise for the delay".
"""

from dataclasses import dataclass

import regex

_FLAGS = regex.IGNORECASE


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that the reply does, and of what; `rest` is the goal's own words about it."""

    kind: str
    rest: str = ""
    clause: str = ""


_WHOM = (
    r"(?:them|him|her|you|us|the (?:customer|client|sender|user|supplier|team|"
    r"applicant|guest)s?|\p{Lu}\p{Ll}+)"
)
_POLITELY = (
    r"(?:(?:politely|kindly|gently|briefly|firmly|warmly|friendly|clearly|please|"
    r"also|then|just|simply|sincerely|finally)\s+)*"
)
# In this order: the first that matches a clause says what it does. English, then German.
_ACTS = [
    (kind, regex.compile(rf"^{_POLITELY}(?:{pattern})(?P<rest>.*)$", _FLAGS | regex.DOTALL))
    for kind, pattern in [
        ("style", (
r"(?:(?:be|keep (?:it|the reply|the tone)|stay|sound|make it|use) (?:a "
r")?(?:very )?(?:short|brief|polite|friendly|formal|warm|kind|concise|"
r"professional|empathetic|calm|nice|courteous)(?:(?:,| and) "
r"\p{L}+){0,2}(?=\W*$)|(?:in|with) an? \p{L}+ (?:tone|voice)|(?:politely|in "
r"(?:english|german|french|spanish|japanese|arabic))$)"
)),
        ("apologise", (
r"(?:apologi[sz]e|say (?:that )?(?:we are|we're|i am|i'm)? ?sorry|express "
r"regret|offer (?:an apology|apologies|our apologies)|entschuldige dich|"
r"entschuldigen sie sich|um entschuldigung bitten)(?: to {w})?(?: sincerely)?"
)),
        ("refund_declined", (
r"(?:(?:decline|deny|refuse|reject) (?:the |a |their |his |her )?refund|(?:say|"
r"tell {w}|explain)(?: that)? (?:we|i) (?:can ?not|can't|won't|do not|don't) "
r"(?:offer |give |issue |make )?(?:a |the )?refund|(?:lehne|lehnen sie) die "
r"(?:rück)?erstattung ab)"
)),
        ("refund", (
r"(?:(?:confirm|approve|grant|issue|offer|promise|accept|agree to|process|"
r"announce)(?: to {w})? (?:the |a |their |his |her |your |full |a full "
r")*(?:full )?refund|refund (?:{w}|the (?:order|money|amount))|(?:say|tell "
r"{w})(?: that)? (?:we|i) (?:will|shall|'ll) refund(?: {w})?|bestätige die "
r"(?:rück)?erstattung|bestätige die rückzahlung)"
)),
        ("accept_meeting", (
r"(?:(?:accept|confirm|agree to)(?: to {w})? (?:the |a |their |his |her |our "
r")*(?:proposed |suggested )?(?:meeting|appointment|call|demo|visit|interview|"
r"invitation|date|time|slot)\b|(?:sage|bestätige) (?:den|das|die) (?:termin|"
r"treffen|einladung|besprechung)(?: zu)?)"
)),
        ("decline_meeting", (
r"(?:(?:decline|reject|refuse|turn down)(?: politely)? (?:the |a |their |his |"
r"her |this )*(?:proposed |suggested )?(?:meeting|appointment|call|demo|visit|"
r"interview|invitation)|(?:sage|lehne) (?:den|das|die) (?:termin|treffen|"
r"einladung|besprechung)(?: höflich)? ab)"
)),
        ("move_meeting", (
r"(?:reschedule|postpone|move|shift|verschiebe)(?: (?:the|our|den|das|die) "
r"(?:meeting|appointment|call|demo|visit|termin|treffen|besprechung))?(?: to| "
r"until| auf)?"
)),
        ("cancel", r"(?:cancel|call off|storniere|sage)\s"),
        ("decline", (
r"(?:decline|reject|refuse|turn down|say no(?: to)?|lehne)(?: politely| höflich|"
r"(?: (?:the|their|this|his|her) (?:\p{L}+ )?(?:request|proposal|offer|"
r"partnership|application|suggestion|idea))| ab| (?:das|die|den) \p{L}+(?: "
r"höflich)? ab)?"
)),
        ("accept", r"(?:accept|agree(?: to)?|say yes(?: to)?|nimm)"),
        ("ask_to", r"(?:ask|request|tell|remind|urge|instruct)(?: {w})? to "),
        ("ask_whether", (
r"(?:ask|inquire|enquire|find out)(?: {w})? (?=(?:if|whether|when|what|which|"
r"where|who|how|why)\b)"
)),
        ("ask", r"(?:ask|inquire|enquire)(?: {w})? about "),
        ("ask", (
r"(?:ask|request)(?: {w})?(?: for)? |(?:frage|bitte|frag)(?: {w}| sie| ihn)? "
r"(?:nach (?:der|dem|den)|um (?:die|das|den|eine?n?)) "
)),
        ("propose", (
r"(?:propose|suggest|offer|schlage)(?: to)?(?: {w})? (?:(?:a |to |another |an "
r"alternative |einen |den )*(?:meet(?:ing)?|call|appointment|date|time|slot|"
r"demo|visit|termin|treffen)(?: vor)?\b|(?=(?:next |on |this )?(?:monday|"
r"tuesday|wednesday|thursday|friday|saturday|sunday)))|(?:schedule|arrange|book|"
r"set up|plan) (?:a|an|the) (?:meeting|call|appointment|demo|visit)"
)),
        ("offer_to", (
r"offer(?: {w})? to |(?:say|tell {w})(?: that)? we (?:would be happy|are happy|"
r"are glad) to "
)),
        ("offer", r"offer(?: {w})? "),
        ("thank", r"(?:thank|bedanke dich|danke)(?: {w})?(?: very much)?"),
        ("promise_by", (
r"(?:promise|announce|commit to)(?: {w})? (?:a |an |to )?(?:reply|answer|update|"
r"response|news|get back|come back|solution)(?: to {w})? (?=by|until|before|on|"
r"within|tomorrow)"
)),
        ("promise_to", r"(?:promise|commit)(?: {w})? to "),
        ("promise", r"promise(?: {w})? (?!to\b|that\b)"),
        ("pass_on", (
r"(?:escalate|pass (?:it|this) on|forward (?:it|this)|hand (?:it|this) over|"
r"(?:say|tell {w})(?: that)? (?:we|i) (?:have |will )?(?:escalated?|passed? "
r"(?:it|this) on))"
)),
        ("look_into", (
r"(?:look into|investigate|check into|say (?:that )?we(?: are|'re) (?:looking "
r"into|investigating|checking)|tell {w} (?:that )?we(?: are|'re) (?:looking "
r"into|investigating|checking|working on))(?: (?:it|this|that))?"
)),
        ("receive", (
r"(?:acknowledge|confirm)(?: the)? receipt|acknowledge\b|bestätige den "
r"(?:eingang|empfang)"
)),
        ("confirm", r"(?:confirm|reassure|assure|verify|bestätige)(?: to)?(?: {w})?"),
        ("invite", r"invite(?: {w})? "),
        ("congratulate", r"congratulate(?: {w})? (?:on|for) "),
        ("remind", r"remind(?: {w})? (?:that|of|about) "),
        ("follow_up", r"(?:follow up|check in)(?: with {w})?(?: (?:on|about|regarding))? ?"),
        ("wish", r"wish {w} "),
        ("answer", (
r"(?:answer|reply|respond|react|write back|handle|address|deal with)(?: to)?(?: "
r"{w})?(?: (?:the|their|his|her|all|this|these|open|every)\b(?: "
r"\p{L}+){0,3})?(?=\W*$)"
)),
        ("say", (
r"(?:tell|inform|let|notify|advise|assure|update)(?: {w})?(?: know)?(?: of| "
r"about)?(?: that)? |(?:explain|say|state|mention|note|point out|write|reply|"
r"answer|respond|add|clarify|stress|announce)(?: to {w})?:? ?(?:that|with|by "
r"saying)?:? (?=\S)"
)),
        ("send", r"(?:send|attach|provide|share|give|forward)(?: {w})? "),
    ]
    for pattern in [pattern.replace("{w}", _WHOM)]
]  # fmt: skip
# A clause begins where another thing to do is named.
_VERBS = (
    r"apologi|accept|acknowledge|agree|ask|answer|assure|attach|be|book|cancel|check|clarify|confirm|"
    r"congratulat|declin|deny|escalat|explain|express|follow|forward|give|grant|inform|invite|"
    r"investigat|issue|keep|let|look|mention|move|note|notify|offer|pass|point|postpone|process|"
    r"promise|propose|provide|reassure|refund|refuse|reject|remind|reply|request|reschedul|respond|"
    r"say|schedul|send|share|state|suggest|tell|thank|turn|update|wish|write|"
    r"bestätig|entschuldig|frag|bitt|lehn|sag|schlag|bedank|verschieb"
)
_VERBS_AFTER_COMMA = (
    "apologi|ask|confirm|thank|tell|explain|offer|propose|suggest|promise|say|decline|accept|"
    "inform|remind"
)
_SPLIT = regex.compile(
    r"\s*(?:;|\.(?=\s|$)|,?\s(?:and|und|then|but)\s(?:then\s|also\s)?"
    rf"(?={_POLITELY}(?:{_VERBS}))|,\s(?={_POLITELY}(?:{_VERBS_AFTER_COMMA})))\s*",
    _FLAGS,
)
_LANGUAGE = regex.compile(
    (
        r"\b(?:in|auf) (english|german|french|spanish|japanese|arabic|englisch|deutsch|"
        r"französisch|spanisch|japanisch|arabisch)\b"
    ),
    _FLAGS,
)
_CODES = {
    "eng": "en",
    "ger": "de",
    "deu": "de",
    "fre": "fr",
    "fra": "fr",
    "spa": "es",
    "jap": "ja",
    "ara": "ar",
}
THINGS = {
    name: regex.compile(rf"(?<!\p{{L}})(?:{pattern})(?!\p{{L}})", _FLAGS)
    for name, pattern in {
        "order number": r"order (?:number|no\.?|id|reference)|bestellnummer|auftragsnummer",
        "invoice number": r"invoice (?:number|no\.?|id)|rechnungsnummer",
        "customer number": r"customer (?:number|no\.?|id)|account number|kundennummer",
        "phone number": r"(?:tele)?phone(?: number)?|telefonnummer|rückrufnummer",
        "address": (
r"(?:delivery |postal |shipping |billing )?address|(?:liefer)?(?:adresse|"
r"anschrift)"
),
        "screenshot": r"screenshots?|screen shots?|bildschirmfotos?",
        "photo": r"photos?|pictures?|fotos?|bilder?",
        "receipt of purchase": r"proof of purchase|sales receipt|kaufbeleg|quittung",
        "delay": r"delays?|late (?:reply|answer|response|delivery)|verspätung|verzögerung|lateness",
        "wait": r"(?:long )?wait|waiting(?: time)?|wartezeit",
        "inconvenience": r"inconvenience|trouble|unannehmlichkeiten",
        "mistake": r"mistakes?|errors?|mix-?up|fehler|irrtum",
        "damage": r"damage|damaged (?:item|goods|parcel)|schaden",
        "outage": r"outage|downtime|ausfall|störung",
        "replacement": r"replacement|ersatz\w*",
        "return": r"return|rücksendung",
        "cancellation": r"cancellation|stornierung|kündigung",
        "refund": r"refund|(?:rück)?erstattung",
        "meeting": r"meeting|appointment|call|demo|termin|treffen|besprechung",
        "invitation": r"invitation|einladung",
        "offer": r"offer|quote|quotation|proposal|angebot",
        "payment": r"payment|zahlung",
        "invoice": r"invoice|rechnung",
        "delivery": r"delivery|shipment|lieferung",
        "order": r"order|purchase|bestellung",
        "patience": r"patience|geduld",
        "feedback": r"feedback|rückmeldung|suggestions?",
        "help": r"help|support|hilfe|unterstützung",
        "details": r"(?:more |further )?(?:details|information)|einzelheiten|informationen",
        "date": r"(?:suitable |good )?(?:dates?|times?)|terminvorschlag",
        "message": r"message|e-?mail|mail|nachricht|reply",
    }.items()
}  # fmt: skip


def read_goal(goal: str) -> list[Act]:
    """Return what the goal asks for, in its order; a clause that is not understood is `unknown`."""
    goal = _LANGUAGE.sub("", " ".join(goal.split())[:2000])
    clauses = (clause.strip(" ,.!") for clause in _SPLIT.split(goal))
    return [_act(clause) for clause in clauses if clause]


def _act(clause: str) -> Act:
    for kind, pattern in _ACTS:
        if found := pattern.match(clause):
            rest = regex.sub(
                r"^(?:that|for|to say that|:|,|dass|für)\s", "", found["rest"].strip()
            ).strip()
            rest = regex.sub(r"\s+(?:politely|kindly|briefly|höflich)$", "", rest)
            return Act(
                kind, "" if rest.lower() in {"politely", "kindly", "höflich"} else rest, clause
            )
    return Act("unknown", clause, clause)


def wanted_language(goal: str) -> str:
    """Return the language that the goal asks for, as its code; "" where it names none."""
    found = _LANGUAGE.search(goal)
    return _CODES.get(found[1].lower()[:3], "") if found else ""


def thing_in(text: str) -> str:
    """Return which known thing the words name, if they name nothing besides it; else ""."""
    plain = regex.sub(
        r"^(?:the|a|an|their|his|her|your|our|my|some|any|die|der|das|den|ihre?|seine?|eine?n?)\s",
        "",
        text.strip(),
        flags=_FLAGS,
    )
    for name, pattern in THINGS.items():
        if pattern.fullmatch(plain.strip()):
            return name
    return ""
