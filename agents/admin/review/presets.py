"""Reasons and requests that a reviewer has at one key; the agent reads them in English."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True, slots=True)
class Preset:
    """`label` stands on the button, `words` are what the agent reads."""

    code: str
    # In the language of whoever reads: the same words have the same.
    label: Any = field(compare=False)
    words: str


REASONS: tuple[Preset, ...] = (
    Preset("not-needed", _("Nothing needs to be sent"), "Nothing has to be sent here."),
    Preset("myself", _("I'll take care of it myself"), "I will take care of it myself."),
    Preset("recipients", _("Not to these people"), "It must not go to these people."),
    Preset("untrue", _("Something in it is wrong"), "What it says is not right."),
    Preset(
        "unwanted", _("This is not what we want to say"), "We do not want to say or promise this."
    ),
)
WISHES: tuple[Preset, ...] = (
    Preset("shorter", _("Shorter"), "Make it shorter."),
    Preset("warmer", _("Warmer"), "Make its tone warmer."),
    Preset("formal", _("More formal"), "Make its tone more formal."),
    Preset("all", _("Answer everything"), "Answer everything that was asked."),
    Preset("facts", _("Only what we already know"), "Say only what the conversation bears out."),
    Preset("no-promise", _("Promise nothing"), "Promise nothing: no dates, prices or amounts."),
)
# Of a call by which nothing would be sent.
CALL_REASONS: tuple[Preset, ...] = (
    Preset("not-needed", _("Not needed"), "This is not needed."),
    Preset("myself", _("I'll take care of it myself"), "I will take care of it myself."),
    Preset("wrong", _("It is not right"), "This is not right."),
)
CALL_WISHES: tuple[Preset, ...] = (
    Preset("less", _("Changes less"), "Change only what was asked for."),
    Preset("explain", _("Give a reason"), "Propose it again, and say why."),
)


def in_words(presets: Sequence[Preset], code: str, typed: str) -> str:
    """Return what the agent reads: the words of the preset, if one was chosen, and those typed."""
    chosen = next((preset.words for preset in presets if preset.code == code), "")
    return f"{chosen} {typed}".strip()
