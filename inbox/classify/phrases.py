"""Phrases as a person writes them, found in a text in one pass.

The way of writing them is explained at the top of `rules.yaml`. Nothing in a phrase can make the
search slow: gaps and wildcards are bounded, and a phrase is tried only where its first word stands.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

from inbox.languages.loading import languages
from inbox.languages.patterns import lazy
from inbox.reasons import phrase as _

Lists: TypeAlias = Mapping[str, Sequence[str]]

CJK = "\u3005\u3040-\u30ff\u3400-\u9fff\uff66-\uff9f"
MAX_LENGTH = 2000
MAX_GAPS = 3
_TOKEN = lazy(rf"[{CJK}]|(?:(?![{CJK}])[^\W_])+")
_HAS_CJK = lazy(f"[{CJK}]")
# A set with letters beyond Latin-1 takes long to compile, and each phrase has some of these.
_BETWEEN = r"(?:(?!。)(?!؟)(?!！)(?!？)[^\w.!?\n]){1,3}"
_GAP = rf"(?:{_BETWEEN}[\w'@-]{{1,40}}){{0,4}}?{_BETWEEN}"
_GAP_CJK = r"[^。？！\n]{0,14}?"
_STAR = r"\w{0,24}"
_END = r"(?!\w)"
# A millisecond to compile, for each phrase.
_END_CJK = rf"(?:(?<=[{CJK}])|(?!\w))"
_STEM = 3
_PLAIN = {"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "\u00a0": " ", "\u3000": " "}


@dataclass(frozen=True, slots=True)
class _Node:
    """One piece of a phrase; `branches` only for the choices."""

    kind: Literal["text", "choice", "optional", "space", "gap", "star"]
    text: str = ""
    branches: tuple[tuple["_Node", ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Phrase:
    """One phrase, ready to be tried where one of its first words stands."""

    source: str
    expression: str
    at_start: bool
    words: frozenset[str]
    stems: frozenset[str]
    language: str = ""

    @property
    def pattern(self) -> re.Pattern[str]:
        """The expression, compiled when it is first tried: all at once take seconds."""
        return _compiled(self.expression)


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression)


@dataclass(frozen=True, slots=True)
class Hit:
    """A phrase of `name` stands at `start:end` of the text; `language` where it is of one."""

    name: str
    start: int
    end: int
    language: str = ""


def fold(text: str) -> str:
    """Return the text in the one form in which phrases are compared; the length stays the same."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    return lowered.translate(_folded())


def has_cjk(text: str) -> bool:
    """Return True if a text has letters of scripts that are written without spaces."""
    return _HAS_CJK.search(text) is not None


@cache
def _folded() -> dict[int, str]:
    return str.maketrans(
        dict(_PLAIN, **{a: b for it in languages() for a, b in it.classify.alike.items()})
    )


def compile_phrase(source: str, lists: Lists, language: str = "") -> Phrase:
    """Turn a written phrase into a pattern; raises ValueError saying what is wrong with it."""
    text = " ".join(fold(source).split())
    if len(text) > MAX_LENGTH:
        raise ValueError(
            _(
                "a phrase is longer than %(most)s characters: %(phrase)s…",
                most=MAX_LENGTH,
                phrase=repr(source[:40]),
            )
        )
    if text.count("...") > MAX_GAPS:
        raise ValueError(
            _(
                "the phrase %(phrase)s has more than %(most)s gaps (...)",
                phrase=repr(source),
                most=MAX_GAPS,
            )
        )
    at_start = text.startswith("^")
    nodes = _Reader(text.removeprefix("^").strip(), source, lists).read()
    words: set[str] = set()
    stems: set[str] = set()
    for word, is_stem in _first_words(nodes, ""):
        if not word or (is_stem and len(word) < _STEM):
            raise ValueError(
                _(
                    "the phrase %(phrase)s must start with a word, or 3 letters before *",
                    phrase=repr(source),
                )
            )
        if is_stem:
            stems.add(word[:_STEM])
        else:
            words.add(word)
    expression = _as_expression(nodes, text)
    return Phrase(source, expression, at_start, frozenset(words), frozenset(stems), language)


