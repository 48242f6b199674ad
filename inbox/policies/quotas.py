"""Quotas: how much agents may do in a time before a person is asked."""

import re
from collections.abc import Iterable
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator

from inbox.reasons import phrase as _

What: TypeAlias = Literal["proposals", "deletions", "reads"]
Per: TypeAlias = Literal["agent", "account", "recipient"]
# A deletion names its account, where it has one; of what is read nobody knows it without looking.
PER: dict[str, tuple[Per, ...]] = {
    "proposals": ("agent", "account", "recipient"),
    "deletions": ("agent", "account"),
    "reads": ("agent",),
}
SHORTEST, LONGEST = 60, 30 * 86_400
_SPAN = re.compile(r"([1-9][0-9]{0,6})([smhd])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
ANY = "any"


def read_span(span: str) -> int:
    """Return how many seconds a time such as `60s`, `5m`, `24h` or `30d` has.

    Raises ValueError where it is none, or not between 60 seconds and 30 days.
    """
    found = _SPAN.fullmatch(span)
    seconds = int(found[1]) * _SECONDS[found[2]] if found else 0
    if not SHORTEST <= seconds <= LONGEST:
        raise ValueError(_("must be a time from 60s to 30d, such as 5m or 24h"))
    return seconds


def _number(value: Any) -> Any:
    if isinstance(value, str) and value != ANY:
        raise ValueError(_("must be a number from 0 on, or any"))
    return None if value == ANY else value


class Quota(BaseModel):
    """So many, and no more, in a time; what comes on top of it waits for a person.

    `most` is None where any number is allowed.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    what: What
    per: Per = "agent"
    most: Annotated[Annotated[int, Field(ge=0, le=1_000_000)] | None, BeforeValidator(_number)]
    within: str

    @field_validator("per")
    @classmethod
    def _counts(cls, per: Per, info: ValidationInfo) -> Per:
        known = PER.get(info.data.get("what", ""), (per,))
        if per not in known:
            what = info.data["what"]
            raise ValueError(_("%(what)s are counted per %(known)s", what=what, known=list(known)))
        return per

    @field_validator("within")
    @classmethod
    def _lasts(cls, within: str) -> str:
        read_span(within)
        return within

    @property
    def seconds(self) -> int:
        """How long the time is."""
        return read_span(self.within)


# What an agent does in an ordinary day is far from these.
DEFAULTS = (
    Quota(what="proposals", per="agent", most=100, within="5m"),
    Quota(what="proposals", per="recipient", most=100, within="24h"),
    Quota(what="reads", per="agent", most=10_000, within="24h"),
)


def in_force(given: Iterable[Quota], defaults: Iterable[Quota] = DEFAULTS) -> tuple[Quota, ...]:
    """Return the quotas that count: those given and, of what these say nothing of, the defaults.

    Of two alike the lower counts.
    """
    given = list(given)
    named = {one.what for one in given}
    lowest: dict[tuple[str, str, int], Quota] = {}
    for one in (*given, *(it for it in defaults if it.what not in named)):
        if one.most is None:
            continue
        key = (one.what, one.per, one.seconds)
        before = lowest.get(key)
        if before is None or before.most is None or one.most < before.most:
            lowest[key] = one
    return tuple(lowest.values())
