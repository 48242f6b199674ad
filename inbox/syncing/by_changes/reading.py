"""Reading the messages that were noted and that we do not have yet, the newest first."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import F

from inbox.intake.held_items import HeldItem
from inbox.intake.prepared import Delivery, Prepared
from inbox.intake.sources import TargetMailbox
from inbox.models.remote import RemoteFolder, RemoteMessage
from inbox.operations.batched import in_chunks
from inbox.operations.mail.storing import store_messages
from inbox.providers.mail_changes import MailChangeStore, MailItem
from inbox.providers.mail_store import LARGEST_MESSAGE, StoreError
from inbox.reasons import ReasonText
from inbox.reasons import phrase as _
from inbox.syncing.by_changes.mailboxes import Mailboxes
from inbox.syncing.by_changes.own_drafts import set_aside
from inbox.syncing.incoming.batches import FEW, Batches
from inbox.syncing.incoming.fetching import NOT_HANDED_OUT, believed
from inbox.syncing.incoming.locations import AT_ONCE, write_locations
from inbox.syncing.incoming.own_copies import own_copies
from inbox.syncing.keywords import comparable
from inbox.syncing.visits import ChangesVisit

# So many are looked up at once; so many are asked for at once.
_AHEAD, _ASKED_AT_ONCE = 10_000, 100
# Over which the connection was lost so often, a message is passed over: where another comes, and
# where none does.
_MOST_LOSSES, _MOST_ALONE = 5, 10
_EACH_TIME = _("The connection was lost each time it was fetched.")
# Of several mailboxes a message is stored in the first of these; sent before inbox, for what we
# sent to ourselves is our own copy.
_ORDER = {"sent": 0, "inbox": 1, "drafts": 2, "": 3, "archive": 4, "trash": 5, "junk": 6}


def read_awaited(visit: ChangesVisit, mailboxes: Mailboxes, *, most: int | None = None) -> bool:
    """Read what was noted, so many at most; return whether none is left.

    False too where the visit's time was up. What cannot be had or stored gets a place that says
    why. Raises StoreError; what came before is stored.
    """
    rows = RemoteMessage.objects.awaited().filter(folder__in=mailboxes.keys).order_by("-uid")
    while numbers := _unique(rows.values_list("uid", flat=True)[: most or _AHEAD]):
        if visit.is_over:
            return False
        _Reading(visit, mailboxes, _places_of(mailboxes, numbers)).read()
        if most is not None or visit.is_over:
            return not rows.exists()
    return True


def _unique(numbers: Iterable[int]) -> list[int]:
    return list(dict.fromkeys(numbers))


def _places_of(mailboxes: Mailboxes, numbers: Sequence[int]) -> dict[int, list[RemoteMessage]]:
    """Return the rows of each message that is awaited, by number, in their order."""
    found: dict[int, list[RemoteMessage]] = {number: [] for number in numbers}
    for chunk in in_chunks(numbers):
        rows = RemoteMessage.objects.awaited().filter(folder__in=mailboxes.keys, uid__in=chunk)
        for row in rows:
            found[row.uid].append(row)
    return {number: rows for number, rows in found.items() if rows}


@dataclass(slots=True)
class _Incoming:
    """Messages on their way, named by their numbers, whatever one of them does.

    Trouble ends it, and is kept in `error` so that what came before is not lost. `lost` are those
    over which the connection was lost, a `suspect` again and again before: it is at fault where
    another one comes. It is that for certain where it was so more often still.
    """

    store: MailChangeStore
    numbers: Mapping[str, int]
    deliver: Callable[[int, MailItem], Delivery]
    is_over: Callable[[], bool]
    suspects: frozenset[int]
    certain: frozenset[int]
    came: set[int] = field(default_factory=set)
    missing: list[str] = field(default_factory=list)
    problems: dict[int, ReasonText] = field(default_factory=dict)
    lost: list[int] = field(default_factory=list)
    loss: StoreError | None = None
    error: StoreError | None = None

    def items(self) -> Iterator[HeldItem]:
        """Yield what comes."""
        for ids in in_chunks(self.numbers, _ASKED_AT_ONCE):
            if self.came and self.is_over():
                return
            try:
                yield from self._fetch(ids)
            except StoreError as error:
                self.error = error
                return
        self._blame()

    def _fetch(self, ids: list[str]) -> Iterator[HeldItem]:
        while ids:
            try:
                yield from self._fetch_once(ids)
            except StoreError as error:
                ids = [one for one in ids if self.numbers[one] not in self.came]
                if error.kind != "transient" or not ids:
                    raise
                self.loss = error
                self.lost.append(self.numbers[ids[0]])
                if len(self.lost) > 1 or self.lost[0] not in self.suspects:
                    raise
                ids = ids[1:]
            else:
                self.missing += [one for one in ids if self.numbers[one] not in self.came]
                return

    def _fetch_once(self, ids: list[str]) -> Iterator[HeldItem]:
        for item in self.store.fetch(ids):
            number = self.numbers.get(item.id)
            if number is None or number in self.came:
                continue
            self.came.add(number)
            for suspect in self.suspects.intersection(self.lost):
                self.problems[suspect] = _EACH_TIME
            if item.problem:
                self.problems[number] = item.problem
            elif len(item.raw) > LARGEST_MESSAGE:
                size = len(item.raw)
                self.problems[number] = _("It has %(size)s bytes, which is too large.", size=size)
            else:
                yield HeldItem(str(number), item.raw, self.deliver(number, item))

    def _blame(self) -> None:
        """Say of a suspect over which the connection was lost that it was; else it is the line."""
        if not self.lost or self.lost[0] in self.problems:
            return
        if self.came or self.lost[0] in self.certain:
            self.problems[self.lost[0]] = _EACH_TIME
        else:
            self.error = self.loss


@dataclass(frozen=True, slots=True)
class _Reading:
    """Some messages that are awaited, and their places."""

    visit: ChangesVisit
    mailboxes: Mailboxes
    places: Mapping[int, list[RemoteMessage]]

    def read(self) -> None:
        """Fetch, read and store them."""
        suspects, certain = (
            frozenset(number for number, rows in self.places.items() if rows[0].losses >= most)
            for most in (_MOST_LOSSES, _MOST_ALONE)
        )
        numbers = {rows[0].remote_id or "": number for number, rows in self.places.items()}
        incoming = _Incoming(
            self.visit.store, numbers, self._delivery, lambda: self.visit.is_over,
            suspects=suspects, certain=certain,
        )  # fmt: skip
        batches = Batches(self.visit, self._put, self._put_problems, adds_to_total=False)
        readers = self.visit.readers(many=len(numbers) > FEW)
        batches.store_all(readers.read(incoming.items()))
        self._explain(incoming.missing, numbers)
        if incoming.problems or incoming.lost:
            with self.visit.writing():
                self._put_problems(incoming.problems)
                self._count_losses(incoming.lost)
        if incoming.error is not None:
            raise incoming.error

    def _folder(self, number: int) -> RemoteFolder:
        """Return the mailbox with which a message is stored first."""
        by_key = {row.pk: row for row in self.mailboxes.there.values()}
        rows = [
            by_key[place.folder_id] for place in self.places[number] if place.folder_id in by_key
        ]
        return min(rows, key=lambda row: (_ORDER.get(row.role, 3), row.pk))

    def _delivery(self, number: int, item: MailItem) -> Delivery:
        folder = self._folder(number)
        return Delivery(
            received_at=believed(item.received_at),
            keywords=sorted(comparable(self.places[number][0].keywords)),
            place=TargetMailbox(role=folder.mailbox.role, name=folder.mailbox.name),
            # Whatever name it bears, what lies among the sent was sent.
            outbound=True if folder.role == "sent" else None,
        )

    # -- storing -----------------------------------------------------------------------------------
    def _put(self, prepared: Mapping[int, Prepared]) -> None:
        role_of = {row.pk: row.role for row in self.mailboxes.there.values()}
        aside = set_aside(self.visit, prepared, self.places, role_of)
        for live in (True, False):
            some = {
                number: each for number, each in prepared.items()
                if number not in aside and (number > RemoteMessage.FIRST_NUMBER) is live
            }  # fmt: skip
            if some:
                self._put_alike(some, live=live)

    def _put_alike(self, prepared: Mapping[int, Prepared], *, live: bool) -> None:
        ours = self._own_copies(prepared)
        rest = {number: each for number, each in prepared.items() if number not in ours}
        stored = store_messages(
            inbox=self.visit.inbox, recipient=self.visit.recipient, batch=list(rest.values()),
            live=live,
        )  # fmt: skip
        message_of = ours | {number: stored.keys[each.sha256] for number, each in rest.items()}
        times = Counter(message_of.values())
        made = {message.pk for message in stored.made if times[message.pk] == 1}
        new: list[RemoteMessage] = []
        known: list[RemoteMessage] = []
        for number in prepared:
            for place in self.places[number]:
                place.message_id = message_of[number]
                (new if place.message_id in made else known).append(place)
        # What was just made lies in its first mailbox; only what lies in more has to follow.
        simple = {
            places[0].message_id for number in prepared
            if len(places := self.places[number]) == 1 and places[0].message_id in made
        }  # fmt: skip
        write_locations(self.visit, put=new, fresh={key for key in simple if key}, quiet=True)
        if known:
            write_locations(self.visit, put=known, quiet=not live)

    def _own_copies(self, prepared: Mapping[int, Prepared]) -> dict[int, int]:
        by_folder: dict[RemoteFolder, dict[int, Prepared]] = defaultdict(dict)
        for number, each in prepared.items():
            by_folder[self._folder(number)][number] = each
        found: dict[int, int] = {}
        for folder, some in by_folder.items():
            found |= own_copies(self.visit, folder, some)
        return found

    def _put_problems(self, problems: Mapping[int, ReasonText]) -> None:
        for number, words in problems.items():
            keys = [place.pk for place in self.places[number]]
            RemoteMessage.objects.filter(pk__in=keys, message=None).update(problem=words)

    def _count_losses(self, lost: Sequence[int]) -> None:
        keys = [place.pk for number in lost for place in self.places[number]]
        RemoteMessage.objects.filter(pk__in=keys, losses__lt=100).update(losses=F("losses") + 1)

    def _explain(self, missing: Sequence[str], numbers: Mapping[str, int]) -> None:
        """Of what did not come, let go of what is gone there, and say it of the rest."""
        for ids in in_chunks(missing, AT_ONCE):
            states = self.visit.store.states(ids)
            gone = [
                place for one in ids if one not in states for place in self.places[numbers[one]]
            ]
            with self.visit.writing():
                write_locations(self.visit, gone=gone)
                self._put_problems({numbers[one]: NOT_HANDED_OUT for one in ids if one in states})
