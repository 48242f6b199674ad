"""Parting a goal into the clauses that each tell one thing to do; pure.

The words are those of each language's section `clauses`.
"""

from collections.abc import Iterator
from functools import cache

import regex

from inbox.compose.goals.instructions import infinitives, politely
from inbox.compose.phrasing.speech import means_others
from inbox.extract.readers.calendar_words import months
from inbox.languages import ENGLISH, any_of, language, languages, lazy_regex
from inbox.languages.writing import Clauses

_FLAGS = regex.IGNORECASE
LONGEST_GOAL = 2000


@cache
def _part(name: str) -> str:
    """Return what any language has under this name of its section `clauses`."""
    return any_of(lambda it: getattr(it.clauses, name))


@cache
def _begins() -> str:
    spoken = any_of(lambda it: it.clauses.speaks, lambda it: it.clauses.tasks)
    return rf"(?:{spoken}|(?:{infinitives()})(?![\p{{L}}-]))"


@cache
def _does() -> str:
    return _part("does")


# After these words a verb is one, and no noun.
_ITS = (
    r"(?=\s(?:the|a|an|that|them|him|her|it|this|our|my|their|his|all|any|to|for|if|whether|on|"
    r"up|about|short|brief|polite|friendly|\d|\p{Lu}))"
)


@cache
def _verb() -> str:
    return rf"(?={politely()}(?:{_begins()}(?!\p{{L}})|{_does()}{_ITS}))"


def _joined(words: Clauses) -> str:
    """Return the pattern of a joint of the language that another instruction follows."""
    verbs = f"{_begins()}|(?:{words.behind})" if words.behind else _begins()
    return (
        rf"\s*[,:]?(?:\s(?:{words.joints})(?!\p{{L}})){{1,3}}+\s"
        rf"(?={politely()}(?:(?:{verbs})(?!\p{{L}})|{_does()}{_ITS}))"
    )


_SPLIT = lazy_regex(
    lambda: (
        "|".join(_joined(it.clauses) for it in languages() if it.clauses.joints)
        + rf"|\s*,\s*{_verb()}|{_part('parts')}"
    ),
    _FLAGS,
)
_ASKS = lazy_regex(lambda: rf"^{politely()}(?:ask|inquire|enquire|find out)\b", _FLAGS)
_AND_WHETHER = lazy_regex(
    r"\s*(?:,\s*(?:and\s)?|\sand\s)"
    r"(?=(?:(?:from|by|to|in|on|at|for|with)\s)?(?:if|whether|when|what|which|where|who|how|why)\b)"
    r"|,?\sand\s(?=for\s)",
    _FLAGS,
)
_SAYS = lazy_regex(
    lambda: (
        rf"^{politely()}(?P<verb>confirm|promise|say|tell|inform|explain|mention|write|reply|state|add|note|let|clarify|notify|reassure|advise|stress|"
        r"emphasi[sz]e|point out|warn|share|"
        rf"assure|thank)\b"
    ),
    _FLAGS,
)
_AND_THAT = lazy_regex(r"\s*(?:,\s*(?:and\s|but\s)?|\s(?:and|but)\s)that\s", _FLAGS)
_UNDER_WAY = lazy_regex(
    r"\b(?:(?:will|['’]ll|can|could|would|shall|should|might|may|must)(?!\sbe\b)|"
    r"to(?!\s(?:be|the|an?|our|my|his|her|their|them|him|it|this)\b|\s(?-i:\p{Lu})))\s",
    _FLAGS,
)
_DO_FIRST = lazy_regex(lambda: rf"{_does()}(?!\p{{L}})", _FLAGS)
_READER_FIRST = lazy_regex(lambda: rf"{_part('reader')}(?!\p{{L}})", _FLAGS)
_READER_TO = lazy_regex(
    r"^\W*(?:\p{L}+\s){1,6}?to\s(?!the\b|an?\b)|"
    r"\b(?:should|must|can|could|needs? to|has to|have to)\s",
    _FLAGS,
)
_OF_READER = lazy_regex(r"\b(?:him|her|his|he|she|them|their|they|the (?:customer|client))\b")
_SENTENCE = lazy_regex(
    lambda: (
        r"(?<!\b(?:Mr|Mrs|Ms|Dr|No|Nr|St|approx|ca|Prof|Sig|Dott|Ing|Avv|Sra?|Mme|dhr|mevr|bzw|inkl|zzgl|art|tel|e\.g|i\.e|z\.B|[ap]\.m))"
        rf"(?<!(?<![:\d])\b\d{{1,2}}(?=\.\s(?:{'|'.join(months())})\b))(?<!^\s*\d{{1,2}})"
        r"(?<!\b\d{1,2}\.\d{1,2}(?=\.(?!\s+(?-i:\p{Lu})|\s*$)))"
        rf"(?<!\b{any_of(lambda it: it.clauses.before_ordinals)}\s\d{{1,2}}(?=\.\s\p{{L}}))"
        r"(?<!(?:(?-i:\bM)|(?:^|[.!?:]\s|\b(?:who|from|to|by|with|for|of|and)\s)(?-i:\p{Lu}))(?=\.\s(?-i:\p{Lu})))[.!?]+"
        r"(?:\s+|$)|\s*[;。]\s*|\s*\n\s*|\s+[-–—]\s+(?=\p{L})"
    ),
    _FLAGS | regex.MULTILINE,
)
_BULLET = lazy_regex(
    lambda: (
        rf"^(?:[-*•–]|\(?\d{{1,2}}[.)](?=\s)(?!\s(?:{'|'.join(months())})(?!\p{{L}}))"
        r"|(?-i:\(?[a-h][.)]|[A-H]\))(?=\s))\s*"
    ),
    _FLAGS,
)
_QUOTED = lazy_regex(
    r"\"[^\"]*\"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|"
    r"(?<!\p{L})['‘](?=\p{L})[^'‘’\n]{8,}[.!?]['’](?!\p{L})"
)
# What is to be done only in some case, or one of two things, is nothing that is to be done.
_CONDITIONAL = lazy_regex(
    lambda: (
        rf"^\s*{_part('only_if')}(?!\p{{Latin}})"
        rf"|(?<!\p{{Latin}}){_part('otherwise')}(?!\p{{Latin}})"
        rf"|\s{_part('choice')}\s(?:{_begins()})(?!\p{{L}})"
    ),
    _FLAGS,
)


