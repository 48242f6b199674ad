"""Turning what a goal says of somebody into what one says to them, in English; pure.

"that she gets her refund" becomes "you get your refund". Where a pronoun may mean somebody else, or
its grammar cannot be told, nothing is said rather than something wrong.
"""

from collections.abc import Iterable

import regex

from inbox.compose.phrasing.languages import is_written_in
from inbox.languages import ENGLISH, any_of, lazy_regex

_FLAGS = regex.IGNORECASE
_READER = r"the (?:customer|client|sender|recipient)"
_PERSON = rf"(?:he|she|{_READER})"
_THEY = rf"(?:they|{_PERSON})"
_IRREGULAR = {
    "is": "are", "'s": " are", "was": "were", "has": "have", "does": "do", "isn't": "aren't",
    "wasn't": "weren't", "hasn't": "haven't", "doesn't": "don't", "'re": " are", "'ve": " have",
    "'ll": " will", "'d": " would",
}  # fmt: skip
_NOT_VERBS = frozenset(
    {"always", "perhaps", "this", "thus", "us", "as", "towards", "besides", "sometimes"}
)
_ADVERB = r"(?:also|still|already|really|never|always|just|now|only|soon|then|probably|currently)\s"
_SUBJECT = lazy_regex(
    rf"(?<!\p{{L}})(?P<who>{_THEY})(?!\p{{L}})(?P<gap>\s(?:{_ADVERB})*)?(?P<verb>['’](?:s|re|ve|"
    rf"ll|d)(?!\p{{L}})|[\p{{L}}'’]+)?",
    _FLAGS,
)
# "She's had a fever": the short form of "has".
_HAS = lazy_regex(
    rf"(?<!\p{{L}})(?P<who>he|she)['’]s(?=\s(?:{_ADVERB})*(?:had|been|got|gone|seen|had|made|done|taken|given|sent|"
    r"paid|lost|left|found|bought|told|said|read|written|spoken|chosen|moved|changed|received|signed|"
    r"asked|tried|ordered|booked|decided|agreed|accepted|finished|started|already)(?!\p{L}))",
    _FLAGS,
)
_INVERTED = lazy_regex(rf"(?<!\p{{L}})(?P<verb>is|was|has|does) (?={_PERSON}(?!\p{{L}}))", _FLAGS)
# After `her`: what can only follow an object, what only a possessive.
_OBJECT_BEFORE = (
    r"the|a|an|this|that|these|those|all|any|some|no|both|each|every|more|another|our|my|your|"
    r"what|when|where|how|"
    r"why|who|which|if|whether|to|of|on|in|at|by|with|for|from|and|or|but|about|back|again|too|"
    r"as|until|before|after|"
    r"because|while|within|during|regarding|over|out|up|down|tomorrow|today|tonight|now|soon|later|"
    r"directly|separately|immediately|shortly|personally|please|not|towards?|through|around|along|"
    r"off|ahead|forward|sooner|earlier|anyway|anything|something|nothing|everything|yesterday|warmly|gently|politely|quickly|early|first|instead"
)
_HER = lazy_regex(r"(?<!\p{L})her(?!\p{L})(?P<gap>\s+)?(?P<next>[\p{L}\d'’-]+)?", _FLAGS)
_OBJECT_BEFORE_TIME = lazy_regex(
    r"(?:next|last|this) (?:week|month|year|time|\p{L}+day)(?!\p{L})|first(?=\W*$| thing)", _FLAGS
)
_PREPOSITION = lazy_regex(r"(?:^|(?<!\p{L})(?:on|of|for|about|with|in)\s)$", _FLAGS)
_LETS = lazy_regex(r"(?<!\p{L})(?:let|lets|letting|help|helps|helping)\s$", _FLAGS)
_NUMBER = lazy_regex(r"\d|(?:one|two|three|four|five|six|ten|half)(?!\p{L})", _FLAGS)
_GIVES = lazy_regex(
    r"(?<!\p{L})(?:tell|give|send|show|offer|owe|pay|grant|bring|lend|promise|ask|wish|award|"
    r"hand|teach|write|get|"
    r"mail|order|buy|cost|sell|deliver)(?:s|ing|ed)?\s$|(?<!\p{L})(?:told|gave|given|sent|shown|"
    r"paid|brought|lent|got|bought|sold)\s$",
    _FLAGS,
)
_CHANGES = [
    (lazy_regex(pattern, _FLAGS), said)
    for pattern, said in [
        (rf"(?<!\p{{L}})(?:their|his|{_READER}['’]s)(?!\p{{L}})", "your"),
        (r"(?<!\p{L})the(?=\s(?:next|last) (?:order|invoice|visit|purchase|bill))", "your"),
        (r"(?<!\p{L})(?:theirs|hers)(?!\p{L})", "yours"),
        (r"(?<!\p{L})(?:themselves|himself|herself)(?!\p{L})", "yourself"),
        (rf"(?<!\p{{L}})(?:them|him|{_READER})(?!\p{{L}})", "you"),
    ]
]
_FINITE = lazy_regex(
    r"(?<!\p{L})(?:is|are|was|were|will|can|could|cannot|would|should|has|have|had|does|do|did|"
    r"am|ships|shipped|"
    r"arrives?|arrived|works|worked|needs|may|must|might|comes?|came|leaves?|left|takes?|took|"
    r"costs|starts|ends|"
    r"(?<!\b(?:my|your|her|his|their|our|the|an?|this|that|\p{L}+est|full|free)\s)"
    r"(?:ship|work|need|cost|start|end|open|close)(?!\s(?:dates?|times?|of|prices?|days?|hours?))|"
    r"opens|closes|closed|gets?|got|goes|went|includes?|expires?|expired|remains?|seems?|"
    r"depends?|failed|caused|"
    r"received|sent|won['’]t|can['’]t|isn['’]t|aren['’]t|don['’]t|doesn['’]t|didn['’]t|"
    r"wasn['’]t|weren['’]t|we|i|you|they|he|she|it['’]s)(?!\p{L})"
    r"|['’](?:ll|re|ve|m)(?!\p{L})|(?<=\b(?:what|who|where|how|that|there))['’]s(?!\p{L})",
    _FLAGS,
)
_SAYS_OF = lazy_regex(
    r"(?:we|i|you|they|he|she|it|there|this|these|those|everything|nobody|both)(?!\p{L})", _FLAGS
)
_OF_RELATIVE = lazy_regex(
    r"(?<!\p{L})(?:we|i|you|they|he|she|it|that|which|who|what|how|when|where|why|if|whether|to)"
    r"(?:\s(?:did|do|does|was|were|has|have|had|is|are|will|can|could|would|should|must))?"
    r"(?:\s(?:not|never|also|already|still|just|been|\p{L}+ly))*\s?$",
    _FLAGS,
)
# An antecedent counts where a joint stands between it and the pronoun: "the chairs and … them".
_JOINT = lazy_regex(
    r"(?<!\p{L})(?:and|but|or|so|who|which|that|when|because|if|while|as|until|once|before|"
    r"after|since|then)(?!\p{L})|[,;:]",
    _FLAGS,
)
_PEOPLE = lazy_regex(
    r"(?<!\p{L})(?:colleagues?|technicians?|drivers?|couriers?|engineers?|managers?|boss|"
    r"doctors?|dentist|lawyers?|"
    r"accountants?|assistants?|agents?|representatives?|supervisors?|directors?|someone|"
    r"somebody|suppliers?|partners?|"
    r"wife|husband|users?|teams?|department|staff|specialists?|plumber|electrician|landlord|"
    r"neighbou?rs?|friends?|"
    r"child|son|daughter|mother|father|brother|sister|owner|people|everyone|students?|patients?|"
    r"guests?|customers|clients|teachers?|"
    r"ceo|cfo|secretary|nurse|vet|builder|contractor|buyer|seller|tenant|applicant|candidate|"
    r"vendor|manufacturer)(?!\p{L})",
    _FLAGS,
)
_NAME = lazy_regex(
    r"(?:^(?!(?:The|This|That|These|Those|Our|We|It|There|Your|My|All|Both|No|An?|Neither|Nobody|"
    r"Everything|Tomorrow|Today|Unfortunately|Yes)\b)|(?<=\p{L}[,]?\s))(?!I\b)\p{Lu}\p{Ll}+"
)
_CALENDAR = lazy_regex(
    r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:Jan|Febr|March|April|May|June|July|August|"
    r"Sept|Octo|Nov|Dec)\p{L}*"
)
_PLURAL = lazy_regex(
    r"(?<!\p{L})(?!(?:this|is|was|us|has|does|always|yes|less|business|address|process|progress|"
    r"plus|news|perhaps|thus|days|weeks|hours|months|minutes|years|thanks|apologies|ships|"
    r"arrives|works|needs|comes|takes|costs|starts|ends|opens|closes|gets|goes|leaves|expires|"
    r"as|its|his|hers|ours|yours|theirs|sometimes|class|glass|press|status|bonus|access|euros|"
    r"dollars|pounds)(?!\p{L}))\p{L}{2,}s(?!\p{L}|['’])|(?<!\p{L})(?:children|people|"
    r"goods)(?!\p{L})",
    _FLAGS,
)
_PRONOUN = lazy_regex(
    r"(?<!\p{L})(?P<they>they|them|their|theirs|themselves)(?!\p{L})|(?<!\p{L})(?P<person>he|"
    r"she|him|her|his|hers|himself|herself)(?!\p{L})",
    _FLAGS,
)
_POSSESSIVE = frozenset({"his", "her", "hers", "himself", "herself"})
_YOU = lazy_regex(r"(?<!\p{L})(?:you|your|yours|yourself)(?!\p{L})", _FLAGS)
_YOU_DO = lazy_regex(
    r"(?<!\p{L})you(?=['’](?:re|ll|ve|d)|\s(?:also |still |already |just )?(?:are|will|can|"
    r"could|would|should|have|had|do|did|were|may|might|must|cannot|can['’]t|won['’]t|don['’]t|"
    r"need|want|hope|think|know|look|plan|expect|received?|sent|send|call|called|checked|check|"
    r"agree|accept|ship|shipped|pay|paid|write|wrote)(?!\p{L}))",
    _FLAGS,
)
# What is left to be filled in, or speaks of writing rather than to the reader.
_UNFIT = lazy_regex(
    r"\[[^\]]*\]|\{[^}]*\}|<[^>]*>|_{2,}|\b(?:x{2,}|tbd|tbc|lorem ipsum|placeholder)\b|\.{3}|…"
    r"|\b(?:ignore|disregard|forget|override)\b.{0,60}\b(?:instruction|prompt|rule|polic|above|"
    r"previous)|\bsystem prompt\b"
    r"|[()?]|\bin (?:an?|the|my|our) (?:\p{L}+,? ){0,3}(?:tone|way|manner|voice|style|mood)\b"
    r"|\b(?:in|within|under) (?:\d+|one|two|three|four|five|a few|max\w*) "
    r"(?:words?|sentences?|lines?|paragraphs?)\b"
    r"|\b(?:politely|nicely|tactfully|diplomatically|professionally|asap|fyi|btw|"
    r"(?:the (?:reply|draft)|this (?:reply|draft|letter|response))|subject line|bullet points?)\b"
    r"|\b(?:and|but|or) that\b(?!\s(?:is|was|will|would)\b)"
    r"|\b(?:etc|blah|or something|and so on|or similar|whatever|somehow)\b|\b(?:his|her|their)/|"
    r"\b(?:he|she|him)/|/(?:she|he|her|him|them|they)\b",
    _FLAGS,
)
# "We are full, encourage her to …": what stands behind the comma is another instruction.
_TELLS_BESIDES = lazy_regex(
    r",\s(?!(?:and|but|or|so|for|with|without|not|also|which|who|whose|where|when|while|because|since|as|if|unless|until|after|"
    r"before|including|plus|then|at|on|in|by|from|to|of|about|we|i|you|it|they|he|she|there|this|that|these|those|our|your|"
    r"my|his|her|their|the|an?|both|all|any|some|no|only|just|even|either|neither|nor|than|per|via|over|under|across|"
    r"inside|outside|behind|opposite|near|around|through|during|despite|except|like|unlike|\p{L}+(?:ing|ed|ly|s))\b)"
    r"\p{Ll}{3,}\s(?:her|him|them|the|our|an?|that|whether|us|me|his|their)\b"
)
_SHALL = (
    r"tell|send|write|call|let|inform|give|reply|answer|come back|get back|refund|return|ship|"
    r"deliver|check|contact|"
    r"pay|replace|repair|phone|e-?mail|post|dispatch|credit|transfer|issue|provide|share|update|"
    r"notify|meet|visit|follow up"
)
_PRESENT = lazy_regex(rf"(?<!\p{{L}})(?P<who>we|I)\s(?=(?:{_SHALL})(?!\p{{L}}))", _FLAGS)
_AHEAD = lazy_regex(
    r"(?<!\p{L})(?:tomorrow|tonight|soon|shortly|later|next (?:week|month|year|\p{L}+day)|(?:by|"
    r"on|until|before) (?:the |\p{L}+day|noon|\d)|"
    r"(?:with)?in (?:the next )?\S+ (?:minutes?|hours?|days?|weeks?)|(?:mon|tues|wednes|thurs|"
    r"fri|satur|sun)day|as soon as)",
    _FLAGS,
)


