"""The calls of Gmail that are built here."""

import base64
import binascii
import re
from typing import Any

from tests.machines.api_server import Call, Reply
from tests.machines.google.gmail.batch import calls_in, in_one
from tests.machines.google.gmail.mailbox import FIXED, SYSTEM, GmailBox, Letter, Record, message_id
from tests.machines.google.gmail.sending import Sending
from tests.machines.google.refusing import Refused
from tests.machines.google.server import Asked, GoogleServer

_MOST_LISTED, _MOST_CHANGED = 500, 1000
_QUERY = re.compile(r"(?:in:sent )?rfc822msgid:(\S+)")


class Gmail:
    """The service."""

    def __init__(self, server: GoogleServer) -> None:
        self.server, self.box = server, GmailBox()
        self.sending = Sending(self.box, server.address)
        # The most that a page holds, whatever is asked for.
        self.page_size = _MOST_LISTED
        server.batches["/batch/gmail/v1"] = self.batch
        users = "gmail.users"
        server.handlers |= {
            f"{users}.getProfile": self.profile,
            f"{users}.labels.list": self.list_labels,
            f"{users}.labels.create": self.create_label,
            f"{users}.labels.patch": self.rename_label,
            f"{users}.labels.delete": self.delete_label,
            f"{users}.history.list": self.list_history,
            f"{users}.messages.list": self.list_messages,
            f"{users}.messages.get": self.get,
            f"{users}.messages.modify": self.modify,
            f"{users}.messages.batchModify": self.modify_many,
            f"{users}.messages.trash": self.trash,
            f"{users}.messages.untrash": self.untrash,
            f"{users}.messages.delete": self.delete,
            f"{users}.messages.batchDelete": self.delete_many,
            f"{users}.messages.insert": self.insert,
            f"{users}.messages.send": self.send,
            f"{users}.settings.sendAs.list": self.list_identities,
        }

    def batch(self, call: Call) -> Reply:
        """Answer many calls in one."""
        return in_one([(key, self.server.answer_inner(inner)) for key, inner in calls_in(call)])

    def _own(self, asked: Asked) -> None:
        if asked["userId"] not in ("me", self.server.address):
            raise Refused(403, "forbidden", f"Delegation denied for {asked['userId']}")

    # -- what there is -----------------------------------------------------------------------------
    def profile(self, asked: Asked) -> dict[str, Any]:
        self._own(asked)
        return {
            "emailAddress": self.server.address, "historyId": str(self.box.newest),
            "messagesTotal": len(self.box.letters),
            "threadsTotal": len({it.thread_id for it in self.box.letters.values()}),
        }  # fmt: skip

    def list_labels(self, asked: Asked) -> dict[str, Any]:
        self._own(asked)
        return {"labels": [self._label(key) for key in self.box.labels]}

    def _label(self, key: str) -> dict[str, Any]:
        kind = "system" if key in SYSTEM else "user"
        shown = {"messageListVisibility": "show", "labelListVisibility": "labelShow"}
        return {"id": key, "name": self.box.labels[key], "type": kind, **shown}

    def create_label(self, asked: Asked) -> dict[str, Any]:
        self._own(asked)
        return self._label(self.box.add_label(asked.body.get("name", "")))

    def rename_label(self, asked: Asked) -> dict[str, Any]:
        key = self.box.own_label(asked["id"])
        self.box.rename_label(key, asked.body["name"])
        return self._label(key)

    def delete_label(self, asked: Asked) -> None:
        self.box.remove_label(self.box.own_label(asked["id"]))

    def list_messages(self, asked: Asked) -> dict[str, Any]:
        self._own(asked)
        most = _most(asked)
        found = [it for it in self.box.newest_first() if self._is_asked_for(it, asked)]
        if token := asked.get("pageToken"):
            after = _cursor(token)
            found = [it for it in found if (it.internal_date, it.id) < after]
        page = found[: min(most, self.page_size)]
        answer: dict[str, Any] = {"resultSizeEstimate": len(found)}
        if page:
            answer["messages"] = [{"id": it.id, "threadId": it.thread_id} for it in page]
        if len(page) < len(found):
            answer["nextPageToken"] = f"{page[-1].internal_date}.{page[-1].id}"
        return answer

    def _is_asked_for(self, letter: Letter, asked: Asked) -> bool:
        if not asked.get("includeSpamTrash") and letter.labels & {"SPAM", "TRASH"}:
            return False
        query = asked.get("q", "")
        if not set(asked.get("labelIds", ())) <= letter.labels:
            return False
        if not query:
            return True
        found = _QUERY.fullmatch(query)
        if found is None:
            raise Refused(501, "notImplemented", query)
        is_there = "SENT" in letter.labels or not query.startswith("in:sent")
        return is_there and message_id(letter.raw).strip("<>") == found[1].strip("<>")

    def get(self, asked: Asked) -> dict[str, Any]:
        self._own(asked)
        letter, form = self.box.letter(asked["id"]), asked.get("format", "full")
        if form not in ("minimal", "raw"):
            raise Refused(501, "notImplemented", form)
        shown = {
            "id": letter.id, "threadId": letter.thread_id, "snippet": "",
            "historyId": str(letter.history_id), "internalDate": str(letter.internal_date),
            "sizeEstimate": len(letter.raw), **_labels(letter.labels),
        }  # fmt: skip
        if form == "raw":
            shown["raw"] = base64.urlsafe_b64encode(letter.raw).decode()
        return shown

    def list_history(self, asked: Asked) -> dict[str, Any]:
        self._own(asked)
        if "startHistoryId" not in asked.parameters:
            raise Refused(400, "invalidArgument", "Missing startHistoryId")
        start = int(asked["startHistoryId"])
        if not self.box.known_from <= start <= self.box.newest:
            raise Refused(404, "notFound", "Requested entity was not found.")
        since = int(asked["pageToken"]) if asked.get("pageToken") else start
        found = [it for it in self.box.history if it.id > max(since, start)]
        page = found[: min(_most(asked), self.page_size)]
        answer: dict[str, Any] = {"historyId": str(self.box.newest)}
        if page:
            answer["history"] = [self._record(it) for it in page]
        if len(page) < len(found):
            answer["nextPageToken"] = str(page[-1].id)
        return answer

    def _record(self, record: Record) -> dict[str, Any]:
        named: dict[str, Any] = {"id": record.letter_id, "threadId": record.thread_id}
        letter = self.box.letters.get(record.letter_id)
        message = named | (_labels(letter.labels) if letter else {})
        entry: dict[str, Any] = {"message": message}
        if record.labels:
            entry["labelIds"] = list(record.labels)
        return {"id": str(record.id), "messages": [named], record.kind: [entry]}

    # -- changing ----------------------------------------------------------------------------------
    def modify(self, asked: Asked) -> dict[str, Any]:
        self._own(asked)
        add, remove = self._wanted(asked.body)
        letter = self.box.letter(asked["id"])
        self.box.change(letter, add, remove)
        return {"id": letter.id, "threadId": letter.thread_id, **_labels(letter.labels)}

    def modify_many(self, asked: Asked) -> None:
        self._own(asked)
        add, remove = self._wanted(asked.body)
        for key in _ids(asked.body):
            if key in self.box.letters:
                self.box.change(self.box.letters[key], add, remove)

    def _wanted(self, body: dict[str, Any]) -> tuple[set[str], set[str]]:
        add, remove = set(body.get("addLabelIds", ())), set(body.get("removeLabelIds", ()))
        if not add | remove or len(add) > 100 or len(remove) > 100:
            raise Refused(400, "invalidArgument", "No label add or removes specified")
        for key in sorted(add | remove):
            if key not in self.box.labels or key in FIXED:
                raise Refused(400, "invalidArgument", f"Invalid label: {key}")
        if add & remove:
            raise Refused(400, "invalidArgument", "Cannot both add and remove the same label")
        return add, remove

    def trash(self, asked: Asked) -> dict[str, Any]:
        return self._in_trash(asked, add={"TRASH"})

    def untrash(self, asked: Asked) -> dict[str, Any]:
        return self._in_trash(asked, remove={"TRASH"})

    def _in_trash(self, asked: Asked, **change: set[str]) -> dict[str, Any]:
        self._own(asked)
        letter = self.box.letter(asked["id"])
        self.box.change(letter, **change)
        return {"id": letter.id, "threadId": letter.thread_id, **_labels(letter.labels)}

    def delete(self, asked: Asked) -> None:
        self._own(asked)
        self.box.remove(self.box.letter(asked["id"]).id)

    def delete_many(self, asked: Asked) -> None:
        self._own(asked)
        for key in _ids(asked.body):
            if key in self.box.letters:
                self.box.remove(key)

    # -- coming in and leaving ---------------------------------------------------------------------
    def insert(self, asked: Asked) -> dict[str, Any]:
        self._own(asked)
        labels = () if isinstance(asked.body, bytes) else asked.body.get("labelIds", ())
        unknown = [key for key in labels if key not in self.box.labels]
        if unknown:
            raise Refused(400, "invalidArgument", f"Invalid label: {unknown[0]}")
        letter = self.box.add(_raw(asked), labels)
        return {"id": letter.id, "threadId": letter.thread_id, **_labels(letter.labels)}

    def send(self, asked: Asked) -> dict[str, Any]:
        self._own(asked)
        letter = self.sending.send(_raw(asked))
        return {"id": letter.id, "threadId": letter.thread_id, **_labels(letter.labels)}

    def list_identities(self, asked: Asked) -> dict[str, Any]:
        self._own(asked)
        return {"sendAs": self.sending.identities()}


