"""What the tools of services take and give.

Made by `python manage.py reference`; change the declarations instead.
"""

from typing import Literal, NotRequired, TypedDict


class GoogleCalendarServiceListAnswerEvents(TypedDict):
    id: str
    """Its id."""
    calendar_id: str
    """The calendar it stands in."""
    title: str
    """What it is called."""
    start_at: str
    """When it begins."""
    end_at: str
    """When it ends."""
    all_day: bool
    """Whether it takes whole days."""
    timezone: str
    """The IANA time zone."""
    description: NotRequired[str]
    """More about it, as plain text."""
    location: NotRequired[str]
    """Where it is."""
    status: Literal["tentative", "confirmed", "cancelled"]
    """Where it stands."""
    series_id: NotRequired[str]
    """The series it is an instance of."""


class GoogleCalendarServiceListAnswer(TypedDict):
    events: list[GoogleCalendarServiceListAnswerEvents]
    """The events."""
    truncated: bool
    """Whether something was left out."""


class GoogleCalendarServiceCreateAnswerEvent(TypedDict):
    id: str
    """Its id."""
    calendar_id: str
    """The calendar it stands in."""
    title: str
    """What it is called."""
    start_at: str
    """When it begins."""
    end_at: str
    """When it ends."""
    all_day: bool
    """Whether it takes whole days."""
    timezone: str
    """The IANA time zone."""
    description: NotRequired[str]
    """More about it, as plain text."""
    location: NotRequired[str]
    """Where it is."""
    status: Literal["tentative", "confirmed", "cancelled"]
    """Where it stands."""
    series_id: NotRequired[str]
    """The series it is an instance of."""


class GoogleCalendarServiceCreateAnswerWaiting(TypedDict):
    status: Literal["queued", "sent"]
    """Where it stands."""
    message_id: NotRequired[str]
    """The message."""
    approval_id: str
    """The approval that it waits for, or that decided on it."""
    review_url: str
    """Where a person decides on it."""


class GoogleCalendarServiceCreateAnswer(TypedDict):
    event: NotRequired[GoogleCalendarServiceCreateAnswerEvent]
    """The event."""
    waiting: NotRequired[GoogleCalendarServiceCreateAnswerWaiting]
    """The approval that it waits for."""


class GoogleCalendarServiceDeleteAnswer(TypedDict):
    event_id: str
    """The event."""
    deleted: bool
    """Whether it is gone."""
    waiting: NotRequired[GoogleCalendarServiceCreateAnswerWaiting]
    """The approval that it waits for."""


class GoogleTasksServiceListAnswerTasks(TypedDict):
    id: str
    """Its id."""
    title: str
    """What it is called."""
    notes: NotRequired[str]
    """More about it, as plain text."""
    status: Literal["needsAction", "completed"]
    """Where it stands."""
    due_at: NotRequired[str]
    """Until when it is to be done."""
    completed_at: NotRequired[str]
    """When it was done."""
    parent_id: NotRequired[str]
    """The to-do that it is a step of."""
    starred: bool
    """Whether it is starred."""
    created_at: str
    """When it was made; of a message, when it came or was proposed."""
    updated_at: str
    """When it last changed."""


class GoogleTasksServiceListAnswer(TypedDict):
    tasks: list[GoogleTasksServiceListAnswerTasks]
    """The to-dos."""
    truncated: bool
    """Whether something was left out."""


class GoogleTasksServiceCreateAnswerTask(TypedDict):
    id: str
    """Its id."""
    title: str
    """What it is called."""
    notes: NotRequired[str]
    """More about it, as plain text."""
    status: Literal["needsAction", "completed"]
    """Where it stands."""
    due_at: NotRequired[str]
    """Until when it is to be done."""
    completed_at: NotRequired[str]
    """When it was done."""
    parent_id: NotRequired[str]
    """The to-do that it is a step of."""
    starred: bool
    """Whether it is starred."""
    created_at: str
    """When it was made; of a message, when it came or was proposed."""
    updated_at: str
    """When it last changed."""


class GoogleTasksServiceCreateAnswer(TypedDict):
    task: GoogleTasksServiceCreateAnswerTask
    """The to-do."""


class GoogleTasksServiceDeleteAnswer(TypedDict):
    deleted_task_ids: list[str]
    """The to-dos that are gone, those below it among them."""


class InternalSchedulerServiceCreateAnswer(TypedDict):
    schedule_id: str
    """The schedule."""
    type: Literal["notification", "command"]
    """What kind it is."""
    command: str
    """The note's text, or the name of the tool to call."""
    trigger_at: str
    """When it comes due."""
    state: Literal["pending", "running", "fired", "waiting", "failed", "canceled"]
    """Where it stands."""


class InternalMemoryServiceSaveAnswer(TypedDict):
    memory_id: str
    """The memory."""
    created_at: str
    """When it was made; of a message, when it came or was proposed."""
    is_new: bool
    """Whether it was not known before."""


class InternalMemoryServiceSearchAnswerMemories(TypedDict):
    memory_id: str
    """The memory."""
    content: str
    """The text."""
    score: float
    """How well it fits; more is better."""
    created_at: str
    """When it was made; of a message, when it came or was proposed."""


class InternalMemoryServiceSearchAnswer(TypedDict):
    memories: list[InternalMemoryServiceSearchAnswerMemories]
    """What was remembered."""
    count: int
    """How many there are."""