def to_reader(text: str, names: Iterable[str] = ()) -> str:
    """Return the words as said to the reader: "their order ships" → "your order ships".

    `names` are the reader's own. The answer is "" where it cannot be told what the words mean.
    """
    text = text.strip()
    if not text or not is_sayable(text) or not is_written_in(text, ENGLISH):
        return ""
    if any(regex.search(rf"(?<!\p{{L}}){regex.escape(it)}(?!\p{{L}})", text) for it in names):
        return ""
    if means_others(text) or _is_split_agreement(text) or _TELLS_BESIDES.search(text):
        return ""
    spoken = from_us(text)
    spoken = with_her(spoken) if spoken else ""
    if not spoken:
        return ""
    return _in_future(regex.sub(r"(?<!\p{L})i(?=\s|['’])", "I", as_you(spoken)))


def as_you(text: str) -> str:
    """Return the words with each he, she and they as "you", whomever they mean."""
    text = _HAS.sub(r"\g<who> has", text)
    text = _INVERTED.sub(lambda it: f"{_agree(it['verb'])} ", text)
    text = _SUBJECT.sub(_as_you, text)
    for pattern, said in _CHANGES:
        text = pattern.sub(said, text)
    return text


def is_sayable(text: str) -> bool:
    """Return True unless the words have gaps to be filled in, or speak of how to write."""
    return _UNFIT.search(text) is None


