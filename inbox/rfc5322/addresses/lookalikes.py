"""Names and domains that pretend to be others: confusables, mixed scripts, near misses."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

import regex

# Letters that look like Latin ones (from the Unicode confusables that browsers act on), by target.
_CONFUSABLE = {
    "a": "аɑαạȧ4@", "b": "Ьвƅ", "c": "сϲᴄ", "d": "ԁɗ", "e": "еєҽ3ε", "f": "ƒ", "g": "ɡԍ9",
    "h": "һհ", "i": "іıɩι!¡", "j": "јϳ", "k": "κкᴋ", "l": "ӏ1|ⅼǀ", "m": "м", "n": "ոпη",
    "o": "оοօ0ᴏσ", "p": "рρ", "q": "ԛգ", "r": "гᴦ", "s": "ѕꜱ5$", "t": "тτ7", "u": "υսцᴜ",
    "v": "νѵᴠ", "w": "ԝωшᴡ", "x": "хχ", "y": "уγყ", "z": "ᴢ2",
}  # fmt: skip
_TO_LATIN = str.maketrans(
    {letter: target for target, letters in _CONFUSABLE.items() for letter in letters}
)
# Letters alone, the large ones too: digits and signs stay what they are.
_LETTERS_TO_LATIN = {
    letter: target for letter, target in _TO_LATIN.items() if chr(letter).isalpha() and letter > 127
} | str.maketrans("АВЕКМНОРСТХІЈЅΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEKMHOPCTXIJSABEZHIKMNOPTYX")
_PAIRS = (("rn", "m"), ("vv", "w"), ("cl", "d"))
_ADDRESS = re.compile(r"[^\s<>\"'(),;:\[\]@]+@[^\s<>\"'(),;:\[\]@]+\.[^\s<>\"'(),;:\[\]@.]{2,}")
_WORD = regex.compile(r"\p{L}[\p{L}\p{M}\p{N}]*")
_LATIN = regex.compile(r"\p{Latin}")
_IMITATORS = regex.compile(r"[\p{Cyrillic}\p{Greek}\p{Armenian}\p{Cherokee}]")
_SEPARATORS = re.compile(r"[-_.]")


def display_name_deceives(name: str, email: str) -> bool:
    """Return True if a display name holds another address, or mixes look-alike scripts."""
    if any(found.lower().rstrip(".") != email.lower() for found in _ADDRESS.findall(name)):
        return True
    return has_mixed_script_word(name)


def has_mixed_script_word(text: str) -> bool:
    """Return True if a word mixes Latin with a script whose letters look like it (UTS 39 5)."""
    if text.isascii():
        return False
    return any(
        _LATIN.search(word) and _IMITATORS.search(word) for word in _WORD.findall(text[:1000])
    )


def mixes_letters(text: str) -> bool:
    """Return True if a text of Latin letters has words with look-alikes of them among theirs.

    A text in the other script may have such a word by mistake.
    """
    if text.isascii() or not has_mixed_script_word(text):
        return False
    beginning = text[:1000]
    return len(_LATIN.findall(beginning)) > 2 * len(_IMITATORS.findall(beginning))


def unicode_domain(domain: str) -> str:
    """Return the domain as people see it: lower case, A-labels decoded (RFC 3492)."""
    return ".".join(_decode_label(label) for label in domain.lower().split("."))


def _decode_label(label: str) -> str:
    if not label.startswith("xn--") or len(label) > 63:
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except (UnicodeError, ValueError, OverflowError):
        return label


def domain_deceives(domain: str) -> bool:
    """Return True if a domain mixes scripts, or has a label all of letters that look like Latin."""
    shown = unicode_domain(domain)
    if shown.isascii():
        return False
    if has_mixed_script_word(shown):
        return True
    return any(
        not label.isascii() and _IMITATORS.search(label) and _bare_skeleton(label).isascii()
        for label in shown.split(".")
    )


def fold_imitators(text: str) -> str:
    """Return a text with Latin letters for those of other scripts that look like them."""
    return text if text.isascii() else text.translate(_LETTERS_TO_LATIN)


@lru_cache(maxsize=16384)
def skeleton(text: str) -> str:
    """Return a form in which strings that look alike are the same (UTS 39 4, for Latin)."""
    folded = _bare_skeleton(text)
    for pair, single in _PAIRS:
        folded = folded.replace(pair, single)
    # After folding, l and i stand for one another: `paypal` and `paypai`.
    return folded.replace("i", "l")


@lru_cache(maxsize=16384)
def _bare_skeleton(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text.lower()).translate(_TO_LATIN)
    return "".join(
        letter
        for letter in unicodedata.normalize("NFD", folded)
        if unicodedata.category(letter) != "Mn"
    )


def is_lookalike(domain_or_address: str, known: Iterable[str]) -> str | None:
    """Return the known domain or address that this one imitates; None when it imitates none.

    One that is itself known imitates nothing; neither does another mailbox of a known domain, nor
    a subdomain of one, whatever other domains are known.
    """
    local, domain = _split(domain_or_address)
    candidates = [(*_split(name), name) for name in known]
    if any(
        domain == other and (not other_local or other_local == local or not local)
        for other_local, other, _ in candidates
    ):
        return None
    if any("." in other and domain.endswith(f".{other}") for _, other, _ in candidates):
        return None
    for other_local, other_domain, name in candidates:
        if domain != other_domain and _imitates(domain, other_domain):
            return name
        same = domain == other_domain and local and other_local
        if same and local != other_local and skeleton(local) == skeleton(other_local):
            return name
    return None


@lru_cache(maxsize=4096)
def _split(text: str) -> tuple[str, str]:
    local, _, domain = text.strip().lower().rpartition("@")
    return local, unicode_domain(domain.rstrip("."))


@lru_cache(maxsize=65536)
def _imitates(domain: str, known: str) -> bool:
    """Return True if `domain` could be taken for `known`."""
    if not domain or "." not in known:
        return False
    if domain.endswith(f".{known}") or known.endswith(f".{domain}"):
        return False  # a subdomain is its owner's
    if skeleton(domain) == skeleton(known) or domain.startswith(f"{known}."):
        return True
    # With pairs folded (`rn` for `m`) and without: a swap of letters makes or breaks a pair.
    return any(_is_near(form(domain), form(known)) for form in (skeleton, _bare_skeleton))


def _is_near(domain: str, known: str) -> bool:
    """Return True if two folded domains differ by an ending, a hyphen, a word or one letter."""
    _, ending, squeezed, words = _name_and_ending(domain)
    known_name, known_ending, known_squeezed, _ = _name_and_ending(known)
    if len(known_name) < 4:
        return False
    if squeezed == known_squeezed:
        return True
    if len(known_name) >= 6 and known_name in words:
        return True
    return (
        ending == known_ending and len(known_squeezed) >= 5 and _one_edit(squeezed, known_squeezed)
    )


@lru_cache(maxsize=4096)
def _name_and_ending(domain: str) -> tuple[str, str, str, frozenset[str]]:
    """Split `shop.example.co.uk` into what was chosen and the public ending, roughly.

    Then what was chosen without its separators, and its words.
    """
    labels = domain.split(".")
    tail = 2 if len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3 else 1
    name = ".".join(labels[:-tail][-1:])
    words = _SEPARATORS.split(name)
    return name, ".".join(labels[-tail:]), "".join(words), frozenset(words)


def _one_edit(one: str, other: str) -> bool:
    """Return True if one letter put in, left out, changed or swapped makes the two the same."""
    if abs(len(one) - len(other)) > 1 or one == other:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    left, right = one[start:], other[start:]
    return (
        left[1:] == right[1:]
        or left[1:] == right
        or left == right[1:]
        or (left[:2] == right[1::-1] and left[2:] == right[2:])
    )
