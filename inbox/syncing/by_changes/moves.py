"""Into which mailboxes a message is to be put there, and which it is to leave; no database."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inbox.models.remote import RemoteMessage
from inbox.syncing.outgoing.desired_state import DesiredState


@dataclass(frozen=True, slots=True)
class Wanted:
    """Mailboxes of ours (their keys) into which a message is to be put; folders it leaves."""

    add: frozenset[int] = frozenset()
    remove: frozenset[int] = frozenset()


def wanted_mailboxes(
    by_id: Mapping[str, Sequence[RemoteMessage]],
    wishes: Mapping[int, DesiredState],
    mailbox_of: Mapping[int, int],
    *,
    lies_in_many: bool,
) -> dict[str, Wanted]:
    """Return what differs of each message there, by its id; `mailbox_of` tells those of folders.

    Where a message lies in one mailbox only, one that is where it should be stays, wherever else we
    have put it. Several messages there may be one of ours: together they lie where it is to lie.
    """
    of_message: dict[int, list[str]] = defaultdict(list)
    for one, places in by_id.items():
        of_message[places[0].message_id or 0].append(one)
    found: dict[str, Wanted] = {}
    for message, ids in of_message.items():
        wanted = wishes[message].mailboxes if message in wishes else frozenset[int]()
        if not wanted:
            continue
        lying = {
            one: {mailbox_of[place.folder_id]: place.folder_id for place in by_id[one]}
            for one in ids
        }
        missing = sorted(wanted - {key for mailboxes in lying.values() for key in mailboxes})
        for one, mailboxes in lying.items():
            leaves = frozenset(
                folder for mailbox, folder in mailboxes.items() if mailbox not in wanted
            )
            stays = len(leaves) < len(mailboxes)
            add = _added(missing, wanted, stays=stays, lies_in_many=lies_in_many)
            missing = [key for key in missing if key not in add]
            if add or leaves:
                found[one] = Wanted(add, leaves)
    return found


def _added(
    missing: Sequence[int], wanted: frozenset[int], *, stays: bool, lies_in_many: bool
) -> frozenset[int]:
    if lies_in_many:
        # A second copy that would lie nowhere goes with the first.
        return frozenset(missing) if missing or stays else frozenset({min(wanted)})
    return frozenset() if stays else frozenset({min(missing or wanted)})
