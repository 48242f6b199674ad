"""What a text holds that its reader does not see, or takes for something else (UTS 39)."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

import regex

from inbox.rfc5322.text.unicode_text import unseen_characters

Kind: TypeAlias = Literal["characters", "blanks", "gap", "letters"]
_LONGEST_EXCERPT = 100
_MOST_WORDS = 100
_BLANK = "[ \\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]"
_AT_LINE_END = regex.compile(rf"(?<!{_BLANK}){_BLANK}++$", regex.MULTILINE)
# Blanks of which one sees no difference; some are written for their width, but hardly many.
_ODD_BLANK = regex.compile("[\u1680\u2000-\u2008\u200a\u205f\u2800]")
# What ends a line in honest text: a blank of flowed text or a signature's mark, two for a break.
_USUAL_ENDS = frozenset({" ", "  "})
_FEWEST_ENDS, _FEWEST_ODD = 4, 8
_GAP = regex.compile(
    rf"(?:^{_BLANK}*+\n){{10,}}+|(?<!{_BLANK}){_BLANK}{{80,}}+(?=\S)", regex.MULTILINE
)
_WORD = regex.compile(r"\p{L}[\p{L}\p{M}]*+")
_LATIN = regex.compile(r"\p{Latin}")
_OTHER = regex.compile(r"[\p{Cyrillic}\p{Greek}\p{Armenian}\p{Cherokee}]")
# Letters that look the same as Latin ones in nearly every font.
_SAME = regex.compile(
    r"[аеорсухіјѕһԁԛԝӏАВЕКМНОРСТХІЈЅУ\u03bf\u03bdϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧοօսոհցՕՍ\p{Cherokee}]"
)  # fmt: skip
# A word with a foreign ending, as a loan word has: first Latin letters, then the others.
_BORROWED = regex.compile(r"\p{Latin}{2,}[\p{Cyrillic}\p{Greek}]++")


class Hidden(NamedTuple):
    """What is hidden: how many of what (`count`, `codes` of Unicode), and the words to look at."""

    kind: Kind
    params: Mapping[str, Any]
    excerpt: str = ""


def find_hidden(text: str) -> Iterator[Hidden]:
    """Yield what a text hides, each kind once and each word that seems to be Latin; linear time."""
    if unseen := unseen_characters(text):
        yield Hidden("characters", {"count": len(unseen), "codes": _codes(unseen)})
    if count := _count_blanks(text):
        yield Hidden("blanks", {"count": count})
    if gap := _longest_gap(text):
        yield gap
    if not text.isascii():
        yield from _find_disguised(text)


def _codes(letters: list[str]) -> str:
    named = (f"U+{ord(letter):04X}" for letter in letters)
    return ", ".join(dict.fromkeys(named))[:200]


def _count_blanks(text: str) -> int:
    """Return how many blanks may carry something: several kinds of them, unseen, at line ends."""
    ends = _AT_LINE_END.findall(text)
    kinds = set(ends) - _USUAL_ENDS
    carried = sum(len(end) for end in ends) if len(kinds) > 1 and len(ends) >= _FEWEST_ENDS else 0
    odd = _ODD_BLANK.findall(text)
    return carried + (len(odd) if len(odd) >= _FEWEST_ODD and len(set(odd)) > 1 else 0)


def _longest_gap(text: str) -> Hidden | None:
    """Return the longest run of blanks or empty lines with text behind it, that it may hide."""
    ended = text.rstrip()
    gaps = [hit for hit in _GAP.finditer(ended) if ended[: hit.start()].strip()]
    if not gaps:
        return None
    longest = max(gaps, key=lambda hit: len(hit[0]))
    behind = ended[longest.end() :].lstrip()[:_LONGEST_EXCERPT].partition("\n")[0]
    return Hidden("gap", {}, behind)


def _find_disguised(text: str) -> Iterator[Hidden]:
    """Yield words that mix Latin letters with the like of others, or stand among Latin ones."""
    words = list(_WORD.finditer(text))
    is_latin = [bool(_LATIN.match(word[0])) for word in words]
    mostly_latin = sum(is_latin) * 2 > len(words)
    seen: set[str] = set()
    for place, word in enumerate(words):
        others = _OTHER.findall(word[0])
        if not others or word[0] in seen or not all(map(_SAME.match, others)):
            continue
        around = is_latin[max(place - 1, 0) : place] + is_latin[place + 1 : place + 2]
        if _is_disguised(word[0], len(others), mostly_latin=mostly_latin, alone=all(around)):
            seen.add(word[0])
            yield Hidden("letters", {"codes": _codes(others)}, word[0][:_LONGEST_EXCERPT])
            if len(seen) == _MOST_WORDS:
                return


def _is_disguised(word: str, others: int, *, mostly_latin: bool, alone: bool) -> bool:
    if _LATIN.search(word):
        return mostly_latin or not _BORROWED.fullmatch(word)
    # All of another script: honest in its own text, and in words quoted from it.
    return mostly_latin and alone and others == len(word) > 3
