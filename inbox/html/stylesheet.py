"""What a document's own style sheet declares of an element, as far as selectors can be told.

A rule counts where the last part of its selector is made of a tag, classes, ids and attributes, or
of `:is()` and `:where()` around such. Of what it stands in is asked only whether the document has
such names at all; nothing is asked of what `:not()` leaves out, or which child it is. A rule for
what is pointed at does not count. Rules within `@media` do unless they say how it looks elsewhere:
on paper, in the dark, on a phone. What may or may not be so hides an element, and never shows one
that is hidden without it. So does a sheet that is larger than those of any letter: what it was not
looked through for may be hidden.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from itertools import islice
from typing import NamedTuple

_STYLE_ELEMENT = re.compile(r"<style\b([^>]*+)>(.*?)</style", re.IGNORECASE | re.DOTALL)
_MEDIA = re.compile(r"\bmedia\s*=\s*(?:\"([^\"]*)|'([^']*)|([^\s>]*))", re.IGNORECASE)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_STRING = re.compile(r"\"[^\"\n]*+\"?|'[^'\n]*+'?")
_IN_STRING = str.maketrans("", "", "{};\\")
_BRACES = re.compile(r"([{}])")
_WORD = re.compile(r"[\w-]+")
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))")
_SIMPLE = re.compile(
    r"(?P<between>[\s>+~|&]+)"
    r"|(?P<any>\*)|(?P<tag>[a-z][\w-]*)|[.](?P<class>[\w-]+)|#(?P<id>[\w-]+)"
    r"|\[(?P<attribute>[^\[\]]{1,200})\]|(?P<which>:(?:not|has|nth-[a-z-]{5,15}|lang|dir)\([^()]{0,300}\)"
    r"|:(?:first|last|only)-(?:child|of-type)|:(?:empty|link|any-link|defined))"
)
_LIST = re.compile(r":(?:is|where|matches|-webkit-any)\(([^()]{1,300})\)")
_ATTRIBUTE = re.compile(
    r"\s*([\w-]+)\s*(?:([~|^$*]?)=\s*[\"']?(.*?)[\"']?(?:\s+[is])?\s*)?", re.DOTALL
)
_ELSEWHERE = re.compile(
    r"max-|\b(?:print|not|speech|braille|embossed|handheld|projection|tty|tv)\b"
    r"|prefers-|orientation|pixel-ratio|resolution|hover|pointer|<"
)
_MIN_WIDTH = re.compile(r"min-(?:device-)?width\s*:\s*(\d+(?:\.\d+)?)(em|rem)?")
# A window is at least as wide, in pixels; an em is 16.
_NARROW, _EM = 320, 16
_TELLING = re.compile(
    r"display|visib|opacity|hide|font|size|height|width|overflow|clip|indent|margin|position"
    r"|colou?r|background|transform|scale|translate|filter",
    re.IGNORECASE,
)
_MOST_CSS, _MOST_RULES = 1_000_000, 50_000
_MOST_NAMES, _MOST_IN_LIST, _MOST_UNSURE = 50, 20, 20
_LONGEST_SELECTOR = 2000
# The work of holding rules against the elements of a document: rules, and tens of characters that
# they declare. Elements of the same names and attributes are one.
MOST_WORK = 2_000_000


class _Attribute(NamedTuple):
    """A condition on an attribute: CSS Selectors 4, section 6."""

    name: str
    operator: str | None
    value: str

    def is_met(self, attributes: Mapping[str, str]) -> bool:
        """Return True if an element has the attribute like that."""
        value = attributes.get(self.name)
        if value is None or self.operator is None:
            return value is not None
        value = value.lower()
        match self.operator:
            case "~":
                return self.value in value.split()
            case "|":
                return value == self.value or value.startswith(f"{self.value}-")
            case "^":
                return value.startswith(self.value)
            case "$":
                return value.endswith(self.value)
            case "*":
                return self.value in value
        return value == self.value


@dataclass(slots=True)
class _Compound:
    """The last part of a selector: all that an element has to be."""

    tag: str = ""
    is_any: bool = False
    # No more is asked than what it says.
    is_exact: bool = True
    classes: set[str] = field(default_factory=set)
    ids: set[str] = field(default_factory=set)
    attributes: list[_Attribute] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Return True if it asks for nothing: it is no selector then."""
        return not (self.tag or self.is_any or self.classes or self.ids or self.attributes)

    @property
    def names(self) -> set[str]:
        """Return all names that a document must have somewhere for it to be met."""
        return self.classes | self.ids | {one.name for one in self.attributes}

    @property
    def key(self) -> str:
        """One name that the element must have, by which the rule is found; `*` for any."""
        for sign, names in (("#", self.ids), (".", self.classes)):
            if names:
                return sign + min(names)
        return self.tag or "*"

    @property
    def weight(self) -> tuple[int, int, int]:
        """How specific it is: section 17."""
        return len(self.ids), len(self.classes) + len(self.attributes), int(bool(self.tag))

    def matches(self, tag: str, names: "_Names", attributes: Mapping[str, str]) -> bool:
        """Return True if an element is all of it."""
        return (
            self.tag in ("", tag)
            and self.classes <= names.classes
            and self.ids <= {names.identifier}
            and all(one.is_met(attributes) for one in self.attributes)
        )


