"""Messages, as they are asked for, changed, moved and sent."""

import base64
import binascii
import re
from collections.abc import Collection
from email.message import EmailMessage
from email.utils import getaddresses
from typing import Any

from tests.machines.api_server import Call, Reply
from tests.machines.graph.changes import answer_delta
from tests.machines.graph.checking import check_answer, check_body, refuse
from tests.machines.graph.declared import ACTIONS
from tests.machines.graph.events import write_extended
from tests.machines.graph.mail.exchange import rewritten
from tests.machines.graph.mail.folders import folder_of, mail_of
from tests.machines.graph.mail.kept import Left, Letter
from tests.machines.graph.mailbox import Served, body_of, check_match
from tests.machines.graph.queries import Asked, read_query, select
from tests.machines.graph.times import stamp

LARGEST_REQUEST = 4 * 1024 * 1024
_BY_MESSAGE_ID = re.compile(r"internetMessageId eq '((?:[^']|'')+)'")
_EXTENDED = "singleValueExtendedProperties"
_WRITTEN = {"isRead", "flag", "categories", "bccRecipients", _EXTENDED}


def list_changes(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    mail = mail_of(served)
    folder = folder_of(mail, id)
    return answer_delta(
        served, call, "message", folder.log, lambda one: _shown(mail.letters[one]),
        expand=lambda one, wanted: _extended(mail.letters[one], wanted),
        newest_first=lambda: mail.newest_first(folder),
    )  # fmt: skip


def list_messages(served: Served, call: Call) -> Reply:
    asked = read_query(call, "message", {"$select", "$top", "$filter"})
    named = _BY_MESSAGE_ID.fullmatch(asked.filter)
    if named is None:
        raise refuse(f"$filter={asked.filter} is not supported", "ErrorInvalidUrlQueryFilter")
    wanted = named[1].replace("''", "'")
    shown = [
        served.with_ids(call, _selected(asked, full, one), ("id",))
        for one in mail_of(served).letters.values()
        if (full := _shown(one))["internetMessageId"] == wanted
    ]
    return served.page(call, "message", shown, asked)


def get_message(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    asked = read_query(call, "message", {"$select", "$expand"})
    return _answer(served, call, asked, _find(served, id))


def get_mime(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    read_query(call, "message", set())
    return Reply(200, _find(served, id).raw, {"Content-Type": "text/plain"})


def create_message(served: Served, call: Call) -> Reply:
    read_query(call, "message", set())
    if call.headers.get("content-type", "") != "text/plain":
        raise refuse("the stand-in makes messages of MIME alone", "UnsupportedMediaType", 415)
    if len(call.body) > LARGEST_REQUEST:
        raise refuse("The request is too large.", "RequestEntityTooLarge", 413)
    try:
        raw = base64.b64decode(call.body, validate=True)
    except binascii.Error as error:
        raise refuse("The MIME is no base64.", "ErrorMimeContentInvalidBase64String") from error
    if b":" not in raw.partition(b"\r\n")[0]:
        raise refuse("The MIME content is invalid.", "ErrorMimeContentInvalid")
    made = mail_of(served).arrive(rewritten(raw), "drafts", is_read=True, is_draft=True)
    return _answer(served, call, Asked(), made, 201)


def update_message(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    read_query(call, "message", set())
    found, body = _find(served, id), body_of(call)
    check_match(call, found.etag)
    check_body("message", body)
    if unknown := body.keys() - _WRITTEN:
        raise refuse(f"the stand-in does not keep {sorted(unknown)}")
    state: dict[str, Any] = {}
    if "isRead" in body:
        state["is_read"] = body["isRead"]
    if "flag" in body:
        state["flag"] = body["flag"]["flagStatus"]
    if "categories" in body:
        state["categories"] = _categories(body["categories"])
    if _EXTENDED in body:
        state["extended"] = dict(found.extended)
        write_extended(state["extended"], body)
    if "bccRecipients" in body:
        if not found.is_draft:
            raise refuse("recipients are those of a draft", "ErrorInvalidPropertySet")
        state["bcc"] = [one["emailAddress"]["address"] for one in body["bccRecipients"]]
    mail_of(served).change(found, **state)
    return _answer(served, call, Asked(), found)


def _categories(names: list[str]) -> list[str]:
    folded = [name.lower() for name in names]
    if len(set(folded)) < len(folded) or any(not 0 < len(name) <= 255 for name in names):
        raise refuse("a category is named once, with 255 letters at most", "ErrorInvalidProperty")
    if any(mark in name for name in names for mark in ",;"):
        raise refuse("a category has no comma", "ErrorInvalidProperty")
    return names


def delete_message(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    mail, found = mail_of(served), _find(served, id)
    trash = mail.folder("deleteditems")
    if found.folder == trash.id:
        mail.remove(found)
    else:
        mail.move(found, trash)
    return Reply(204)


def remove_message(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    _parameters(call, "permanentDelete")
    mail_of(served).remove(_find(served, id))
    return Reply(204)


def move_message(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    target = str(_parameters(call, "move").get("DestinationId"))
    mail, found = mail_of(served), _find(served, id)
    mail.move(found, folder_of(mail, target))
    return _answer(served, call, Asked(), found, 201)


def send_message(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    _parameters(call, "send")
    mail, found = mail_of(served), _find(served, id)
    if not found.is_draft:
        raise refuse("Only a draft can be sent.", "ErrorInvalidOperation")
    head = found.head()
    sender = _addresses(head, "From")
    if sender != [served.box.address]:
        raise refuse("The account may not send as another.", "ErrorSendAsDenied", 403)
    recipients = tuple(
        dict.fromkeys([*_addresses(head, "To"), *_addresses(head, "Cc"), *found.bcc])
    )
    if not recipients:
        raise refuse("At least one recipient is not valid.", "ErrorInvalidRecipients")
    mail.left.append(Left(sender[0], recipients, found.raw))
    found.is_draft = False
    mail.move(found, mail.folder("sentitems"))
    return Reply(202)


def _parameters(call: Call, name: str) -> dict[str, Any]:
    """Return what an action is given; raises RefusedError for what it does not take."""
    read_query(call, "message", set())
    body = body_of(call) if call.body else {}
    wanted = ACTIONS["message", name]
    if body.keys() != wanted.keys():
        raise refuse(f"{name} takes {sorted(wanted)}", "RequestBodyRead")
    return body


def _addresses(head: EmailMessage, name: str) -> list[str]:
    return [address for _name, address in getaddresses(head.get_all(name, []))]


def _find(served: Served, id: str) -> Letter:  # noqa: A002
    found = mail_of(served).letters.get(id)
    if found is None:
        raise refuse("The specified object was not found in the store.", "ErrorItemNotFound", 404)
    return found


def _answer(served: Served, call: Call, asked: Asked, letter: Letter, status: int = 200) -> Reply:
    found = _selected(asked, _shown(letter), letter)
    check_answer("message", found)
    return Reply(status, served.with_ids(call, found, ("id",)))


def _selected(asked: Asked, full: dict[str, Any], letter: Letter) -> dict[str, Any]:
    found = select(asked, full) | {"@odata.etag": full["@odata.etag"]}
    return found | _extended(letter, asked.expand.get(_EXTENDED, set()))


def _extended(letter: Letter, wanted: Collection[str]) -> dict[str, Any]:
    """Return the extended properties that are wanted; nothing where none was ever written."""
    kept = [
        {"id": it, "value": letter.extended[it]} for it in sorted(wanted) if it in letter.extended
    ]
    return {_EXTENDED: kept} if kept else {}


def _shown(letter: Letter) -> dict[str, Any]:
    head = letter.head()
    full = {
        "id": letter.id, "changeKey": letter.change, "parentFolderId": letter.folder,
        "createdDateTime": stamp(letter.received), "receivedDateTime": stamp(letter.received),
        "lastModifiedDateTime": stamp(letter.modified), "isRead": letter.is_read,
        "isDraft": letter.is_draft, "flag": {"flagStatus": letter.flag},
        "categories": list(letter.categories), "subject": str(head["Subject"] or ""),
        "internetMessageId": str(head["Message-ID"] or "").strip(), "importance": "normal",
        "bccRecipients": [_recipient(one) for one in letter.bcc],
        "hasAttachments": letter.has_files(),
        "@odata.etag": letter.etag,
    }  # fmt: skip
    for name, header in (("toRecipients", "To"), ("ccRecipients", "Cc")):
        full[name] = [_recipient(one) for one in _addresses(head, header)]
    for one in _addresses(head, "From")[:1]:
        full["from"] = _recipient(one)
    return full


def _recipient(address: str) -> dict[str, Any]:
    return {"emailAddress": {"address": address, "name": address}}
