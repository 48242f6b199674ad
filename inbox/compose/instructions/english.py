"""What an English goal tells the writer to do, by the words that begin a clause.

The first pattern that matches is the likeliest reading; a clause may have several.
"""

_DATES = (
    r"(?:\p{Lu}\p{Ll}+day|January|February|March|April|May|June|July|August|\p{Lu}\p{Ll}+ber)\b"
)
WHOM = (
    r"(?:them|him|her|everyone|(?-i:(?:(?:Mr|Mrs|Ms|Dr)\.?\s)?(?!"
    + _DATES
    + r")\p{Lu}\p{Ll}+(?:\s(?!"
    + _DATES
    + r")\p{Lu}\p{Ll}+)?)"
    r"|the (?:customer|client|sender|recipient|user|supplier|vendor|applicant|candidate|guest|landlord|tenant|"
    r"patient|seller|buyer|organi[sz]er|recruiter|author|writer|company|bank|committee|editor|agency)s?)"
)
POLITELY = (
    r"(?:(?:politely|kindly|gently|briefly|firmly|warmly|clearly|please|respectfully|also|then|just|simply|sincerely|finally|"
    r"first|next|again|quickly|now)\s+)*"
)
_SAY = r"(?:(?:say|mention|state|note|add|explain|write|reply|answer|respond)(?: back)?(?: to {w})?|(?:tell|inform|let|assure) {w}(?: know)?)(?: that)?"
_OF = r"(?:(?:proposed|suggested|requested|scheduled|planned) )?"
_MEETING = r"(?:meeting|appointment|call|demo|visit|interview|viewing|invitation|(?:meeting )?(?:date|time|slot))"
_ITS = r"(?:(?:the|a|an|their|his|her|our|this|that) )*"
_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)\p{L}*"
PATTERNS = [
    ("style", (
        r"(?:(?:be|keep (?:it|the reply|the tone|the letter|this)|stay|sound|make it|use)(?: an?)? "
        r"(?:(?:very|really|more) )?(?:short|brief|polite|friendly|formal|warm|kind|concise|professional|empathetic|"
        r"calm|nice|courteous|sweet|simple|understanding|positive|respectful|understanding|firm|gentle|honest|clear)(?:(?:,| and|, and|,? but) \p{L}+){0,2}"
        r"(?: tone| voice| about it| please)?(?=\W*$)|(?:in|with|use) an? (?:(?:very|more) )?"
        r"(?:friendly|formal|warm|polite|professional|empathetic|calm) (?:tone|voice)(?=\W*$)|(?:politely|briefly)$)"
    )),
    ("avoid", (
        r"(?:do not|don['’]t|never|avoid|without)(?: (?:mention|say|reveal|disclos|discuss|includ|talk|nam|writ)(?:e|ing|ing about|e about)?"
        r"(?: about)?) |(?:do not|don['’]t|never|avoid|without) (?=(?:promis|commit|offer|apologi|admit|be|sound)\p{L}*\b)"
    )),
    ("thank", r"(?:(?:say|tell {w}) )?(?:thanks|thank you|many thanks)(?: to {w})?(?=$| for)"),
    ("thank", r"(?:thank(?: {w})?|express (?:our |my )?(?:thanks|gratitude)(?: to {w})?)(?: very much| a lot)?\b"),
    ("apologise", (
        r"(?:apologi[sz]e|" + _SAY + r" (?:we are|we['’]re|i am|i['’]m) (?:very |really |so )?sorry|say (?:very )?sorry|"
        r"express regret|offer {w}? ?(?:an apology|apologies|our apologies)|(?:send|give)(?: {w})? our apologies)\b"
        r"(?: to {w})?(?: sincerely)?"
    )),
    ("refund_declined", (
        r"(?:(?:decline|deny|refuse|reject)(?: {w})? " + _ITS + r"(?:refund(?: request)?|request for a refund)|"
        + _SAY + r" (?:we|i) (?:can ?not|can['’]t|won['’]t|will not|do not|don['’]t) "
        r"(?:offer |give |issue |make |grant )?(?:{w} )?(?:a |the )?refund)\b"
    )),
    ("refund", (
        r"(?:(?:confirm|approve|grant|issue|offer|promise|accept|agree to|process|announce)(?: to)?(?: {w})? "
        r"(?:(?:the|a|their|his|her|full) )*refund|refund (?:{w}|the (?:order|money|amount)|(?=the (?:[$€£]|\d)|\d|[$€£]))|"
        + _SAY + r" (?:we|i) (?:will|shall|['’]ll) refund(?: {w})?)\b"
    )),
    ("accept_meeting", r"(?:confirm (?:" + _ITS + r"|my )?(?:attendance|participation)|rsvp yes)\b"),
    ("decline_meeting", r"rsvp no\b"),
    ("accept_meeting", r"(?:accept|confirm|agree to|approve|ok)(?: to)?(?: {w})? " + _ITS + _OF + r"(?:\p{L}+day(?:['’]s)? )?" + _MEETING + r"\b"),
    ("accept_time", r"(?:confirm|accept|agree to)(?: to {w})?(?=\s|$)|(?:go with|take|pick|choose|opt for)(?=\s)"),
    ("decline_meeting", (
        r"(?:decline|reject|refuse|turn down|say no to)(?: politely)? " + _ITS + _OF + _MEETING + r"\b|"
        + _SAY + r" (?:we|i) (?:can ?not|can['’]t) (?:make (?:it|" + _ITS + _MEETING + r")|come|attend)(?=$| on| at| to)"
    )),
    ("move_meeting", (
        r"(?:reschedule|postpone|move|shift)(?: " + _ITS + _MEETING + r")?(?: (?:to|until|for))?(?=$|\s)"
    )),
    ("cancel", r"(?:cancel|call off)\b"),
    ("decline", (
        r"(?:decline|reject|refuse|turn down|(?:say|reply|answer|respond)(?: with)? no(?: to)?)\b(?: politely)?"
    )),
    ("accept", r"(?:accept|agree(?: to)?|(?:say|reply|answer|respond)(?: with)? yes(?: to)?|approve)\b"),
    ("remind_to", r"remind {w} to\b"),
    ("ask_to", r"(?:ask|request|tell|urge|instruct|beg|encourage)(?: {w})? to\b"),
    ("ask_whether", (
        r"(?:ask|inquire|enquire|find out|check)(?: {w})?(?: about)? (?=(?:(?:from|by|to|in|on|at|for|with) )?(?:if|whether|when|what|which|where|who|how|why)\b)"
    )),
    ("ask_about", r"(?:ask|inquire|enquire)(?: {w})? about\b"),
    ("ask", r"(?:(?:ask|request)(?:(?: {w})? for)?|ask {w}(?= (?:the|an?|his|her|their|how|what)\b))(?=\s)"),
    ("propose", (
        r"(?:(?:propose|suggest)(?: to)?|offer)(?: {w})? (?:(?:a |to |another |an |alternative |new )*"
        r"(?:meet(?:ing)?|call|appointment|date|time|slot|demo|visit)\b|(?:to )?(?=.*\b(?:(?:mon|tues|wednes|thurs|fri|"
        r"satur|sun)day|tomorrow|noon|\d{1,2}(?::\d\d|\s?[ap]\.?m\b|(?:st|nd|rd|th)?\s(?:of\s)?" + _MONTH + r")|" + _MONTH + r"\s\d)))|"
        r"(?:schedule|arrange|book|set up|plan) (?:a|an|the|another) (?:meeting|call|appointment|demo|visit|viewing|interview)\b"
    )),
    ("suggest", r"(?:suggest|recommend|advise)(?: to {w})?(?=\s)"),
    ("offer_to", r"offer to\b|" + _SAY + r" we (?:would be happy|are happy|are glad) to\b"),
    ("offer", r"offer(?: {w})?\b"),
    ("promise_by", (
        r"(?:promise|announce|commit to)(?: {w})? (?:a |an |to )?(?:reply|answer|update|response|news|get back|"
        r"come back|be in touch|solution|feedback)(?: to {w})?(?= (?:by|until|before|on|within|tomorrow|today|this|next|in)\b)"
    )),
    ("promise_to", r"(?:promise|commit|pledge)(?: {w})? to\b"),
    ("promise_that", r"promise(?: {w})? that\b"),
    ("promise", r"promise(?: {w})?(?=\s)"),
    ("pass_on", (
        r"(?:escalate|pass|hand)(?: (?:it|this|the (?:matter|case|request|complaint|mail|message|question)|her|his|their)"
        r"(?: (?:request|complaint|question|message))?)?(?: on| over)?(?= to\b|$)|" + _SAY +
        r" (?:it has been|it was|we have|we['’]ve|i have) (?:escalated|passed (?:it |this )?on|forwarded)(?: (?:it|this))?(?=$| to\b)"
    )),
    ("look_into", (
        r"(?:look into|investigate|check into|" + _SAY + r" (?:we|i)(?: are| am|['’]re|['’]m| will| have been) "
        r"(?:look(?:ing)? into|investigat(?:e|ing)|check(?:ing)?|working on))\b(?: (?:it|this|that|the (?:matter|case|problem|issue)))?(?=$)"
    )),
    ("receive", (
        r"(?:(?:acknowledge|confirm)(?: the| our)? receipt(?: of (?=" + _ITS + r"(?:application|order|payment|return|feedback|offer|invoice|invitation)$)| of " + _ITS + r"(?:e-?mail|mail|message|letter)(?=$)|(?=$))|"
        r"acknowledge(?: " + _ITS + r"(?:e-?mail|mail|message|letter))?(?=$))"
    )),
    ("receive", r"(?:acknowledge|confirm)(?: the| our)? receipt of(?=\s)"),
    ("confirm", r"(?:confirm|verify)(?: to(?: {w})?| {w})?\b(?: that\b)?"),
    ("invite", r"invite(?: {w})? (?=to\b|for\b)"),
    ("congratulate", r"congratulate(?: {w})? (?:on|for)\b"),
    ("remind", r"remind(?: {w})? (?=of\b|that\b|about\b)"),
    ("follow_up", r"(?:follow up|check in)(?: with {w})?(?: (?:on|about|regarding))?(?=\s|$)|(?:chase|nudge)(?: {w})?(?: up)?(?: (?:for|about|on))?(?=\s|$)"),
    ("wish", r"wish {w}(?=\s)"),
    ("answer", (
        r"(?:answer|reply|respond|react|write back|handle|deal with|address)(?: to)?(?: {w})?"
        r"(?: (?:the|their|his|her|all|this|these|open|every)\b(?: \p{L}+){0,3})?(?=\W*$)"
    )),
    ("speech", r"(?:say|tell|write|reply|answer)(?: to)?(?: {w})?(?: the following)?:(?=\s*[^\s“\"„«'‘])"),
    ("quote", _SAY + r"?:?(?=\s*[“\"„«'‘])|(?:write|say|reply|answer|respond)(?: with)?:?(?=\s*[“\"„«'‘])"),
    ("say", (
        r"(?:(?:tell|inform|notify|advise|assure|reassure|update|warn|promise|share with)(?: {w})?(?: of the fact)?|let {w} know|"
        r"(?:explain|say|state|mention|note|point out|write|reply|answer|respond|add|clarify|stress|announce|emphasi[sz]e|make clear)"
        r"(?: back)?(?: to {w})?(?: (?:with|firmly|politely|clearly|briefly|gently|kindly|again))?):? (?:that,?\s|(?=[^\s“\"„«'‘]))"
    )),
]  # fmt: skip
