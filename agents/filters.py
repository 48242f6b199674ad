"""Which rows of the lists under `/api/v1/`."""

from typing import Any

from django.db.models import QuerySet
from django_filters import CharFilter, FilterSet
from pydantic import BaseModel

from inbox.models import Inbox

PAGING = {"limit", "cursor"}


class InboxFilter(FilterSet):  # type: ignore[misc]
    """Inboxes by address, without regard to case, and status."""

    address = CharFilter(lookup_expr="iexact")
    status = CharFilter()

    class Meta:
        model = Inbox
        fields = ("address", "status")


class NameFilter(FilterSet):  # type: ignore[misc]
    """Rows by their name, without regard to case."""

    name = CharFilter(lookup_expr="iexact")


def filter_rows(filters: type[FilterSet], args: BaseModel, rows: QuerySet[Any]) -> QuerySet[Any]:
    """Keep the rows that the validated arguments ask for."""
    asked = args.model_dump(exclude_none=True, exclude=PAGING)
    kept: QuerySet[Any] = filters(asked, queryset=rows).qs
    return kept
