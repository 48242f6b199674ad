"""The tools of emails.

Made by `python manage.py reference`; change the declarations instead.
"""

from typing import Any, Literal

from chancery_client.carriers import AsyncCarrier
from chancery_client.generated.shapes.emails import (
    EmailDeleteAnswer,
    EmailGetAnswer,
    EmailGetAttachmentAnswer,
    EmailListAnswer,
    EmailMoveAnswer,
    EmailSendAnswer,
    EmailUpdateAnswer,
    EmailUpdateUpdates,
)
from chancery_client.wire import (
    OMITTED,
    Held,
    Omitted,
)


class Emails:
    """The tools of emails."""

    def __init__(self, carrier: AsyncCarrier) -> None:
        self._carrier = carrier

    async def email_list(
        self,
        *,
        account_id: str,
        folder: Literal["inbox", "sent", "drafts", "deleted", "junk", "archive"] | Omitted = OMITTED,
        folder_id: str | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        include_body: bool | Omitted = OMITTED,
        use_cache: bool | Omitted = OMITTED,
        force_refresh: bool | Omitted = OMITTED,
    ) -> list[EmailListAnswer]:
        """List the emails of a folder, newest first; `drafts` are those that can still be changed.

        Long texts are cut (`truncated`), the longer the list; email_get has more of them.

        account_id: The account: its id, address or name; look_around has them.
        folder: Default: inbox.
        folder_id: A mailbox instead, by its id or name; look_around has them.
        limit: At most so many.
        include_body: With the beginning of each text.
        use_cache: False asks the provider first, like force_refresh.
        force_refresh: Ask the provider first.
        """
        given: dict[str, Any] = {
            "account_id": account_id,
            "folder": folder,
            "folder_id": folder_id,
            "limit": limit,
            "include_body": include_body,
            "use_cache": use_cache,
            "force_refresh": force_refresh,
        }
        answer: list[EmailListAnswer] = await self._carrier.read("email_list", given)
        return answer

    async def email_get(
        self,
        *,
        email_id: str,
        account_id: str,
        include_body: bool | Omitted = OMITTED,
        body_max_length: int | Omitted = OMITTED,
        include_attachments: bool | Omitted = OMITTED,
        use_cache: bool | Omitted = OMITTED,
        force_refresh: bool | Omitted = OMITTED,
    ) -> EmailGetAnswer:
        """Get an email or draft with its text and the names of its attachments.

        email_id: The email, as a list or a search names it.
        account_id: The account: its id, address or name; look_around has them.
        include_body: Whether the text comes with it.
        body_max_length: In characters; a longer text is cut.
        include_attachments: Their names, never bytes.
        use_cache: False asks the provider first, like force_refresh.
        force_refresh: Ask the provider first.
        """
        given: dict[str, Any] = {
            "email_id": email_id,
            "account_id": account_id,
            "include_body": include_body,
            "body_max_length": body_max_length,
            "include_attachments": include_attachments,
            "use_cache": use_cache,
            "force_refresh": force_refresh,
        }
        answer: EmailGetAnswer = await self._carrier.read("email_get", given)
        return answer

    async def email_get_attachment(
        self,
        *,
        email_id: str,
        attachment_id: str,
        save_path: str,
        account_id: str,
    ) -> EmailGetAttachmentAnswer:
        """Save an attachment in the caller's exchange folder, from where it can be fetched over
        HTTP.

        Nothing is overwritten.

        email_id: The email, as a list or a search names it.
        attachment_id: As email_get names it.
        save_path: A free path in the caller's exchange folder, like in/offer.pdf.
        account_id: The account: its id, address or name; look_around has them.
        """
        given: dict[str, Any] = {
            "email_id": email_id,
            "attachment_id": attachment_id,
            "save_path": save_path,
            "account_id": account_id,
        }
        answer: EmailGetAttachmentAnswer = await self._carrier.read("email_get_attachment", given)
        return answer

    async def email_update(
        self,
        *,
        email_id: str,
        updates: EmailUpdateUpdates,
        account_id: str,
        idempotency_key: str | None = None,
    ) -> EmailUpdateAnswer:
        """Mark and sort an email: read, categories (all of them anew), importance, flag, focus.

        Only what is given changes. A flag's due date is not before its start; `notFlagged` takes
        its dates away, and `complete` keeps when it was done.

        email_id: The email, as a list or a search names it.
        updates: What of an email changes.
        account_id: The account: its id, address or name; look_around has them.
        """
        given: dict[str, Any] = {
            "email_id": email_id,
            "updates": updates,
            "account_id": account_id,
        }
        answer: EmailUpdateAnswer
        answer = await self._carrier.change("email_update", given, idempotency_key)
        return answer

    async def email_move(
        self,
        *,
        email_id: str,
        destination_folder: Literal["inbox", "sent", "drafts", "deleted", "junk", "archive"],
        account_id: str,
        idempotency_key: str | None = None,
    ) -> EmailMoveAnswer:
        """Move an email into another folder; what is moved to `deleted` is still listed there.

        email_id: The email, as a list or a search names it.
        destination_folder: Where it goes.
        account_id: The account: its id, address or name; look_around has them.
        """
        given: dict[str, Any] = {
            "email_id": email_id,
            "destination_folder": destination_folder,
            "account_id": account_id,
        }
        answer: EmailMoveAnswer = await self._carrier.change("email_move", given, idempotency_key)
        return answer

    async def email_delete(
        self,
        *,
        email_id: str,
        account_id: str,
        confirm: Literal[True],
        idempotency_key: str | None = None,
    ) -> EmailDeleteAnswer:
        """Delete an email, or a draft of the caller's; for 30 days a person can bring it back.

        email_id: The email, as a list or a search names it.
        account_id: The account: its id, address or name; look_around has them.
        confirm: Your promise that it is meant; it is never an approval.
        """
        given: dict[str, Any] = {
            "email_id": email_id,
            "account_id": account_id,
            "confirm": confirm,
        }
        answer: EmailDeleteAnswer
        answer = await self._carrier.change("email_delete", given, idempotency_key)
        return answer

    async def email_create_draft(
        self,
        *,
        account_id: str,
        to: str | list[str],
        subject: str,
        body: str,
        identity_id: str | Omitted = OMITTED,
        forward_of: str | Omitted = OMITTED,
        cc: str | list[str] | Omitted = OMITTED,
        attachments: str | list[str] | Omitted = OMITTED,
        draft_id: str | Omitted = OMITTED,
        idempotency_key: str | None = None,
    ) -> EmailUpdateAnswer:
        """Write a draft, which stays here: nobody outside sees it; email_send sends it.

        With `draft_id` that draft is written anew; its cc and files stay where none are given.

        account_id: The account: its id, address or name; look_around has them.
        to: Who gets it.
        subject: What it is about, in a line.
        body: Plain text.
        identity_id: As whom: an address of the account; look_around has them.
        forward_of: An email to forward: its text stands below, its files go along.
        cc: Who gets a copy.
        attachments: Paths in the caller's exchange folder, or ids of files or of attachments
            that an email has.
        draft_id: A draft to write anew in its place.
        """
        given: dict[str, Any] = {
            "account_id": account_id,
            "to": to,
            "subject": subject,
            "body": body,
            "identity_id": identity_id,
            "forward_of": forward_of,
            "cc": cc,
            "attachments": attachments,
            "draft_id": draft_id,
        }
        answer: EmailUpdateAnswer
        answer = await self._carrier.change("email_create_draft", given, idempotency_key)
        return answer

    async def email_send(
        self,
        *,
        account_id: str,
        to: str | list[str],
        subject: str,
        body: str,
        confirm: Literal[True],
        identity_id: str | Omitted = OMITTED,
        forward_of: str | Omitted = OMITTED,
        cc: str | list[str] | Omitted = OMITTED,
        attachments: str | list[str] | Omitted = OMITTED,
        draft_id: str | Omitted = OMITTED,
        idempotency_key: str | None = None,
    ) -> EmailSendAnswer | Held[EmailSendAnswer]:
        """Send an email: a person approves exactly these bytes before they leave, once.

        `queued` until it has left; the same call with the same Idempotency-Key then answers `sent`.
        With `draft_id` that draft leaves; its cc, files and conversation stay where none are given.

        account_id: The account: its id, address or name; look_around has them.
        to: Who gets it.
        subject: What it is about, in a line.
        body: Plain text.
        confirm: Your promise that it is meant; it is never an approval.
        identity_id: As whom: an address of the account; look_around has them.
        forward_of: An email to forward: its text stands below, its files go along.
        cc: Who gets a copy.
        attachments: Paths in the caller's exchange folder, or ids of files or of attachments
            that an email has.
        draft_id: A draft to send, as it is written here.
        """
        given: dict[str, Any] = {
            "account_id": account_id,
            "to": to,
            "subject": subject,
            "body": body,
            "confirm": confirm,
            "identity_id": identity_id,
            "forward_of": forward_of,
            "cc": cc,
            "attachments": attachments,
            "draft_id": draft_id,
        }
        answer: EmailSendAnswer | Held[EmailSendAnswer]
        answer = await self._carrier.propose("email_send", given, idempotency_key)
        return answer

    async def email_reply(
        self,
        *,
        account_id: str,
        email_id: str,
        body: str,
        confirm: Literal[True],
        idempotency_key: str | None = None,
    ) -> EmailSendAnswer | Held[EmailSendAnswer]:
        """Reply to whoever wrote an email, once a person has approved it.

        It goes to Reply-To, else From; a reply to our own email goes to whom that went.

        account_id: The account: its id, address or name; look_around has them.
        email_id: The email, as a list or a search names it.
        body: Plain text.
        confirm: Your promise that it is meant; it is never an approval.
        """
        given: dict[str, Any] = {
            "account_id": account_id,
            "email_id": email_id,
            "body": body,
            "confirm": confirm,
        }
        answer: EmailSendAnswer | Held[EmailSendAnswer]
        answer = await self._carrier.propose("email_reply", given, idempotency_key)
        return answer

    async def email_reply_all(
        self,
        *,
        account_id: str,
        email_id: str,
        body: str,
        confirm: Literal[True],
        idempotency_key: str | None = None,
    ) -> EmailSendAnswer | Held[EmailSendAnswer]:
        """Reply to everybody in an email but ourselves, once a person has approved it.

        account_id: The account: its id, address or name; look_around has them.
        email_id: The email, as a list or a search names it.
        body: Plain text.
        confirm: Your promise that it is meant; it is never an approval.
        """
        given: dict[str, Any] = {
            "account_id": account_id,
            "email_id": email_id,
            "body": body,
            "confirm": confirm,
        }
        answer: EmailSendAnswer | Held[EmailSendAnswer]
        answer = await self._carrier.propose("email_reply_all", given, idempotency_key)
        return answer
