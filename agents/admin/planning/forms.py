"""What a person fills in for an event, and for a to-do."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django import forms
from django.utils.translation import gettext_lazy as _

from agents.admin.writing.forms import completed_addresses

CLOCK = "%Y-%m-%dT%H:%M"


class _Clock(forms.CharField):
    """A day and a time on it, as browsers send them, of the clock in the form's time zone."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.TextInput(attrs={"type": "datetime-local"})
        super().__init__(max_length=20, widget=widget, **kwargs)

    def clean(self, value: Any) -> Any:
        """Return what the clock shows."""
        text = super().clean(value)
        try:
            return datetime.strptime(text[:16], CLOCK) if text else None  # noqa: DTZ007
        except ValueError as error:
            raise forms.ValidationError(_("Enter a day and a time.")) from error


class EventForm(forms.Form):
    """An event, its clock in a time zone that is always said."""

    account_id = forms.ChoiceField(label=_("Calendar of"))
    subject = forms.CharField(label=_("Title"), max_length=500)
    start = _Clock(label=_("Starts"))
    end = _Clock(label=_("Ends"))
    timezone = forms.CharField(
        label=_("Time zone"), max_length=64, widget=forms.TextInput(attrs={"list": "zones"})
    )
    location = forms.CharField(label=_("Where"), max_length=1000, required=False)
    attendees = completed_addresses(label=_("Guests"))
    body = forms.CharField(
        label=_("Description"), max_length=50_000, required=False,
        widget=forms.Textarea(attrs={"rows": 4, "dir": "auto"}),
    )  # fmt: skip

    def __init__(
        self, *args: Any, accounts: list[tuple[str, str]], timed: bool = True, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["account_id"]
        field.choices = accounts
        if not accounts:
            del self.fields["account_id"]
        if not timed:
            for name in ("start", "end", "timezone"):
                del self.fields[name]

    def clean_timezone(self) -> str:
        """Return a time zone that there is."""
        name: str = self.cleaned_data["timezone"].strip()
        try:
            ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            words = _("This is not a time zone. Use a name like Europe/Berlin.")
            raise forms.ValidationError(words) from error
        return name

    def clean(self) -> dict[str, Any]:
        """Refuse what ends before it starts; what came without an end may stay so."""
        filled: dict[str, Any] = super().clean() or {}
        is_moved = bool({"start", "end"} & set(self.changed_data))
        start, end = filled.get("start"), filled.get("end")
        if start and end and (end < start or (end == start and is_moved)):
            self.add_error("end", _("It ends before it starts."))
        return filled

    def as_call(self) -> dict[str, Any]:
        """Return what was filled in, as the tools of calendars take it."""
        filled = dict(self.cleaned_data)
        if "timezone" in self.fields:
            zone = ZoneInfo(filled["timezone"])
            for name in ("start", "end"):
                filled[name] = filled[name].replace(tzinfo=zone).isoformat()
        filled["attendees"] = [one["email"] for one in filled["attendees"]]
        return filled


class TodoForm(forms.Form):
    """What is to be done, and until when on the reader's clock."""

    title = forms.CharField(label=_("To do"), max_length=1024)
    due = _Clock(label=_("Due"), required=False)
    notes = forms.CharField(
        label=_("Notes"), max_length=8192, required=False,
        widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}),
    )  # fmt: skip
