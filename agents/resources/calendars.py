"""Calendars of the accounts that the caller was granted."""

from collections.abc import Sequence
from typing import Any

from django_filters import BooleanFilter

from agents.contracts.fields import Closed, Moment, OrAbsent
from agents.lists.filters import Filters, IdFilter, TextFilter
from agents.lists.pages import Order
from agents.resources.collection import Collection, declare
from calendar_app.models import Calendar
from inbox import ids
from inbox.actor import Actor
from inbox.models import Account
from inbox.models.base import VisibleQuerySet


class CalendarShape(Closed):
    """A calendar of an account."""

    id: str
    account_id: str
    name: str
    # CSS hexadecimal, such as #2c6e49.
    color: OrAbsent[str] = None
    is_default: bool
    created_at: Moment


class CalendarFilters(Filters):
    """Calendars by account, name, without regard to case, and whether they are the default."""

    account_id = IdFilter(Account.ID_PREFIX, "account")
    name = TextFilter()
    is_default = BooleanFilter()


def _rows(actor: Actor) -> VisibleQuerySet[Any]:
    return Calendar.objects.visible_to(actor).kept()


def _shapes(rows: Sequence[Calendar]) -> list[CalendarShape]:
    return [
        CalendarShape(
            id=row.public_id, account_id=ids.encode(Account.ID_PREFIX, row.account_id),
            name=row.name, color=row.color or None, is_default=row.is_default,
            created_at=row.created_at,
        )
        for row in rows
    ]  # fmt: skip


declare(
    Collection(
        noun="calendars", one="calendar", domain="calendar", rows=_rows, item=CalendarShape,
        shapes=_shapes, filters=CalendarFilters, search=("name",),
        named=Calendar.ID_PREFIX,
        orders={"name": Order("name", "text"), "created_at": Order("created_at")},
        default="name", words="the calendars of the accounts that the caller was granted.",
    )
)  # fmt: skip
