"""What the tools of mail take and give.

Made by `python manage.py reference`; change the declarations instead.
"""

from typing import Any, Literal, NotRequired, TypedDict


class Participant(TypedDict):
    name: NotRequired[str]
    """The name."""
    email: str
    """The address."""


class Thread(TypedDict):
    id: str
    """Its id."""
    inbox_id: str
    """The inbox it belongs to."""
    subject: NotRequired[str]
    """The subject."""
    status: Literal["open", "closed", "snoozed"]
    """Where it stands."""
    labels: NotRequired[list[str]]
    """The mailboxes it is in."""
    participants: NotRequired[list[Participant]]
    """Who takes part."""
    updated_at: str
    """When it last changed."""


class ListThreadsAnswer(TypedDict):
    threads: list[Thread]
    """The threads."""
    next_cursor: NotRequired[str]
    """Goes on where this page ends; absent at the end."""


Message = TypedDict(
    "Message",
    {
        # Its id.
        "id": str,
        # The thread it belongs to.
        "thread_id": str,
        # Whether it came in or goes out.
        "direction": Literal["inbound", "outbound"],
        # Who it is from.
        "from": NotRequired[Participant],
        # Who gets it.
        "to": NotRequired[list[Participant]],
        # Who gets a copy.
        "cc": NotRequired[list[Participant]],
        # The subject.
        "subject": NotRequired[str],
        # The text.
        "text": NotRequired[str],
        # The HTML part, as it came.
        "html": NotRequired[str],
        # When it was made; of a message, when it came or was proposed.
        "created_at": str,
    },
)


class GetThreadAnswer(TypedDict):
    thread: Thread
    """The thread."""
    messages: NotRequired[list[Message]]
    """The messages."""


class SearchInboxTimeRange(TypedDict):
    start: NotRequired[str]
    """Only what came then or later."""
    end: NotRequired[str]
    """Only what came before then."""


class SearchInboxAnswerResults(TypedDict):
    message_id: str
    """The message."""
    thread_id: str
    """The thread it belongs to."""
    score: float
    """How well it fits; more is better."""
    snippet: NotRequired[str]
    """A passage of the text."""


class SearchInboxAnswer(TypedDict):
    results: list[SearchInboxAnswerResults]
    """What was found, best first."""


class DraftReplyWithPolicyAnswer(TypedDict):
    draft: str
    """The text of the reply."""
    risk_flags: NotRequired[list[str]]
    """What a reviewer is to look at, one for each kind."""
    cited_message_ids: NotRequired[list[str]]
    """The messages that the draft rests on."""
    needs_human_approval: NotRequired[bool]
    """Whether a person has to approve the reply."""


class SendReplyAnswer(TypedDict):
    message_id: str
    """The message."""
    status: Literal["queued", "sent"]
    """Where it stands."""


class TriageMessageAnswer(TypedDict):
    intent: str
    """What its sender wants, by the taxonomy."""
    urgency: Literal["low", "medium", "high"]
    """How pressing it is."""
    sentiment: Literal["negative", "neutral", "positive"]
    """The tone."""
    confidence: float
    """How sure it is, from 0 to 1."""
    suggested_route: NotRequired[str]
    """Who should take it, by the taxonomy."""


class ExtractToSchemaAnswer(TypedDict):
    data: dict[str, Any]
    """What was found, by the schema."""
    confidence: float
    """How sure it is, from 0 to 1."""
    missing_fields: NotRequired[list[str]]
    """Required fields that were not found."""
    validation_errors: NotRequired[list[str]]
    """Where the data does not fit the schema."""
