"""What a German goal tells the writer to do. Separable verbs leave a part at the end: `schlage … vor`."""

WHOM = (
    r"(?:ihm|ihr|ihn|sie|ihnen|(?:dem|den|der|die) (?:kunden?|kundin|absender(?:in)?|lieferanten?|bewerber(?:in)?)|"
    r"(?-i:(?:Frau|Herrn?)\s\p{Lu}\p{L}+)|(?-i:(?!Die|Der|Das|Den|Dem|\p{Lu}\p{Ll}+tag\b|Mittwoch)\p{Lu}\p{Ll}+)(?=\s(?:für|nach|ob|dass|mit)\b))"
)
POLITELY = r"(?:(?:bitte|höflich|freundlich|kurz|auch|dann|noch|zuerst|danach|außerdem|einfach|herzlich)\s+)*"
_MEETING = (
    r"(?:vorgeschlagenen )?(?:termin|treffen|einladung|besprechung|uhrzeit|anruf|gespräch|zeit)"
)
_THE = r"(?:den|das|die|dem|der|unser\w*|ihr\w*|sein\w*)"
_IMP = r"(?:e|en sie|t|n sie|en)?"
PATTERNS = [
    ("style", r"(?:sei|bleib\w*|schreib\w*|antworte|halte? (?:es|dich))(?: (?:sehr|bitte))? (?:kurz|höflich|freundlich|förmlich|formell|knapp|herzlich|sachlich)(?: und \p{L}+)?$|(?:höflich|freundlich|kurz)$"),
    ("apologise", r"(?:entschuldig" + _IMP + r"(?: dich| sich)?(?: bei {w})?|bitte?(?: {w})? um (?:entschuldigung|verzeihung)|um (?:entschuldigung|verzeihung) bitten|sag\w*(?: {w})?,? dass es uns leid ?tut)(?=\W|$)"),
    ("refund_declined", r"lehn" + _IMP + r" " + _THE + r" (?:rück)?erstattung(?: höflich)? ab"),
    ("refund", r"(?:bestätig" + _IMP + r"|genehmig" + _IMP + r"|sag" + _IMP + r"(?: {w})?)(?: {w})? (?:die|eine) (?:rück)?(?:erstattung|zahlung)(?: zu)?(?=\W|$)|erstatt" + _IMP + r"(?: {w})? (?:das geld|den betrag)(?=\W|$)"),
    ("receive", r"bestätig" + _IMP + r"(?: {w})? den (?:eingang|empfang|erhalt)(?: (?:der|seiner|ihrer) (?:nachricht|e-?mail|mail|anfrage)$| der (?=bewerbung$|bestellung$|zahlung$|rechnung$)|$)"),
    ("decline_meeting", r"(?:sag" + _IMP + r"|lehn" + _IMP + r") " + _THE + r" " + _MEETING + r"(?P<tail>.*) ab"),
    ("accept_meeting", r"(?:bestätig" + _IMP + r"|sag" + _IMP + r"|nimm|nehmen sie)(?: {w})? " + _THE + r" " + _MEETING + r"(?P<tail>.*?)(?: zu| an)?(?=$)"),
    ("accept_time", r"(?:bestätig" + _IMP + r"|sag" + _IMP + r")(?: {w})?(?= |$)(?P<tail>.*?)(?: zu)?(?=$)"),
    ("move_meeting", r"(?:verschieb" + _IMP + r"|verleg" + _IMP + r") " + _THE + r" " + _MEETING + r"(?: auf)?(?=\W|$)"),
    ("cancel", r"(?:stornier" + _IMP + r"|sag" + _IMP + r")(?= )(?P<tail>.*?)(?: ab)(?=$)"),
    ("decline", r"(?:lehn" + _IMP + r"|sag" + _IMP + r")(?P<tail>.*?)(?: höflich)? ab(?=$|,)"),
    ("accept", r"(?:nimm|nehmen sie|akzeptier" + _IMP + r")(?P<tail>.*?)(?: an)?(?=$)|(?:stimm" + _IMP + r"|sag" + _IMP + r") zu(?=$)"),
    ("propose", r"(?:schlag" + _IMP + r"|biet" + _IMP + r")(?: {w})?(?P<tail>.*?) (?:vor|an)(?=$)"),
    ("offer", r"biet" + _IMP + r"(?: {w})?(?P<tail>.*?) an(?=$)"),
    ("wish", r"wünsch" + _IMP + r" {w}(?=\s)"),
    ("invite", r"lade?(?:n sie)?(?: {w})(?P<tail>.*?) ein(?=$)"),
    ("ask_whether", r"(?:frag" + _IMP + r"|erkundig" + _IMP + r"(?: dich| sich)?)(?: bei)?(?: {w})?(?: nach)?,? (?=(?:ob|wann|wo|wie|warum|was|wer|welche\w*)\b)"),
    ("ask", r"(?:frag" + _IMP + r"|bitt" + _IMP + r"|erfrag" + _IMP + r"|forder" + _IMP + r")(?: {w})? (?:nach|um|(?=die|den|das))(?=\s)"),
    ("ask_for", r"(?:bitt" + _IMP + r")?(?: {w})?(?: außerdem| auch| noch| höflich)? ?um(?=\s)"),
    ("ask_to", r"bitt" + _IMP + r" {w}, (?=.* zu \p{Ll}+en$)"),
    ("say", r"(?:gib|geben sie)(?: {w})? bescheid,? dass(?=\s)"),
    ("thank", r"(?:bedank" + _IMP + r"(?: dich| sich)?|dank" + _IMP + r")(?: bei)?(?: {w})?(?=\W|$)"),
    ("promise_by", r"(?:versprich|versprechen sie|kündig" + _IMP + r")(?: {w})?(?: eine?n?)? (?:antwort|rückmeldung|nachricht|neuigkeiten)(?= )"),
    ("look_into", r"sag" + _IMP + r"(?: {w})?,? dass wir (?:das|es|den fall|die sache) prüfen(?=$)"),
    ("pass_on", r"(?:gib|geben sie) (?:es|das|die (?:anfrage|nachricht))(?P<tail>.*?) weiter(?=$)"),
    ("follow_up", r"(?:frag" + _IMP + r"|hak" + _IMP + r")(?P<tail>.*?) nach(?=$)"),
    ("confirm", r"bestätig" + _IMP + r"(?: {w})?(?=\W|$),?(?: dass\b)?"),
    ("answer", r"(?:antwort" + _IMP + r"|beantwort" + _IMP + r")(?: {w})?(?: (?:die|seine|ihre|alle)(?: \p{L}+){1,2})?$"),
    ("quote", r"(?:sag|schreib|antwort)\w*(?: {w})?:?(?=\s*[“\"„»«])"),
    ("say", r"(?:sag" + _IMP + r"|schreib" + _IMP + r"|teil" + _IMP + r"|erklär" + _IMP + r"|erwähn" + _IMP + r"|informier" + _IMP + r"|antwort" + _IMP + r"|versprich|versicher" + _IMP + r"|weis" + _IMP + r")(?: {w})?(?: mit| darüber| darauf hin| bescheid)?,? dass(?=\s)"),
]  # fmt: skip
