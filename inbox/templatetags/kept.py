"""Parts of pages that are written once for what they are about, and kept by this process.

What differs at each look, as the token of a form or how long ago something was, is left open in a
part and filled in by each page (`fresh`, `since`).
"""

import re
import secrets
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from contextvars import ContextVar
from threading import Lock
from typing import Any, Protocol, TypeAlias

from django import template
from django.template import Context, Node, NodeList, TemplateSyntaxError
from django.template.base import FilterExpression, Parser, Token, render_value_in_context
from django.utils.safestring import SafeString
from django.utils.translation import get_language

register = template.Library()


class Gap(Protocol):
    """A place in a kept part that each page fills in."""

    def fill(self, context: Context) -> str:
        """Return what stands there on this page."""


Part: TypeAlias = SafeString | Gap

# So many parts are kept, those shown last, of so many characters in all: letters are long, and
# what a part is kept by holds its texts once more.
MOST_KEPT, MOST_CHARACTERS = 4000, 16_000_000
_kept: "OrderedDict[_Key, _Kept]" = OrderedDict()
_sizes = {"all": 0}
_lock = Lock()
# The gaps of the part that is being written, and what stands for each in the text meanwhile: nobody
# who sends texts can know it.
_gaps: "ContextVar[list[Gap] | None]" = ContextVar("gaps", default=None)
_MARK = secrets.token_hex(16)
_MARKED = re.compile(rf"{_MARK}(\d+);")


def forget_all() -> None:
    """Let everything go."""
    with _lock:
        _kept.clear()
        _sizes["all"] = 0


@register.tag
def kept(parser: Parser, token: Token) -> "KeptNode":
    """Write what stands up to `endkept` once for each value of what is named, in each language.

    `{% kept "row" row.shown %}`: everything that differs within, and is not the language, has to be
    among what is named. Nothing secret to a session, such as a token of a form, may stand within
    but as `fresh`.
    """
    words = token.split_contents()[1:]
    if not words:
        raise TemplateSyntaxError("kept takes a name, and what the part is about")
    name, *about = words
    inside = parser.parse(("endkept",))
    parser.delete_first_token()
    return KeptNode(inside, name, [parser.compile_filter(each) for each in about])


@register.tag
def fresh(parser: Parser, token: Token) -> "FreshNode":
    """Write `{% fresh decision_fields %}` anew at each look, wherever it stands.

    Within a part that is kept it is worked out by the page that shows the part, from what is known
    around it: not from a loop or a `with` inside.
    """
    words = token.split_contents()
    if len(words) != 2:
        raise TemplateSyntaxError("fresh takes one expression")
    return FreshNode(parser.compile_filter(words[1]))


@register.tag
def since(parser: Parser, token: Token) -> "SinceNode":
    """Write `{% since letter.at|age %}`: the filter is applied at each look, to the same time.

    Within a part that is kept the time is the one for which it was written, so it has to be among
    what the part is kept by. The filters take no arguments. With `as age` it is a variable instead,
    for a translated sentence.
    """
    words = token.split_contents()
    if len(words) not in {2, 4} or words[2:3] not in ([], ["as"]):
        raise TemplateSyntaxError("since takes a time with its filter, and `as` a name or not")
    return SinceNode(parser.compile_filter(words[1]), words[3] if len(words) == 4 else None)


class FreshNode(Node):
    """What is written anew at each look."""

    child_nodelists = ()

    def __init__(self, expression: FilterExpression) -> None:
        self.expression = expression

    def render(self, context: Context) -> str:
        """Return what it is now, or leave a gap."""
        return _write_gap(self, context)

    def fill(self, context: Context) -> str:
        """Return what it is now."""
        return str(render_value_in_context(self.expression.resolve(context), context))


class SinceNode(Node):
    """A time whose distance is written anew at each look."""

    child_nodelists = ()

    def __init__(self, expression: FilterExpression, asvar: str | None) -> None:
        self.expression, self.asvar = expression, asvar

    def render(self, context: Context) -> str:
        """Return how far it is now, or leave a gap."""
        value = self.expression.var.resolve(context)
        written = _write_gap(_Since(value, self.expression), context)
        if self.asvar is None:
            return written
        context[self.asvar] = SafeString(written)
        return ""


class _Since:
    """A time that is known, and the filters to be applied to it."""

    __slots__ = ("expression", "value")

    def __init__(self, value: Any, expression: FilterExpression) -> None:
        self.value, self.expression = value, expression

    def fill(self, context: Context) -> str:
        """Return what the filters make of it now."""
        found = self.value
        for function, _ in self.expression.filters:
            found = function(found)
        return str(render_value_in_context(found, context))


def _write_gap(gap: Gap, context: Context) -> str:
    """Return what stands in a gap; within a part that is being written, a mark for it."""
    gaps = _gaps.get()
    if gaps is None:
        return gap.fill(context)
    gaps.append(gap)
    return SafeString(f"{_MARK}{len(gaps) - 1};")


class _Key:
    """What a part is kept by; its hash is worked out once."""

    __slots__ = ("hashed", "values")

    def __init__(self, values: Hashable) -> None:
        self.values, self.hashed = values, hash(values)

    def __hash__(self) -> int:
        return self.hashed

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.values == other.values


class _Kept:
    """A part as it was written, between its gaps."""

    __slots__ = ("key", "parts", "size")

    def __init__(self, key: _Key, written: str, gaps: Sequence[Gap]) -> None:
        self.key, self.size = key, len(written)
        self.parts: tuple[Part, ...] = tuple(
            gaps[int(piece)] if number % 2 else SafeString(piece)
            for number, piece in enumerate(_MARKED.split(written))
        )

    def render(self, context: Context) -> SafeString:
        """Return it with its gaps filled in."""
        if len(self.parts) == 1 and isinstance(self.parts[0], SafeString):
            return self.parts[0]
        return SafeString(
            "".join(
                one if isinstance(one, SafeString) else _write_gap(one, context)
                for one in self.parts
            )
        )


class KeptNode(Node):
    """A part of a page that is kept."""

    def __init__(self, nodelist: NodeList, name: str, about: Sequence[FilterExpression]) -> None:
        self.nodelist, self.name, self.about = nodelist, name, about

    def render(self, context: Context) -> SafeString:
        """Return what was written before for the same, or write it."""
        values = tuple([each.resolve(context) for each in self.about])
        key = _Key((self.name, get_language(), values))
        with _lock:
            found = _kept.get(key)
            if found is not None:
                _kept.move_to_end(found.key)
        if found is None:
            found = self._write(key, context)
            _keep(found)
        return found.render(context)

    def _write(self, key: _Key, context: Context) -> _Kept:
        gaps: list[Gap] = []
        token = _gaps.set(gaps)
        try:
            return _Kept(key, self.nodelist.render(context), gaps)
        finally:
            _gaps.reset(token)


def _keep(written: _Kept) -> None:
    with _lock:
        before = _kept.pop(written.key, None)
        _sizes["all"] += written.size - (before.size if before else 0)
        _kept[written.key] = written
        while len(_kept) > MOST_KEPT or _sizes["all"] > MOST_CHARACTERS:
            _sizes["all"] -= _kept.popitem(last=False)[1].size
