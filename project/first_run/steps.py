"""The steps of setting up, in their order, and where a page is among them."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from inbox.onward import onward_of

# The key of each step, its name, and the name of its page.
STEPS: tuple[tuple[str, Any, str], ...] = (
    ("owner", _("You"), "start"),
    ("workspace", _("Workspace"), "start-workspace"),
    ("mail", _("Mail"), "start-mail"),
    ("agent", _("Agent"), "start-agent"),
    ("call", _("First call"), "start-call"),
    ("notices", _("Notifications"), "start-notices"),
    ("second", _("Two-step sign-in"), "start-second"),
)
_KEYS = [key for key, _name, _view in STEPS]


@dataclass(frozen=True, slots=True)
class Step:
    """A step as pages show it."""

    key: str
    name: Any
    number: int
    url: str
    is_done: bool


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a page is among all steps, and where its links lead."""

    step: Step
    steps: tuple[Step, ...]

    @property
    def back(self) -> Step | None:
        """The step before; there is no way back to before one was somebody."""
        return self.steps[self.step.number - 2] if self.step.number > 2 else None

    @property
    def onward(self) -> str:
        """Where the next step is; after the last, what there is of all."""
        after = self.steps[self.step.number :]
        return after[0].url if after else reverse("start")


def progress_at(key: str, done: frozenset[str]) -> Progress:
    """Return where the step of this key is among all."""
    steps = tuple(
        Step(each, name, number, reverse(view), each in done)
        for number, (each, name, view) in enumerate(STEPS, 1)
    )
    return Progress(steps[_KEYS.index(key)], steps)


def progress_on_the_way(request: HttpRequest) -> Progress | None:
    """Return the step for which a page of something else was opened; None where it was for none."""
    onward = onward_of(request)
    for key, _name, view in STEPS[1:]:
        if onward == reverse(view):
            return progress_at(key, frozenset())
    return None
