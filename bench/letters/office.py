"""An office made of what a file says of it, by the operations that make rows in real life."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from email.message import EmailMessage
from email.utils import format_datetime, getaddresses, parseaddr
from pathlib import PurePosixPath
from typing import Any
from zoneinfo import ZoneInfo

from django.utils import timezone

from agents.operations.agents import create_agent, known_scopes
from bench.letters.corpus import Corpus, Row
from calendar_app.icalendar import Invitee, ItipEvent, ItipMessage
from calendar_app.itip_writing import write_itip
from calendar_app.operations.calendar_files import import_calendar
from calendar_app.operations.keeping import default_calendar
from inbox.actor import Actor, system_actor
from inbox.models import Account, FileNode, Inbox, Message, PhoneKind, ReplyPolicy
from inbox.operations.accounts.accounts import create_account
from inbox.operations.accounts.workspaces import create_workspace
from inbox.operations.contacts.cards import CardChanges, CardEmail
from inbox.operations.contacts.contacts import create_contact
from inbox.operations.files import create_file
from inbox.operations.mail.incoming import receive_message

_SERVER = "mx.letters.example"
_TEN, _NINE = time(10), time(9)
# What writes text with a name that says otherwise: the words of a PDF.
_MOST_TEXT = 200_000


@dataclass(frozen=True)
class Office:
    """The account of an office, the agent that writes its letters, and its threads' newest mail."""

    inbox: Inbox
    agent: Actor
    newest: dict[str, Message]
    files: dict[str, bytes]

    @property
    def account(self) -> Account:
        """The account that letters leave from."""
        return self.inbox.account


@contextmanager
def clock_at(moment: datetime) -> Iterator[None]:
    """Have it be a moment until the block ends."""
    real = timezone.now
    timezone.now = lambda: moment.astimezone(UTC)
    try:
        yield
    finally:
        timezone.now = real


def written_at(corpus: Corpus) -> datetime:
    """Return when the letters of an office are written: at ten on its day."""
    return _moment(corpus.office["today"], ZoneInfo(corpus.office["zone"]), _TEN)


def make_office(corpus: Corpus) -> Office:
    """Make the account of an office with its mail, files, events, cards and rules."""
    us, zone = corpus.office["us"], ZoneInfo(corpus.office["zone"])
    workspace = create_workspace(name=corpus.office["name"], slug=_slug(corpus.name))
    account = create_account(
        workspace=workspace, address=us["email"], name=us["name"], authserv_id=_SERVER
    )
    inbox = Inbox.objects.get(account=account)
    agent, _ = create_agent(
        workspace=workspace, name="Clerk", scopes=known_scopes(), inboxes=[inbox]
    )
    actor = Actor(
        "agent", agent.pk, agent.name, (workspace.pk,), scopes=frozenset(known_scopes()),
        account_ids=frozenset([account.pk]),
    )  # fmt: skip
    texts = {one["path"]: str(one.get("text") or "") for one in corpus.files}
    for one in corpus.files:
        _keep_file(account, one, zone)
    for one in corpus.people:
        _keep_card(account, one)
    _keep_events(account, corpus, zone)
    _state_rules(account, corpus.office.get("rules") or "")
    return Office(
        inbox, actor, {key: _exchange(inbox, key, corpus, zone, texts) for key in corpus.threads},
        {path: text.encode() for path, text in texts.items()},
    )  # fmt: skip


def _slug(name: str) -> str:
    return "".join(it if it.isalnum() else "-" for it in name.lower()).strip("-")


def _moment(said: Any, zone: ZoneInfo, at: time = _NINE) -> datetime:
    """Return a moment as a file writes it: a day, or a day and a time on the office's clock."""
    if isinstance(said, str):
        said = datetime.fromisoformat(said.strip())
    if not isinstance(said, datetime):
        said = datetime.combine(said, at)
    return said if said.tzinfo else said.replace(tzinfo=zone)


def _keep_file(account: Account, row: Row, zone: ZoneInfo) -> None:
    text = str(row.get("text") or "")
    actor = system_actor(account.workspace_id, "letters")
    with clock_at(_moment(row.get("modified") or date(2026, 1, 2), zone)):
        made = create_file(
            actor=actor, account=account, path=f"/{row['path'].lstrip('/')}", content=text.encode()
        )  # fmt: skip
    # What a PDF says is given as text: that it can be read out of one is tested elsewhere.
    if not made.text.strip() and text.strip():
        made.text = text[:_MOST_TEXT]
        FileNode.objects.filter(pk=made.pk).update(text=made.text)


