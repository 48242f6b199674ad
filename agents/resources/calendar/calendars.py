"""Calendars of the accounts that the caller was granted."""

from typing import Annotated

from django_filters import BooleanFilter

from agents.contracts.fields import Closed, Moment, OrAbsent
from agents.lists.filters import Filters, IdFilter, TextFilter
from agents.lists.pages import Order
from agents.resources.collection import Collection, declare
from agents.resources.shapes import IdOf
from calendar_app.models import Calendar
from inbox.models import Account


class CalendarShape(Closed):
    """A calendar of an account."""

    id: str
    account_id: Annotated[str, IdOf(Account)]
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


declare(
    Collection(
        noun="calendars", one="calendar", domain="calendar",
        rows=lambda actor: Calendar.objects.visible_to(actor).kept(), item=CalendarShape,
        filters=CalendarFilters, search=("name",), named=Calendar.ID_PREFIX,
        orders={"name": Order("name", "text"), "created_at": Order("created_at")}, default="name",
        words="the calendars of the accounts that the caller was granted.",
    )
)  # fmt: skip
