"""What an agent may do, by a few presets in plain sentences; scope by scope is one choice more."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from agents.operations.agents import BASIC_SCOPES, known_scopes

CUSTOM = "custom"
_OFFICE = ("calendar:read", "calendar:send", "calendar:write", "storage:write", "time:write")


@dataclass(frozen=True, slots=True)
class Preset:
    """A choice with its name, what it means in a sentence or two, and the scopes that it is."""

    key: str
    name: Any
    sentence: Any
    given: tuple[str, ...]

    @property
    def scopes(self) -> list[str]:
        """The scopes; all there are where none is named."""
        return sorted(self.given) or known_scopes()


PRESETS = (
    Preset(
        "mail",
        _("Reads mail and drafts answers"),
        _("It sorts incoming mail, drafts answers and proposes them to you. It can look up "
          "people and files and takes notes."),
        BASIC_SCOPES,
    ),
    Preset(
        "office",
        _("Mail, calendar, contacts and files"),
        _("It also plans meetings and to-dos and keeps contacts and files in order. Invitations "
          "need your approval, as mail does."),
        (*BASIC_SCOPES, *_OFFICE),
    ),
    Preset(
        "everything",
        _("Everything, including deleting and sharing"),
        _("Everything an agent can do here. Sharing a file needs your approval, and deleted "
          "items can be restored for 30 days."),
        (),
    ),
)  # fmt: skip


_LABEL = '<span class="preset-words"><b>{}</b> <span class="quiet">{}</span></span>'
_CUSTOM = (_("Custom"), _("Choose each scope from the list below."))


class PresetField(forms.ChoiceField):
    """One of the presets or, where `is_open`, the scopes that are ticked beside it."""

    def __init__(self, *, is_open: bool = True) -> None:
        super().__init__(
            label=_("What it can do"), choices=lambda: list(_choices(is_open=is_open)),
            initial=PRESETS[0].key, widget=forms.RadioSelect, required=not is_open,
        )  # fmt: skip


def _choices(*, is_open: bool) -> Iterator[tuple[str, str]]:
    """Yield the choices in the reader's language, each with its sentence."""
    words = {preset.key: (preset.name, preset.sentence) for preset in PRESETS}
    for key, (name, sentence) in (words | ({CUSTOM: _CUSTOM} if is_open else {})).items():
        yield key, format_html(_LABEL, name, sentence)


def scopes_of(preset: str, ticked: Iterable[str]) -> list[str]:
    """Return the scopes of a choice; those that were ticked where it is no preset."""
    for one in PRESETS:
        if one.key == preset:
            return one.scopes
    return list(ticked)


def preset_of(scopes: Iterable[str]) -> Preset | None:
    """Return the preset that is exactly these scopes."""
    held = sorted(set(scopes))
    return next((preset for preset in PRESETS if preset.scopes == held), None)
