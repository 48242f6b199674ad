"""Calendars at a server: our events, as the sync of collections asks for them."""

from collections import defaultdict
from collections.abc import Sequence

from django.utils import timezone

from calendar_app.icalendar import ItipEvent, read_calendar
from calendar_app.mirroring.event_fields import events_of, fields_of, is_sequence
from calendar_app.mirroring.event_writing import write_event
from calendar_app.mirroring.keeping_events import keep_events, rows_of
from calendar_app.models import Calendar
from calendar_app.operations.keeping import said_of, save_event
from inbox.models import RemoteCollection, RemoteItem
from inbox.reasons import phrase as _
from inbox.syncing.collections.keepers import Fields, Incoming, UnfitItemError

_MOST_SAME_NAMES = 100


class EventKeeper:
    """Our side of calendars; the key of an item is its UID."""

    keeps_raw = True

    def open(self, collection: RemoteCollection) -> None:
        """Make the calendar, or follow the new name of one that nobody renamed here."""
        account = collection.source.account
        calendar = Calendar.objects.filter(remote=collection).first()
        if calendar is None:
            calendar = Calendar(
                workspace_id=collection.workspace_id, account=account, remote=collection,
                is_default=_takes_over(collection),
            )  # fmt: skip
            if calendar.is_default:
                Calendar.objects.filter(account=account, is_default=True).update(is_default=False)
        # Whoever deleted it here and takes it again wants it back.
        calendar.deleted_at = None
        calendar.name = _free_name(calendar, collection.name)
        calendar.color = collection.color
        calendar.save()

    def is_open(self, collection: RemoteCollection) -> bool:
        """Return True if the calendar is there."""
        return Calendar.objects.filter(remote=collection, deleted_at=None).exists()

    def close(self, collection: RemoteCollection) -> None:
        """Delete the calendar, softly; for good where others wrote it.

        Restored as ours alone, what they wrote would count as our own word.
        """
        rows = Calendar.objects.filter(remote=collection)
        if collection.is_own:
            rows.filter(deleted_at=None).update(deleted_at=timezone.now(), is_default=False)
        else:
            rows.delete()

    def read(self, raw: bytes, path: str) -> Fields:
        """Return the fields of a calendar object resource (RFC 4791 4.1)."""
        try:
            events, problems = read_calendar(raw)
            if problems or not events:
                raise ValueError(problems[0] if problems else "there is no event in it")
            if len({event.uid for event in events}) > 1:
                raise ValueError("it has events of several UIDs")
            return {"uid": events[0].uid, **fields_of(events)}
        except (ValueError, ArithmeticError, LookupError) as error:
            raise UnfitItemError(str(error)) from error

    def find(self, collection: RemoteCollection, keys: Sequence[str]) -> dict[str, Fields]:
        """Return the fields of our events by their UID."""
        calendar = Calendar.objects.select_for_update().get(remote=collection)
        found = defaultdict(list)
        for row in rows_of(calendar, keys):
            if row.deleted_at is None:
                found[row.uid].append(row)
        return {
            uid: {"uid": uid, **fields_of(said_of(row) for row in rows)}
            for uid, rows in found.items()
        }

    def keep(self, collection: RemoteCollection, items: Sequence[Incoming]) -> list[str]:
        """Have our rows say what the fields do."""
        _check_once(collection, items)
        calendar = Calendar.objects.select_related("account").get(remote=collection)
        said = {item.fields["uid"]: _events(item) for item in items if item.changed}
        keep_events(
            calendar, said, is_own=collection.is_own, tells=collection.first_done_at is not None
        )
        return [item.fields["uid"] for item in items]

    def noticed(self, lost: Fields) -> Fields:
        """Return all but the sequences: those count changes, and ours go on from the highest."""
        return {name: value for name, value in lost.items() if not is_sequence(name)}

    def remove(self, collection: RemoteCollection, keys: Sequence[str]) -> None:
        """Delete our events, softly."""
        calendar = Calendar.objects.select_related("account").get(remote=collection)
        now = timezone.now()
        for row in rows_of(calendar, keys):
            if row.deleted_at is None:
                row.deleted_at = now
                save_event(row, "deleted")

    def new_name(self, key: str) -> str:
        """Return the UID."""
        return key

    def write(
        self,
        raw: bytes,
        fields: Fields,
        changed: frozenset[str],
        name: str,
    ) -> bytes:
        """Return the calendar object resource with what changed."""
        rest = {own: value for own, value in fields.items() if own != "uid"}
        try:
            return write_event(raw, fields["uid"], rest, changed - {"uid"}, timezone.now())
        except (ValueError, LookupError, ArithmeticError) as error:
            raise UnfitItemError(str(error)) from error

    def title(self, fields: Fields) -> str:
        """Return the title of the event."""
        return str(fields.get("summary", ""))


def _check_once(collection: RemoteCollection, items: Sequence[Incoming]) -> None:
    """Raise UnfitItemError where another item of the calendar has the UID: ours is that one's."""
    uids = [item.fields["uid"] for item in items]
    new = [item.fields["uid"] for item in items if item.key != item.fields["uid"]]
    is_taken = new and RemoteItem.objects.filter(collection=collection, key__in=new).exists()
    if is_taken or len(set(uids)) < len(uids):
        raise UnfitItemError(_("Another event of the calendar has the same UID."))


def _events(item: Incoming) -> list[ItipEvent]:
    rest = {name: value for name, value in item.fields.items() if name != "uid"}
    try:
        return events_of(item.fields["uid"], rest)
    except ValueError as error:
        raise UnfitItemError(str(error)) from error


def _takes_over(collection: RemoteCollection) -> bool:
    """Return True where new events belong here: the account has used no calendar of its own yet."""
    account = collection.source.account
    if not (collection.is_own and collection.may_write):
        return False
    default = Calendar.objects.filter(account=account, is_default=True, deleted_at=None).first()
    if default is None:
        return True
    return default.remote_id is None and not default.events.exists()


def _free_name(calendar: Calendar, name: str) -> str:
    """Return the name, with a number where the account has another calendar of that name."""
    others = Calendar.objects.filter(account=calendar.account, deleted_at=None)
    taken = set(others.exclude(pk=calendar.pk).values_list("name", flat=True))
    names = [name, *(f"{name[:190]} ({number})" for number in range(2, _MOST_SAME_NAMES))]
    return next((one for one in names if one not in taken), f"{name[:150]} {calendar.remote_id}")
