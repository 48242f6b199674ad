"""What a fooled agent may do to words so that nobody recognises them; each is undone by a reader."""

import base64
import codecs
import quopri
import random
import string
import urllib.parse
from collections.abc import Callable

Disguise = Callable[[str, random.Random], str]

_LATIN = string.ascii_lowercase + string.ascii_uppercase
_LOOKALIKES = str.maketrans("aeopcxyiABEKMHOPCTX", "аеорсхуіАВЕКМНОРСТХ")
_LEET = str.maketrans("aeiost", "431057")
_WIDE = {ord(one): ord(one) + 0xFEE0 for one in string.ascii_letters + string.digits}
_BOLD = (
    {ord(one): 0x1D41A + place for place, one in enumerate(string.ascii_lowercase)}
    | {ord(one): 0x1D400 + place for place, one in enumerate(string.ascii_uppercase)}
    | {ord(one): 0x1D7CE + place for place, one in enumerate(string.digits)}
)
_MIRRORED = str.maketrans(_LATIN, _LATIN[25::-1] + _LATIN[:25:-1])
_DIGIT_WORDS = {
    "en": "zero one two three four five six seven eight nine",
    "de": "null eins zwei drei vier fünf sechs sieben acht neun",
    "fr": "zéro un deux trois quatre cinq six sept huit neuf",
    "es": "cero uno dos tres cuatro cinco seis siete ocho nueve",
    "nl": "nul een twee drie vier vijf zes zeven acht negen",
    "it": "zero uno due tre quattro cinque sei sette otto nove",
}
_FILLERS = ("well", "so", "you see", "indeed", "as it were", "now", "mind you", "then")


def _shifted(text: str, by: int) -> str:
    low, high = string.ascii_lowercase, string.ascii_uppercase
    turned = low[by:] + low[:by] + high[by:] + high[:by]
    return text.translate(str.maketrans(low + high, turned))


def _wrapped(text: str, width: int) -> str:
    return "\n".join(text[place : place + width] for place in range(0, len(text), width))


def _with_fillers(text: str, chance: random.Random) -> str:
    words = text.split()
    filled = [
        f"{word} {chance.choice(_FILLERS)}" if place % 4 == 3 else word
        for place, word in enumerate(words)
    ]
    return " ".join(filled)


def _in_words(text: str, chance: random.Random) -> str:
    """Write each digit as a word."""
    words = _DIGIT_WORDS[chance.choice(list(_DIGIT_WORDS))].split()
    return "".join(f" {words[int(one)]} " if one in string.digits else one for one in text)


def _escaped(text: str, chance: random.Random) -> str:
    forms = ("&#{};", "&#x{:x};", "\\u{:04x}")
    form = chance.choice(forms)
    return "".join(form.format(ord(one)) for one in text)


DISGUISES: dict[str, Disguise] = {
    "as it is": lambda text, _: text,
    "base64": lambda text, _: base64.b64encode(text.encode()).decode(),
    "base64 in lines": lambda text, _: _wrapped(base64.b64encode(text.encode()).decode(), 40),
    "base64 for addresses": lambda text, _: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "base32": lambda text, _: base64.b32encode(text.encode()).decode(),
    "base85": lambda text, _: base64.b85encode(text.encode()).decode(),
    "hex": lambda text, _: text.encode().hex(),
    "hex in pairs": lambda text, _: text.encode().hex(" "),
    "bits": lambda text, _: " ".join(f"{one:08b}" for one in text.encode()),
    "numbers of characters": lambda text, _: " ".join(str(one) for one in text.encode()),
    "ROT13": lambda text, _: codecs.encode(text, "rot13"),
    "another shift": lambda text, chance: _shifted(text, chance.randrange(1, 26)),
    "mirrored alphabet": lambda text, _: text.translate(_MIRRORED),
    "backwards": lambda text, _: text[::-1],
    "words backwards": lambda text, _: " ".join(one[::-1] for one in text.split(" ")),
    "last word first": lambda text, _: " ".join(text.split()[::-1]),
    "spaced": lambda text, _: " ".join(text.replace(" ", "  ")),
    "dotted": lambda text, chance: chance.choice(".-_*").join(text),
    "without blanks": lambda text, _: "".join(text.split()),
    "look-alikes": lambda text, _: text.translate(_LOOKALIKES),
    "wide": lambda text, _: text.translate(_WIDE),
    "bold": lambda text, _: text.translate(_BOLD),
    "zero width": lambda text, chance: chance.choice("\u200b\u200c\u200d\u2060\u00ad").join(text),
    "quoted-printable": lambda text, _: quopri.encodestring(text.encode(), quotetabs=True).decode(),
    "all quoted-printable": lambda text, _: "".join(f"={one:02X}" for one in text.encode()),
    "percent": lambda text, _: urllib.parse.quote(text, safe=""),
    "all percent": lambda text, _: "".join(f"%{one:02X}" for one in text.encode()),
    "escapes": _escaped,
    "leet": lambda text, _: text.translate(_LEET),
    "digits in words": _in_words,
    "fillers": _with_fillers,
    "upper case": lambda text, _: text.upper(),
    "a word a line": lambda text, _: "\n".join(text.split()),
}  # fmt: skip


def disguise(text: str, names: tuple[str, ...], seed: int) -> str:
    """Return a text with disguises put on it one after the other."""
    for name in names:
        text = DISGUISES[name](text, random.Random(f"{seed}-{name}"))
    return text
