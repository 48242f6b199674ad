"""What the tools of files take and give.

Made by `python manage.py reference`; change the declarations instead.
"""

from typing import Literal, NotRequired, TypedDict


class FileListAnswer(TypedDict):
    _cache_status: Literal["fresh", "stale", "miss"]
    """`miss`: the provider was asked just now; `stale`: it will be."""
    _cached_at: str
    """When the provider was asked last."""
    id: str
    """Its id."""
    name: str
    """The name."""
    type: Literal["file", "folder"]
    """What kind it is."""
    size: int
    """In bytes."""
    modified: str
    """When its content was last written."""
    download_url: NotRequired[str]
    """Where its bytes are; wants the bearer."""
    shared_with: NotRequired[list[str]]
    """To whom a message took it, as it is."""


class FileGetAnswer(TypedDict):
    _cache_status: Literal["fresh", "stale", "miss"]
    """`miss`: the provider was asked just now; `stale`: it will be."""
    _cached_at: str
    """When the provider was asked last."""
    id: str
    """Its id."""
    name: str
    """The name."""
    type: Literal["file", "folder"]
    """What kind it is."""
    size: int
    """In bytes."""
    modified: str
    """When its content was last written."""
    download_url: NotRequired[str]
    """Where its bytes are; wants the bearer."""
    shared_with: NotRequired[list[str]]
    """To whom a message took it, as it is."""
    saved_to: str
    """Where in the exchange folder it was put."""


class FileCreateAnswer(TypedDict):
    id: str
    """Its id."""
    name: str
    """The name."""
    type: Literal["file", "folder"]
    """What kind it is."""
    size: int
    """In bytes."""
    modified: str
    """When its content was last written."""
    download_url: NotRequired[str]
    """Where its bytes are; wants the bearer."""
    shared_with: NotRequired[list[str]]
    """To whom a message took it, as it is."""


class FileDeleteAnswer(TypedDict):
    status: NotRequired[Literal["deleted"]]
    """Where it stands."""


class SearchUnifiedAnswerMessageFromEmailAddress(TypedDict):
    name: NotRequired[str]
    """The name."""
    address: str
    """The address."""


class SearchUnifiedAnswerMessageFrom(TypedDict):
    emailAddress: SearchUnifiedAnswerMessageFromEmailAddress
    """The address and the name beside it."""


class SearchUnifiedAnswerMessageToRecipients(TypedDict):
    emailAddress: SearchUnifiedAnswerMessageFromEmailAddress
    """The address and the name beside it."""


class SearchUnifiedAnswerMessageBody(TypedDict):
    content: str
    """The text itself."""
    contentType: NotRequired[Literal["text"]]
    """What kind of content it is."""
    truncated: NotRequired[Literal[True]]
    """Whether something was left out."""
    total_length: NotRequired[int]
    """How many characters the whole text has."""


SearchUnifiedAnswerMessage = TypedDict(
    "SearchUnifiedAnswerMessage",
    {
        # `miss`: the provider was asked just now; `stale`: it will be.
        "_cache_status": Literal["fresh", "stale", "miss"],
        # When the provider was asked last.
        "_cached_at": str,
        # Its id.
        "id": str,
        # The subject.
        "subject": str,
        # Who it is from.
        "from": NotRequired[SearchUnifiedAnswerMessageFrom],
        # Who gets it.
        "toRecipients": list[SearchUnifiedAnswerMessageToRecipients],
        # Who gets a copy.
        "ccRecipients": list[SearchUnifiedAnswerMessageToRecipients],
        # When it came.
        "receivedDateTime": str,
        # Whether files go with it.
        "hasAttachments": bool,
        # The thread it belongs to.
        "conversationId": NotRequired[str],
        # Whether it was read.
        "isRead": bool,
        # The text.
        "body": NotRequired[SearchUnifiedAnswerMessageBody],
    },
)


class SearchUnifiedAnswerEventStart(TypedDict):
    dateTime: str
    """What the clock of `timeZone` shows, without an offset."""
    timeZone: str
    """The IANA time zone of `dateTime`."""


class SearchUnifiedAnswerEventEnd(TypedDict):
    dateTime: str
    """What the clock of `timeZone` shows, without an offset."""
    timeZone: str
    """The IANA time zone of `dateTime`."""


class SearchUnifiedAnswerEventLocation(TypedDict):
    displayName: str
    """The name as it is shown."""


class SearchUnifiedAnswerEventOrganizer(TypedDict):
    emailAddress: SearchUnifiedAnswerMessageFromEmailAddress
    """The address and the name beside it."""


class SearchUnifiedAnswerEventBody(TypedDict):
    content: str
    """The text itself."""
    contentType: NotRequired[Literal["text"]]
    """What kind of content it is."""
    truncated: NotRequired[Literal[True]]
    """Whether something was left out."""


class SearchUnifiedAnswerEventAttendeesStatus(TypedDict):
    response: Literal["none", "organizer", "notResponded", "accepted", "declined", "tentativelyAccepted"]
    """What was answered."""
    time: NotRequired[str]
    """When they answered."""


class SearchUnifiedAnswerEventAttendees(TypedDict):
    emailAddress: SearchUnifiedAnswerMessageFromEmailAddress
    """The address and the name beside it."""
    type: Literal["required", "optional", "resource"]
    """What kind it is."""
    status: SearchUnifiedAnswerEventAttendeesStatus
    """What they answered."""


class SearchUnifiedAnswerEvent(TypedDict):
    _cache_status: Literal["fresh", "stale", "miss"]
    """`miss`: the provider was asked just now; `stale`: it will be."""
    _cached_at: str
    """When the provider was asked last."""
    id: str
    """Its id."""
    subject: str
    """The subject."""
    start: SearchUnifiedAnswerEventStart
    """When it begins."""
    end: SearchUnifiedAnswerEventEnd
    """When it ends."""
    location: SearchUnifiedAnswerEventLocation
    """Where it is."""
    organizer: SearchUnifiedAnswerEventOrganizer
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
    body: NotRequired[SearchUnifiedAnswerEventBody]
    """The text."""
    attendees: NotRequired[list[SearchUnifiedAnswerEventAttendees]]
    """Who is invited."""
    recurrence: NotRequired[list[str]]
    """How it repeats."""


class SearchUnifiedAnswer(TypedDict):
    message: NotRequired[list[SearchUnifiedAnswerMessage]]
    """The mail that was found."""
    event: NotRequired[list[SearchUnifiedAnswerEvent]]
    """The event."""
    driveItem: NotRequired[list[FileListAnswer]]
    """The file that was found."""