class _Names(NamedTuple):
    classes: frozenset[str]
    identifier: str


class Declared(NamedTuple):
    """What a sheet declares of an element: before its own style, and what comes after that."""

    weaker: str
    stronger: str = ""


class _Rule(NamedTuple):
    weight: tuple[int, int, int]
    place: int
    compound: _Compound
    declarations: str
    depth: int
    is_certain: bool


class StyleSheet:
    """The declarations that say what can be seen, by the elements that they are for."""

    def __init__(self, html: str) -> None:
        self.rules: dict[str, list[_Rule]] = {}
        self._words: frozenset[str] = frozenset()
        self._asked: set[str] = {"class", "id"}
        self._known: dict[tuple[str | None, ...], list[Declared]] = {}
        self._left = MOST_WORK
        if "<style" in html.lower():
            self._read(html)

    def _read(self, html: str) -> None:
        end = html.lower().rfind("</style") + len("</style")
        found = "\n".join(
            match[2] for match in _STYLE_ELEMENT.finditer(html, 0, end) if _is_for_here(match[1])
        )
        css = _STRING.sub(lambda text: text[0].translate(_IN_STRING), _COMMENT.sub(" ", found))
        outside = _STYLE_ELEMENT.sub(" ", html[:end]) + html[end:]
        plain = unescape(outside) if "&" in outside else outside
        self._words = frozenset(_WORD.findall(plain.lower()))
        rules = (
            (selector, declarations, depth)
            for selectors, declarations, depth in _rules(css[:_MOST_CSS])
            if "\\" in declarations or _TELLING.search(declarations)
            for selector in _parted(selectors)
        )
        for place, rule in enumerate(islice(rules, _MOST_RULES)):
            self._add(*rule, place)
        if len(css) > _MOST_CSS or next(rules, None):
            self._left = 0

    def _add(self, selector: str, declarations: str, depth: int, place: int) -> None:
        compound = self._last_of(selector.lower())
        if compound is not None and not compound.is_empty:
            # In some documents the case of a name counts.
            is_certain = compound.is_exact and depth == 1 and selector == selector.lower()
            rule = _Rule(compound.weight, place, compound, declarations, depth, is_certain)
            self.rules.setdefault(compound.key, []).append(rule)
            self._asked.update(one.name for one in compound.attributes)

    @property
    def says_anything(self) -> bool:
        """Return True if elements may look otherwise for it."""
        return bool(self.rules) or self._left <= 0

    def _last_of(self, selector: str) -> _Compound | None:
        """Return the last part of a selector; None where it asks for what is not here, or known."""
        compound, at = _Compound(), 0
        while at < len(selector):
            found = _SIMPLE.match(selector, at)
            if found is None:
                return None
            at = found.end()
            if found["between"]:
                if not compound.names <= self._words:
                    return None
                compound = _Compound(is_exact=False)
            elif not _take(compound, found):
                return None
        return compound

    def declarations_of(self, tag: str, attributes: Mapping[str, str]) -> list[Declared]:
        """Return what the sheet may declare of an element, the more specific after the less.

        The first is what it does for certain; then each of what it may besides, and all of it.
        """
        if not self.says_anything:
            return _NOTHING
        element = (tag, *map(attributes.get, self._asked))
        found = self._known.get(element)
        if found is None:
            found = self._known[element] = self._find(tag, attributes)
        return found

    def _find(self, tag: str, attributes: Mapping[str, str]) -> list[Declared]:
        if self._left <= 0:
            return _UNKNOWN
        classes = attributes.get("class", "").lower().split()[:_MOST_NAMES]
        names = _Names(frozenset(classes), attributes.get("id", "").lower())
        keys = ["*", tag, *(f".{name}" for name in dict.fromkeys(classes)), f"#{names.identifier}"]
        near = [rule for key in keys for rule in self.rules.get(key, ())]
        found = [rule for rule in near if rule.compound.matches(tag, names, attributes)]
        found.sort(key=lambda rule: (rule.weight, rule.place))
        some = _variants(found)
        self._left -= len(near) + sum(len(part) for one in some for part in one) // 10
        return some


