"""The form in which a person sets what they are told, how and when."""

from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.conf import settings as configured
from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _

from agents.models import NoticeKind, NoticeSettings
from agents.notices.preferences import NO_MAIL, NoticePreferences
from inbox.models import Workspace
from inbox.reasons.words import worded

KINDS = (
    (NoticeKind.APPROVAL, _("Every proposal that needs approval")),
    (NoticeKind.FLAGGED, _("Only proposals with a flag")),
    (NoticeKind.EXPIRING, _("Proposals that expire within two hours")),
    (NoticeKind.URGENT, _("Urgent items that need attention")),
)
PAUSES = (
    (1, _("minute")),
    (5, _("5 minutes")),
    (15, _("15 minutes")),
    (60, _("hour")),
    (240, _("4 hours")),
)
DAYS = (
    (0, _("Mon")),
    (1, _("Tue")),
    (2, _("Wed")),
    (3, _("Thu")),
    (4, _("Fri")),
    (5, _("Sat")),
    (6, _("Sun")),
)
LANGUAGES = (("en", "English"), ("de", "Deutsch"))
_HOUR = {"type": "time"}


def _zones() -> list[tuple[str, str]]:
    return [(name, name.replace("_", " ")) for name in sorted(available_timezones())]


class NoticesForm(forms.Form):
    """What a person is told of, how and when."""

    kinds = forms.MultipleChoiceField(
        label=_("Notify me about"),
        choices=KINDS,
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    workspaces = forms.ModelMultipleChoiceField(
        label=_("In these workspaces"), queryset=Workspace.objects.none(), required=False,
        widget=forms.CheckboxSelectMultiple,
    )  # fmt: skip
    by_browser = forms.BooleanField(label=_("In the browser, while a page is open"), required=False)
    by_mail = forms.BooleanField(label=_("By email"), required=False)
    mail_address = forms.EmailField(label=_("Address"), max_length=254, required=False)
    by_webhook = forms.BooleanField(label=_("By webhook, for example to a chat"), required=False)
    webhook_url = forms.CharField(
        label=_("Address of the webhook"), max_length=1000, required=False,
        widget=forms.URLInput(attrs={"placeholder": "https://"}),
    )  # fmt: skip
    every_minutes = forms.TypedChoiceField(
        label=_("Grouped, at most one every"), choices=PAUSES, coerce=int
    )
    is_quiet = forms.BooleanField(label=_("Quiet hours"), required=False)
    quiet_from = forms.TimeField(label=_("From"), widget=forms.TimeInput(_HOUR, "%H:%M"))
    quiet_to = forms.TimeField(label=_("To"), widget=forms.TimeInput(_HOUR, "%H:%M"))
    quiet_days = forms.TypedMultipleChoiceField(
        label=_("Starting on"), choices=DAYS, coerce=int, required=False,
        widget=forms.CheckboxSelectMultiple,
    )  # fmt: skip
    quiet_zone = forms.ChoiceField(label=_("Time zone"), choices=lazy(_zones, list)())
    tells_expiring = forms.BooleanField(
        label=_("But notify me about items that expire before they end"), required=False
    )
    language = forms.ChoiceField(label=_("Language of notifications"), choices=LANGUAGES)

    def __init__(self, *args: Any, workspaces: Any, has_mail: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.has_mail = has_mail
        choice: Any = self.fields["workspaces"]
        choice.queryset = workspaces
        if workspaces.count() < 2:
            del self.fields["workspaces"]

    def clean(self) -> dict[str, Any]:
        """Refuse a way that leads nowhere."""
        given = super().clean() or {}
        if given.get("by_mail") and not self.has_mail:
            self.add_error("by_mail", str(worded(NO_MAIL)))
        elif given.get("by_mail") and "mail_address" in given and not given["mail_address"]:
            self.add_error("mail_address", _("Enter the email address for notifications."))
        if given.get("by_webhook") and not given.get("webhook_url"):
            self.add_error("webhook_url", _("Enter the address of the webhook."))
        if given.get("is_quiet") and "quiet_days" in given and not given["quiet_days"]:
            self.add_error("quiet_days", _("Choose a day or turn quiet hours off."))
        return given

    @property
    def wishes(self) -> NoticePreferences:
        """What was chosen."""
        given = {"workspaces": (), **self.cleaned_data}
        return NoticePreferences(**{name: given[name] for name in NoticePreferences.__slots__})


def initial_of(settings: NoticeSettings, zone: str) -> dict[str, Any]:
    """Return what the form shows at first; one who has set nothing begins in their own zone."""
    names = [name for name in NoticePreferences.__slots__ if name != "workspaces"]
    shown = {name: getattr(settings, name) for name in names}
    if settings.pk is None:
        known = zone in available_timezones()
        shown |= {
            "quiet_zone": zone if known else "UTC",
            "mail_address": settings.user.email,
            "language": configured.LANGUAGE_CODE[:2],
        }
        return shown
    return {**shown, "workspaces": settings.workspaces.all()}
