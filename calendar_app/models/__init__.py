"""The tables of calendars."""

from calendar_app.models.events import (
    Attendee,
    Calendar,
    Event,
    EventStatus,
    Expansion,
    Partstat,
    Role,
    Transparency,
)
from calendar_app.models.feeds import CalendarFeed, FeedDetail
from calendar_app.models.todos import Todo, TodoList, TodoStatus

__all__ = [
    "Attendee",
    "Calendar",
    "CalendarFeed",
    "Event",
    "EventStatus",
    "Expansion",
    "FeedDetail",
    "Partstat",
    "Role",
    "Todo",
    "TodoList",
    "TodoStatus",
    "Transparency",
]
