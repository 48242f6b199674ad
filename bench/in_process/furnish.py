"""Fills one workspace with rows of everything, to measure readings with: `furnish SIZE`.

At size 1 it has 100,000 messages and as much of the rest as a large team has after some years; at
0.1 a tenth of each. Rows are written as they are, past the operations, or it would take hours.
Bytes are not stored.
"""

import random
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import Model
from django.utils import timezone

from agents.models import (
    Agent,
    AgentMessage,
    ContextEntry,
    LoggedEvent,
    LogHead,
    Memory,
    MemoryWord,
    Receipt,
    ReceiptHead,
    Schedule,
)
from agents.operations.agents import create_agent, known_scopes
from agents.recall.words import index_text, words_of
from bench.imports import ADDRESS
from calendar_app.models import Calendar, Event, Todo, TodoList
from calendar_app.operations.expansions import work_out_due
from inbox.models import (
    Account,
    Activity,
    Attachment,
    Blob,
    Correspondence,
    FileNode,
    Inbox,
    Mailbox,
    Message,
    Person,
    PersonEmail,
    Thread,
)
from inbox.operations.accounts.accounts import create_account
from inbox.operations.accounts.workspaces import create_workspace

SEED = 5545
READER, OTHER = "Reader", "Other"
# The share of the mail in each folder; what is in the last three is the oldest of all.
FOLDERS = {"inbox": 0.8, "sent": 0.1, "archive": 0.08, "junk": 0.0199, "trash": 0.0001}
_NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
_SYLLABLES = [
    "ba", "ce", "di", "fo", "gu", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "wo", "xu", "za",
]  # fmt: skip


