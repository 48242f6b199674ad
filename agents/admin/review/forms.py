"""What a reviewer may write: an edited message, and words for the agent."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from inbox.admin.quick_widgets import QuickText, QuickTextarea
from inbox.compose.outgoing import AddressList
from inbox.reasons import of_error
from inbox.reasons.words import worded
from inbox.rfc5322.addresses.typed import read_typed_addresses


class AddressesField(forms.CharField):
    """Addresses separated by commas, each with or without a name."""

    widget = QuickText

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=40_000, **kwargs)
        self.widget.attrs.update({"autocomplete": "off", "spellcheck": "false"})

    def clean(self, value: Any) -> Any:
        """Return Address objects; what could be read in two ways is refused, never guessed at."""
        text = super().clean(value)
        try:
            found: AddressList = [address.as_json() for address in read_typed_addresses(text)]
        except ValueError as error:
            words = _("Separate addresses by commas: %(error)s.")
            raise forms.ValidationError(words, params={"error": worded(of_error(error))}) from error
        return found


class MessageForm(forms.Form):
    """The message as the reviewer wants it to leave."""

    to = AddressesField(label=_("To"))
    cc = AddressesField(label=_("Cc"), required=False)
    bcc = AddressesField(label=_("Bcc"), required=False)
    subject = forms.CharField(label=_("Subject"), max_length=998, required=False, widget=QuickText)
    body = forms.CharField(
        label=_("Message"),
        max_length=1_000_000,
        strip=False,
        widget=QuickTextarea(attrs={"class": "message-input", "dir": "auto", "data-first": True}),
    )

    @property
    def initial_lines(self) -> tuple[str, ...]:
        """What stands in it before anybody types, by which that part of a page is kept."""
        return tuple(self.initial.values())

    def clean_body(self) -> str:
        """Return the text with the line ends that drafts have; browsers send CR LF."""
        body: str = self.cleaned_data["body"]
        return body.replace("\r\n", "\n").replace("\r", "\n")


class WordsForm(forms.Form):
    """A reason, or feedback; never empty, since the agent reads it."""

    words = forms.CharField(
        label=_("Your words"),
        max_length=4000,
        widget=QuickTextarea(
            attrs={
                "rows": 2, "class": "words", "data-enter": True, "data-key": "0",
                "aria-keyshortcuts": "0",
            }
        ),
    )  # fmt: skip


def write_addresses(addresses: list[dict[str, str]]) -> str:
    """Return Address objects as one line that `AddressesField` reads again."""
    return ", ".join(
        f'"{_quoted(one["name"])}" <{one["email"]}>' if one.get("name") else one["email"]
        for one in addresses
    )


def _quoted(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', '\\"')