def means_others(text: str) -> bool:
    """Return True if a pronoun may mean somebody or something that the words name before it."""
    for found in _PRONOUN.finditer(text):
        before = text[: found.start()]
        named_so = [it for it in _NAME.finditer(before) if not _CALENDAR.fullmatch(it[0])]
        people = [*_PEOPLE.finditer(before), *named_so]
        if len(people) == len(named_so) == 1 and _is_told_of(text, named_so[0], found):
            continue
        named = [*people, *_PLURAL.finditer(before)] if found["they"] else people
        if any(_JOINT.search(before, it.end()) for it in named):
            return True
        possessive = found[0].lower() in _POSSESSIVE and not _is_object_her(text, found)
        if possessive and people:
            return True
    return False


def _is_told_of(text: str, name: regex.Match[str], pronoun: regex.Match[str]) -> bool:
    """Return True for "Ben will ring her and she …": of her the clause about Ben speaks before."""
    between = text[name.end() : pronoun.start()]
    earlier = _PRONOUN.search(between)
    if earlier is None or earlier["they"] or pronoun["they"]:
        return False
    same = (earlier[0][0].lower() == "s" or earlier[0].lower().startswith("her")) == (
        pronoun[0][0].lower() == "s" or pronoun[0].lower().startswith("her")
    )
    return same and _JOINT.search(between[: earlier.start()]) is None