def _that() -> str:
    """Return the pattern of "that" in a language that has it apart, or before an apostrophe."""
    return rf"(?:{any_of(lambda it: it.talk.that)})(?:\s|['’])"


def _ing(verb: str) -> str:
    first, *others = verb.split()
    stem = {"let": "lett"}.get(first, first.removesuffix("e") if first != "agree" else first)
    return " ".join([f"{stem}ing", *others])


@cache
def _bases() -> dict[str, str]:
    english = language(ENGLISH)
    verbs = english.clauses.ing.split("|") if english else []
    return {_ing(verb): verb for verb in verbs}


@cache
def _ing_forms() -> str:
    forms = sorted(_bases(), key=len, reverse=True)
    return rf"(?P<ing>{'|'.join(forms)})(?!\p{{L}})"


@cache
def _whom() -> str:
    english = language(ENGLISH)
    return english.instructions.whom if english else ""


_REPLY = (
    r"(?:repl(?:y|ies)|response|answer|e-?mail|message|letter|note|mail|confirmation|apology|draft)"
)
# "Write a short reply declining the offer": the instruction is what comes behind.
_WRITE = "(?:write|draft|send|compose|prepare|create|give|reply|respond|answer)"
_LETTER = lazy_regex(
    lambda: (
        rf"^{politely()}{_WRITE}(?: back)?"
        rf"(?: {_whom()})?"
        rf"(?: (?:with )?(?:an?|the|your) (?:[\p{{L}}-]+(?:,|,? and)? ){{0,4}}?{_REPLY})?"
        rf"(?: (?:back )?(?:to|for) {_whom()})?,?(?: (?:by|and|in which you))?\s"
        rf"(?={_ing_forms()}|(?P<verb>{_begins()})\s)"
    ),
    _FLAGS,
)
_AND_ING = lazy_regex(
    lambda: (
        r"(?P<joint>^|,\s(?:and |but )?|\s(?:and|but|while|by)(?: also)?\s)(?:also\s)?"
        rf"{_ing_forms()}"
    ),
    _FLAGS,
)
_BEGINS_WITH_AND = lazy_regex(lambda: rf"^{_part('joints')}\s{_verb()}", _FLAGS)
# What only asks for what comes behind: "Please make sure to thank her".
_ONLY_ASKS = lazy_regex(
    lambda: (
        rf"^{politely()}(?:(?:can|could|would|will) you(?: please)?|"
        r"i(?:['’]d| would) like (?:you )?to|"
        r"(?:i|we) (?:(?:want|need) you|want) to|we(?:['’]d| would) like to|"
        r"(?:make|be) sure (?:to|you)|"
        rf"(?:don['’]t|do not|never) forget to|remember to|feel free to|let['’]s)\s{_verb()}"
    ),
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
    for written, end in _sentences(text):
        sentence = _bare(written)
        parts = [sentence] if _CONDITIONAL.search(sentence) else _parts(sentence)
        # "Tell him it is loud, could he look at it?": the question is not told.
        is_asked = "?" in end and not _ASKS.match(parts[-1]) and written == sentence
        clauses += [
            (
                _restored(part, quotes),
                not _CONDITIONAL.search(part)
                and not _is_open(part)
                and not (is_asked and part is parts[-1]),
            )
            for part in parts
        ]
    return clauses


def _sentences(text: str) -> Iterator[tuple[str, str]]:
    """Yield each sentence and what it ends with."""
    at = 0
    for found in [*_SENTENCE.finditer(text), None]:
        end = found.start() if found else len(text)
        sentence = _BULLET.sub("", " ".join(text[at:end].split())).strip(" ,.!")
        if sentence:
            yield sentence, found[0] if found else ""
        at = found.end() if found else end


def _restored(text: str, quotes: list[str]) -> str:
    return regex.sub(r"[\uE000-\uF8FF]", lambda it: quotes[ord(it[0]) - 0xE000], text)


def _bare(sentence: str) -> str:
    """Return the instruction without what only leads up to it."""
    sentence = _ONLY_ASKS.sub("", _BEGINS_WITH_AND.sub("", sentence))
    lead = _LETTER.match(sentence)
    if lead is None:
        return sentence
    rest = sentence[lead.end() :]
    return rest if lead["verb"] else _AND_ING.sub(_imperative, rest)


def _imperative(found: regex.Match[str]) -> str:
    return found["joint"].replace("by", "and") + _bases()[found["ing"].lower()]


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
    if regex.search(r"(?:\sand|,)\s*$", upto, _FLAGS) is None or not _UNDER_WAY.search(before):
        return False
    return bool(_DO_FIRST.match(piece)) or _may_be_the_readers(before, piece)


def _may_be_the_readers(before: str, piece: str) -> bool:
    """Return True for "ask her to sign and | confirm it", which may be asked of her or of us."""
    return bool(
        _READER_FIRST.match(piece) and _READER_TO.search(before) and not _OF_READER.search(piece)
    )


def _is_open(part: str) -> bool:
    """Return True if the clause may hide another instruction, though it cannot be told whose."""
    return any(_BEGINS_HERE.match(part, found.end()) for found in _SPLIT.finditer(part))


# "Sag ihr, dass A und dass B": the verb and its "that", and what begins B.
_OTHER_THAT = lazy_regex(lambda: rf",?\s{_part('joints')}\s(?:de\s)?{_that()}", _FLAGS)
_SAYS_THAT = lazy_regex(lambda: rf"^[^.!?]{{2,60}}?,?\s{_that()}", _FLAGS)
_BEGINS_HERE = lazy_regex(lambda: rf"{politely()}{_begins()}(?!\p{{L}})", _FLAGS)
# "That is our fault" begins with a pronoun.
_THAT_FIRST = lazy_regex(
    lambda: (
        rf"^(?:{_that()}|that\s(?=(?-i:\p{{Lu}})|(?:an?|the|you|we|i|he|she|it|they|there|our|your|my|"
        r"his|her|their|these|those|no|any|all)\b))"
    ),
    _FLAGS,
)
# The verb and to whom it speaks: "tell her that".
_LEAD = lazy_regex(lambda: rf"^{politely()}\S+(?:\s(?:to|know|that|{_whom()}))*\s", _FLAGS)


def _spread(part: str) -> list[str]:
    """Return "ask for A and whether B" and "say that A and that B" as an instruction each."""
    # "our interns are paid and that they work": apart from each other "they" would be the reader.
    if means_others(_LEAD.sub("", part)):
        return [part]
    if _ASKS.match(part):
        first, *others = _AND_WHETHER.split(part)
        return [first, *(f"ask {other}" for other in others)]
    if found := _OTHER_THAT.search(part):
        lead = _SAYS_THAT.match(part)
        if lead is not None and lead.end() <= found.start():
            first, *others = _OTHER_THAT.split(part)
            return [first, *(f"{lead[0]}{other}" for other in others)]
    if says := _SAYS.match(part):
        verb = says["verb"].lower()
        verb = verb if verb in {"confirm", "promise"} else "say"
        first, *others = _AND_THAT.split(part)
        return [first, *(f"{verb} that {other}" for other in others)]
    return [part]


def told_apart(tail: str) -> list[str]:
    """Return "that A and that B", which another verb began, as what is told each by itself."""
    bare = _THAT_FIRST.sub("", tail)
    return [tail] if bare == tail else [_THAT_FIRST.sub("", it) for it in _AND_THAT.split(bare)]