def _labels(labels: set[str]) -> dict[str, Any]:
    """Return them as Gmail does, which leaves out an empty list."""
    return {"labelIds": sorted(labels)} if labels else {}


def _most(asked: Asked) -> int:
    most: int = asked.get("maxResults", 100)
    if not 0 < most <= _MOST_LISTED:
        raise Refused(400, "invalidArgument", "maxResults is too large")
    return most


def _cursor(token: str) -> tuple[int, str]:
    date, _, key = token.partition(".")
    if not date.isdecimal() or not key:
        raise Refused(400, "invalidArgument", "Invalid pageToken")
    return int(date), key


def _ids(body: dict[str, Any]) -> list[str]:
    ids: list[str] = body.get("ids", [])
    if not 0 < len(ids) <= _MOST_CHANGED:
        raise Refused(400, "invalidArgument", "No message ids specified, or too many")
    return ids


def _raw(asked: Asked) -> bytes:
    if isinstance(asked.body, bytes):
        kind = asked.headers.get("content-type", "").partition(";")[0]
        if asked["uploadType"] != "media" or kind != "message/rfc822":
            raise Refused(400, "badContent", f"Media type '{kind}' is not supported")
        return asked.body
    try:
        return base64.urlsafe_b64decode(asked.body["raw"])
    except (KeyError, binascii.Error) as error:
        raise Refused(400, "invalidArgument", "'raw' RFC822 payload message is missing") from error
