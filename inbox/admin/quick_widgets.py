"""Fields of forms that are written without a template: some pages have a dozen, at each look."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString


class QuickText(forms.TextInput):
    """A line, as Django writes it."""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        """Return it as HTML."""
        made = self.get_context(name, value, attrs)["widget"]
        given = made["value"]
        return format_html(
            '<input type="{}" name="{}"{}{}>', made["type"], made["name"],
            "" if given is None else format_html(' value="{}"', given), _attributes(made["attrs"]),
        )  # fmt: skip


class QuickTextarea(forms.Textarea):
    """Several lines, as Django writes them."""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        """Return it as HTML."""
        made = self.get_context(name, value, attrs)["widget"]
        return format_html(
            '<textarea name="{}"{}>\n{}</textarea>', made["name"], _attributes(made["attrs"]),
            made["value"] or "",
        )  # fmt: skip


def _attributes(given: Mapping[str, Any]) -> SafeString:
    written = (
        name if value is True else f'{name}="{conditional_escape(value)}"'
        for name, value in given.items()
        if value is not False
    )
    return SafeString("".join(f" {one}" for one in written))
