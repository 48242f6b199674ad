"""Parts of pages that are written once for what they are about, and kept by this process."""

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from threading import Lock

from django import template
from django.template import Context, Node, NodeList, TemplateSyntaxError
from django.template.base import FilterExpression, Parser, Token
from django.utils.safestring import SafeString
from django.utils.translation import get_language

register = template.Library()

# So many parts are kept, those shown last, of so many characters in all: letters are long, and
# what a part is kept by holds its texts once more.
MOST_KEPT, MOST_CHARACTERS = 4000, 16_000_000
_kept: "OrderedDict[Hashable, SafeString]" = OrderedDict()
_sizes = {"all": 0}
_lock = Lock()


def forget_all() -> None:
    """Let everything go."""
    with _lock:
        _kept.clear()
        _sizes["all"] = 0


@register.tag
def kept(parser: Parser, token: Token) -> "KeptNode":
    """Write what stands up to `endkept` once for each value of what is named, in each language.

    `{% kept "row" row.shown %}`: everything that differs within, and is not the language, has to be
    among what is named. Nothing secret to a session, such as a token of a form, may stand within.
    """
    words = token.split_contents()[1:]
    if not words:
        raise TemplateSyntaxError("kept takes a name, and what the part is about")
    name, *about = words
    inside = parser.parse(("endkept",))
    parser.delete_first_token()
    return KeptNode(inside, name, [parser.compile_filter(each) for each in about])


class KeptNode(Node):
    """A part of a page that is kept."""

    def __init__(self, nodelist: NodeList, name: str, about: Sequence[FilterExpression]) -> None:
        self.nodelist, self.name, self.about = nodelist, name, about

    def render(self, context: Context) -> SafeString:
        """Return what was written before for the same, or write it."""
        values = tuple(each.resolve(context) for each in self.about)
        key = (self.name, get_language(), values)
        with _lock:
            found = _kept.get(key)
            if found is not None:
                _kept.move_to_end(key)
                return found
        written = SafeString(self.nodelist.render(context))
        with _lock:
            _sizes["all"] += len(written) - len(_kept.get(key, ""))
            _kept[key] = written
            while len(_kept) > MOST_KEPT or _sizes["all"] > MOST_CHARACTERS:
                _sizes["all"] -= len(_kept.popitem(last=False)[1])
        return written
