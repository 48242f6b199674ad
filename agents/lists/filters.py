"""Which rows of the lists under `/api/v1/`: filters, and the arguments that these take."""

from datetime import datetime
from typing import Annotated, Any, Literal

from django.db.models import Q, QuerySet
from django_filters import BooleanFilter, CharFilter, ChoiceFilter, FilterSet, IsoDateTimeFilter
from django_filters import NumberFilter as WholeFilter
from pydantic import Field

from agents.contracts.fields import WHOLE, IdOrName, Maybe, Moment
from agents.errors import invalid
from inbox import ids

LONGEST_TEXT = 500
_MOST_WORDS = 8
_LARGEST = 2**31 - 1


class TextFilter(CharFilter):  # type: ignore[misc]
    """Rows whose text is this, without regard to case unless another lookup is given."""

    def __init__(self, field_name: str | None = None, lookup_expr: str = "iexact") -> None:
        # As it is given: what is stripped away would filter nothing at all.
        super().__init__(field_name, lookup_expr, strip=False)


class IdFilter(CharFilter):  # type: ignore[misc]
    """Rows that belong to the row of this public id; a foreign or malformed one finds none.

    Where the row may be named, its name does as well.
    """

    def __init__(self, prefix: str, field_name: str | None = None) -> None:
        super().__init__(field_name, strip=False)
        self.prefix = prefix

    def filter(self, rows: QuerySet[Any], value: str) -> QuerySet[Any]:
        """Keep the rows of that key."""
        if not value:
            return rows
        numbers = ids.decode(self.prefix, value)
        if numbers is None or len(numbers) != 1:
            return rows.none()
        return rows.filter(**{self.field_name: numbers[0]})


class MessageIdFilter(CharFilter):  # type: ignore[misc]
    """Rows of the message of this public id, be it received, `(0, key)`, or sent by us."""

    def __init__(self, field_name: str = "message") -> None:
        super().__init__(field_name, strip=False)

    def filter(self, rows: QuerySet[Any], value: str) -> QuerySet[Any]:
        """Keep the rows of that message."""
        if not value:
            return rows
        match ids.decode("msg", value):
            case (0, key):
                return rows.filter(**{self.field_name: key, f"{self.field_name}__submission": None})
            case (1, submission):
                return rows.filter(**{f"{self.field_name}__submission": submission})
        return rows.none()


class OneOf(ChoiceFilter):  # type: ignore[misc]
    """Rows whose value is this one of a few."""

    def __init__(self, choices: Any, field_name: str | None = None) -> None:
        self.values = tuple(value for value, _ in choices)
        super().__init__(field_name, choices=[(value, value) for value in self.values])


def since(field_name: str) -> IsoDateTimeFilter:
    """Return the filter for a time from this on."""
    return IsoDateTimeFilter(field_name, "gte")


def before(field_name: str) -> IsoDateTimeFilter:
    """Return the filter for a time before this."""
    return IsoDateTimeFilter(field_name, "lt")


class Filters(FilterSet):  # type: ignore[misc]
    """The filters of a collection; each is declared with what it takes."""

    @classmethod
    def arguments(cls) -> dict[str, Any]:
        """Return the fields that a model of the arguments has for them."""
        return {
            name: (Maybe[_kind(one)], None)  # type: ignore[misc]
            for name, one in cls.base_filters.items()
        }


def _kind(one: Any) -> Any:
    """Return the type of the argument that a filter takes."""
    if isinstance(one, OneOf):
        return Literal[one.values]
    if isinstance(one, BooleanFilter):
        return bool
    if isinstance(one, IsoDateTimeFilter):
        return Moment
    if isinstance(one, WholeFilter):
        return Annotated[int, Field(ge=0, le=_LARGEST), WHOLE]
    if isinstance(one, IdFilter):
        return Annotated[str, Field(min_length=1), IdOrName(one.prefix, filters=True)]
    longest = None if isinstance(one, MessageIdFilter) else LONGEST_TEXT
    return Annotated[str, Field(min_length=1, max_length=longest)]


def filter_rows(
    filters: type[FilterSet], asked: dict[str, Any], rows: QuerySet[Any]
) -> QuerySet[Any]:
    """Keep the rows that validated arguments ask for; one that no filter takes is an error."""
    if not asked:
        return rows
    as_text = {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in asked.items()
    }
    bound = filters(as_text, queryset=rows)
    # What a form does not understand it would leave out of the query, and so find more.
    for name in bound.errors:
        raise invalid(f"/{name}", "is not accepted", "a value of this filter")
    kept: QuerySet[Any] = bound.qs
    return kept


def search_rows(rows: QuerySet[Any], columns: tuple[str, ...], text: str | None) -> QuerySet[Any]:
    """Keep the rows that have every word of the text somewhere in these columns."""
    words = (text or "").split()
    if text is not None and not words:
        raise invalid("/search", "has no word", "words to look for")
    for word in words[:_MOST_WORDS]:
        found = Q()
        for column in columns:
            found |= Q(**{f"{column}__icontains": word})
        rows = rows.filter(found)
    return rows
