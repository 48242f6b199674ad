"""What the tools of mesh take and give.

Made by `python manage.py reference`; change the declarations instead.
"""

from typing import Any, Literal, NotRequired, TypedDict


class GetContextAnswer(TypedDict):
    success: NotRequired[Literal[True]]
    """Whether it was done."""
    agent_name: str
    """Who asked."""
    key: str
    """The key."""
    value: Any
    """The value as it was pushed."""
    context: dict[str, Any]
    """The value by its key."""


class PushContextAnswer(TypedDict):
    success: NotRequired[Literal[True]]
    """Whether it was done."""
    agent_name: str
    """Who asked."""
    key: str
    """The key."""
    value: Any
    """The value as it was pushed."""
    subscribers: list[str]
    """Who may read it; none means every agent."""
    ttl: int | None
    """For so many seconds from its push on."""
    expires_at: str | None
    """Until when it counts."""


class ListContextKeysAnswer(TypedDict):
    success: NotRequired[Literal[True]]
    """Whether it was done."""
    agent_name: str
    """Who asked."""
    available_keys: list[str]
    """The keys that you may read."""
    count: int
    """How many there are."""


class BatchContextOperationOperations(TypedDict):
    type: Literal["push", "get", "delete"]
    """Type of operation to perform"""
    key: str
    """Context key for the operation"""
    value: NotRequired[Any]
    """Value to push (only for push operations)"""
    subscribers: NotRequired[list[str]]
    """Subscribers for push operations"""
    ttl: NotRequired[int]
    """TTL for push operations"""


class BatchContextOperationAnswerResults(TypedDict):
    type: NotRequired[Literal["push"]]
    """What kind it is."""
    key: str
    """The key."""
    success: NotRequired[Literal[True]]
    """Whether it was done."""
    value: Any
    """The value as it was pushed."""
    subscribers: list[str]
    """Who may read it; none means every agent."""
    ttl: int | None
    """For so many seconds from its push on."""
    expires_at: str | None
    """Until when it counts."""


class BatchContextOperationAnswerResults2(TypedDict):
    type: NotRequired[Literal["get"]]
    """What kind it is."""
    key: str
    """The key."""
    success: NotRequired[Literal[True]]
    """Whether it was done."""
    value: Any
    """The value as it was pushed."""


class BatchContextOperationAnswerResults3(TypedDict):
    type: NotRequired[Literal["delete"]]
    """What kind it is."""
    key: str
    """The key."""
    success: NotRequired[Literal[True]]
    """Whether it was done."""


class BatchContextOperationAnswerResults4(TypedDict):
    type: Literal["push", "get", "delete"]
    """What kind it is."""
    key: str
    """The key."""
    success: NotRequired[Literal[False]]
    """Whether it was done."""
    error: str
    """What went wrong."""
    error_code: str
    """Which error it is."""


class BatchContextOperationAnswer(TypedDict):
    success: bool
    """Whether it was done."""
    agent_name: str
    """Who asked."""
    atomic: bool
    """Whether it was all or nothing."""
    results: list[BatchContextOperationAnswerResults | BatchContextOperationAnswerResults2 | BatchContextOperationAnswerResults3 | BatchContextOperationAnswerResults4]
    """Each in turn."""
    total_operations: int
    """How many operations there were."""
    successful_operations: int
    """How many were done."""
    failed_operations: int
    """How many were not done."""


class SendMessageToAgentAnswer(TypedDict):
    success: NotRequired[Literal[True]]
    """Whether it was done."""
    message_id: str
    """The message."""
    from_agent: str
    """Who sent it."""
    to_agent: str
    """Who gets it."""
    message_type: Literal["info", "task", "result", "error", "question"]
    """What kind of message it is."""
    priority: Literal["low", "normal", "high", "urgent"]
    """How pressing it is."""
    thread_id: str
    """The thread it belongs to."""
    requires_confirmation: bool
    """Whether its sender is told when it is read."""


GetMessagesFromAgentsAnswerMessages = TypedDict(
    "GetMessagesFromAgentsAnswerMessages",
    {
        # The message.
        "message_id": str,
        # Who it is from.
        "from": str,
        # Who gets it.
        "to": str,
        # What is said.
        "message": str,
        # What kind it is.
        "type": Literal["info", "task", "result", "error", "question"],
        # How pressing it is.
        "priority": Literal["low", "normal", "high", "urgent"],
        # When it was sent.
        "timestamp": str,
        # Whether it was read.
        "read": bool,
        # Whether its sender is told when it is read.
        "requires_confirmation": bool,
        # Whether its reading was confirmed.
        "confirmed": bool,
        # The thread it belongs to.
        "thread_id": str | None,
    },
)


class GetMessagesFromAgentsAnswer(TypedDict):
    success: NotRequired[Literal[True]]
    """Whether it was done."""
    agent_name: str
    """Who asked."""
    messages: list[GetMessagesFromAgentsAnswerMessages]
    """The messages."""
    count: int
    """How many there are."""


class BroadcastMessageToAgentsAnswerResults(TypedDict):
    to_agent: str
    """Who gets it."""
    success: NotRequired[Literal[True]]
    """Whether it was done."""
    message_id: str
    """The message."""


class BroadcastMessageToAgentsAnswer(TypedDict):
    success: NotRequired[Literal[True]]
    """Whether it was done."""
    broadcast_id: str
    """The same for every message of a broadcast."""
    thread_id: str | None
    """The thread it belongs to."""
    total_recipients: int
    """How many were to get it."""
    successful_sends: int
    """How many were sent."""
    failed_sends: int
    """How many were not sent."""
    results: list[BroadcastMessageToAgentsAnswerResults]
    """Each in turn."""
