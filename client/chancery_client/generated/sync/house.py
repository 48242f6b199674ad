"""The tools of house.

Made by `python manage.py reference`; change the declarations instead.
"""

from typing import Any, Literal

from chancery_client.carriers import Carrier
from chancery_client.generated.shapes.house import (
    Approval,
    ExplainOriginAnswer,
    FileShareAnswer,
    FindFreeSlotsAnswer,
    FindFreeSlotsWorkingHours,
    GetCurrentTimeAnswer,
    ListApprovalsAnswer,
    LookAroundAnswer,
    PolicyCheckAnswer,
    ThreadUpdateAnswer,
)
from chancery_client.wire import (
    OMITTED,
    Held,
    Omitted,
)


class House:
    """The tools of house."""

    def __init__(self, carrier: Carrier) -> None:
        self._carrier = carrier

    def find_free_slots(
        self,
        *,
        duration_minutes: int,
        start: str,
        end: str,
        account_ids: list[str] | Omitted = OMITTED,
        attendees: str | list[str] | Omitted = OMITTED,
        timezone: str | Omitted = OMITTED,
        working_hours: FindFreeSlotsWorkingHours | Omitted = OMITTED,
        tentative_is_free: bool | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
    ) -> FindFreeSlotsAnswer:
        """Find the first times at which all of our accounts that are asked for have time.

        By all of their calendars, within the working hours of a day, at quarters of an hour.
        Addresses that are none of our accounts are named in `unknown` and keep nobody from a slot.

        duration_minutes: For so many minutes.
        start: From then on, with its offset.
        end: Until then, with its offset; after the start.
        account_ids: Their ids, addresses or names. Default: all of yours.
        attendees: Addresses; those of our accounts are known.
        timezone: An IANA zone.
        working_hours: From when to when, on which days, on the clock of `timezone`.
        tentative_is_free: Whether a tentative time counts as free.
        limit: At most so many.
        """
        given: dict[str, Any] = {
            "duration_minutes": duration_minutes,
            "start": start,
            "end": end,
            "account_ids": account_ids,
            "attendees": attendees,
            "timezone": timezone,
            "working_hours": working_hours,
            "tentative_is_free": tentative_is_free,
            "limit": limit,
        }
        answer: FindFreeSlotsAnswer = self._carrier.read("find_free_slots", given)
        return answer

    def get_current_time(
        self,
        *,
        timezone: str | Omitted = OMITTED,
    ) -> GetCurrentTimeAnswer:
        """Tell the time now, in UTC and in a time zone, with the day of the week there.

        timezone: An IANA time zone, like Europe/Berlin; UTC unless given.
        """
        given: dict[str, Any] = {
            "timezone": timezone,
        }
        answer: GetCurrentTimeAnswer = self._carrier.read("get_current_time", given)
        return answer

    def list_approvals(
        self,
        *,
        state: Literal["waiting", "approved", "rejected", "returned", "expired", "voided", "canceled"] | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
    ) -> ListApprovalsAnswer:
        """List what the caller proposed and a person decides on, newest first, with what was
        decided.

        What was sent back has the state `returned` and the reviewer's `feedback`.

        state: Where it stands.
        limit: At most so many.
        cursor: Goes on where a page ended, with the same filters.
        """
        given: dict[str, Any] = {
            "state": state,
            "limit": limit,
            "cursor": cursor,
        }
        answer: ListApprovalsAnswer = self._carrier.read("list_approvals", given)
        return answer

    def get_approval(
        self,
        *,
        approval_id: str,
    ) -> Approval:
        """Tell how a call of the caller's that waits for a person stands, and what was decided.

        approval_id: The approval, as the held call named it.
        """
        given: dict[str, Any] = {
            "approval_id": approval_id,
        }
        answer: Approval = self._carrier.read("get_approval", given)
        return answer

    def file_share(
        self,
        *,
        file_id: str,
        account_id: str,
        to: list[str],
        message: str | Omitted = OMITTED,
        idempotency_key: str | None = None,
    ) -> FileShareAnswer | Held[FileShareAnswer]:
        """Share a file: it leaves as a message, as it is now, once a person has approved it.

        `queued` until it has left; the same call with the same Idempotency-Key then answers `sent`.

        file_id: The file: its id or path; look_around has them.
        account_id: The account: its id, address or name; look_around has them.
        to: Who gets it.
        message: Plain text that goes with it.
        """
        given: dict[str, Any] = {
            "file_id": file_id,
            "account_id": account_id,
            "to": to,
            "message": message,
        }
        answer: FileShareAnswer | Held[FileShareAnswer]
        answer = self._carrier.propose("file_share", given, idempotency_key)
        return answer

    def look_around(
        self,
        *,
        kind: Literal["accounts", "identities", "inboxes", "mailboxes", "calendars", "policies", "taxonomies", "schemas", "files", "agents"] | Omitted = OMITTED,
        search: str | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
    ) -> LookAroundAnswer:
        """Tell who you are and what there is, with the ids and names that other tools take.

        Start here. `default` marks what counts where none is given. The first 20 of each kind; with
        `kind`, 100 and a `next_cursor` where there are more.

        kind: Only these, and more of them; default: all.
        search: Words that the name or address has to have.
        cursor: The next_cursor of the page before, with its kind and search.
        """
        given: dict[str, Any] = {
            "kind": kind,
            "search": search,
            "cursor": cursor,
        }
        answer: LookAroundAnswer = self._carrier.read("look_around", given)
        return answer

    def policy_check(
        self,
        *,
        draft_id: str | Omitted = OMITTED,
        thread_id: str | Omitted = OMITTED,
        to: list[str] | Omitted = OMITTED,
        subject: str | Omitted = OMITTED,
        body: str | Omitted = OMITTED,
        policy_id: str | Omitted = OMITTED,
    ) -> PolicyCheckAnswer:
        """Tell what would happen to a message if you proposed to send it, and why; stores nothing.

        Give `draft_id`, or `thread_id` and `body` for a reply, or `to`, `subject` and `body`.

        draft_id: A stored draft of yours.
        thread_id: The thread that `body` would answer.
        to: To whom a new message would go.
        subject: Of a new message.
        body: The text as it would leave.
        policy_id: The policy to check by, its id or name; the draft's, or the first, unless
            given.
        """
        given: dict[str, Any] = {
            "draft_id": draft_id,
            "thread_id": thread_id,
            "to": to,
            "subject": subject,
            "body": body,
            "policy_id": policy_id,
        }
        answer: PolicyCheckAnswer = self._carrier.read("policy_check", given)
        return answer

    def thread_update(
        self,
        *,
        thread_id: str,
        status: Literal["open", "closed", "snoozed"] | Omitted = OMITTED,
        snoozed_until: str | Omitted = OMITTED,
        add_labels: list[str] | Omitted = OMITTED,
        remove_labels: list[str] | Omitted = OMITTED,
        idempotency_key: str | None = None,
    ) -> ThreadUpdateAnswer:
        """Open, close or snooze a thread, and put it under labels or take it from them.

        A snoozed thread opens again at `snoozed_until`, and any thread when a message comes in.
        What waits for a person may not be put away: while a proposal or an item of the thread
        waits, closing and snoozing it is a `conflict`. Labels are no folders: `email_move` moves
        mail into those.

        thread_id: The thread; list_threads has it.
        status: Where the conversation stands from now on.
        snoozed_until: With status snoozed: when it opens again, within a year.
        add_labels: Labels to put it under; one that is not known yet is made.
        remove_labels: Labels to take off it.
        """
        given: dict[str, Any] = {
            "thread_id": thread_id,
            "status": status,
            "snoozed_until": snoozed_until,
            "add_labels": add_labels,
            "remove_labels": remove_labels,
        }
        answer: ThreadUpdateAnswer = self._carrier.change("thread_update", given, idempotency_key)
        return answer

    def explain_origin(
        self,
        *,
        ids: list[str],
    ) -> ExplainOriginAnswer:
        """Tell where texts come from: whose words, who wrote them, of what, and who vouches for
        them.

        Of mail that came in also whether the sender was authenticated, what is odd about it, and
        what its sender hid from the eye.

        ids: Of messages, threads, activities, attachments, files, events, to-dos, memories,
            contexts, agent messages, drafts, schedules or people.
        """
        given: dict[str, Any] = {
            "ids": ids,
        }
        answer: ExplainOriginAnswer = self._carrier.read("explain_origin", given)
        return answer
