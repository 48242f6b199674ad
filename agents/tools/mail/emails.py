"""The operations that read an account's mail: lists, one email, one attachment."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

from django.db.models import F, OuterRef, QuerySet
from django.db.models.functions import JSONArray
from pydantic import Field, RootModel

from agents.contracts import Effect, ToolError, tool
from agents.contracts.fields import WHOLE, Closed, Maybe
from agents.contracts.plain import Plain
from agents.dispatching.rows import account_rows, get_account, get_account_by, get_row
from agents.errors import invalid, not_found
from agents.exchange.folders import write_file
from agents.tools.cached import (
    ForceRefresh,
    UseCache,
    consult_for,
    key_of,
    measured,
    plain_cache_fields,
)
from agents.tools.mail.email_rows import (
    drafts_of,
    get_attachment,
    get_draft,
    get_draft_attachment,
    get_message,
    is_draft_id,
    messages_of,
    newest_in,
)
from agents.tools.mail.email_shapes import (
    DRAFT_COLUMNS,
    ITEM_COLUMNS,
    LIST_BODY,
    UNNAMED,
    WHOLE_COLUMNS,
    AttachmentColumns,
    CachedEmail,
    EmailColumns,
    ListedEmail,
    draft_fields,
    draft_item_fields,
    email_fields,
    item_fields,
    share_texts,
    with_text,
)
from agents.tools.shapes import AccountId, MailboxId
from agents.tools.stored import AsStored, ListOf, stored_list
from inbox import ids
from inbox.actor import Actor
from inbox.models import Account, Attachment, Blob, Draft, DraftAttachment, Mailbox, Message
from inbox.models.mail import MessageQuerySet
from inbox.prepared import Prepared
from inbox.syncing.mirror import Freshness, entry_name, kept_of, with_entry

FolderName: TypeAlias = Literal["inbox", "sent", "drafts", "deleted", "junk", "archive"]
# The folders by the role of their mailbox (RFC 8621 2), where it has another name.
ROLES = {"deleted": "trash"}
# So many of an email's attachments are named.
MOST_ATTACHMENTS = 500

EmailId: TypeAlias = Annotated[str, Field(description="The email, as a list or a search names it.")]


class EmailList(Closed):
    """Which emails."""

    account_id: AccountId
    folder: Maybe[Annotated[FolderName, Field(description="Default: inbox.")]] = None
    folder_id: Maybe[MailboxId] = None
    limit: Annotated[int, Field(ge=1, le=200), WHOLE] = 10
    include_body: Annotated[bool, Field(description="With the beginning of each text.")] = True
    use_cache: UseCache = True
    force_refresh: ForceRefresh = False


class EmailPage(RootModel[list[ListedEmail]]):
    """Emails, newest first."""


@tool(
    family="operations",
    domain="inbox",
    effect=Effect.READ,
    unified=[("list", "emails")],
    example={"account_id": "acc_8fXoQ2mKpL", "folder": "inbox", "limit": 20},
)
def email_list(actor: Actor, args: EmailList) -> Plain[EmailPage]:
    """List the emails of a folder, newest first; `drafts` are those that can still be changed.

    Long texts are cut (`truncated`), the longer the list; email_get has more of them.
    """
    folder = _open_folder(actor, args)
    account, mailboxes = folder.account, folder.mailboxes
    found = consult_for(args, account, "email_list", kept=kept_of(account))
    items = _list_messages(actor, account, mailboxes, args, found) if mailboxes else []
    if folder.is_drafts:
        items += _list_drafts(actor, account, folder.inboxes, args, found)
        items.sort(key=_received, reverse=True)
    return measured(found, Plain(items[: args.limit]))


def _received(item: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(item["receivedDateTime"])


class _Folder(NamedTuple):
    """A folder of an account: its mailboxes by their keys; `inboxes` None: all of the account."""

    account: Account
    mailboxes: list[int]
    is_drafts: bool
    inboxes: list[int] | None = None


def _open_folder(actor: Actor, args: EmailList) -> _Folder:
    """Return the folder, its account read along with what is known of how fresh the list is."""
    role = ROLES.get(args.folder or "", args.folder or "inbox")
    name = entry_name(args.account_id, "email_list", key_of(args))
    account = get_account_by(_LISTED, actor, args.account_id, entry=name, role=role)
    if args.folder_id is None:
        keys: Any = stored_list(account.mailboxes)  # type: ignore[attr-defined]
        return _Folder(account, list(keys), args.folder == "drafts")
    rows = Mailbox.objects.visible_to(actor).filter(inbox__account=account)
    mailbox = get_row(rows, args.folder_id, "mailbox", "/folder_id")
    if args.folder is not None and mailbox.role != role:
        raise invalid("/folder_id", "is another folder than /folder", "one of the two")
    return _Folder(account, [mailbox.pk], mailbox.role == "drafts", [mailbox.inbox_id])


def _listed(*, actor: Actor, key: int, entry: str, role: str) -> Sequence[QuerySet[Any]]:
    mailboxes = Mailbox.objects.visible_to(actor).filter(inbox__account=OuterRef("pk"), role=role)
    keys: Any = ListOf(mailboxes.order_by().values(named=F("pk")))
    return [with_entry(account_rows(actor, key), entry).annotate(mailboxes=keys)]


_LISTED = Prepared(_listed)


def _list_messages(
    actor: Actor, account: Account, keys: list[int], args: EmailList, found: Freshness
) -> list[dict[str, Any]]:
    shape = (args.limit, args.include_body)
    given: dict[str, Any] = {"actor": actor, "account": account.pk}
    if len(keys) == 1:
        rows: Iterable[Any] = _NEWEST.fetched(*shape, **given, mailbox=keys[0])
    else:
        rows = newest_in(_items(args.include_body, **given), keys, args.limit)
    messages = [EmailColumns(*row) for row in rows]
    share_texts(messages)
    cached = plain_cache_fields(found)
    return [item_fields(message, cached) for message in messages]


def _items(with_body: bool, *, actor: Actor, account: int) -> Any:
    rows = messages_of(actor, account).annotate(at=AsStored("received_at"))
    names = ["pk", *(name.replace("received_at", "at") for name in ITEM_COLUMNS)]
    if not with_body:
        return rows.values_list(*names)
    return with_text(rows, "text", LIST_BODY).values_list(*names, "shown", "length")


def _newest(
    most: int, with_body: bool, *, actor: Actor, account: int, mailbox: int
) -> Sequence[QuerySet[Any]]:
    return [newest_in(_items(with_body, actor=actor, account=account), [mailbox], most)]


_NEWEST = Prepared(_newest)


def _list_drafts(
    actor: Actor, account: Account, inboxes: list[int] | None, args: EmailList, found: Freshness
) -> list[dict[str, Any]]:
    rows = drafts_of(actor, account).select_related("identity").only(*DRAFT_COLUMNS)
    if inboxes is not None:
        rows = rows.filter(inbox__in=inboxes)
    if args.include_body:
        rows = with_text(rows, "body", LIST_BODY)
    drafts = list(rows.order_by("-updated_at", "-id")[: args.limit])
    share_texts(drafts)
    with_files = set(
        DraftAttachment.objects.filter(draft__in=drafts).values_list("draft_id", flat=True)
    )
    cached = plain_cache_fields(found)
    return [
        draft_item_fields(draft, has_attachments=draft.pk in with_files, cached=cached)
        for draft in drafts
    ]


class EmailGet(Closed):
    """Which email, and how much of it."""

    email_id: EmailId
    account_id: AccountId
    include_body: bool = True
    body_max_length: Annotated[
        int, Field(ge=1, le=500_000, description="In characters; a longer text is cut."), WHOLE
    ] = 50_000
    include_attachments: Annotated[bool, Field(description="Their names, never bytes.")] = True
    use_cache: UseCache = True
    force_refresh: ForceRefresh = False


@tool(
    family="operations",
    domain="inbox",
    effect=Effect.READ,
    unified=[("get", "email")],
    example={"email_id": "msg_8fXoQ2mKpL", "account_id": "acc_8fXoQ2mKpL"},
)
def email_get(actor: Actor, args: EmailGet) -> Plain[CachedEmail]:
    """Get an email or draft with its text and the names of its attachments."""
    name = entry_name(args.account_id, "email", args.email_id)
    account = get_account_by(_ACCOUNT, actor, args.account_id, entry=name)
    find = _find_draft if is_draft_id(args.email_id) else _find_message
    # What we do not have, or may not show, nobody is asked for.
    row = find(actor, account, args)
    found = consult_for(args, account, "email", args.email_id, kept=kept_of(account))
    if found.status == "miss":
        row = find(actor, account, args)
    cached = plain_cache_fields(found)
    if isinstance(row, Draft):
        return measured(found, Plain(_tell_draft(row, args, cached)))
    files = _files_of(row) if args.include_attachments else None
    return measured(found, Plain(email_fields(row, files, cached)))


def _account(*, actor: Actor, key: int, entry: str) -> Sequence[QuerySet[Any]]:
    return [with_entry(account_rows(actor, key), entry)]


_ACCOUNT = Prepared(_account)


def _files_of(message: Any) -> list[AttachmentColumns]:
    """Return the attachments that a message was read along with."""
    return [
        AttachmentColumns(*(json.loads(one) if isinstance(one, str) else one))
        for one in stored_list(message.files)
    ]


def _tell_draft(draft: Draft, args: EmailGet, cached: dict[str, Any]) -> dict[str, Any]:
    attachments = list(draft.attachments.select_related("blob"))
    return draft_fields(draft, attachments, shows_them=args.include_attachments, cached=cached)


def _find_message(actor: Actor, account: Account, args: EmailGet) -> Message | Draft:
    longest = args.body_max_length if args.include_body else 0
    match ids.decode(Message.ID_PREFIX, args.email_id):
        case (0, key):
            found = _WHOLE.rows(longest, actor=actor, account=account.pk, received=key)
        case (1, submission):
            found = _WHOLE.rows(longest, actor=actor, account=account.pk, sent=submission)
        case _:
            raise not_found("email", "/email_id")
    message: Message | None = next(found, None)
    if message is None:
        raise not_found("email", "/email_id")
    return message


def _named(*, actor: Actor, account: int, **named: int) -> MessageQuerySet:
    rows = messages_of(actor, account)
    if "sent" in named:
        return rows.filter(submission_id=named["sent"])
    return rows.filter(pk=named["received"], submission=None)


def _whole(longest: int, *, actor: Actor, account: int, **named: int) -> Sequence[QuerySet[Any]]:
    attachments = Attachment.objects.visible_to(actor).filter(message=OuterRef("pk"))
    columns: Any = JSONArray(*AttachmentColumns._fields)
    files = attachments.order_by("position").values(named=columns)[:MOST_ATTACHMENTS]
    rows = _named(actor=actor, account=account, **named).only(*WHOLE_COLUMNS)
    rows = rows.annotate(files=ListOf(files))
    return [with_text(rows, "text", longest) if longest else rows]


_WHOLE = Prepared(_whole)


def _find_draft(actor: Actor, account: Account, args: EmailGet) -> Message | Draft:
    rows = drafts_of(actor, account).select_related("identity").only(*DRAFT_COLUMNS)
    if args.include_body:
        rows = with_text(rows, "body", args.body_max_length)
    return get_draft(rows, args.email_id)


class EmailGetAttachment(Closed):
    """Which attachment, and where it goes."""

    email_id: EmailId
    attachment_id: Annotated[str, Field(description="As email_get names it.")]
    save_path: Annotated[
        str, Field(description="A free path in the caller's exchange folder, like in/offer.pdf.")
    ]
    account_id: AccountId


class SavedAttachment(Closed):
    """The file, and where it is now."""

    name: str
    content_type: str
    size: int
    saved_to: str


@tool(
    family="operations",
    domain="inbox",
    effect=Effect.READ,
    unified=[("get", "attachment")],
    example={
        "email_id": "msg_8fXoQ2mKpL",
        "attachment_id": "att_8fXoQ2mKpL",
        "save_path": "in/offer.pdf",
        "account_id": "acc_8fXoQ2mKpL",
    },
)
def email_get_attachment(actor: Actor, args: EmailGetAttachment) -> SavedAttachment:
    """Save an attachment in the caller's exchange folder, from where it can be fetched over HTTP.

    Nothing is overwritten.
    """
    account = get_account(actor, args.account_id)
    attachment: Attachment | DraftAttachment
    if is_draft_id(args.email_id):
        draft = get_draft(drafts_of(actor, account).only("pk"), args.email_id)
        attachment = get_draft_attachment(draft, args.attachment_id)
    else:
        message = get_message(messages_of(actor, account).only("pk"), args.email_id)
        attachment = get_attachment(actor, message, args.attachment_id)
    content = _read_blob(attachment.blob)
    return SavedAttachment(
        name=attachment.filename or UNNAMED,
        content_type=attachment.content_type,
        size=len(content),
        saved_to=write_file(actor, args.save_path, content, "/save_path"),
    )


def _read_blob(blob: Blob) -> bytes:
    try:
        return blob.read()
    except (FileNotFoundError, ValueError) as error:
        raise ToolError(
            "conflict", "The bytes of the attachment are lost", {"pointer": "/attachment_id"}
        ) from error