def _is_object_her(text: str, found: regex.Match[str]) -> bool:
    if found[0][:3].lower() != "her" or found[0][3:4].isalpha():
        return False
    after = text[found.start() + 3 :].lstrip()
    if _LETS.search(text[: found.start()]):
        return True
    following = regex.match(r"[\p{L}\d'’-]+", after)
    if following is None:
        return True
    if _OBJECT_BEFORE_TIME.match(after):
        # "Congratulations on her first": nobody is congratulated first.
        return _PREPOSITION.search(text[: found.start()]) is None
    if _NUMBER.match(after):
        return _GIVES.search(text[: found.start()]) is not None
    return regex.fullmatch(_OBJECT_BEFORE, following[0], _FLAGS) is not None


def _is_split_agreement(text: str) -> bool:
    """Return True if a second verb would have to agree: "she returns the lamp and sends photos"."""
    for found in regex.finditer(rf"(?<!\p{{L}}){_PERSON}(?!\p{{L}})", text, _FLAGS):
        after = text[found.end() :]
        if regex.match(
            r"['’]s\s(?:\p{L}+(?:ed|en|wn|nt|pt|ht|ld|ught)|got|had|made|paid|put|read|done|"
            r"gone|come)(?!\p{L})",
            after,
        ):
            return True
        verb = regex.match(rf"\s(?:{_ADVERB})*(\p{{L}}+s)(?!\p{{L}})", after, _FLAGS)
        if verb and regex.search(
            r"\s(?:and|or|but|then)\s(?:\p{L}+ly\s)?(?!this|us|its|his)\p{L}+s(?!\p{L}|['’])",
            after,
            _FLAGS,
        ):
            return True
    return False


