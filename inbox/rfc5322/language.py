"""The language of a text, told by its script and its commonest words. Deterministic and small."""

import re
from collections import Counter

_SAMPLE = 1500
_LATIN_WORD = re.compile(r"[a-zà-öø-ÿœßąćęłńśźżčřšž]+")
_STOP_WORDS = {
    "en": "the and to of is that for you with this have are not be from was will we your can on"
    " it i in but as at my me if please thanks would what there has been our they",
    "de": "der die das und ist nicht wir sie ich mit für auf ein eine den dem von zu im des"
    " haben wird bitte ihre ihr auch sich als oder bei nach wie uns ihnen vielen dank sind"
    " kann noch",
    "fr": "le la les et est vous nous pour dans des une que qui pas sur avec je votre au ce"
    " sont il elle du merci plus été mais cette bonjour notre ne par",
    "es": "el la los las y es de que en para por con una no su se del lo usted gracias como"
    " este más pero nos está le al hola muy ya nuestra",
    "it": "il la di che e per non un una con sono del della è le si grazie anche questo come"
    " nel alla gli ma dei ho lei ci siamo buongiorno più da",
    "nl": "de het een en van is dat niet op voor met wij we ik zijn aan te ook bij uw naar"
    " hebben wordt maar er u dit om als bedankt kunnen nog",
    "pt": "o a os as e que de para com não uma do da em por se um no na você obrigado mais está"
    " como ao mas foi são isso nos pela olá",
    "sv": "och att det som är en på för med jag inte av till har vi den kan om ett du från tack"
    " hej",
    "da": "og at det er en på for med jeg ikke af til har vi den kan om et du fra tak hej der",
    "pl": "i w nie na się z do to jest że jak po co dla od przez za dziękuję proszę tak ale jestem",
}
_WORDS = {language: frozenset(words.split()) for language, words in _STOP_WORDS.items()}
_BY_WORD: dict[str, tuple[str, ...]] = {
    word: tuple(sorted(language for language, words in _WORDS.items() if word in words))
    for word in frozenset().union(*_WORDS.values())
    if len(word) > 1  # letters stand alone in program text, too
}
_SCRIPTS = {
    "kana": re.compile("[\u3040-\u30ff\uff66-\uff9d]"),
    "han": re.compile("[\u3400-\u9fff]"),
    "ko": re.compile("[\uac00-\ud7a3\u1100-\u11ff]"),
    "ar": re.compile("[\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc]"),
    "ru": re.compile("[\u0400-\u04ff]"),
    "he": re.compile("[\u0590-\u05ff]"),
    "el": re.compile("[\u0370-\u03ff]"),
    "th": re.compile("[\u0e00-\u0e7f]"),
    "hi": re.compile("[\u0900-\u097f]"),
}
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_PERSIAN = re.compile("[پچژگکی]")
_UKRAINIAN = re.compile("[іїєґ]")


def detect_language(text: str) -> str:
    """Return the ISO 639-1 code of the language of `text`; "" when it cannot be told."""
    sample = text[:_SAMPLE]
    if not sample.isascii():
        found = _by_script(sample)
        if found:
            return found
    return _by_words(sample.lower())


def _by_script(sample: str) -> str:
    counts = {name: len(script.findall(sample)) for name, script in _SCRIPTS.items()}
    han, kana = counts.pop("han"), counts.pop("kana")
    counts["ja"] = kana + han if kana * 20 >= han and kana else 0
    counts["zh"] = han if not counts["ja"] else 0
    best = max(counts, key=lambda name: counts[name])
    # A Han character or a syllable says as much as several Latin letters.
    weight = 3 if best in ("ja", "zh", "ko") else 1
    if counts[best] * weight <= len(_LATIN.findall(sample)) or counts[best] < 2:
        return ""
    if best == "ar" and len(_PERSIAN.findall(sample)) * 20 > counts["ar"]:
        return "fa"
    if best == "ru" and len(_UKRAINIAN.findall(sample)) * 40 > counts["ru"]:
        return "uk"
    return best


def _by_words(sample: str) -> str:
    scores: Counter[str] = Counter()
    words = _LATIN_WORD.findall(sample)
    for word, count in Counter(words).items():
        for language in _BY_WORD.get(word, ()):
            scores[language] += min(count, 5)
    ranked = scores.most_common(2)
    if not ranked or ranked[0][1] < (2 if len(words) < 15 else 4):
        return ""
    best, count = ranked[0]
    second = ranked[1][1] if len(ranked) > 1 else 0
    return best if count > second * 1.2 and count * 16 >= len(words) else ""
