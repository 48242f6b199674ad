"""The tools of mail.

Made by `python manage.py reference`; change the declarations instead.
"""

from typing import Any, Literal

from chancery_client.carriers import AsyncCarrier
from chancery_client.generated.shapes.mail import (
    DraftReplyWithPolicyAnswer,
    ExtractToSchemaAnswer,
    GetThreadAnswer,
    ListThreadsAnswer,
    SearchInboxAnswer,
    SearchInboxTimeRange,
    SendReplyAnswer,
    TriageMessageAnswer,
)
from chancery_client.wire import (
    OMITTED,
    Held,
    Omitted,
    make_key,
)


class Mail:
    """The tools of mail."""

    def __init__(self, carrier: AsyncCarrier) -> None:
        self._carrier = carrier

    async def list_threads(
        self,
        *,
        inbox_id: str,
        status: Literal["open", "closed", "snoozed"] | Omitted = OMITTED,
        label: str | Omitted = OMITTED,
        updated_after: str | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
    ) -> ListThreadsAnswer:
        """List the threads of an inbox, the last updated first.

        `label` is the name or role of a mailbox, without regard to case; `updated_after` leaves out
        what was updated at that very time. Where there is more, `next_cursor` goes on from there;
        it belongs to the same filters and keeps its place while mail comes in.

        inbox_id: The inbox, by its id or address.
        status: Where it stands.
        label: Only what is in the mailbox of this name or role.
        updated_after: Only what changed after then.
        limit: At most so many.
        cursor: Goes on where a page ended, with the same filters.
        """
        given: dict[str, Any] = {
            "inbox_id": inbox_id,
            "status": status,
            "label": label,
            "updated_after": updated_after,
            "limit": limit,
            "cursor": cursor,
        }
        answer: ListThreadsAnswer = await self._carrier.read("list_threads", given)
        return answer

    async def get_thread(
        self,
        *,
        thread_id: str,
        include_messages: bool | Omitted = OMITTED,
    ) -> GetThreadAnswer:
        """Fetch a thread with its messages, oldest first; the id of a joined thread leads to the
        whole.

        With `include_messages` false the messages are left out.

        thread_id: The thread.
        include_messages: Whether the messages come with it.
        """
        given: dict[str, Any] = {
            "thread_id": thread_id,
            "include_messages": include_messages,
        }
        answer: GetThreadAnswer = await self._carrier.read("get_thread", given)
        return answer

    async def search_inbox(
        self,
        *,
        inbox_id: str,
        query: str,
        top_k: int | Omitted = OMITTED,
        time_range: SearchInboxTimeRange | Omitted = OMITTED,
    ) -> SearchInboxAnswer:
        """Search the messages of an inbox: subjects, senders, attachment names and texts, best
        first.

        What has every word comes first, then what has some; a whole message may be asked with. For
        a word that no mail has the nearest is looked for, unless it is quoted; a remark says so.
        Operators: from: to: subject: filename: label: has: is: after: before:, "words together",
        -without, OR. `time_range` keeps what was received from `start` on and before `end`;
        `snippet` shows the hit.

        inbox_id: The inbox, by its id or address.
        query: The words to look for.
        top_k: At most so many.
        time_range: From when until when it came.
        """
        given: dict[str, Any] = {
            "inbox_id": inbox_id,
            "query": query,
            "top_k": top_k,
            "time_range": time_range,
        }
        answer: SearchInboxAnswer = await self._carrier.read("search_inbox", given)
        return answer

    async def draft_reply_with_policy(
        self,
        *,
        thread_id: str,
        policy_id: str,
        goal: str,
        idempotency_key: str | None = None,
    ) -> DraftReplyWithPolicyAnswer:
        """Draft a reply to a thread that meets the goal and obeys the policy, and store it.

        By rules, from the thread alone. What of the goal is not understood is left out, and
        `low_confidence` is among the risk flags. What is missing is named beside the answer (a
        second text and `chancery/remarks` over MCP, the header `Chancery-Remarks` over REST), in
        the draft at `/api/v1/drafts` and in the approval. `send_reply` takes the text of the draft
        as it is given here, or its id, which `list_approvals` names once it was proposed.

        thread_id: The thread.
        policy_id: The reply policy, by its id or name.
        goal: What the reply should achieve, in plain words.
        """
        given: dict[str, Any] = {
            "thread_id": thread_id,
            "policy_id": policy_id,
            "goal": goal,
        }
        answer: DraftReplyWithPolicyAnswer
        answer = await self._carrier.change("draft_reply_with_policy", given, idempotency_key)
        return answer

    async def send_reply(
        self,
        *,
        thread_id: str,
        body_or_draft_id: str,
        idempotency_key: str | None = None,
    ) -> SendReplyAnswer | Held[SendReplyAnswer]:
        """Reply to a thread: a person approves exactly these bytes before they leave, once.

        `body_or_draft_id` is the id or the exact text of a stored draft of this thread, or a new
        text. The answer is `queued` while it waits for a person or in the undo window; the same
        call with the same `idempotency_key` answers `sent` once it has left. `list_approvals` tells
        what was decided.

        thread_id: The thread.
        body_or_draft_id: The text of the reply, or the id of a stored draft.
        """
        key = idempotency_key or make_key()
        given: dict[str, Any] = {
            "thread_id": thread_id,
            "body_or_draft_id": body_or_draft_id,
            "idempotency_key": key,
        }
        answer: SendReplyAnswer | Held[SendReplyAnswer]
        answer = await self._carrier.propose("send_reply", given, key)
        return answer

    async def triage_message(
        self,
        *,
        message_id: str,
        taxonomy_id: str,
    ) -> TriageMessageAnswer:
        """Find a message's intent by a taxonomy, with its urgency, its sentiment and where it goes.

        By rules; `confidence` is lower where little speaks for the intent, or another is close.

        message_id: The message.
        taxonomy_id: The taxonomy, by its id or name.
        """
        given: dict[str, Any] = {
            "message_id": message_id,
            "taxonomy_id": taxonomy_id,
        }
        answer: TriageMessageAnswer = await self._carrier.read("triage_message", given)
        return answer

    async def extract_to_schema(
        self,
        *,
        message_id: str,
        schema_id: str,
    ) -> ExtractToSchemaAnswer:
        """Find in a message what a stored JSON Schema asks for, and validate it; nothing is made
        up.

        `missing_fields` are the required ones that were not found, `validation_errors` what of the
        data is not as the schema wants it.

        message_id: The message.
        schema_id: The extraction schema, by its id or name.
        """
        given: dict[str, Any] = {
            "message_id": message_id,
            "schema_id": schema_id,
        }
        answer: ExtractToSchemaAnswer = await self._carrier.read("extract_to_schema", given)
        return answer
