"""What of our own English stands on a page in German: texts of the catalogue that it translates."""

import re
from collections.abc import Container
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import polib

ROOT = Path(__file__).resolve().parent.parent.parent
_PO = ROOT / "project" / "locale" / "de" / "LC_MESSAGES" / "django.po"
# What holds words of mail, of agents and of servers, codes, or no words at all.
_GIVEN = {"bdi", "code", "script", "style", "svg", "textarea", "pre", "q", "mark"}
_SAID = ("aria-label", "title", "placeholder", "data-key-label", "data-confirm")
_VOID = {"input", "br", "hr", "img", "meta", "link", "col", "source", "wbr"}
_PARAM = re.compile(r"%\(\w+\)[sd]|%[sd]|\{\w*\}")
# Texts of one or two words may be in both languages, or a name: these are looked for whole.
_LONG = 12
# Of what others may have written only so much of a sentence of ours is taken for ours.
_SENTENCE = 20


class _Texts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        # Cut and isolated: words of mail, of agents and of servers, and of ours around these.
        self.isolated: list[str] = []
        self._within: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _VOID:
            self._within.append(tag)
        self.texts += [value for name, value in attrs if name in _SAID and value]

    def handle_endtag(self, tag: str) -> None:
        while self._within and self._within.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not _GIVEN & set(self._within):
            self.texts.append(data)
        elif self._within[-1] == "bdi" and not _GIVEN - {"bdi"} & set(self._within):
            self.isolated.append(data)


def texts_of(html: str) -> tuple[list[str], list[str]]:
    """Return what a page says, text by text: without what others wrote, and what stands isolated."""
    parser = _Texts()
    parser.feed(html)
    said, isolated = (
        [" ".join(text.split()) for text in texts if text.strip()]
        for texts in (parser.texts, parser.isolated)
    )
    return said, isolated


@cache
def _english() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the English texts whose German differs, the longest literal of each, and a pattern."""
    entries = [one for one in polib.pofile(str(_PO)) if one.msgid != one.msgstr]
    german = {text.lower() for one in entries for text in (one.msgstr, *one.msgstr_plural.values())}
    msgids = {text for entry in entries for text in (entry.msgid, entry.msgid_plural) if text}
    english = sorted(text for text in msgids if text.lower() not in german)
    return tuple(_pattern(text) for text in english if _is_telling(text))


def _is_telling(text: str) -> bool:
    return bool(re.search(r"[A-Za-z]{3}", _PARAM.sub("", text)))


def _pattern(text: str) -> tuple[str, re.Pattern[str]]:
    parts = [" ".join(part.split()) for part in _PARAM.split(text.replace("%%", "%"))]
    longest = max(parts, key=len)
    if len(longest) >= _LONG and " " in longest:
        return longest, re.compile(".{0,400}?".join(map(re.escape, parts)))
    return longest, re.compile(r"^\W*" + r"\s*\S{1,60}\s*".join(map(re.escape, parts)) + r"\W*$")


def english_in(html: str, given: Container[str] = ()) -> set[str]:
    """Return the texts of ours that a page in German says in English; what is given is not ours.

    Of what stands isolated only what begins as a sentence of ours does: the rest is quoted.
    """
    said, isolated = texts_of(html)
    return {
        words
        for texts, are_isolated in ((said, False), (isolated, True))
        for text in texts
        if text not in given
        for words in _ours_in(text, is_isolated=are_isolated)
    }


@cache
def _ours_in(text: str, *, is_isolated: bool) -> frozenset[str]:
    """Return what of ours a text says, which most pages say again."""
    if is_isolated:
        return frozenset(
            f"{literal!r} isolated in {text[:160]!r}"
            for literal, pattern in _english()
            if len(literal) >= _SENTENCE and literal in text and pattern.match(text)
        )
    return frozenset(
        f"{literal!r} in {text[:160]!r}"
        for literal, pattern in _english()
        if literal in text and pattern.search(text)
    )
