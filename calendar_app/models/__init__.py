"""The tables of calendars."""

from calendar_app.models.events import (
    Attendee,
    Calendar,
    Event,
    EventStatus,
    Partstat,
    Role,
    Transparency,
)
from calendar_app.models.todos import Todo, TodoList, TodoStatus

__all__ = [
    "Attendee",
    "Calendar",
    "Event",
    "EventStatus",
    "Partstat",
    "Role",
    "Todo",
    "TodoList",
    "TodoStatus",
    "Transparency",
]