def _as_expression(nodes: Sequence[_Node], text: str) -> str:
    """Return the pattern of a whole phrase, with the end that it needs."""
    gap = _GAP_CJK if _HAS_CJK.search(text) else _GAP
    body = _as_pattern(nodes, gap)
    may_end_in_cjk = _HAS_CJK.search(body) or _STAR in body or body.endswith(gap)
    return body + (_END_CJK if may_end_in_cjk else _END)


class _Reader:
    """Reads the written form: words, `(a|b)`, `(a)`, `(a|b|)`, `<list>`, `...` and `*`."""

    def __init__(self, text: str, source: str, lists: Lists) -> None:
        self.text, self.source, self.lists, self.at = text, source, lists, 0

    def read(self) -> tuple[_Node, ...]:
        """Return the whole phrase."""
        nodes = self._sequence("")
        if self.at < len(self.text):
            raise ValueError(
                _(
                    "the phrase %(phrase)s has one %(character)s too many",
                    phrase=repr(self.source),
                    character=repr(self.text[self.at]),
                )
            )
        if not nodes:
            raise ValueError(_("a phrase is empty"))
        return nodes

    def _sequence(self, closers: str) -> tuple[_Node, ...]:
        nodes: list[_Node] = []
        while self.at < len(self.text):
            character = self.text[self.at]
            if character in closers or character in ")|":
                break
            nodes.append(self._node(character))
        return tuple(nodes)

    def _node(self, character: str) -> _Node:
        if self.text.startswith("...", self.at):
            self.at += 3
            return _Node("gap")
        self.at += 1
        if character == "(":
            return self._choice()
        if character == "<":
            return _Node("choice", branches=self._listed())
        if character == "*":
            return _Node("star")
        return _Node("space") if character == " " else _Node("text", character)

    def _choice(self) -> _Node:
        branches: list[tuple[_Node, ...]] = []
        while not branches or self.text[self.at - 1] == "|":
            branches.append(self._sequence("|)"))
            if self.at >= len(self.text):
                raise ValueError(
                    _("the phrase %(phrase)s is missing a ')'", phrase=repr(self.source))
                )
            self.at += 1
        filled = tuple(branch for branch in branches if branch)
        if not filled:
            raise ValueError(
                _("the phrase %(phrase)s has an empty choice", phrase=repr(self.source))
            )
        optional = len(filled) < len(branches) or len(filled) == 1
        return _Node("optional" if optional else "choice", branches=filled)

    def _listed(self) -> tuple[tuple[_Node, ...], ...]:
        end = self.text.find(">", self.at)
        name = self.text[self.at : end] if end > 0 else ""
        if name not in self.lists:
            raise ValueError(
                _(
                    "the phrase %(phrase)s names no known list: <%(name)s>",
                    phrase=repr(self.source),
                    name=name,
                )
            )
        self.at = end + 1
        return tuple(
            _Reader(" ".join(fold(item).split()), item, {}).read()
            for item in sorted(self.lists[name], key=len, reverse=True)
        )


def _first_words(nodes: tuple[_Node, ...], prefix: str) -> Iterator[tuple[str, bool]]:
    """Yield the words a phrase can begin with, and whether each is only the beginning of one."""
    for position, node in enumerate(nodes):
        rest = nodes[position + 1 :]
        if node.branches:
            yield from _first_of_branches(node, rest, prefix)
            return
        if node.kind == "text" and (_TOKEN.match(node.text) or not prefix):
            prefix += node.text
            if not _HAS_CJK.match(prefix):
                continue
            yield prefix[0], False
            return
        if node.kind == "star" or prefix:
            yield prefix, node.kind == "star"
            return
    yield prefix, False


def _first_of_branches(
    node: _Node, rest: tuple[_Node, ...], prefix: str
) -> Iterator[tuple[str, bool]]:
    for branch in node.branches:
        yield from _first_words(branch + rest, prefix)
    if node.kind == "optional":
        yield from _first_words(rest, prefix)


def _as_pattern(nodes: Sequence[_Node], gap: str) -> str:
    parts: list[str] = []
    at = 0
    while at < len(nodes):
        node, following = nodes[at], nodes[at + 1 : at + 2]
        if node.kind == "space" and _is_gap_or_last_option(nodes, at):
            if nodes[at + 1].kind == "optional":
                parts.append(f"(?:{_BETWEEN}{_branches(nodes[at + 1], gap)})?")
                at += 1
        elif node.kind == "space":
            parts.append(_BETWEEN)
        elif node.kind == "optional" and following and following[0].kind in ("space", "gap"):
            spacing = gap if following[0].kind == "gap" else _BETWEEN
            parts.append(f"(?:{_branches(node, gap)}{spacing})?")
            at += 1
        elif node.kind == "gap":
            parts.append(gap)
            at += 1 if following and following[0].kind == "space" else 0
        elif node.branches:
            parts.append(_branches(node, gap) + ("?" if node.kind == "optional" else ""))
        else:
            parts.append(_STAR if node.kind == "star" else re.escape(node.text))
        at += 1
    return "".join(parts)


