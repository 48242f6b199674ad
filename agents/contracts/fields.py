"""The types of arguments and answers: strict, and the same in every contract."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, Self, TypeAlias, TypeVar, cast
from zoneinfo import ZoneInfo

from pydantic import (
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PrivateAttr,
    with_config,
)
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError
from typing_extensions import TypedDict

T = TypeVar("T")
_RFC3339 = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)


class Closed(BaseModel):
    """An object of a contract: no other fields, no conversion between types."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        allow_inf_nan=False,
        populate_by_name=True,
        defer_build=True,
    )


class WithRemarks(Closed):
    """An answer with remarks for whom it is given to, which its contract has no field for."""

    _remarks: tuple[str, ...] = PrivateAttr(default=())

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the answer lacks, in words; they go beside it."""
        return self._remarks

    def with_remarks(self, remarks: Iterable[str]) -> Self:
        """Return the same answer with the remarks."""
        answer = self.model_copy()
        answer._remarks = tuple(remarks)
        return answer


class WithTrace(Closed):
    """An answer that shows or wrote rows whose ids its contract has no field for."""

    _shown: tuple[str, ...] = PrivateAttr(default=())
    _written: tuple[str, ...] = PrivateAttr(default=())

    @property
    def shown(self) -> tuple[str, ...]:
        """The public ids of the rows whose texts it shows."""
        return self._shown

    @property
    def written(self) -> tuple[str, ...]:
        """The public ids of the rows whose texts were written."""
        return self._written

    def with_trace(self, *, shown: Iterable[str] = (), written: Iterable[str] = ()) -> Self:
        """Return the same answer with the ids."""
        answer = self.model_copy()
        answer._shown, answer._written = tuple(shown), tuple(written)
        return answer


class _NoNull:
    """Refuses an explicit null: the field is given with a value or left out."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        schema = cast("dict[str, Any]", handler(source))
        return cast("CoreSchema", schema["schema"])


class _Absent:
    """Describes a field of an answer that is left out where it would be None."""

    def __get_pydantic_json_schema__(
        self, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        schema = cast("dict[str, Any]", core_schema)
        return handler(schema["schema"])


# An argument that may be left out but is never null; None here says that it was left out.
Maybe: TypeAlias = Annotated[T | None, _NoNull()]
# The same in an answer, where None leaves the field out.
OrAbsent: TypeAlias = Annotated[T | None, _Absent()]


def refuses_null(metadata: Iterable[object]) -> bool:
    """Tell by a field's metadata whether it is never null, so that its None says: left out."""
    return any(isinstance(each, _NoNull) for each in metadata)


def _read_whole(value: object) -> object:
    """Take 47.0 for the integer 47, as JSON Schema does; leave all else to the strict check."""
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        return int(value)
    return value


# Stands last, so that it reads before the limits apply: Annotated[int, Field(ge=1), WHOLE].
WHOLE = BeforeValidator(_read_whole)


def _read_timestamp(value: object) -> object:
    """Read an RFC 3339 time with its offset and return it in UTC."""
    if isinstance(value, datetime):
        return value
    match = _RFC3339.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise _bad_time()
    day, time, fraction, offset = match.groups()
    iso = f"{day}T{time}.{(fraction or '0')[:6].ljust(6, '0')}{offset.upper()}"
    try:
        return datetime.fromisoformat(iso).astimezone(UTC)
    except (ValueError, OverflowError):
        raise _bad_time() from None


def _bad_time() -> PydanticCustomError:
    return PydanticCustomError(
        "timestamp", "is no RFC 3339 time with an offset, such as 2026-03-02T12:00:00Z"
    )


Moment: TypeAlias = Annotated[AwareDatetime, BeforeValidator(_read_timestamp)]


Clock: TypeAlias = Annotated[
    str,
    Field(
        description="What the clock of `timeZone` shows, without an offset.",
        pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?$",
    ),
]
Zone: TypeAlias = Annotated[str, Field(description="An IANA time zone.")]
# Of what is answered by hundreds, as plain objects.
PLAIN = ConfigDict(alias_generator=to_camel, extra="forbid", strict=True)


class ZonedTime(Closed):
    """A time as Microsoft Graph writes it (`dateTimeTimeZone`): a clock, and whose it is."""

    model_config = ConfigDict(alias_generator=to_camel)

    date_time: Clock
    time_zone: Zone

    @classmethod
    def of(cls, moment: datetime, zone: str) -> Self:
        """Return a time on the clock of an IANA zone, empty for UTC.

        UTC stands in for a zone that is not known, and for the hour that a clock shows a second
        time when summer ends: without an offset it would be read as the first.
        """
        if zone in {"", "UTC"} and moment.tzinfo is UTC:
            # The most frequent, in lists of many.
            return cls(date_time=moment.replace(tzinfo=None).isoformat(), time_zone="UTC")
        try:
            local = moment.astimezone(ZoneInfo(zone or "UTC"))
        except (KeyError, OSError, ValueError, OverflowError):
            local = moment.astimezone(UTC)
        named = zone or "UTC"
        if local.fold or local.tzinfo is UTC:
            local, named = moment.astimezone(UTC), "UTC"
        return cls(date_time=local.replace(tzinfo=None).isoformat(), time_zone=named)


@with_config(PLAIN)
class PlainTime(TypedDict):
    """A time as `ZonedTime` writes it, where there are hundreds in one answer."""

    date_time: Clock
    time_zone: Zone


@dataclass(frozen=True, slots=True)
class IdOrName:
    """Marks an argument that takes a row's id, which begins so, or its unambiguous name.

    A name is replaced by the id before anything else looks at it. `filters` is an argument of a
    list, where what nobody is called finds nothing. `by_tool` is one that the tool itself looks up.
    """

    prefix: str
    filters: bool = False
    by_tool: bool = False


def _read_promise(value: object) -> object:
    """Take true and nothing that only counts as it, such as 1."""
    if value is not True:
        raise PydanticCustomError("promise", "is not true")
    return value


# What is sent or removed is meant so: the caller's promise, and never an approval.
Confirmed: TypeAlias = Annotated[Literal[True], BeforeValidator(_read_promise)]
