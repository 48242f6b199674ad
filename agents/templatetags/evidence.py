"""How the pages of the review write codes of flags, tools and fields."""

from collections.abc import Sized

from django import template

from agents.admin.evidence.words import call_about as about_of_call
from agents.admin.evidence.words import field_in_words, flag_in_words, tool_in_words

register = template.Library()


@register.filter
def flag_words(code: object) -> str:
    """Write what a flag is."""
    return flag_in_words(str(code or ""))


@register.filter
def plus(number: int, others: Sized) -> int:
    """Add how many others there are."""
    return number + len(others or ())


@register.filter
def tool_words(name: object) -> str:
    """Write what a tool does."""
    return tool_in_words(str(name or ""))


@register.filter
def field_words(name: object) -> str:
    """Write the name of a field."""
    return field_in_words(str(name or ""))


@register.filter
def call_about(arguments: object) -> str:
    """Write what a call is about, by its arguments."""
    return about_of_call(arguments)
