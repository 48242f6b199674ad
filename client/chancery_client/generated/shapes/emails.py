"""What the tools of emails take and give.

Made by `python manage.py reference`; change the declarations instead.
"""

from typing import Literal, NotRequired, TypedDict


class EmailListAnswerFromEmailAddress(TypedDict):
    name: NotRequired[str]
    """The name."""
    address: str
    """The address."""


class EmailListAnswerFrom(TypedDict):
    emailAddress: EmailListAnswerFromEmailAddress
    """The address and the name beside it."""


class EmailListAnswerToRecipients(TypedDict):
    emailAddress: EmailListAnswerFromEmailAddress
    """The address and the name beside it."""


class EmailListAnswerBody(TypedDict):
    content: str
    """The text itself."""
    contentType: NotRequired[Literal["text"]]
    """What kind of content it is."""
    truncated: NotRequired[Literal[True]]
    """Whether something was left out."""
    total_length: NotRequired[int]
    """How many characters the whole text has."""


EmailListAnswer = TypedDict(
    "EmailListAnswer",
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
        "from": NotRequired[EmailListAnswerFrom],
        # Who gets it.
        "toRecipients": list[EmailListAnswerToRecipients],
        # Who gets a copy.
        "ccRecipients": list[EmailListAnswerToRecipients],
        # When it came.
        "receivedDateTime": str,
        # Whether files go with it.
        "hasAttachments": bool,
        # The thread it belongs to.
        "conversationId": NotRequired[str],
        # Whether it was read.
        "isRead": bool,
        # The text.
        "body": NotRequired[EmailListAnswerBody],
    },
)


class EmailGetAnswerFlagStartDateTime(TypedDict):
    dateTime: str
    """What the clock of `timeZone` shows, without an offset."""
    timeZone: str
    """The IANA time zone of `dateTime`."""


class EmailGetAnswerFlagDueDateTime(TypedDict):
    dateTime: str
    """What the clock of `timeZone` shows, without an offset."""
    timeZone: str
    """The IANA time zone of `dateTime`."""


class EmailGetAnswerFlagCompletedDateTime(TypedDict):
    dateTime: str
    """What the clock of `timeZone` shows, without an offset."""
    timeZone: str
    """The IANA time zone of `dateTime`."""


class EmailGetAnswerFlag(TypedDict):
    flagStatus: Literal["notFlagged", "flagged", "complete"]
    """Whether it is to be followed up, or was."""
    startDateTime: NotRequired[EmailGetAnswerFlagStartDateTime]
    """From when on it is to be done."""
    dueDateTime: NotRequired[EmailGetAnswerFlagDueDateTime]
    """Until when it is to be done."""
    completedDateTime: NotRequired[EmailGetAnswerFlagCompletedDateTime]
    """When it was done."""


class EmailGetAnswerAttachments(TypedDict):
    id: str
    """Its id."""
    name: str
    """The name."""
    size: int
    """In bytes."""
    contentType: str
    """What kind of content it is."""


EmailGetAnswer = TypedDict(
    "EmailGetAnswer",
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
        "from": NotRequired[EmailListAnswerFrom],
        # Who gets it.
        "toRecipients": list[EmailListAnswerToRecipients],
        # Who gets a copy.
        "ccRecipients": list[EmailListAnswerToRecipients],
        # When it came.
        "receivedDateTime": str,
        # Whether files go with it.
        "hasAttachments": bool,
        # The thread it belongs to.
        "conversationId": NotRequired[str],
        # Whether it was read.
        "isRead": bool,
        # The text.
        "body": NotRequired[EmailListAnswerBody],
        # Whether it is a draft.
        "isDraft": bool,
        # How pressing it is.
        "importance": Literal["low", "normal", "high"],
        # Its categories.
        "categories": list[str],
        # Whether it is to be followed up, or was.
        "flag": EmailGetAnswerFlag,
        # Among those to look at, or beside them.
        "inferenceClassification": Literal["focused", "other"],
        # The files that go with it.
        "attachments": NotRequired[list[EmailGetAnswerAttachments]],
    },
)


class EmailGetAttachmentAnswer(TypedDict):
    name: str
    """The name."""
    content_type: str
    """The media type."""
    size: int
    """In bytes."""
    saved_to: str
    """Where in the exchange folder it was put."""


class EmailUpdateUpdatesFlagStartDateTime(TypedDict):
    dateTime: str
    """With its offset (RFC 3339)."""
    timeZone: str
    """The IANA time zone in which it is meant."""


class EmailUpdateUpdatesFlag(TypedDict):
    flagStatus: NotRequired[Literal["notFlagged", "flagged", "complete"]]
    """Whether it is to be followed up, or was."""
    startDateTime: NotRequired[EmailUpdateUpdatesFlagStartDateTime]
    """A time with its offset, and the IANA time zone in which it is meant."""
    dueDateTime: NotRequired[EmailUpdateUpdatesFlagStartDateTime]
    """A time with its offset, and the IANA time zone in which it is meant."""
    completedDateTime: NotRequired[EmailUpdateUpdatesFlagStartDateTime]
    """A time with its offset, and the IANA time zone in which it is meant."""


class EmailUpdateUpdates(TypedDict):
    isRead: NotRequired[bool]
    """Whether it was read."""
    categories: NotRequired[list[str]]
    """All categories, anew."""
    importance: NotRequired[Literal["low", "normal", "high"]]
    """How pressing it is."""
    flag: NotRequired[EmailUpdateUpdatesFlag]
    """What is to be done with an email, and when."""
    inferenceClassification: NotRequired[Literal["focused", "other"]]
    """Among those to look at, or beside them."""


EmailUpdateAnswer = TypedDict(
    "EmailUpdateAnswer",
    {
        # Its id.
        "id": str,
        # The subject.
        "subject": str,
        # Who it is from.
        "from": NotRequired[EmailListAnswerFrom],
        # Who gets it.
        "toRecipients": list[EmailListAnswerToRecipients],
        # Who gets a copy.
        "ccRecipients": list[EmailListAnswerToRecipients],
        # When it came.
        "receivedDateTime": str,
        # Whether files go with it.
        "hasAttachments": bool,
        # The thread it belongs to.
        "conversationId": NotRequired[str],
        # Whether it was read.
        "isRead": bool,
        # The text.
        "body": NotRequired[EmailListAnswerBody],
        # Whether it is a draft.
        "isDraft": bool,
        # How pressing it is.
        "importance": Literal["low", "normal", "high"],
        # Its categories.
        "categories": list[str],
        # Whether it is to be followed up, or was.
        "flag": EmailGetAnswerFlag,
        # Among those to look at, or beside them.
        "inferenceClassification": Literal["focused", "other"],
        # The files that go with it.
        "attachments": NotRequired[list[EmailGetAnswerAttachments]],
    },
)


class EmailMoveAnswer(TypedDict):
    status: NotRequired[Literal["moved"]]
    """Where it stands."""
    new_id: str
    """The id under which it is from now on."""


class EmailDeleteAnswer(TypedDict):
    status: NotRequired[Literal["deleted"]]
    """Where it stands."""


class EmailSendAnswer(TypedDict):
    status: Literal["queued", "sent"]
    """Where it stands."""
    message_id: str
    """The message."""
    approval_id: str
    """The approval that it waits for, or that decided on it."""
    review_url: str
    """Where a person decides on it."""