def from_us(text: str) -> str:
    """Return the words with "you", the writer, as "we"; "" where it may be the reader."""
    if not _YOU.search(text):
        return text
    if not _PRONOUN.search(text) and not regex.search(_READER, text, _FLAGS):
        return ""
    text = _YOU_DO.sub("we", text)
    text = regex.sub(r"(?<!\p{L})your(?!\p{L})", "our", text, flags=_FLAGS)
    return "" if _YOU.search(text) else text


def with_her(text: str) -> str:
    """Return the words with each "her" as "you" or "your"; "" where that cannot be told."""
    parts, at = [], 0
    for found in _HER.finditer(text):
        object_of = _is_object_her(text, found)
        following = found["next"]
        if (
            not object_of
            and _GIVES.search(text[: found.start()])
            and regex.search(r"(?:s|ing|ion|ice|mail|info|ly)$", following or "")
        ):
            return ""
        parts += [text[at : found.start()], "you" if object_of else "your"]
        at = found.start() + 3
    return "".join([*parts, text[at:]])


def _as_you(found: regex.Match[str]) -> str:
    possessive = (
        found["verb"]
        and regex.match(r"['’]s$", found["verb"])
        and found["who"].lower().startswith("the ")
    )
    if possessive:
        return "your"
    verb = found["verb"] or ""
    if found["who"].lower() != "they" or verb[:1] in {"'", "’"}:
        verb = _agree(verb)
    return f"you{found['gap'] or ''}{verb}"


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


def _in_future(text: str) -> str:
    """Return "we tell you tomorrow" as "we will tell you tomorrow"."""
    return (
        _PRESENT.sub(lambda it: f"{it['who']} will ", text, count=1)
        if _AHEAD.search(text)
        else text
    )


def as_sentence(text: str, end: str = ".") -> str:
    """Return the words as a sentence: a capital first, a stop last."""
    text = text.strip().rstrip(",;:")
    if not text:
        return ""
    return text[0].upper() + text[1:] + ("" if text[-1] in ".!?。؟" else end)


def is_clause(text: str) -> bool:
    """Return True if the words are a clause, with a verb, rather than the name of a thing."""
    return _FINITE.search(text) is not None


def is_statement(text: str) -> bool:
    """Return True if the words say something: "the lamp is ready", and not "the lamp we sold"."""
    if _SAYS_OF.match(text):
        return is_clause(text)
    return any(
        not _OF_RELATIVE.search(text[: found.start()])
        for found in _FINITE.finditer(text)
        if found.start() and not _SAYS_OF.match(found[0])
    )


_RELATIVE = lazy_regex(
    r"\s(?:of|for|from|to|on|in|about|that|which|showing|with|by|at|where|so)\s.*$", _FLAGS
)


def without_relative(text: str) -> str:
    """Return what the words name, without what they say of it: "the lamp" of "the lamp that …"."""
    return _RELATIVE.sub("", text)


_REASON = lazy_regex(lambda: rf"(?:^|,?\s){any_of(lambda it: it.talk.reasons)}\s?(?!of\b)")


def without_reason(text: str) -> tuple[str, str]:
    """Part what is done from why: `the offer because we are full` → `the offer`, `we are full`."""
    parts = _REASON.split(text, maxsplit=1)
    if len(parts) == 1:
        return text, ""
    return parts[0].strip(" ,"), parts[1].strip()
