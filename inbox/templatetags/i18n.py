"""Django's `i18n` tags, which templates load by that name, with less work at each look.

A text that is written in the template is translated once a language, not at each look, and the text
of a block is put together once. Everything else is Django's.
"""

from typing import Any

from django import template
from django.template import Context, Node
from django.template.base import FilterExpression, Parser, Token
from django.templatetags import i18n
from django.utils.translation import get_language

register = template.Library()
register.tags.update(i18n.register.tags)
register.filters.update(i18n.register.filters)


class ConstantTranslation(Node):
    """A text of the template itself, in the language of the page."""

    child_nodelists = ()

    def __init__(self, node: i18n.TranslateNode) -> None:
        self.node = node
        self._in: dict[str | None, str] = {}

    def render(self, context: Context) -> str:
        """Return the text, translated at the first look in each language."""
        language = get_language()
        found = self._in.get(language)
        if found is None:
            found = self._in[language] = self.node.render(context)
        return found


class BlockTranslation(i18n.BlockTranslateNode):
    """A block whose message is put together from its tokens once."""

    def __init__(self, **parts: Any) -> None:
        super().__init__(**parts)
        self._messages: dict[int, tuple[str, list[str]]] = {}

    def render_token_list(self, tokens: list[Token]) -> tuple[str, list[str]]:
        """Return the message of one of its two lists of tokens, and the names that it has in it."""
        found = self._messages.get(id(tokens))
        if found is None:
            found = self._messages[id(tokens)] = super().render_token_list(tokens)
        message, names = found
        return message, [*names]


@register.tag("trans")
@register.tag("translate")
def translate(parser: Parser, token: Token) -> Node:
    """Compile Django's tag; what nothing of the page can change is translated once a language."""
    node = i18n.do_translate(parser, token)
    named = node.message_context
    is_constant = _is_constant(node.filter_expression) and (named is None or _is_constant(named))
    return ConstantTranslation(node) if is_constant and not node.asvar else node


@register.tag("blocktrans")
@register.tag("blocktranslate")
def blocktranslate(parser: Parser, token: Token) -> Node:
    """Compile Django's tag."""
    return BlockTranslation(**vars(i18n.do_block_translate(parser, token)))


def _is_constant(expression: FilterExpression) -> bool:
    """Return True for a quoted text to which no filter is applied."""
    return not expression.filters and getattr(expression.var, "lookups", None) is None
