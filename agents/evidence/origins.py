"""Whose words a text holds: messages, files, events, cards and what agents wrote down."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import F, QuerySet

from agents.evidence.refs import Ref, read_refs
from agents.models import AgentMessage, Origin, Provenance
from calendar_app.models import Attendee, Event, Todo
from inbox.actor import Actor
from inbox.models import (
    Activity,
    Attachment,
    Authentication,
    Direction,
    FileNode,
    FileVersion,
    Message,
    PersonEmail,
    RemoteCollection,
)
from inbox.prepared import Prepared, padded

# The least trusted last.
TRUST = (Origin.OWNER, Origin.SYSTEM, Origin.KNOWN, Origin.AGENT, Origin.STRANGER)
# Of a thread so many messages are taken to have been shown, the newest.
_MOST_OF_A_THREAD = 50
# Where nothing says who wrote it, a person or an agent of ours did.
_OURS_UNLESS_NOTED = {"fil": Origin.OWNER, "tdo": Origin.OWNER}
# What shows messages and has no words of its own; and what is judged by messages alone.
_HOLDERS = frozenset({"thr", "act", "att", "sub"})
# A version of a file; no answer names one by an id.
VERSION = "flv"
_OF_MESSAGES = _HOLDERS | {"msg"}
_MESSAGE_COLUMNS = (
    "id", "thread_id", "direction", "from_email", "from_name", "to", "cc", "bcc", "authentication",
    "anomalies",
)  # fmt: skip


class Traced(NamedTuple):
    """Where a text came from.

    `via` is what was asked for, where that only holds it, as a thread does. `author` is an address,
    or `agent:7`; `readers` are addresses, None for whoever has the workspace's accounts. Of a
    message that came in, `authentication` says whether its sender was authenticated, and
    `anomalies` what is odd about it.
    """

    ref: Ref
    origin: str
    author: str = ""
    readers: tuple[str, ...] | None = None
    via: Ref | None = None
    authentication: str = ""
    anomalies: tuple[str, ...] = ()


def lowest(origins: Iterable[str]) -> str:
    """Return the least trusted of origins; `owner` where there are none."""
    return max(origins, key=lambda it: TRUST.index(Origin(it)), default=Origin.OWNER)


def find_origins(
    actor: Actor, refs: Iterable[Ref], know: Callable[[Iterable[str]], Mapping[str, str]]
) -> list[Traced]:
    """Return where the texts of rows came from; what is not there any more came from a stranger.

    `know` is asked once, and says which addresses are known.

    What a thread, an activity or an attachment shows are its messages. In a few queries, however
    many rows there are.
    """
    asked = list(dict.fromkeys(refs))
    notes = read_notes(actor, [ref for ref in asked if ref.kind not in _OF_MESSAGES])
    holders = _messages_of(actor, asked) | _sources_of(notes)
    own = [ref.key for ref in asked if ref.kind == "msg"]
    messages = _Messages(actor, [*own, *(key for keys in holders.values() for key in keys)])
    events = _Events(actor, [ref.key for ref in asked if ref.kind == "evt"], notes)
    known = know([*messages.emails, *events.emails])
    others = _Others(actor, [ref for ref in asked if ref.kind not in _OF_MESSAGES], notes)
    tracers: dict[str, Callable[[Ref], Traced]] = {
        "msg": lambda ref: messages.trace(ref, known),
        "evt": lambda ref: events.trace(ref, known),
    }
    found: list[Traced] = []
    for ref in asked:
        held = [messages.trace(Ref("msg", key), known) for key in holders.get(ref, ())]
        if ref.kind not in _HOLDERS or not held:
            found.append(tracers.get(ref.kind, others.trace)(ref))
        found += [one._replace(via=ref) for one in held]
    return found


def _sources_of(notes: Mapping[Ref, Provenance]) -> dict[Ref, list[int]]:
    """Return the messages that agents had read when they wrote something, by what they wrote.

    For what a person has raised since that person vouches.
    """
    return {
        ref: [it.key for it in read_refs(note.derived_from) if it.kind == "msg"]
        for ref, note in notes.items()
        if note.raised_at is None
    }


def _messages_of(actor: Actor, refs: Sequence[Ref]) -> dict[Ref, list[int]]:
    """Return the messages that threads, activities and attachments show, by what shows them."""
    found: dict[Ref, list[int]] = {}
    for kind in _HOLDERS:
        keys = [ref.key for ref in refs if ref.kind == kind]
        for key, message in _shown_by(actor, kind, keys) if keys else ():
            found.setdefault(Ref(kind, key), []).append(message)
    return found


def _shown_by(actor: Actor, kind: str, keys: Sequence[int]) -> Iterable[tuple[int, int]]:
    """Return the keys of what holds messages, and of its messages, of one kind."""
    messages = Message.objects.visible_to(actor)
    match kind:
        case "thr":
            rows = messages.kept().filter(thread_id__in=keys).order_by("-received_at", "-id")
            return rows.values_list("thread_id", "id")[: _MOST_OF_A_THREAD * len(keys)]
        case "act":
            of = Activity.objects.visible_to(actor).filter(pk__in=keys, message__isnull=False)
            return of.values_list("id", "message_id")
        case "att":
            files = Attachment.objects.visible_to(actor).filter(pk__in=keys)
            return files.values_list("id", "message_id")
    return messages.filter(submission_id__in=keys).values_list("submission_id", "id")


class _Messages:
    """Messages: ours, a known person's who could be authenticated, or a stranger's."""

    def __init__(self, actor: Actor, keys: Sequence[int]) -> None:
        sought = padded(sorted(set(keys)))
        self.rows = {one.pk: one for one in _ROWS.rows(actor=actor, keys=sought)} if keys else {}
        self.emails = {one.from_email for one in self.rows.values()}

    def trace(self, ref: Ref, known: Mapping[str, str]) -> Traced:
        row = self.rows.get(ref.key)
        if row is None:
            return Traced(ref, Origin.STRANGER)
        origin = message_origin(row.direction, row.from_email, row.authentication, known)
        found = Traced(ref, origin, row.from_email.lower(), tuple(row.readers))
        if row.direction == Direction.OUTBOUND:
            return found
        return found._replace(authentication=row.authentication, anomalies=tuple(row.anomalies))


def _rows(*, actor: Actor, keys: tuple[int, ...]) -> Sequence[QuerySet[Any]]:
    return [Message.objects.visible_to(actor).filter(pk__in=keys).only(*_MESSAGE_COLUMNS)]


_ROWS = Prepared(_rows)


def message_origin(
    direction: str, email: str, authentication: str, known: Mapping[str, str]
) -> str:
    """Return whose words a message holds, by whom it is from; `known` are in lower case."""
    if direction == Direction.OUTBOUND:
        return Origin.OWNER
    is_known = email.lower() in known and authentication != Authentication.FAIL
    return Origin.KNOWN if is_known else Origin.STRANGER


class _Events:
    """Events: whoever organises one wrote it."""

    def __init__(self, actor: Actor, keys: Sequence[int], notes: Mapping[Ref, Provenance]) -> None:
        self.rows = _events(actor, keys) if keys else {}
        self.noted = notes
        self.emails = {one.organizer for one in self.rows.values() if one.organizer}
        self.guests: dict[int, list[str]] = {}
        if not self.rows:
            return
        guests = Attendee.objects.filter(event__in=self.rows)
        for key, email in guests.values_list("event_id", "email"):
            self.guests.setdefault(key, []).append(email.lower())

    def trace(self, ref: Ref, known: Mapping[str, str]) -> Traced:
        row, note = self.rows.get(ref.key), self.noted.get(ref)
        if row is None:
            return Traced(ref, Origin.STRANGER)
        organizer = row.organizer.lower()
        # What a calendar says that is only subscribed to is not our word, whoever it names.
        ours = "" if vars(row)["is_own"] is False else "ours"
        why = known.get(organizer, "") if organizer else ours
        theirs = Origin.OWNER if why == "ours" else Origin.KNOWN if why else Origin.STRANGER
        origin = lowest([theirs, note.origin]) if note else theirs
        readers = (organizer, *self.guests.get(ref.key, ())) if organizer else None
        return Traced(ref, origin, note.author if note else organizer, readers)


def _events(actor: Actor, keys: Sequence[int]) -> dict[int, Event]:
    rows = Event.objects.visible_to(actor).only("id", "organizer", "by_person")
    rows = rows.filter(pk__in=keys).annotate(is_own=F("calendar__remote__is_own"))
    return {one.pk: one for one in rows}


class _Others:
    """What agents and people write down, by what was noted when they did; and people's cards."""

    def __init__(self, actor: Actor, refs: Sequence[Ref], notes: Mapping[Ref, Provenance]) -> None:
        self.noted = notes
        self.trusted: set[int] = set()
        self.theirs: set[int] = set()
        self.by_people: set[int] = set()
        self.versions: dict[int, str] = {}
        self.foreign: set[tuple[str, int]] = set()
        if refs:
            self._read(actor, refs, notes)

    def _read(self, actor: Actor, refs: Sequence[Ref], notes: Mapping[Ref, Provenance]) -> None:
        cards = [ref.key for ref in refs if ref.kind == "per"]
        rows = PersonEmail.objects.visible_to(actor).trusted().filter(person_id__in=cards)
        self.trusted = set(rows.values_list("person_id", flat=True)) if cards else set()
        lists = [ref.key for ref in refs if ref.kind == "tdo" and ref not in notes]
        theirs = Todo.objects.visible_to(actor).filter(pk__in=lists, list__remote__is_own=False)
        self.theirs = set(theirs.values_list("id", flat=True)) if lists else set()
        told = [ref.key for ref in refs if ref.kind == "agm"]
        versions = [ref.key for ref in refs if ref.kind == VERSION]
        files = FileNode.objects.visible_to(actor)
        wrote = FileVersion.objects.filter(pk__in=versions, file__in=files)
        of_files = list(wrote.values_list("id", "created_by", "file")) if versions else []
        self.versions = {key: author for key, author, _file in of_files}
        held = [ref.key for ref in refs if ref.kind == "fil" and ref not in notes]
        strange = _from_others(actor, {*held, *(file for _key, _author, file in of_files)})
        self.foreign = {("fil", key) for key in strange} | {
            (VERSION, key) for key, _author, file in of_files if file in strange
        }
        said = AgentMessage.objects.visible_to(actor).filter(pk__in=told, sender=None)
        self.by_people = set(said.values_list("id", flat=True)) if told else set()

    def trace(self, ref: Ref) -> Traced:
        """Return the row's origin."""
        note = self.noted.get(ref)
        if note is not None:
            return Traced(ref, note.origin, note.author)
        author = self.versions.get(ref.key, "") if ref.kind == VERSION else ""
        return Traced(ref, self._unnoted(ref), author)

    def _unnoted(self, ref: Ref) -> str:
        if ref.kind == "sub":
            # It has not come back to the mailbox yet.
            return Origin.OWNER
        if ref.kind in _HOLDERS or (ref.kind == VERSION and ref.key not in self.versions):
            # Nothing of it is there any more.
            return Origin.STRANGER
        if (ref.kind == "tdo" and ref.key in self.theirs) or (ref.kind, ref.key) in self.foreign:
            return Origin.STRANGER
        if ref.kind == "per":
            return Origin.KNOWN if ref.key in self.trusted else Origin.STRANGER
        if ref.kind == "agm" and ref.key in self.by_people:
            return Origin.OWNER
        if ref.kind == VERSION:
            by_agent = self.versions[ref.key].startswith("agent:")
            return Origin.AGENT if by_agent else Origin.OWNER
        return _OURS_UNLESS_NOTED.get(ref.kind, Origin.AGENT)


def _from_others(actor: Actor, keys: set[int]) -> set[int]:
    """Return those files that lie in folders of a server which others write, and we do not."""
    if not keys:
        return set()
    folders = RemoteCollection.objects.visible_to(actor).filter(kind="files", is_own=False)
    places = [
        (account, f"{path}/")
        for account, path in folders.exclude(folder=None).values_list(
            "folder__account", "folder__path_key"
        )
    ]
    if not places:
        return set()
    rows = FileNode.objects.visible_to(actor).filter(pk__in=keys)
    return {
        key
        for key, account, path in rows.values_list("pk", "account", "path_key")
        if any(account == other and path.startswith(above) for other, above in places)
    }


def read_notes(actor: Actor, refs: Sequence[Ref]) -> dict[Ref, Provenance]:
    """Return what was noted of rows when an agent wrote them; in one query."""
    if not refs:
        return {}
    rows = Provenance.objects.visible_to(actor).filter(
        kind__in={ref.kind for ref in refs}, object_id__in={ref.key for ref in refs}
    )
    wanted = set(refs)
    found = {Ref(row.kind, row.object_id): row for row in rows}
    return {ref: row for ref, row in found.items() if ref in wanted}
