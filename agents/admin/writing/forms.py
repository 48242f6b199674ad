"""What a person fills in to write a mail."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from agents.admin.review.forms import AddressesField, MessageForm
from inbox.operations.drafts.writing import LARGEST_ATTACHMENT, MOST_ATTACHMENTS


class _SeveralFiles(forms.ClearableFileInput):
    """A field of a page that takes several files at once."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Files from the person's own machine."""

    widget = _SeveralFiles

    def clean(self, data: Any, initial: Any = None) -> Any:
        """Return the files; one that is too large, or empty of a name, is named."""
        given = data if isinstance(data, list | tuple) else [data]
        kept = [super(FilesField, self).clean(one, initial) for one in given if one]
        if len(kept) > MOST_ATTACHMENTS:
            raise forms.ValidationError(_("Too many files at once."))
        for one in kept:
            if one.size > LARGEST_ATTACHMENT:
                words = _("%(name)s is larger than 25 MB.")
                raise forms.ValidationError(words, params={"name": one.name[:80]})
        return kept


class Choices(forms.MultipleChoiceField):
    """Some of what is offered, by ticks."""

    widget = forms.CheckboxSelectMultiple


def completed_addresses(**given: Any) -> AddressesField:
    """Return a field of addresses that the browser completes by people we know."""
    # Browsers complete each address of a field of many, and ask no script for it.
    attrs = {"multiple": True, "list": "known-people"}
    return AddressesField(required=False, widget=forms.EmailInput(attrs=attrs), **given)


class WritingForm(MessageForm):
    """A mail as a person writes it; what is to leave is asked for once it is sealed."""

    sender = forms.ChoiceField(label=_("From"))
    to = completed_addresses()
    cc = completed_addresses()
    bcc = completed_addresses()
    body = forms.CharField(
        label=_("Message"),
        max_length=1_000_000,
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"class": "message-input", "dir": "auto"}),
    )
    quote = forms.BooleanField(label=_("Quote the message below"), required=False)
    uploads = FilesField(label=_("From this computer"), required=False)
    # Files of the workspace, of the message that is forwarded, and of the draft as it is.
    stored = Choices(label=_("From the files here"), required=False)
    forwarded = Choices(label=_("Files of the message"), required=False)
    kept = Choices(label=_("Attached"), required=False)

    def __init__(
        self, *args: Any, offered: dict[str, list[tuple[str, str]]], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        for name, label in (("to", _("To")), ("cc", _("Cc")), ("bcc", _("Bcc"))):
            self.fields[name].label = label
        for name in ("sender", "stored", "forwarded", "kept"):
            field: Any = self.fields[name]
            field.choices = offered.get(name, [])
        self.fields["sender"].required = bool(offered.get("sender"))
        self.attached = [name for name in ("kept", "forwarded") if offered.get(name)]
        self.order_fields(["sender", "to", "cc", "bcc", "subject", "body"])

    def clean(self) -> dict[str, Any]:
        """Ask to whom it goes where it is to be sealed; a draft may say so later."""
        filled: dict[str, Any] = super().clean() or {}
        named = any(filled.get(name) for name in ("to", "cc", "bcc"))
        if self.data.get("then") == "seal" and not named and not self.errors:
            self.add_error("to", _("Enter a recipient."))
        return filled

    @property
    def attached_fields(self) -> list[forms.BoundField]:
        """The files that go with it unless they are unticked."""
        return [self[name] for name in self.attached]
