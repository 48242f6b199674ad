"""Messages between agents."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from agents.contracts import Effect, tool
from agents.contracts.fields import WHOLE, Closed, Maybe, Moment
from agents.models import Agent, AgentMessage
from agents.models.mesh import LONGEST_THREAD
from agents.operations.sharing.agent_names import (
    check_bound,
    find_agents,
    pick_agents,
    unknown_agent,
)
from agents.operations.sharing.messages import (
    MessageCriteria,
    NewMessage,
    choose_thread,
    find_messages,
    new_broadcast_id,
    new_thread_id,
    others,
    send_messages,
)
from agents.tools.sharing.contexts import AgentName, Name
from inbox.actor import Actor

_DEFAULT_LIMIT, _MOST = 50, 200
MessageTypeName: TypeAlias = Literal["info", "task", "result", "error", "question"]
Priority: TypeAlias = Literal["low", "normal", "high", "urgent"]
Text: TypeAlias = Annotated[str, Field(min_length=1, max_length=50_000)]
ThreadId: TypeAlias = Annotated[str, Field(min_length=1, max_length=LONGEST_THREAD)]
_TypeOfMessage: TypeAlias = Annotated[
    MessageTypeName, Field(description="Type of message being sent")
]
_PriorityOfMessage: TypeAlias = Annotated[
    Priority, Field(description="Priority level of the message")
]


class SendMessageToAgent(Closed):
    """What to tell whom."""

    from_agent: Annotated[Name, Field(description="Name of the agent sending the message")]
    to_agent: Annotated[AgentName, Field(description="Name of the agent receiving the message")]
    message: Annotated[Text, Field(description="The message content to send")]
    message_type: _TypeOfMessage = "info"
    priority: _PriorityOfMessage = "normal"
    thread_id: Maybe[
        Annotated[ThreadId, Field(description="Optional thread ID to group related messages")]
    ] = None
    requires_confirmation: Annotated[
        bool, Field(description="Whether the message requires read confirmation")
    ] = False


class SentMessage(Closed):
    """The message as it was sent."""

    success: Literal[True] = True
    message_id: str
    from_agent: str
    to_agent: str
    message_type: MessageTypeName
    priority: Priority
    thread_id: str
    requires_confirmation: bool


@tool(
    family="mesh", domain="comms", effect=Effect.WRITE, writes="agm",
    example={
        "from_agent": "TaskManager", "to_agent": "DataProcessor",
        "message": "Please process the new user data file", "message_type": "task",
        "priority": "high", "requires_confirmation": True,
    },
)  # fmt: skip
def send_message_to_agent(actor: Actor, args: SendMessageToAgent) -> SentMessage:
    """Send a direct message to another agent in the system.

    Send a message to another agent of the workspace; it never leaves the house.

    `from_agent` is your own name; look_around names the other agents. Without a `thread_id` it
    begins a thread, whose id the answer has. With `requires_confirmation` you are sent one message
    when it is first marked as read.
    """
    check_bound(actor, args.from_agent, "/from_agent")
    recipient = _find_agent(actor, args.to_agent, "/to_agent")
    new = NewMessage(
        args.message, args.message_type, args.priority, args.thread_id or new_thread_id(),
        requires_confirmation=args.requires_confirmation,
    )  # fmt: skip
    (message,) = send_messages(actor=actor, recipients=[recipient], new=new)
    return SentMessage(
        message_id=message.public_id, from_agent=args.from_agent, to_agent=recipient.name,
        message_type=args.message_type, priority=args.priority, thread_id=new.thread_id,
        requires_confirmation=args.requires_confirmation,
    )  # fmt: skip


class GetMessagesFromAgents(Closed):
    """Which messages, and whether they are read from now on."""

    agent_name: Annotated[Name, Field(description="Name of the agent retrieving messages")]
    unread_only: Annotated[bool, Field(description="Only return unread messages")] = False
    priority: Maybe[Annotated[Priority, Field(description="Filter by message priority")]] = None
    message_type: Maybe[Annotated[MessageTypeName, Field(description="Filter by message type")]] = (
        None
    )
    thread_id: Maybe[Annotated[ThreadId, Field(description="Filter by thread ID")]] = None
    from_agent: Maybe[Annotated[AgentName, Field(description="Filter by sender agent name")]] = None
    limit: Annotated[
        int, Field(ge=1, le=_MOST, description="Maximum number of messages to return"), WHOLE
    ] = _DEFAULT_LIMIT
    mark_as_read: Annotated[bool, Field(description="Mark retrieved messages as read")] = False


class AgentMessageShape(Closed):
    """A message that the agent was sent."""

    message_id: str
    sender: str = Field(alias="from")
    to: str
    message: str
    type: MessageTypeName
    priority: Priority
    timestamp: Moment
    read: bool
    requires_confirmation: bool
    confirmed: bool
    thread_id: str | None


class AgentMessages(Closed):
    """Messages, newest first, and how many these are."""

    success: Literal[True] = True
    agent_name: str
    messages: list[AgentMessageShape]
    count: int


@tool(
    family="mesh", domain="comms", effect=Effect.WRITE, shows=True,
    example={
        "agent_name": "DataProcessor", "unread_only": True, "priority": "high",
        "message_type": "task", "mark_as_read": True,
    },
)  # fmt: skip
def get_messages_from_agents(actor: Actor, args: GetMessagesFromAgents) -> AgentMessages:
    """Retrieve messages for an agent with various filtering options.

    Get the messages that other agents sent you, newest first, at most `limit` (50).

    `agent_name` is your own name. What a person tells you is among them, `from` `person:` and
    their name. With `mark_as_read` they count as read from now on, and an agent whose message asks
    for confirmation is sent it, once.
    """
    check_bound(actor, args.agent_name, "/agent_name")
    sender = _find_agent(actor, args.from_agent, "/from_agent") if args.from_agent else None
    wanted = MessageCriteria(
        args.unread_only, args.priority, args.message_type, args.thread_id, sender
    )
    found = find_messages(
        actor=actor, wanted=wanted, limit=args.limit, mark_as_read=args.mark_as_read
    )
    shown = [message_shape(message) for message in found]
    return AgentMessages(agent_name=args.agent_name, messages=shown, count=len(shown))


class BroadcastMessageToAgents(Closed):
    """What to tell several agents."""

    from_agent: Annotated[Name, Field(description="Name of the agent sending the broadcast")]
    to_agents: Annotated[
        list[AgentName],
        Field(
            min_length=1, max_length=200, description="List of agent names to receive the message"
        ),
    ]
    message: Annotated[Text, Field(description="The message content to broadcast")]
    message_type: _TypeOfMessage = "info"
    priority: _PriorityOfMessage = "normal"
    create_thread: Maybe[
        Annotated[bool, Field(description="Whether to create a new thread for this broadcast")]
    ] = None
    thread_id: Maybe[
        Annotated[ThreadId, Field(description="Optional existing thread ID to use")]
    ] = None


class Delivery(Closed):
    """The message as one agent was sent it."""

    to_agent: str
    success: Literal[True] = True
    message_id: str


class Broadcast(Closed):
    """What was sent to whom; `thread_id` null: the messages are in no thread."""

    success: Literal[True] = True
    broadcast_id: str
    thread_id: str | None
    total_recipients: int
    successful_sends: int
    failed_sends: int
    results: list[Delivery]


@tool(
    family="mesh", domain="comms", effect=Effect.WRITE, writes="agm",
    example={
        "from_agent": "SystemManager", "to_agents": ["DataProcessor", "FileHandler"],
        "message": "System maintenance scheduled for 3 PM", "create_thread": True,
    },
)  # fmt: skip
def broadcast_message_to_agents(actor: Actor, args: BroadcastMessageToAgents) -> Broadcast:
    """Send a message to multiple agents simultaneously.

    Send one message to several agents of the workspace: to each once, all of them or none.

    `from_agent` is your own name, and you are not among the recipients; look_around names the
    other agents. The messages are in the
    thread `thread_id`, else in a new one unless `create_thread` is false.
    """
    check_bound(actor, args.from_agent, "/from_agent")
    known = find_agents(actor, args.to_agents)
    named = pick_agents(known, args.to_agents, "/to_agents")
    new = NewMessage(
        args.message, args.message_type, args.priority,
        choose_thread(given=args.thread_id, create=args.create_thread), new_broadcast_id(),
    )  # fmt: skip
    recipients = others(actor, named, "/to_agents")
    sent = send_messages(actor=actor, recipients=recipients, new=new)
    return Broadcast(
        broadcast_id=new.broadcast_id,
        thread_id=new.thread_id or None,
        total_recipients=len(sent),
        successful_sends=len(sent),
        failed_sends=0,
        results=[
            Delivery(to_agent=message.recipient.name, message_id=message.public_id)
            for message in sent
        ],
    )


def _find_agent(actor: Actor, name: str, pointer: str) -> Agent:
    found = find_agents(actor, [name]).get(name)
    if found is None:
        raise unknown_agent(name, pointer)
    return found


def message_shape(message: AgentMessage) -> AgentMessageShape:
    """Return a message as the contract shows it."""
    fields: dict[str, Any] = {
        "message_id": message.public_id,
        "from": message.sender_name,
        "to": message.recipient.name,
        "message": message.text,
        "type": message.type,
        "priority": message.priority,
        "timestamp": message.created_at,
        "read": message.read_at is not None,
        "requires_confirmation": message.requires_confirmation,
        "confirmed": message.confirmed_at is not None,
        "thread_id": message.thread_id or None,
    }
    return AgentMessageShape(**fields)
