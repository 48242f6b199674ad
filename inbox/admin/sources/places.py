"""From what a person knows, an address or a provider's name, to the form that asks for the rest."""

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.utils.translation import gettext_lazy as _

from inbox.accounts.sign_in_providers import known_provider
from inbox.operations.accounts.sources import source_providers
from inbox.providers.advice import OF_COLLECTIONS
from inbox.providers.presets import Preset, preset_for, presets
from inbox.reasons import ReasonText

NEXTCLOUD = "nextcloud"
_CALENDAR_SCHEMES = frozenset({"webcal", "webcals"})


@dataclass(frozen=True, slots=True)
class Place:
    """Where to look: `provider` names the form, filled in (`initial`) as far as that is known.

    `title` is whose server it is, empty where that is not known; `signs_in` is True where one signs
    in there by clicking, and no form is filled in.
    """

    provider: str
    initial: dict[str, str] = field(default_factory=dict)
    title: str = ""
    link: str = ""
    advice: ReasonText | None = None
    files_example: str = ""
    signs_in: bool = False


class PlaceForm(forms.Form):
    """Where somebody's calendars, contacts or files are, as they would tell another person."""

    at = forms.CharField(
        max_length=1000, label=_("Email address or server"),
        widget=forms.TextInput(
            attrs={"autocapitalize": "none", "spellcheck": "false", "inputmode": "email"}
        ),
    )  # fmt: skip
    service = forms.ChoiceField(required=False, label=_("Provider"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        known = [one for one in presets().values() if one.calendars or _signed_in_for(one)]
        titles = {one.name: one.title for one in known} | {NEXTCLOUD: "Nextcloud, ownCloud"}
        named = sorted(titles.items(), key=lambda each: each[1].lower())
        self.fields["service"].choices = [  # type: ignore[attr-defined]
            ("", _("From the address")), *named,
        ]  # fmt: skip

    def clean_at(self) -> str:
        """Take it without what a program that shows links puts around it."""
        return str(self.cleaned_data["at"]).strip("<> ").removeprefix("mailto:")

    def place(self, usual_name: str) -> Place:
        """Return where that is; `usual_name` signs in where none was given."""
        text, service = self.cleaned_data["at"], self.cleaned_data["service"]
        is_address = "@" in text and "://" not in text
        username = text if is_address else usual_name
        if service == NEXTCLOUD:
            return _nextcloud("" if is_address else text, username)
        preset = presets().get(service) or (preset_for(text) if is_address else None)
        if preset is not None and (place := _of_preset(preset, username)):
            return place
        if _is_calendar_file(text):
            return Place("ics", {"url": text})
        url = text.rpartition("@")[2] if is_address else text
        return Place("dav", {"url": url, "username": username})


def _nextcloud(url: str, username: str) -> Place:
    initial = {"url": url, "username": username}
    return Place("dav", initial, "Nextcloud, ownCloud", advice=OF_COLLECTIONS[NEXTCLOUD])


def _of_preset(preset: Preset, username: str) -> Place | None:
    """Return the place of a known provider; None where it has nothing but mail for programs."""
    if name := _signed_in_for(preset):
        return Place(name, title=preset.title, signs_in=True)
    if not preset.calendars:
        return None
    initial = {"url": preset.calendars, "contacts_url": preset.contacts, "username": username}
    advice = OF_COLLECTIONS.get(preset.name)
    return Place("dav", initial, preset.title, preset.link, advice, preset.files)


def _signed_in_for(preset: Preset) -> str:
    """Return the provider at whose sign-in accounts of a preset are allowed; else empty."""
    for declared in source_providers():
        known = known_provider(declared.signs_in_at or "")
        if known is not None and preset.name in known.declared.presets:
            return declared.name
    return ""


def _is_calendar_file(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in _CALENDAR_SCHEMES or parts.path.lower().endswith(".ics")
