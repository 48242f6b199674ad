"""Folders of mail, as they are asked for."""

from typing import Any

from tests.machines.api_server import Call, Reply
from tests.machines.graph.changes import answer_delta
from tests.machines.graph.checking import check_answer, check_body, refuse
from tests.machines.graph.mail.kept import ROOT, Mail, MailFolder
from tests.machines.graph.mailbox import Served, body_of
from tests.machines.graph.queries import Asked, read_query, select


def list_changes(served: Served, call: Call) -> Reply:
    mail = mail_of(served)
    return answer_delta(
        served, call, "mailFolder", mail.log, lambda one: _shown(mail, mail.folders[one])
    )


def get_folder(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    asked = read_query(call, "mailFolder", {"$select"})
    mail = mail_of(served)
    return _answer(asked, _shown(mail, folder_of(mail, id)), 200)


def create_folder(served: Served, call: Call) -> Reply:
    read_query(call, "mailFolder", set())
    body, mail = body_of(call), mail_of(served)
    check_body("mailFolder", body)
    if body.keys() != {"displayName"} or not body["displayName"]:
        raise refuse("a folder is made of its name", "ErrorInvalidRequest")
    name = body["displayName"]
    if any(one.parent == mail.root and one.name == name for one in mail.folders.values()):
        raise refuse("A folder with the specified name already exists.", "ErrorFolderExists", 409)
    return _answer(Asked(), _shown(mail, mail.add_folder(name)), 201)


def mail_of(served: Served) -> Mail:
    if served.box.mail is None:
        raise refuse("The mailbox is either inactive or on-premise.", "MailboxNotEnabled", 404)
    return served.box.mail


def folder_of(mail: Mail, id: str) -> MailFolder:  # noqa: A002
    """Return a folder by its id or its well-known name."""
    found = mail.folders.get(id)
    found = found or next((one for one in mail.folders.values() if one.known == id), None)
    if found is None:
        raise refuse("The specified object was not found in the store.", "ErrorItemNotFound", 404)
    return found


def _answer(asked: Asked, full: dict[str, Any], status: int) -> Reply:
    found = select(asked, full)
    check_answer("mailFolder", found)
    return Reply(status, found)


def _shown(mail: Mail, folder: MailFolder) -> dict[str, Any]:
    letters = [one for one in mail.letters.values() if one.folder == folder.id]
    below = [one for one in mail.folders.values() if one.parent == folder.id]
    return {
        "id": folder.id, "displayName": folder.name, "parentFolderId": folder.parent,
        "isHidden": False, "childFolderCount": len(below), "totalItemCount": len(letters),
        "unreadItemCount": sum(not one.is_read for one in letters), "@odata.etag": f'W/"{ROOT}"',
    }  # fmt: skip