def _is_gap_or_last_option(nodes: Sequence[_Node], at: int) -> bool:
    """Return True if the space at `at` belongs to what follows: a gap, or a last option."""
    if at + 1 >= len(nodes):
        return False
    return nodes[at + 1].kind == "gap" or (
        nodes[at + 1].kind == "optional" and at + 2 == len(nodes)
    )


def _branches(node: _Node, gap: str) -> str:
    return "(?:" + "|".join(_as_pattern(branch, gap) for branch in node.branches) + ")"


class _Group:
    """Phrases with a first word in common, under their names."""

    def __init__(self, phrases: Sequence[tuple[str, Phrase]]) -> None:
        self._phrases = phrases
        self._at_start = [(name, phrase) for name, phrase in phrases if phrase.at_start]
        self._anywhere = _any_of([it.expression for _, it in phrases if not it.at_start])

    def find_at(self, folded: str, at: int, starts: frozenset[int]) -> Sequence[Hit]:
        """Return what stands at a place of the text; `starts` are where sentences begin.

        Mostly it is nothing, which one pattern says faster than that of each phrase.
        """
        is_start = at in starts
        if _compiled(self._anywhere).match(folded, at):
            phrases = self._phrases
        elif is_start:
            phrases = self._at_start
        else:
            return ()
        return [
            Hit(name, at, match.end(), phrase.language)
            for name, phrase in phrases
            if (is_start or not phrase.at_start) and (match := phrase.pattern.match(folded, at))
        ]


def _any_of(expressions: Sequence[str]) -> str:
    """Return what matches where one of them does, with each of the two ends once."""
    bodies = {
        end: [it.removesuffix(end) for it in expressions if it.endswith(end)]
        for end in (_END, _END_CJK)
    }
    return "|".join(f"(?:{'|'.join(it)}){end}" for end, it in bodies.items() if it) or "(?!)"


class PhraseIndex:
    """Phrases under their names, found all at once."""

    def __init__(self, named: Iterable[tuple[str, Phrase]]) -> None:
        words: dict[str, list[tuple[str, Phrase]]] = {}
        stems: dict[str, list[tuple[str, Phrase]]] = {}
        for name, phrase in named:
            for word in phrase.words:
                words.setdefault(word, []).append((name, phrase))
            for stem in phrase.stems:
                stems.setdefault(stem, []).append((name, phrase))
        self._words = {word: _Group(phrases) for word, phrases in words.items()}
        self._stems = {stem: _Group(phrases) for stem, phrases in stems.items()}

    def find(self, folded: str, starts: frozenset[int]) -> list[Hit]:
        """Return the hits in a folded text, in order; `starts` are where sentences begin."""
        hits: list[Hit] = []
        prefixes, first_letters = _prefixes()
        for token in _TOKEN.finditer(folded):
            word, at = token.group(), token.start()
            for group in self._groups(word):
                hits += group.find_at(folded, at, starts)
            if word[0] in first_letters and len(word) > _STEM:
                for prefix in prefixes:
                    if word.startswith(prefix) and len(word) > len(prefix) + 1:
                        for group in self._groups(word[len(prefix) :]):
                            hits += group.find_at(folded, at + len(prefix), starts)
        return hits

    def _groups(self, word: str) -> tuple[_Group, ...]:
        exact, stem = self._words.get(word), self._stems.get(word[:_STEM])
        if exact and stem:
            return (exact, stem)
        return (exact,) if exact else (stem,) if stem else ()


@cache
def _prefixes() -> tuple[tuple[str, ...], frozenset[str]]:
    """Return what some language writes as the beginning of the next word, and how that begins."""
    prefixes = tuple(prefix for it in languages() for prefix in it.classify.prefixes)
    return prefixes, frozenset(prefix[0] for prefix in prefixes)
