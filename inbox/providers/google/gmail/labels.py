"""Labels of Gmail as mailboxes and keywords (https://developers.google.com/gmail/api/guides/labels).

What was archived has no label that says so: it lies in a mailbox that is only ours. What lies in
the trash or in spam lies nowhere else, whatever labels it has for when it comes back.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from inbox.providers.http.json_values import text_of
from inbox.providers.mail_changes import LONGEST_ID, MailboxEntry, MailChange, MailState

# Below which all calls lie.
USER: Final = "/gmail/v1/users/me"
ARCHIVE: Final = "*archive"
_SYSTEM: Final = (
    MailboxEntry("INBOX", "Inbox", "inbox"),
    MailboxEntry("SENT", "Sent", "sent"),
    MailboxEntry("DRAFT", "Drafts", "drafts"),
    MailboxEntry(ARCHIVE, "Archive", "archive"),
    MailboxEntry("SPAM", "Spam", "junk"),
    MailboxEntry("TRASH", "Trash", "trash"),
)
_PLACES = frozenset(entry.id for entry in _SYSTEM) - {ARCHIVE}
# In the order in which they hide all else.
_HIDING = ("TRASH", "SPAM")
# Nobody can put these on a message or take them off.
_FIXED = frozenset({"SENT", "DRAFT"})
# Chats of former times are no mail.
_NO_MAIL = "CHAT"
KEYWORDS: Final = frozenset({"$seen", "$flagged"})


@dataclass(frozen=True, slots=True)
class LabelChange:
    """Labels that are put on a message, and taken off."""

    add: frozenset[str]
    remove: frozenset[str]


def mailboxes(labels: Iterable[Mapping[str, Any]]) -> list[MailboxEntry]:
    """Return the mailboxes that every account has, and the labels that somebody made."""
    own = [
        MailboxEntry(key, name)
        for one in labels
        if text_of(one, "type") == "user"
        and 0 < len(key := text_of(one, "id")) <= LONGEST_ID
        and (name := text_of(one, "name"))
    ]
    return [*_SYSTEM, *own]


def state_of(labels: Collection[str]) -> MailState | None:
    """Return where a message with these labels lies, and its keywords; None: it is no mail."""
    given = frozenset(labels)
    if _NO_MAIL in given:
        return None
    marks = {
        "$seen": "UNREAD" not in given, "$flagged": "STARRED" in given, "$draft": "DRAFT" in given
    }  # fmt: skip
    keywords = frozenset(name for name, is_set in marks.items() if is_set)
    for one in _HIDING:
        if one in given:
            return MailState(frozenset({one}), keywords)
    lying = {one for one in given if one in _PLACES or _is_own(one)}
    return MailState(frozenset(lying or {ARCHIVE}), keywords)


def _is_own(label: str) -> bool:
    """Return True for a label that somebody made; those of Gmail are in capitals."""
    return not label.isupper()


def label_change(change: MailChange) -> LabelChange | None:
    """Return the labels to change; None where Gmail has nothing that would do it."""
    hides = bool(change.add_mailboxes & set(_HIDING))
    if change.add_mailboxes & _FIXED or (change.remove_mailboxes & _FIXED and not hides):
        return None
    add = set(change.add_mailboxes) - {ARCHIVE}
    remove = set(change.remove_mailboxes) - {ARCHIVE} - _FIXED
    add |= {"UNREAD"} if "$seen" in change.remove_keywords else set()
    remove |= {"UNREAD"} if "$seen" in change.add_keywords else set()
    add |= {"STARRED"} if "$flagged" in change.add_keywords else set()
    remove |= {"STARRED"} if "$flagged" in change.remove_keywords else set()
    if not add and not remove:
        return None
    return LabelChange(frozenset(add), frozenset(remove))
