"""Addresses of pages by their names, each worked out once: a list asks for dozens at each look."""

from functools import lru_cache
from typing import Any

from django import template
from django.conf import settings
from django.template import Context, Node, defaulttags
from django.template.base import Parser, Token
from django.urls import NoReverseMatch, get_script_prefix, get_urlconf, reverse
from django.utils.html import conditional_escape

register = template.Library()

# Of so many pages the address is kept, those asked for last.
_MOST_KEPT = 8192


def address_of(name: str, *arguments: str | int, current_app: str | None = None) -> str:
    """Return what `reverse` returns for the name of a page; raises NoReverseMatch as it does."""
    urlconf = get_urlconf() or settings.ROOT_URLCONF
    written = tuple(map(str, arguments))
    return _address_of(urlconf, get_script_prefix(), current_app, name, written)


@lru_cache(maxsize=_MOST_KEPT)
def _address_of(
    urlconf: Any, _prefix: str, current_app: str | None, name: str, arguments: tuple[str, ...]
) -> str:
    return reverse(name, urlconf, args=arguments, current_app=current_app)


class AddressNode(Node):
    """The address of a page that is named in the template, with arguments by their places."""

    child_nodelists = ()

    def __init__(self, node: defaulttags.URLNode) -> None:
        self.name, self.arguments, self.asvar = node.view_name, node.args, node.asvar

    def render(self, context: Context) -> str:
        """Return the address, or set it where the tag names a variable for it."""
        arguments = [each.resolve(context) for each in self.arguments]
        url = ""
        try:
            name = self.name.resolve(context)
            url = address_of(name, *arguments, current_app=_current_app(context))
        except NoReverseMatch:
            if self.asvar is None:
                raise
        if self.asvar:
            context[self.asvar] = url
            return ""
        return conditional_escape(url) if context.autoescape else url


@register.tag
def url(parser: Parser, token: Token) -> Node:
    """Compile Django's tag; of arguments by their names it keeps nothing."""
    node = defaulttags.url(parser, token)
    return node if node.kwargs else AddressNode(node)


def _current_app(context: Any) -> str | None:
    request = getattr(context, "request", None)
    match = getattr(request, "resolver_match", None)
    named: str | None = getattr(request, "current_app", getattr(match, "namespace", None))
    return named
