"""Whether the two forms of a message's text say the same (RFC 2046 5.1.4); by words, not layout."""

import re
from collections.abc import Iterable

_READ = 100_000
# Longer words; where no blanks stand between words, each letter is one.
_WORD = re.compile(
    "[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
    "|[^\\W\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{4,}"
)
_URL = re.compile(r"(?:https?://|www\.)[^\s<>\"')\]]+", re.IGNORECASE)
_HOST = re.compile(r"(?:https?://)?(?:[^\s/@]*@)?([\w.-]+)", re.IGNORECASE)
_ADDRESS = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+")
# Accounts, sums, telephone numbers: five digits and more, whatever stands between them.
_NUMBER = re.compile(r"(?<!\w)\d(?:[ .,/()-]{0,2}\d){4,40}(?!\w)")
_NO_DIGIT = re.compile(r"\D+")
# Of so many words running so many may be in the plain text alone.
_STRETCH, _MOST_MISSING = 8, 5
# Words that ask for another mail program, instead of the text.
_LONGEST_EXCUSE = 15
_MOST_SOUGHT = 50
_EXCUSE = re.compile(r"\b(?:html|browser)", re.IGNORECASE)


def alternatives_differ(plain: str, from_html: str, links: Iterable[str] = ()) -> bool:
    """Return True if the plain form of a text says what the HTML does not.

    It does with a passage, a number, an address or a host of its own: a machine reads it, and a
    person reads the other. What the HTML says beyond it, such as a footer, is no matter. `links`
    are where the links of the HTML lead. Linear time.
    """
    plain, shown = plain[:_READ].lower(), from_html[:_READ].lower()
    words = _WORD.findall(_URL.sub(" ", plain))
    is_excuse = len(words) <= _LONGEST_EXCUSE and _EXCUSE.search(plain) is not None
    if not is_excuse and _has_own_passage(words, set(_WORD.findall(_URL.sub(" ", shown)))):
        return True
    return _names_own(plain, f"{shown} {' '.join(links).lower()}")


def _has_own_passage(words: list[str], theirs: set[str]) -> bool:
    """Return True if most of some words running are not among theirs."""
    missing = 0
    for place, word in enumerate(words):
        missing += word not in theirs
        if place >= _STRETCH:
            missing -= words[place - _STRETCH] not in theirs
        if missing > _MOST_MISSING:
            return True
    return False


def _names_own(plain: str, shown: str) -> bool:
    """Return True if the plain text has a number, an address or a host that is not shown."""
    return (
        _lacks(shown, _ADDRESS.findall(shown), _ADDRESS.findall(plain))
        or _lacks(shown, map(_domain, _URL.findall(shown)), map(_domain, _URL.findall(plain)))
        or _lacks(_NO_DIGIT.sub("", shown), _numbers(shown), _numbers(_URL.sub(" ", plain)))
    )


def _numbers(text: str) -> list[str]:
    return [_NO_DIGIT.sub("", hit) for hit in _NUMBER.findall(text)]


def _lacks(text: str, values: Iterable[str], wanted: Iterable[str]) -> bool:
    """Return True if a wanted value is none of the text's `values`, nor stands in it otherwise.

    That is looked for a few times only: a text may be made to have very many.
    """
    left = set(wanted) - set(values)
    return len(left) > _MOST_SOUGHT or any(value not in text for value in left)


def _domain(url: str) -> str:
    """Return the last two labels of a link's host: its owner's, as far as it matters here."""
    host = _HOST.match(url)
    return ".".join(host[1].strip(".").split(".")[-2:]) if host else ""
