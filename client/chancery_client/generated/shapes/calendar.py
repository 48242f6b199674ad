"""What the tools of calendar take and give.

Made by `python manage.py reference`; change the declarations instead.
"""

from typing import Literal, NotRequired, TypedDict


class CalendarListEventsAnswerStart(TypedDict):
    dateTime: str
    """What the clock of `timeZone` shows, without an offset."""
    timeZone: str
    """The IANA time zone of `dateTime`."""


class CalendarListEventsAnswerEnd(TypedDict):
    dateTime: str
    """What the clock of `timeZone` shows, without an offset."""
    timeZone: str
    """The IANA time zone of `dateTime`."""


class CalendarListEventsAnswerLocation(TypedDict):
    displayName: str
    """The name as it is shown."""


class CalendarListEventsAnswerOrganizerEmailAddress(TypedDict):
    name: NotRequired[str]
    """The name."""
    address: str
    """The address."""


class CalendarListEventsAnswerOrganizer(TypedDict):
    emailAddress: CalendarListEventsAnswerOrganizerEmailAddress
    """The address and the name beside it."""


class CalendarListEventsAnswerBody(TypedDict):
    content: str
    """The text itself."""
    contentType: NotRequired[Literal["text"]]
    """What kind of content it is."""
    truncated: NotRequired[Literal[True]]
    """Whether something was left out."""


class CalendarListEventsAnswerAttendeesStatus(TypedDict):
    response: Literal["none", "organizer", "notResponded", "accepted", "declined", "tentativelyAccepted"]
    """What was answered."""
    time: NotRequired[str]
    """When they answered."""


class CalendarListEventsAnswerAttendees(TypedDict):
    emailAddress: CalendarListEventsAnswerOrganizerEmailAddress
    """The address and the name beside it."""
    type: Literal["required", "optional", "resource"]
    """What kind it is."""
    status: CalendarListEventsAnswerAttendeesStatus
    """What they answered."""


class CalendarListEventsAnswer(TypedDict):
    _cache_status: Literal["fresh", "stale", "miss"]
    """`miss`: the provider was asked just now; `stale`: it will be."""
    _cached_at: str
    """When the provider was asked last."""
    id: str
    """Its id."""
    subject: str
    """The subject."""
    start: CalendarListEventsAnswerStart
    """When it begins."""
    end: CalendarListEventsAnswerEnd
    """When it ends."""
    location: CalendarListEventsAnswerLocation
    """Where it is."""
    organizer: CalendarListEventsAnswerOrganizer
    """Who invites."""
    isAllDay: bool
    """Whether it takes whole days."""
    isCancelled: bool
    """Whether it was cancelled."""
    type: Literal["singleInstance", "occurrence", "exception", "seriesMaster"]
    """What kind it is."""
    seriesMasterId: NotRequired[str]
    """The series it is an instance of."""
    calendarId: str
    """The calendar it stands in."""
    responseStatus: Literal["none", "organizer", "notResponded", "accepted", "declined", "tentativelyAccepted"]
    """What the account answered."""
    showAs: Literal["free", "tentative", "busy"]
    """Whether the time counts as taken."""
    body: NotRequired[CalendarListEventsAnswerBody]
    """The text."""
    attendees: NotRequired[list[CalendarListEventsAnswerAttendees]]
    """Who is invited."""
    recurrence: NotRequired[list[str]]
    """How it repeats."""


class CalendarCheckAvailabilityAnswerValueScheduleItems(TypedDict):
    status: Literal["busy", "tentative"]
    """Where it stands."""
    start: CalendarListEventsAnswerStart
    """When it begins."""
    end: CalendarListEventsAnswerEnd
    """When it ends."""


class CalendarCheckAvailabilityAnswerValueError(TypedDict):
    message: str
    """What is said."""


class CalendarCheckAvailabilityAnswerValue(TypedDict):
    scheduleId: str
    """The address."""
    availabilityView: str
    """One digit for each interval: 0 free, 1 tentative, 2 busy."""
    scheduleItems: list[CalendarCheckAvailabilityAnswerValueScheduleItems]
    """The times that are taken."""
    asOf: NotRequired[str]
    """As of when what is known of it was in step with its server."""
    error: NotRequired[CalendarCheckAvailabilityAnswerValueError]
    """What went wrong."""


class CalendarCheckAvailabilityAnswer(TypedDict):
    value: list[CalendarCheckAvailabilityAnswerValue]
    """The time of each address."""
    availabilityViewInterval: int
    """How long an interval is, in minutes."""


class CalendarCreateEventAnswer(TypedDict):
    id: NotRequired[str]
    """Its id."""
    subject: NotRequired[str]
    """The subject."""
    start: NotRequired[CalendarListEventsAnswerStart]
    """When it begins."""
    end: NotRequired[CalendarListEventsAnswerEnd]
    """When it ends."""
    location: NotRequired[CalendarListEventsAnswerLocation]
    """Where it is."""
    organizer: NotRequired[CalendarListEventsAnswerOrganizer]
    """Who invites."""
    isAllDay: NotRequired[bool]
    """Whether it takes whole days."""
    isCancelled: NotRequired[bool]
    """Whether it was cancelled."""
    type: NotRequired[Literal["singleInstance", "occurrence", "exception", "seriesMaster"]]
    """What kind it is."""
    seriesMasterId: NotRequired[str]
    """The series it is an instance of."""
    calendarId: NotRequired[str]
    """The calendar it stands in."""
    responseStatus: NotRequired[Literal["none", "organizer", "notResponded", "accepted", "declined", "tentativelyAccepted"]]
    """What the account answered."""
    showAs: NotRequired[Literal["free", "tentative", "busy"]]
    """Whether the time counts as taken."""
    body: NotRequired[CalendarListEventsAnswerBody]
    """The text."""
    attendees: NotRequired[list[CalendarListEventsAnswerAttendees]]
    """Who is invited."""
    recurrence: NotRequired[list[str]]
    """How it repeats."""
    status: NotRequired[Literal["queued", "sent"]]
    """Where it stands."""
    message_id: NotRequired[str]
    """The message."""
    approval_id: NotRequired[str]
    """The approval that it waits for, or that decided on it."""
    review_url: NotRequired[str]
    """Where a person decides on it."""


class CalendarRespondEventAnswer(TypedDict):
    status: Literal["queued", "accept", "decline", "tentativelyAccept"]
    """Where it stands."""
    message_id: NotRequired[str]
    """The message."""
    approval_id: NotRequired[str]
    """The approval that it waits for, or that decided on it."""
    review_url: NotRequired[str]
    """Where a person decides on it."""


class CalendarUpdateEventUpdates(TypedDict):
    subject: NotRequired[str]
    """What it is about, in a line."""
    start: NotRequired[str]
    """From then on, with its offset."""
    end: NotRequired[str]
    """Until then, with its offset; after the start."""
    timezone: NotRequired[str]
    """Only with start or end."""
    location: NotRequired[str]
    """Where it is."""
    body: NotRequired[str]
    """Plain text."""
    attendees: NotRequired[str | list[str]]
    """All who are invited from now on."""


class CalendarDeleteEventAnswer(TypedDict):
    status: Literal["deleted", "queued"]
    """Where it stands."""
    message_id: NotRequired[str]
    """The message."""
    approval_id: NotRequired[str]
    """The approval that it waits for, or that decided on it."""
    review_url: NotRequired[str]
    """Where a person decides on it."""


class CalendarDeleteCalendarAnswer(TypedDict):
    status: Literal["deleted"]
    """Where it stands."""
