"""The demo's office: a week's calendar, contacts, files and to-dos, and what its agent keeps.

Everything is made as a person or the agent would make it. The calendar's file has fixed dates; it
moves by whole weeks, so that weekdays stay.
"""

from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

from django.conf import settings

from agents.dispatching.dispatch import call
from agents.operations.setup.demo_mail import shift_dates
from calendar_app.models import Todo, TodoStatus
from calendar_app.operations.calendar_files import import_calendar
from calendar_app.operations.keeping import default_calendar
from calendar_app.operations.todos import create_todo, default_todo_list, update_todo
from inbox.actor import Actor
from inbox.models import Account, FileNode
from inbox.operations.contacts.vcards import import_cards
from inbox.operations.files import create_file, write_file

OFFICE = Path(settings.BASE_DIR) / "examples" / "demo_office"
# The Monday of the week that the calendar's file is about.
_MONDAY = date(2026, 11, 23)
_MEMORIES = (
    "Hattie Marsh wants the papers for a VAT return a week before it is due.",
    "Wheelhouse Collective: Priya Nair writes, a committee decides, on Wednesday evenings.",
    "Anke Brandt is answered in German, Beatriz Ocampo in Spanish, Hélène Carpentier in French.",
    "Invoices of Harrow Hosting come from harrowhost.example; a name with two v is somebody else.",
)
_OFFER = {"workshops": 5, "gbp_per_month": "145.00", "notice": "one month", "from": "4 January"}
_NOTICE = "The papers for Hattie's VAT return: was everything sent?"


def furnish_office(*, person: Actor, account: Account, now: datetime) -> None:
    """Make the calendar, contacts, files and to-dos; none of them where there are files already."""
    if FileNode.objects.filter(account=account).exists():
        return
    calendar = shift_dates((OFFICE / "calendar.ics").read_bytes(), days_to_week(now))
    import_calendar(calendar=default_calendar(account), content=calendar)
    cards = (OFFICE / "contacts.vcf").read_bytes()
    import_cards(actor=person, account=account, data=cards)
    _make_files(person, account)
    _make_todos(person, account, now)


def days_to_week(now: datetime) -> int:
    """Return by how many days to move the calendar: to this week, from Saturday on to the next."""
    day = (now.astimezone(UTC) + timedelta(days=2)).date()
    return (day - timedelta(days=day.weekday()) - _MONDAY).days


def _make_files(person: Actor, account: Account) -> None:
    for file in sorted((OFFICE / "files").glob("*/*")):
        place = file.relative_to(OFFICE / "files")
        earlier = OFFICE / "earlier" / place
        newest = file.read_bytes()
        first = earlier.read_bytes() if earlier.exists() else newest
        made = create_file(
            actor=person, account=account, path=f"/{place.as_posix()}", content=first
        )
        write_file(actor=person, file=made, content=newest)


def _make_todos(person: Actor, account: Account, now: datetime) -> None:
    todos = default_todo_list(workspace_id=account.workspace_id)

    def add(summary: str, *, due: datetime | None = None, parent: Todo | None = None) -> Todo:
        return create_todo(actor=person, todo_list=todos, summary=summary, due=due, parent=parent)

    papers = add("Send Hattie what the VAT return needs", due=_at(now, 3, 17))
    update_todo(todo=papers, changes={"starred": True})
    add("Bank statement for October", due=_at(now, 2, 12), parent=papers)
    receipts = add("Receipts over £100: the hosting and the labels", parent=papers)
    update_todo(todo=receipts, changes={"status": TodoStatus.COMPLETED})
    add("Pay Lumen Labels, invoice LP-5567", due=_at(now, 1, 12))
    add("Decide on support hours over Christmas")


def begin_work(*, agent: Actor, now: datetime) -> None:
    """Have the agent save what it keeps in mind, share an entry and ask for a notice, by calls."""
    for memory in _MEMORIES:
        call("internal_memory_service", {"action": "save", "content": memory}, agent)
    shared = {"agent_name": agent.name, "key": "offers/wheelhouse", "value": _OFFER}
    call("push_context", shared, agent)
    notice = {"command": _NOTICE, "trigger_at": _at(now, 3, 9).isoformat()}
    call("internal_scheduler_service", {"action": "create", **notice}, agent)


def _at(now: datetime, days: int, hour: int) -> datetime:
    return datetime.combine((now + timedelta(days=days)).date(), time(hour), UTC)
