"""How the pages of calendars write rules."""

from django import template

from calendar_app.rule_words import rule_in_words

register = template.Library()


@register.filter
def rule_words(rule: object) -> str:
    """Write how often something takes place."""
    return rule_in_words(str(rule)) if rule else ""
