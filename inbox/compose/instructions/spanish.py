"""What a Spanish goal tells the writer to do; `confírmale` is `confirma` with whom."""

WHOM = r"(?:(?:le|les|lo|la)?(?:\s(?:al cliente|a la clienta|a (?-i:\p{Lu}\p{L}+)))?)"
POLITELY = r"(?:(?:amablemente|cortésmente|brevemente|también|luego|después|por favor|primero)\s+)*"
_MEETING = r"(?:reunión|cita|invitación|visita|entrevista|llamada|fecha|hora)"
_THE = r"(?:(?:el|la|los|las|un|una|su|sus|nuestra?|esta?|del?)\s)"
_CONFIRM = r"conf[ií]rm(?:a|e|ar)"
PATTERNS = [
    ("style", r"(?:sé|sea|mantén) (?:muy )?(?:breve|amable|cortés|formal|conciso|amistoso)(?: y \p{L}+)?$|(?:amablemente|cortésmente)$"),
    ("apologise", r"(?:disc[uú]lp(?:ate|ese|arse|ar)|p[ií]d(?:e|a|ele|ale) (?:disculpas|perdón)|pedir (?:disculpas|perdón)|ofrece disculpas)(?: con {w}| con ella| con él)?(?=\W|$)"),
    ("refund_declined", r"(?:rechaza|deniega|niega){w} " + _THE + r"reembolso(?=\W|$)"),
    ("refund", r"(?:" + _CONFIRM + r"|aprueba|acepta|anuncia|promete|ofrece){w} " + _THE + r"(?:reembolso|devolución del dinero)(?=\W|$)"),
    ("receive", r"(?:acusa|" + _CONFIRM + r"){w} (?:el )?(?:recibo|la recepción|recepción)(?: de su (?:mensaje|correo))?$"),
    ("accept_meeting", r"(?:acept[ae]r?|" + _CONFIRM + r"){w} " + _THE + _MEETING + r"(?=\W|$)"),
    ("accept_time", r"(?:acept[ae]r?|" + _CONFIRM + r"){w}(?=\s|$)"),
    ("decline_meeting", r"(?:rechaza|declina){w} " + _THE + _MEETING + r"(?=\W|$)"),
    ("move_meeting", r"(?:mueve|cambia|aplaza|pospón) " + _THE + _MEETING + r"(?: (?:al?|para))?(?=\W|$)"),
    ("cancel", r"cancel[ae]r?(?=\s)"),
    ("decline", r"(?:rechaza|declina)(?: " + _THE + r"(?:oferta|propuesta|solicitud|petición))?(?=\W|$)"),
    ("accept", r"acept[ae]r?(?=\s|$)"),
    ("propose", r"(?:prop[oó]n(?:ga|er)?|sugi[eé]r(?:e|a|ele)){w}(?=\s)"),
    ("ask_to", r"p[ií]d(?:e|a){w} que(?=\s)"),
    ("ask_whether", r"(?:pregunt[ae]|pregúnt[ae]){w} (?=(?:si|a qué|de qué|cuándo|cuánt\w+|cómo|dónde|por qué|qué|cuál\w*)\s)"),
    ("wish", r"dese[ae]{w}(?=\s)|deséa{w}(?=\s)"),
    ("offer", r"(?:ofrec|ofréc)e{w} (?=(?:una?|unos|\d)\b)"),
    ("ask", r"(?:p[ií]d(?:e|a)|solicit[ae]|pregunt[ae]){w}(?: por)?(?=\s)"),
    ("thank", r"(?:agrad[eé]c(?:e|er|ele)|da(?:le)? las gracias){w}(?: (?:por|de))?(?=\W|$)"),
    ("promise_by", r"(?:prom[eé]t(?:e|er)|anuncia){w} (?:una respuesta|novedades|noticias|responder)(?=\s)"),
    ("look_into", r"d[ií](?:le|les|ga|gale)? que (?:lo )?estamos (?:revisando|investigando|comprobando)(?: su (?:caso|consulta))?$"),
    ("confirm", _CONFIRM + r"{w}(?: que\b)?(?=\W|$)"),
    ("answer", r"(?:respond[ea]r?|contest[ae]r?){w}(?: (?:a )?(?:sus|las|todas las|su)(?: \p{L}+){1,2})?$"),
    ("quote", r"(?:d[ií](?:le|les|ga|gale)?|escr[ií]be(?:le)?|responde)\s?:?(?=\s*[“\"„«])"),
    ("say", r"(?:d[ií](?:le|les|ga|gale)?|inf[oó]rm(?:a|e)|expl[ií]c(?:a|ale)|escr[ií]be|menciona|responde|prom[eé]te){w}(?: de)? que(?=\s)"),
]  # fmt: skip
