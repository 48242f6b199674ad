"""The tools of mesh.

Made by `python manage.py reference`; change the declarations instead.
"""

from typing import Any, Literal

from chancery_client.carriers import Carrier
from chancery_client.generated.shapes.mesh import (
    BatchContextOperationAnswer,
    BatchContextOperationOperations,
    BroadcastMessageToAgentsAnswer,
    GetContextAnswer,
    GetMessagesFromAgentsAnswer,
    ListContextKeysAnswer,
    PushContextAnswer,
    SendMessageToAgentAnswer,
)
from chancery_client.wire import (
    OMITTED,
    Omitted,
)


class Mesh:
    """The tools of mesh."""

    def __init__(self, carrier: Carrier) -> None:
        self._carrier = carrier

    def get_context(
        self,
        *,
        agent_name: str,
        key: str,
    ) -> GetContextAnswer:
        """Retrieve context data from the shared knowledge mesh for a specific agent.

        Read the value that an agent shared under a key, exactly as it was pushed.

        `agent_name` is your own name. An absent or expired key is KEY_NOT_FOUND; one that was
        shared with others than you is ACCESS_DENIED.

        agent_name: Name of the agent requesting the context
        key: The context key to retrieve
        """
        given: dict[str, Any] = {
            "agent_name": agent_name,
            "key": key,
        }
        answer: GetContextAnswer = self._carrier.read("get_context", given)
        return answer

    def push_context(
        self,
        *,
        agent_name: str,
        key: str,
        value: Any,
        subscribers: list[str] | Omitted = OMITTED,
        ttl: int | Omitted = OMITTED,
        idempotency_key: str | None = None,
    ) -> PushContextAnswer:
        """Store context data in the shared knowledge mesh with optional access control.

        Share a JSON value under a key with other agents of the workspace.

        `agent_name` is your own name. With no `subscribers` every agent of the workspace may read
        it; else those and you. It ends after `ttl` seconds, if given. Pushing a key of your own
        again replaces value, subscribers and time as a whole; a key of another agent is
        ACCESS_DENIED. What you push after a stranger's words were shown to you stands once a person
        has reviewed it.

        agent_name: Name of the agent storing the context
        key: The context key to store
        value: The context value to store (any JSON-serializable data)
        subscribers: Optional list of agent names that can access this context
        ttl: Optional time-to-live in seconds
        """
        given: dict[str, Any] = {
            "agent_name": agent_name,
            "key": key,
            "value": value,
            "subscribers": subscribers,
            "ttl": ttl,
        }
        answer: PushContextAnswer = self._carrier.change("push_context", given, idempotency_key)
        return answer

    def list_context_keys(
        self,
        *,
        agent_name: str,
        pattern: str | Omitted = OMITTED,
    ) -> ListContextKeysAnswer:
        """List all context keys that an agent can access.

        List the keys of shared context that you may read, in order.

        `agent_name` is your own name. `pattern` is a glob: `*` for any characters, `?` for one,
        `[ab]` for one of several; upper and lower case differ.

        agent_name: Name of the agent requesting the key list
        pattern: Optional glob pattern to filter keys (e.g., 'user_*')
        """
        given: dict[str, Any] = {
            "agent_name": agent_name,
            "pattern": pattern,
        }
        answer: ListContextKeysAnswer = self._carrier.read("list_context_keys", given)
        return answer

    def batch_context_operation(
        self,
        *,
        agent_name: str,
        operations: list[BatchContextOperationOperations],
        atomic: bool | Omitted = OMITTED,
        idempotency_key: str | None = None,
    ) -> BatchContextOperationAnswer:
        """Execute multiple context operations in a single atomic transaction.

        Push, get and delete several keys of shared context in one step, in order.

        `agent_name` is your own name. Each operation follows the rules of a single call, and sees
        what those before it did. With `atomic` all are done or none: where one fails, nothing is
        changed, and the others say ROLLED_BACK. Without it each stands by itself. `success` is true
        where all were done.

        agent_name: Name of the agent performing the batch operation
        operations: List of operations to execute
        atomic: Whether all operations must succeed or all fail
        """
        given: dict[str, Any] = {
            "agent_name": agent_name,
            "operations": operations,
            "atomic": atomic,
        }
        answer: BatchContextOperationAnswer
        answer = self._carrier.change("batch_context_operation", given, idempotency_key)
        return answer

    def send_message_to_agent(
        self,
        *,
        from_agent: str,
        to_agent: str,
        message: str,
        message_type: Literal["info", "task", "result", "error", "question"] | Omitted = OMITTED,
        priority: Literal["low", "normal", "high", "urgent"] | Omitted = OMITTED,
        thread_id: str | Omitted = OMITTED,
        requires_confirmation: bool | Omitted = OMITTED,
        idempotency_key: str | None = None,
    ) -> SendMessageToAgentAnswer:
        """Send a direct message to another agent in the system.

        Send a message to another agent of the workspace; it never leaves the house.

        `from_agent` is your own name; look_around names the other agents. Without a `thread_id` it
        begins a thread, whose id the answer has. With `requires_confirmation` you are sent one
        message when it is first marked as read.

        from_agent: Name of the agent sending the message
        to_agent: Name of the agent receiving the message
        message: The message content to send
        message_type: Type of message being sent
        priority: Priority level of the message
        thread_id: Optional thread ID to group related messages
        requires_confirmation: Whether the message requires read confirmation
        """
        given: dict[str, Any] = {
            "from_agent": from_agent,
            "to_agent": to_agent,
            "message": message,
            "message_type": message_type,
            "priority": priority,
            "thread_id": thread_id,
            "requires_confirmation": requires_confirmation,
        }
        answer: SendMessageToAgentAnswer
        answer = self._carrier.change("send_message_to_agent", given, idempotency_key)
        return answer

    def get_messages_from_agents(
        self,
        *,
        agent_name: str,
        unread_only: bool | Omitted = OMITTED,
        priority: Literal["low", "normal", "high", "urgent"] | Omitted = OMITTED,
        message_type: Literal["info", "task", "result", "error", "question"] | Omitted = OMITTED,
        thread_id: str | Omitted = OMITTED,
        from_agent: str | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        mark_as_read: bool | Omitted = OMITTED,
        idempotency_key: str | None = None,
    ) -> GetMessagesFromAgentsAnswer:
        """Retrieve messages for an agent with various filtering options.

        Get the messages that other agents sent you, newest first, at most `limit` (50).

        `agent_name` is your own name. What a person tells you is among them, `from` `person:` and
        their name. With `mark_as_read` they count as read from now on, and an agent whose message
        asks for confirmation is sent it, once.

        agent_name: Name of the agent retrieving messages
        unread_only: Only return unread messages
        priority: Filter by message priority
        message_type: Filter by message type
        thread_id: Filter by thread ID
        from_agent: Filter by sender agent name
        limit: Maximum number of messages to return
        mark_as_read: Mark retrieved messages as read
        """
        given: dict[str, Any] = {
            "agent_name": agent_name,
            "unread_only": unread_only,
            "priority": priority,
            "message_type": message_type,
            "thread_id": thread_id,
            "from_agent": from_agent,
            "limit": limit,
            "mark_as_read": mark_as_read,
        }
        answer: GetMessagesFromAgentsAnswer
        answer = self._carrier.change("get_messages_from_agents", given, idempotency_key)
        return answer

    def broadcast_message_to_agents(
        self,
        *,
        from_agent: str,
        to_agents: list[str],
        message: str,
        message_type: Literal["info", "task", "result", "error", "question"] | Omitted = OMITTED,
        priority: Literal["low", "normal", "high", "urgent"] | Omitted = OMITTED,
        create_thread: bool | Omitted = OMITTED,
        thread_id: str | Omitted = OMITTED,
        idempotency_key: str | None = None,
    ) -> BroadcastMessageToAgentsAnswer:
        """Send a message to multiple agents simultaneously.

        Send one message to several agents of the workspace: to each once, all of them or none.

        `from_agent` is your own name, and you are not among the recipients; look_around names the
        other agents. The messages are in the thread `thread_id`, else in a new one unless
        `create_thread` is false.

        from_agent: Name of the agent sending the broadcast
        to_agents: List of agent names to receive the message
        message: The message content to broadcast
        message_type: Type of message being sent
        priority: Priority level of the message
        create_thread: Whether to create a new thread for this broadcast
        thread_id: Optional existing thread ID to use
        """
        given: dict[str, Any] = {
            "from_agent": from_agent,
            "to_agents": to_agents,
            "message": message,
            "message_type": message_type,
            "priority": priority,
            "create_thread": create_thread,
            "thread_id": thread_id,
        }
        answer: BroadcastMessageToAgentsAnswer
        answer = self._carrier.change("broadcast_message_to_agents", given, idempotency_key)
        return answer
