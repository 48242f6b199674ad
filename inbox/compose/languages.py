"""Whether words are in the language of the letter that is to hold them; pure."""

import regex

from inbox.extract.calendar_words import weekdays

# Short words that hardly any other of these languages has.
_OWN = {
    "en": "the and to of is that for you with this have are not be was will we your can it if "
        "our they would by from"
    " on at their has but or which as does do want please when who why how them his her what "
    "until had were been",
    "de": "der die das und ist nicht wir sie ich mit für auf ein eine einen einem einer dem den "
        "von zu zum zur im am um bitte"
    " dass wird wurde werden haben hat sind bis aus nach bei auch ihm ihr ihre ihnen kommt "
    "morgen über uns nur noch",
    "fr": "le la les et est vous nous pour dans une un que qui pas sur avec je votre au aux du "
        "des sont il elle sa son ses"
    " leur lui merci plus par demain être sera notre nos chez ce cette",
    "es": "el la los las y es de que en para por con una un no su sus se del lo le usted "
        "gracias como más nos está al"
    " mañana será nuestro nuestra su ya muy hay son este esta",
    "it": "il lo gli di che per una sono del della alle è anche questo nel alla dei venerdì "
        "lunedì martedì giovedì",
    "nl": "het een en van dat niet op voor met wij zijn te ook uw naar hebben wordt maar om "
        "vrijdag maandag",
    "pt": "os um uma para com não do da em por no na você obrigado está são isso pelo pela ao "
        "sexta segunda",
    "sv": "och att det som är på för med inte till har vi den kan från tack fredag",
    "pl": "nie na się do że jak po dla od przez proszę jest jestem i w",
    "tr": "ve bir için ile bu değil teşekkürler lütfen cuma günü saat",
}  # fmt: skip
_WORDS = {language: frozenset(words.split()) for language, words in _OWN.items()}
_SHARED = (
    "a an in is am no me so do die man son as on at was will hat per plus met van till den pour "
    "par i"
)
_ENGLISH_TOO = _WORDS["en"] | frozenset(_SHARED.split())
_ENGLISH_DAYS = frozenset(
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
)
_WORD = regex.compile(r"[\p{Latin}\p{M}]+(?:['’]\p{Latin}+)?")
_OTHER_SCRIPT = regex.compile(r"[\p{L}--\p{Latin}]", regex.VERSION1)
_QUOTED = regex.compile(r"[“\"„«][^“”\"„«»]*[”\"“»]")
_SCRIPTS = {
    "ja": regex.compile(r"[\p{Hiragana}\p{Katakana}\p{Han}]"),
    "ar": regex.compile(r"\p{Arabic}"),
}


# Words that are short ones of English too, and speak neither for nor against the language.
_ALSO = {
    "de": frozenset(["in", "am", "so", "was", "man", "will", "hat", "an", "die", "den", "war"]),
    "fr": frozenset(["a", "on", "son", "plus", "pour", "par", "me"]),
    "es": frozenset(["a", "me", "no"]),
}


def is_written_in(text: str, language: str) -> bool:
    """Return True if the words speak for the language more than against it.

    A few words that speak for none are taken for it; English bears no word of another.
    """
    if language in _SCRIPTS:
        return _SCRIPTS[language].search(text) is not None
    bare = _QUOTED.sub(" ", text)
    if _OTHER_SCRIPT.search(bare):
        return False
    words = [
        word for word in _WORD.findall(bare) if word == word.lower() or word.lower() in weekdays()
    ]
    low = [word.lower() for word in words]
    if language == "en":
        return not any(_is_foreign(word) for word in low)
    low = [word for word in low if word not in _ALSO.get(language, ())]
    own = sum(word in _WORDS[language] for word in low)
    if not own:
        return not any(word in words for words in _WORDS.values() for word in low)
    return own > sum(word in _ENGLISH_TOO - _WORDS[language] for word in low)


def guess_language(text: str) -> str:
    """Return the language of a short text by its short words; "und" where it is not English.

    The answer is "" where nothing speaks for a language or against English.
    """
    words = [word.lower() for word in _WORD.findall(text[:3000])]
    counts = {language: sum(word in own for word in words) for language, own in _WORDS.items()}
    counts["en"] += sum(
        word in {"thanks", "hi", "hello", "ok", "dear", "regards"} for word in words
    )
    first, second = sorted(counts, key=lambda it: -counts[it])[:2]
    if counts[first] >= 2 and counts[first] > counts[second]:
        return first
    return "und" if len(words) >= 4 and not counts["en"] else ""


def _is_foreign(word: str) -> bool:
    """Return True if the word is one of another language and none of English."""
    if word in weekdays() and word not in _ENGLISH_DAYS:
        return True
    return word not in _ENGLISH_TOO and any(word in words for words in _WORDS.values())
