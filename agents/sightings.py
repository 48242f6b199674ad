"""How somebody looks at what they are about to decide on; no table of its own."""

from dataclasses import dataclass
from datetime import datetime

from django.db import models
from django.utils.translation import pgettext_lazy


class DecisionWay(models.TextChoices):
    """Where somebody decided."""

    PAGE = "page", pgettext_lazy("choice", "Page")  # the item's own page, or a look at it
    BATCH = "batch", pgettext_lazy("choice", "Batch")  # with others, on their page
    API = "api", pgettext_lazy("choice", "API")


class Sight(models.TextChoices):
    """Whether something was on the screen; without a script nobody knows."""

    SEEN = "seen", pgettext_lazy("choice", "Seen")
    UNSEEN = "unseen", pgettext_lazy("choice", "Not seen")
    UNKNOWN = "unknown", pgettext_lazy("choice", "Unknown")
    NONE = "none", pgettext_lazy("choice", "None")  # there was nothing to see


@dataclass(frozen=True, slots=True)
class Sighting:
    """How somebody looks at what they decide on, as far as that is known: here, not at all."""

    way: str = DecisionWay.API
    opened_at: datetime | None = None
    milliseconds: int | None = None
    end: str = Sight.UNKNOWN
    source: str = Sight.UNKNOWN