def _keep_card(account: Account, row: Row) -> None:
    numbers = row.get("tel") or []
    phones = {
        PhoneKind.BUSINESS: [numbers] if isinstance(numbers, str) else list(map(str, numbers))
    }
    changes = CardChanges(
        fn=row.get("name"), org=row.get("org"), title=row.get("title"), note=row.get("note"),
        emails=[CardEmail(row["email"])] if row.get("email") else None,
        phones=phones if numbers else {},
    )  # fmt: skip
    create_contact(
        actor=system_actor(account.workspace_id, "letters"), account=account, changes=changes
    )


def _keep_events(account: Account, corpus: Corpus, zone: ZoneInfo) -> None:
    events = tuple(
        _event(number, row, zone, account.address) for number, row in enumerate(corpus.events)
    )
    if events:
        content = write_itip(ItipMessage("", events)).encode()
        import_calendar(calendar=default_calendar(account), content=content)


def _event(number: int, row: Row, zone: ZoneInfo, own: str) -> ItipEvent:
    there = ZoneInfo(row.get("zone") or zone.key)
    start, end = row["start"], row.get("end") or row["start"]
    is_all_day = isinstance(start, date) and not isinstance(start, datetime)
    if is_all_day:
        first = datetime.combine(start, time(), UTC)
        last = datetime.combine(end, time(), UTC)
        begins, ends = first, last if last > first else first + timedelta(days=1)
    else:
        begins, ends = (_moment(it, there).astimezone(UTC) for it in (start, end))
    guests = tuple(
        Invitee(address, name) for name, address in getaddresses(list(row.get("guests") or []))
    )
    return ItipEvent(
        uid=f"{number}@letters.example", sequence=0, recurrence_id="", dtstamp=begins, start=begins,
        end=ends, all_day=is_all_day, timezone="" if is_all_day else there.key, rrule="",
        summary=row["summary"], description=row.get("description") or "",
        location=row.get("location") or "", status="",
        organizer=Invitee(own) if guests else None, attendees=guests,
    )  # fmt: skip


def _state_rules(account: Account, rules: str) -> None:
    """Have the office's rules in the policy, as remarks: it has no field for such words."""
    policies = ReplyPolicy.objects.filter(workspace=account.workspace_id).order_by("pk")
    policy = policies.first()
    remarks = "".join(f"# {line}\n" for line in rules.strip().split("\n") if line.strip())
    if policy is not None and remarks:
        policy.source = f"{remarks}{policy.source}"
        policy.save(update_fields=["source"])


def _exchange(
    inbox: Inbox, key: str, corpus: Corpus, zone: ZoneInfo, texts: dict[str, str]
) -> Message:
    """Have the mail of a thread come in and go out, the oldest first; return the newest."""
    rows = sorted(corpus.threads[key], key=lambda it: _moment(it["date"], zone))
    earlier: list[str] = []
    stored: Message | None = None
    for number, row in enumerate(rows):
        header = f"<{key}.{number}@{parseaddr(row['from'])[1].rpartition('@')[2]}>"
        is_ours = parseaddr(row["from"])[1].lower() == inbox.address.lower()
        moment = _moment(row["date"], zone)
        raw = _letter(row, header, earlier, moment, texts, is_ours=is_ours)
        with clock_at(moment):
            stored = receive_message(
                inbox=inbox, raw=raw, received_at=moment, mailbox_role="sent" if is_ours else ""
            )
        earlier.append(header)
    if stored is None:
        raise ValueError(f"thread {key} is empty")
    return stored


def _letter(
    row: Row, header: str, earlier: list[str], moment: datetime, texts: dict[str, str], *,
    is_ours: bool,
) -> bytes:  # fmt: skip
    sender = parseaddr(row["from"])[1]
    domain = sender.rpartition("@")[2]
    made = EmailMessage()
    if not is_ours:
        made["Authentication-Results"] = (
            f"{_SERVER}; spf=pass smtp.mailfrom={sender}; dkim=pass header.d={domain}; "
            f"dmarc=pass header.from={domain}"
        )
        made["Received"] = f"from mail.{domain} by {_SERVER}; {format_datetime(moment)}"
    made["From"], made["Message-ID"], made["Date"] = row["from"], header, format_datetime(moment)
    for name in ("to", "cc"):
        if given := row.get(name):
            made[name.title()] = given if isinstance(given, str) else ", ".join(given)
    made["Subject"] = " ".join(str(row.get("subject") or "").split())
    if earlier:
        made["In-Reply-To"], made["References"] = earlier[-1], " ".join(earlier)
    made.set_content(str(row.get("text") or ""))
    for one in row.get("attachments") or []:
        given = one if isinstance(one, dict) else {"path": one}
        path = str(given.get("path") or given.get("name"))
        text = str(given.get("text") or texts.get(path, ""))
        made.add_attachment(
            text.encode(), "application", "octet-stream", filename=PurePosixPath(path).name
        )
    return made.as_bytes()