class Furnisher:
    """Writes the rows of one workspace."""

    def __init__(self, size: float) -> None:
        self.size = size
        self.chance = random.Random(SEED)
        self.words = ["".join(self.chance.choices(_SYLLABLES, k=3)) for _ in range(4000)]
        self.account = create_account(
            workspace=create_workspace(name="Bench", slug="bench"), address=ADDRESS
        )
        self.workspace = self.account.workspace
        self.inbox = Inbox.objects.get(account=self.account)
        self.agent, _ = create_agent(
            workspace=self.workspace, name=READER, scopes=known_scopes(), inboxes=[self.inbox]
        )
        self.other, _ = create_agent(
            workspace=self.workspace, name=OTHER, scopes=known_scopes(), inboxes=[self.inbox]
        )

    def fill(self) -> None:
        """Write everything."""
        steps: list[Callable[[], None]] = [
            self.mail, self.activities, self.people, self.events, self.files, self.todos,
            self.memories, self.mesh, self.schedules, self.receipts, self.log,
        ]  # fmt: skip
        for step in steps:
            with transaction.atomic():
                step()
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE" if connection.vendor == "postgresql" else "PRAGMA optimize")

    def count(self, whole: int) -> range:
        """Return as many numbers as there are rows of a kind at this size."""
        return range(round(whole * self.size))

    def text(self, length: int) -> str:
        """Return so many words; low ones are common."""
        top = len(self.words)
        return " ".join(self.words[int(top * self.chance.random() ** 3)] for _ in range(length))

    def mail(self) -> None:
        """Messages in threads, folders and labels; one in eight with an attachment."""
        total = len(self.count(100_000))
        threads = [
            Thread(
                workspace=self.workspace, inbox=self.inbox, subject=self.text(6), message_count=20,
                participants=[{"email": "a@customer.example"}, {"email": ADDRESS}],
                status=("closed", "open")[n % 10 < 1], last_message_at=_back(minutes=n),
                updated_at=_back(minutes=n),
            )
            for n in self.count(5000)
        ]  # fmt: skip
        _write(Thread, threads)
        blobs = [
            Blob(workspace=self.workspace, sha256=f"{n:064x}", size=4000) for n in range(total)
        ]
        _write(Blob, blobs)
        _write(Message, (self._message(n, total, threads, blobs) for n in range(total)))
        rows = Message.objects.order_by("received_at")
        received = dict(rows.values_list("pk", "received_at"))
        keys = list(received)
        self._folders(keys, threads)
        _write(
            Attachment,
            (
                Attachment(
                    workspace=self.workspace, message_id=key, blob=blobs[0], position=0,
                    filename=f"{self.text(2)}.pdf", content_type="application/pdf", size=4000,
                    received_at=received[key],
                )
                for key in keys[::8]
            ),
        )  # fmt: skip

    def _message(self, n: int, total: int, threads: list[Thread], blobs: list[Blob]) -> Message:
        sender = f"person{self.chance.randrange(20_000)}@customer.example"
        text = self.text(120)
        return Message(
            workspace=self.workspace, inbox=self.inbox, thread=threads[n * 7 % len(threads)],
            blob=blobs[n], direction="inbound", message_id_header=f"<{n}@bench.example>",
            message_id_key=f"{n:032x}", received_at=_back(minutes=total - n), from_email=sender,
            from_name=self.text(2), to=[{"email": ADDRESS}], subject=self.text(6),
            snippet=text[:200], keywords=["$seen"] if n % 3 else [], size=2000 + n % 5000,
            has_attachments=n % 8 == 0, new_text=text, text=text, html=f"<p>{text}</p>",
        )  # fmt: skip

    def _folders(self, keys: list[int], threads: list[Thread]) -> None:
        """Put the newest into the inbox, the oldest into the trash, and label the threads."""
        through: Any = Message.mailboxes.through
        of_thread: Any = Thread.mailboxes.through
        labels = [
            Mailbox.objects.create(workspace=self.workspace, inbox=self.inbox, name=f"Label {n}")
            for n in range(20)
        ]
        end = len(keys)
        for role, share in FOLDERS.items():
            box, _ = Mailbox.objects.get_or_create(
                inbox=self.inbox, role=role,
                defaults={"workspace": self.workspace, "name": role.title()},
            )  # fmt: skip
            start = max(end - round(len(keys) * share), 0)
            _write(through, (through(message_id=key, mailbox=box) for key in keys[start:end]))
            end = start
        pairs = ((n, labels[n % 20]) for n in range(len(threads)))
        _write(of_thread, (of_thread(thread=threads[n], mailbox=box) for n, box in pairs))

    def activities(self) -> None:
        """Write an activity for a tenth of the messages."""
        keys = Message.objects.order_by("pk").values_list("pk", flat=True)
        _write(
            Activity,
            (
                Activity(
                    workspace=self.workspace, source="email", source_id=f"b{key}", message_id=key,
                    sender="a@customer.example", title=self.text(6), content=self.text(80),
                    summary=self.text(10), status=("surfaced", "processed")[place % 10 > 0],
                    activity_type="request", urgency="normal", autonomy_tier=1 + place % 4,
                    confidence=0.8, reasoning=self.text(10), created_at=_back(minutes=place),
                )
                for place, key in enumerate(keys[: len(self.count(10_000))])
            ),
        )  # fmt: skip

    def people(self) -> None:
        """Contacts, each with an address."""
        people = [
            Person(
                workspace=self.workspace, email=f"person{n}@customer.example", fn=self.text(2),
                given_name=self.text(1), org=self.text(1), note=self.text(40),
                contact_count=n % 997, received_count=n % 997,
                last_contact_at=_back(minutes=n) if n % 5 else None,
            )
            for n in self.count(20_000)
        ]  # fmt: skip
        _write(Person, people)
        _write(
            PersonEmail,
            (PersonEmail(workspace=self.workspace, person=one, email=one.email) for one in people),
        )
        _write(Correspondence, (Correspondence(person=one, account=self.account) for one in people))

    def events(self) -> None:
        """Single events, most of them over, and series, of which one in ten has ended.

        In three calendars, at quarters of an hour.
        """
        calendars = [
            Calendar.objects.get_or_create(
                account=self.account, name=name,
                defaults={"workspace": self.workspace, "is_default": name == "Bench"},
            )[0]
            for name in ("Bench", "Team", "Home")
        ]  # fmt: skip
        singles = (
            self._event(
                calendars[n % 3], n, timezone.now() + timedelta(hours=3 * n - 27_000 * self.size)
            )
            for n in self.count(9500)
        )
        rules = ("FREQ=WEEKLY", "FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR", "FREQ=MONTHLY;BYDAY=2TU")
        series = (
            self._event(
                calendars[n // 3 % 3], 20_000 + n,
                timezone.now() - timedelta(days=n, hours=n % 24, minutes=15 * (n % 4)),
                rrule=rules[n % 3], last_end=_back(days=900) if n % 10 == 0 else None,
            )
            for n in self.count(500)
        )  # fmt: skip
        _write(Event, singles)
        _write(Event, series)
        # As a worker does in the minutes after an update.
        while work_out_due():
            continue

    def _event(self, calendar: Calendar, n: int, start: datetime, **fields: Any) -> Event:
        end = start + timedelta(minutes=30)
        return Event(
            workspace=self.workspace, calendar=calendar, uid=f"{n}@bench.example", dtstart=start,
            dtend=end, summary=self.text(5), description=self.text(60), location=self.text(2),
            status="confirmed", **{"last_end": end, **fields},
        )  # fmt: skip

    def files(self) -> None:
        """Folders with files that say something; one folder has a quarter of them all."""
        folders = [self._node(f"/folder {n}", None, "folder", "") for n in range(50)]
        _write(FileNode, folders)
        blob = Blob.objects.order_by("pk").first()
        _write(
            FileNode,
            (
                self._node(
                    f"{folder.path}/{n} {self.text(2)}.txt", folder, "file", self.text(200),
                    blob=blob, size=n, modified_at=_back(minutes=n), content_type="text/plain",
                )
                for n in self.count(20_000)
                for folder in [folders[0 if n % 4 == 0 else n % 50]]
            ),
        )  # fmt: skip

    def _node(
        self, path: str, parent: FileNode | None, kind: str, text: str, **fields: Any
    ) -> FileNode:
        return FileNode(
            workspace=self.workspace, account=self.account, parent=parent, kind=kind, path=path,
            name=path.rpartition("/")[2], path_key=path.lower(), text=text, **fields,
        )  # fmt: skip

    def todos(self) -> None:
        """To-dos of one list, half of them done."""
        todo_list = TodoList.objects.create(workspace=self.workspace, name="Bench", is_default=True)
        _write(
            Todo,
            (
                Todo(
                    workspace=self.workspace, list=todo_list, uid=f"{n}", summary=self.text(5),
                    description=self.text(20), position=n, created_by="agent:1",
                    status=("needs-action", "completed")[n % 2],
                    due=_back(hours=n) if n % 3 else None,
                )
                for n in self.count(5000)
            ),
        )  # fmt: skip

    def memories(self) -> None:
        """Memories of one agent, and the words that they have."""
        known: set[str] = set()
        rows = []
        for n in self.count(100_000):
            content = f"{self.text(12)} {n}"
            words = words_of(content)
            known.update(word for word in words if len(word) > 3)
            rows.append(
                Memory(
                    workspace=self.workspace, agent=self.agent, content=content,
                    sha256=f"{n:064x}", terms=index_text(self.agent.pk, words),
                )
            )  # fmt: skip
        _write(Memory, rows)
        _write(
            MemoryWord,
            (
                MemoryWord(agent=self.agent, word=word, head=word[:3], tail=word[-3:])
                for word in sorted(known)
            ),
        )

    def mesh(self) -> None:
        """Messages between two agents, those of long ago read; and context entries."""
        _write(
            AgentMessage,
            (
                AgentMessage(
                    workspace=self.workspace, text=self.text(20), thread_id=f"thread {n // 10}",
                    sender=self.other if n % 2 else self.agent,
                    recipient=self.agent if n % 2 else self.other,
                    priority=("low", "normal", "high", "urgent")[n % 4],
                    read_at=_NOW if n < 0.9 * len(self.count(50_000)) else None,
                )
                for n in self.count(50_000)
            ),
        )  # fmt: skip
        _write(
            ContextEntry,
            (
                ContextEntry(
                    workspace=self.workspace, key=f"project:{n % 100}:step:{n}", author=self.other,
                    text='{"done": true}', is_open=n % 10 > 0,
                )
                for n in self.count(20_000)
            ),
        )  # fmt: skip

    def schedules(self) -> None:
        """Schedules, of which none is due."""
        _write(
            Schedule,
            (
                Schedule(
                    workspace=self.workspace, agent=self.agent, command=self.text(5),
                    trigger_at=timezone.now() + timedelta(days=30, minutes=n),
                )
                for n in self.count(10_000)
            ),
        )  # fmt: skip

    def receipts(self) -> None:
        """Receipts of two agents; their chain is not worked out."""
        agents: tuple[Agent, Agent] = (self.agent, self.other)
        total = len(self.count(100_000))
        seq = ReceiptHead.objects.get_or_create(workspace=self.workspace)[0].seq
        _write(
            Receipt,
            (
                Receipt(
                    workspace=self.workspace, seq=seq + 1 + n, actor=f"agent:{agents[n % 2].pk}",
                    actor_name=agents[n % 2].name, tool=("email_list", "list_threads")[n % 3 > 0],
                    arguments={"limit": n}, arguments_sha256=f"{n:064x}", decision="allow",
                    reason="scope inbox:read", outcome="ok", opened_at=_back(minutes=total - n),
                    closed_at=_back(minutes=total - n), hash=f"{n:064x}",
                )
                for n in range(total)
            ),
        )  # fmt: skip
        ReceiptHead.objects.filter(workspace=self.workspace).update(seq=seq + total)

    def log(self) -> None:
        """Events that clients are told of."""
        head, _ = LogHead.objects.get_or_create(pk=1)
        places = self.count(200_000)
        _write(
            LoggedEvent,
            (
                LoggedEvent(
                    pk=head.newest + 1 + n, workspace=self.workspace, fact="message.received",
                    data={"id": f"msg_{n}"}, account_ids=[self.account.pk], at=timezone.now(),
                )
                for n in places
            ),
        )  # fmt: skip
        LogHead.objects.filter(pk=1).update(newest=head.newest + len(places))


def _back(**span: float) -> datetime:
    return _NOW - timedelta(**span)


def _write(model: type[Model], rows: Iterable[Any]) -> None:
    model._default_manager.bulk_create(rows, batch_size=1000)


if __name__ == "__main__":
    if Account.objects.exists():
        raise SystemExit("the database is not empty")
    Furnisher(float(sys.argv[1])).fill()
