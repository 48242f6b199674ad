"""What Graph says of a message that may change, and what of it a change writes. Pure.

Reading is `isRead`, a flag `flagStatus`, and categories stand for keywords of our own: Outlook
compares their names without regard to case, and takes no comma in one. Whether a message was
answered stands in extended properties (MS-OXPROPS: what was done with it last, which icon shows
that, and when). Outlook keeps only what was done last: of what was answered and then forwarded
there it does not say any more that it was answered.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final
from urllib.parse import quote, urlencode

from inbox.providers.graph.answers import Json
from inbox.providers.graph.kept import properties, value_of
from inbox.providers.http.addresses import part
from inbox.providers.http.json_values import object_of, text_of, texts_of
from inbox.providers.mail_changes import MailChange, MailState

FOLDERS, MESSAGES = "/me/mailFolders", "/me/messages"
# PidTagLastVerbExecuted, PidTagIconIndex, PidTagLastVerbExecutionTime.
_VERB, _ICON, _AT = "Integer 0x1081", "Integer 0x1080", "SystemTime 0x1082"
# Replied to the sender, and to all.
_REPLIES = frozenset({"102", "103"})
# What is written of a message that was answered, and of one that was not.
_ANSWERED = {_VERB: "102", _ICON: "261"}
_UNANSWERED = {_VERB: "0", _ICON: "256"}
# What is asked of a message to know its state.
ASKED: Final = {
    "$select": "isRead,isDraft,flag,categories,parentFolderId",
    "$expand": f"singleValueExtendedProperties($filter=id eq '{_VERB}')",
}
_MARKS = frozenset({"$seen", "$flagged", "$answered"})
_CATEGORY = re.compile(r"[^$,;\x00-\x1f\x7f][^,;\x00-\x1f\x7f]{0,254}")


def message_path(id_: str) -> str:
    """Return where a message is."""
    return f"{MESSAGES}/{part(id_)}"


def message_paths(ids: Iterable[str], asked: Mapping[str, str] = ASKED) -> dict[str, str]:
    """Return what to ask for of messages, by id."""
    said = urlencode(asked, quote_via=quote, safe="$,()")
    return {one: f"{message_path(one)}?{said}" for one in ids}


def takes_keyword(keyword: str) -> bool:
    """Return True if Graph keeps a keyword."""
    return keyword in _MARKS or _CATEGORY.fullmatch(keyword) is not None


def state_of(found: Json) -> MailState | None:
    """Return the state of a message; None where a part of it is not told."""
    folder, flag, categories = (
        text_of(found, "parentFolderId"),
        found.get("flag"),
        found.get("categories"),
    )
    is_told = isinstance(found.get("isRead"), bool) and isinstance(found.get("isDraft"), bool)
    if not folder or not is_told or not isinstance(flag, dict) or not isinstance(categories, list):
        return None
    words = {name.lower() for name in texts_of(found, "categories") if _CATEGORY.fullmatch(name)}
    marks = {
        "$seen": found.get("isRead") is True,
        "$flagged": flag.get("flagStatus") == "flagged",
        "$draft": found.get("isDraft") is True,
        "$answered": _is_answered(found),
    }
    words |= {name for name, is_set in marks.items() if is_set}
    return MailState(frozenset({folder}), frozenset(words))


def patch(found: Json, change: MailChange, now: datetime) -> dict[str, Any]:
    """Return what a change writes of a message as it was found; nothing where it is so already.

    `now` is when the message was answered, as far as Outlook is concerned.
    """
    fields: dict[str, Any] = {}
    is_read = _wanted(change, "$seen", is_set=found.get("isRead") is True)
    if is_read is not (found.get("isRead") is True):
        fields["isRead"] = is_read
    is_flagged = text_of(object_of(found, "flag"), "flagStatus") == "flagged"
    wants_flag = _wanted(change, "$flagged", is_set=is_flagged)
    if wants_flag is not is_flagged:
        fields["flag"] = {"flagStatus": "flagged" if wants_flag else "notFlagged"}
    is_answered = _is_answered(found)
    wants_answered = _wanted(change, "$answered", is_set=is_answered)
    if wants_answered is not is_answered:
        values = {**_ANSWERED, _AT: f"{now:%Y-%m-%dT%H:%M:%SZ}"} if wants_answered else _UNANSWERED
        fields["singleValueExtendedProperties"] = properties(values)
    before = texts_of(found, "categories")
    after = _categories(before, change)
    if after != before:
        fields["categories"] = after
    return fields


def _is_answered(found: Json) -> bool:
    return value_of(found, _VERB) in _REPLIES


def _wanted(change: MailChange, keyword: str, *, is_set: bool) -> bool:
    if keyword in change.add_keywords:
        return True
    return is_set and keyword not in change.remove_keywords


def _categories(before: list[str], change: MailChange) -> list[str]:
    """Return the categories after a change; what stays is written as it was."""
    lost = {word for word in change.remove_keywords if _CATEGORY.fullmatch(word)}
    kept = [name for name in before if name.lower() not in lost]
    there = {name.lower() for name in kept}
    new = sorted(word for word in change.add_keywords if _CATEGORY.fullmatch(word))
    return [*kept, *(word for word in new if word not in there)]


def moved_to(found: Json, change: MailChange) -> str:
    """Return the folder into which a message is to be moved; empty: it stays."""
    wanted: Mapping[str, None] = dict.fromkeys(sorted(change.add_mailboxes))
    here = text_of(found, "parentFolderId")
    return "" if not wanted or here in wanted else next(iter(wanted))
