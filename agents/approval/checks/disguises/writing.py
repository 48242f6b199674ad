"""What letters go through and stay letters: apart, turned round, styled, escaped, in lines."""

import html
import quopri
import re
import sys
import unicodedata
from collections.abc import Iterator
from itertools import islice
from urllib.parse import unquote_to_bytes

from agents.approval.checks.disguises.reading import CODED, Undone, shifted, without_invisible
from inbox.rfc5322.addresses.lookalikes import fold_imitators

_APART = re.compile(r"(?<!\S)(?:\S {1,12}){11,10000}\S(?!\S)")
_JOINED = re.compile(r"(?:\S([._*-]))(?:[^\n]\1){6,10000}\S")
# Words of one character, of which so many are one text that others were put between.
_ALONE, _LEAST_ALONE = re.compile(r"(?<!\S)\S(?!\S)"), 24
_QUOTED = re.compile(r"=[0-9A-Fa-f]{2}|=\n")
_ENTITY = re.compile(r"&#[xX]?[0-9A-Fa-f]{1,6};")
_ESCAPE = re.compile(r"\\[uU]([0-9A-Fa-f]{4})|\\[xX]([0-9A-Fa-f]{2})")
# Escapes in any alphabet, and in the one that they are read in; in so many others at most.
_ANY_ESCAPE = re.compile(r"\\[A-Za-z][A-Za-z\d]{4}|&#[A-Za-z][A-Za-z\d]{1,6};|[%=]\d[A-Za-z]")
_KNOWN_ESCAPE = re.compile(r"\\[uU]([\da-fA-F]{4})|&#[xX]([\da-fA-F]{1,6});|[%=]([\da-fA-F]{2})")
_LEAST_ESCAPES, _MOST_TURNED = 3, 3
_LEET = re.compile(r"(?<=[A-Za-z])[013457]{1,4}|[013457]{1,4}(?=[A-Za-z])")
_LETTERS_OF_LEET = str.maketrans("013457", "oieast")
# Lines of what is coded, with words between them that are none of it.
_LINE, _LAST = re.compile(r"[^\s.,:@]{24,20000}"), re.compile(r"\s([^\s.,:@]{1,80})(?=\s|$)")
# A part of a line that is no word as words are written.
_REST = re.compile(r"(?![A-Za-z]?[a-z]{0,80}$)[^\s.,:@]{1,80}")
# Digits that say something only in one direction, in groups or not.
_FIGURES = re.compile(r"(?:[01]{8}\s{0,3}){5}|(?:\d{2,3}[\s,]){12}|(?:[0-9a-fA-F]{2}[ :]){8}")


def plain(text: str) -> Iterator[Undone]:
    """Yield it in usual letters, without what nobody sees."""
    if not text.isascii():
        folded = unicodedata.normalize("NFKC", without_invisible(text))
        yield Undone(fold_imitators(folded), "")


def together(text: str) -> Iterator[Undone]:
    """Yield characters that were set apart, together again."""
    apart = _APART.sub(lambda hit: re.sub(r" (?! )|(?<=\S) (?= )", "", hit[0]), text)
    joined = _JOINED.sub(lambda hit: hit[0][::2], text)
    for one in (apart, joined):
        if one != text:
            yield Undone(re.sub(r" {2,}", " ", one), "")
    alone = _ALONE.findall(text)
    if len(alone) >= _LEAST_ALONE:
        yield Undone("".join(alone), "")


def backwards(text: str) -> Iterator[Undone]:
    """Yield what is coded from its end; words are compared in both directions as they are."""
    if CODED.search(text) or _FIGURES.search(text):
        yield Undone(text[::-1], "")


def in_lines(text: str) -> Iterator[Undone]:
    """Yield lines of what is coded as one: without words between them, and the last first."""
    found = list(_LINE.finditer(text))
    lines = [hit[0] for hit in found]
    # All are of a length but the last, which stands after them, or before if they are turned.
    if not found or len(set(map(len, lines[1:-1] or lines[:1]))) > 1:
        return
    after = [hit[1]] if (hit := _LAST.match(text, found[-1].end())) else []
    before = text[: found[0].start()].split()[-1:]
    after, before = ([one for one in rest if _REST.fullmatch(one)] for rest in (after, before))
    if len(lines) > 1 or after:
        yield Undone("".join([*lines, *after]), lines[0])
    if len(lines) > 1 or before:
        yield Undone("".join([*lines[::-1], *before]), lines[0])


def transfer(text: str) -> Iterator[Undone]:
    """Yield it without percent and quoted-printable encoding, entities and escapes."""
    yield Undone(unquote_to_bytes(text).decode("utf-8", "replace"), "")
    if _QUOTED.search(text):
        yield Undone(quopri.decodestring(text.encode()).decode("utf-8", "replace"), "")
    if _ENTITY.search(text):
        yield Undone(html.unescape(text), "")
    yield Undone(_ESCAPE.sub(lambda hit: chr(int(hit[1] or hit[2], 16)), text), "")
    yield from _turned_escapes(text)


def _turned_escapes(text: str) -> Iterator[Undone]:
    """Yield it in the other alphabets in which all that looks like an escape is one."""
    every = _ANY_ESCAPE.findall(text)
    escapes = list(dict.fromkeys(every))
    if len(every) < _LEAST_ESCAPES or all(map(_is_escape, escapes)):
        return
    found = (by for by in range(26) if all(_is_escape(shifted(one, by)) for one in escapes))
    yield from (Undone(shifted(text, by), "") for by in islice(found, _MOST_TURNED))


def _is_escape(text: str) -> bool:
    """Return True for an escape of a character that is shown, or that ends a line."""
    hit = _KNOWN_ESCAPE.fullmatch(text)
    number = int(next(filter(None, hit.groups())), 16) if hit else 0
    return number in {9, 10, 13} or (31 < number <= sys.maxunicode and chr(number).isprintable())


def leet(text: str) -> Iterator[Undone]:
    """Yield it with letters for the digits that stand beside letters."""
    if len(_LEET.findall(text)) > 3:
        yield Undone(_LEET.sub(lambda hit: hit[0].translate(_LETTERS_OF_LEET), text), "")