def _variants(found: Sequence[_Rule]) -> list[Declared]:
    """Return what rules declare for certain, with each of what they may besides, and with all."""
    certain = Declared(_joined(rule for rule in found if rule.is_certain))
    unsure = [rule for rule in found if not rule.is_certain]
    if not unsure:
        return [certain]
    each = [
        # What is important in a layer is so before all that is outside (CSS Cascade 5, 6.4.4).
        Declared(certain.weaker, one.declarations) if one.depth > 1
        # It weighs more than its last part, by what it stands in.
        else Declared(f"{certain.weaker};{one.declarations}")
        for one in unsure[:_MOST_UNSURE]
    ]  # fmt: skip
    return [certain, *each, Declared(_joined(found))]


def _joined(rules: Iterable[_Rule]) -> str:
    return ";".join(rule.declarations for rule in rules)


_NOTHING = [Declared("")]
_UNKNOWN = [Declared("", "display:none!important")]


def _rules(css: str) -> Iterator[tuple[str, str, int]]:
    """Yield the selectors and declarations of the rules that count, and how deep these are."""
    # Of each block that is open its selectors; "" for one that only says when, None where not here.
    blocks: list[str | None] = []
    text = ""
    for piece in _BRACES.split(css):
        if piece == "{":
            declarations, _, prelude = text.rpartition(";")
            if blocks and blocks[-1] and declarations:
                yield blocks[-1], declarations, len(blocks)
            within = not blocks or blocks[-1] is not None
            blocks.append(_selectors_of(prelude.strip()) if within else None)
        elif piece == "}":
            if blocks and blocks[-1]:
                yield blocks[-1], text, len(blocks)
            del blocks[-1:]
        else:
            text = piece
    if blocks and blocks[-1]:
        # A sheet may end within a rule (CSS Syntax 3, 5.4.4).
        yield blocks[-1], text, len(blocks)


def _selectors_of(prelude: str) -> str | None:
    if not prelude.startswith("@"):
        return prelude.lstrip("}") or None
    name = re.split(r"[\s(]", prelude[1:].lower(), maxsplit=1)[0]
    condition = prelude[1 + len(name) :].lower()
    if name == "media":
        return "" if any(map(_is_here, condition.split(","))) else None
    is_likely = name in ("layer", "supports", "scope", "container") and "not" not in condition
    return "" if is_likely else None


def _is_for_here(attributes: str) -> bool:
    """Return True if a style element is for screens, by its own attributes."""
    media = _MEDIA.search(attributes)
    query = "" if media is None else (media[1] or media[2] or media[3] or "")
    return any(map(_is_here, query.lower().split(",")))


def _is_here(query: str) -> bool:
    """Return True if a media query is true of any window on a screen."""
    widths = [float(width) * (_EM if unit else 1) for width, unit in _MIN_WIDTH.findall(query)]
    return not _ELSEWHERE.search(query) and max(widths, default=0) <= _NARROW


def _parted(selectors: str) -> Iterator[str]:
    """Yield the selectors of a list, as they would be written without escapes."""
    plain = _ESCAPE.sub(_unescaped, selectors) if "\\" in selectors else selectors
    depth, some = 0, ""
    for part in plain.replace(":root", "html").split(","):
        some += f",{part}" if depth else part
        depth += part.count("(") - part.count(")")
        if depth <= 0:
            # One that is too long may be about anything.
            yield from _expanded(some.strip()) if len(some) <= _LONGEST_SELECTOR else ["* *"]
            depth, some = 0, ""


def _expanded(selector: str, lists: int = 3) -> Iterator[str]:
    """Yield a selector for each of what stands in its `:is()`."""
    found = _LIST.search(selector) if lists else None
    if found is None:
        yield selector
        return
    for part in found[1].split(",")[:_MOST_IN_LIST]:
        whole = f"{selector[: found.start()]}{part.strip()}{selector[found.end() :]}"
        yield from _expanded(whole, lists - 1)


def _unescaped(found: re.Match[str]) -> str:
    return found[2] if found[1] is None else chr(int(found[1], 16) % 0x80)


def _take(compound: _Compound, found: re.Match[str]) -> bool:
    """Add one condition; return False where it is none."""
    compound.tag = found["tag"] or compound.tag
    compound.is_any = compound.is_any or bool(found["any"] or found["which"])
    compound.is_exact = compound.is_exact and not found["which"]
    if found["class"]:
        compound.classes.add(found["class"])
    if found["id"]:
        compound.ids.add(found["id"])
    if found["attribute"]:
        attribute = _ATTRIBUTE.fullmatch(found["attribute"])
        if attribute is None:
            return False
        compound.attributes.append(_Attribute(attribute[1], attribute[2], attribute[3] or ""))
    return True
