"""An account of a kind with an agent at it, who calls operations; and the person who approves."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, TypeVar

import pytest

from agents.approval import lifecycle
from agents.contracts import REGISTRY, Effect
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import Approval
from inbox.background.jobs import run_due
from inbox.models import Account
from tests.agents.every_kind.mailrooms import Mailroom, imap_room, jmap_room
from tests.agents.every_kind.places import Feed, Nowhere, Place
from tests.calendar_server import serving_calendar
from tests.cases import by_turns
from tests.cyrus import PASSWORD as CYRUS_PASSWORD
from tests.dav_servers import PASSWORD
from tests.inbox.providers.dav.stages import DavStage, FileStage
from tests.inbox.providers.google import stages as google_stages
from tests.inbox.providers.graph import stages as graph_stages
from tests.inbox.providers.jmap.stages import CalendarStage, ContactStage
from tests.machines.google.everything import google_server
from tests.machines.graph.server import graph_server
from tests.sending_tools import check_proposed, hurry

F = TypeVar("F", bound=Callable[..., Any])
_SERVICES = pytest.mark.services
KINDS = [
    "local", pytest.param("imap_smtp", marks=_SERVICES), pytest.param("jmap", marks=_SERVICES),
    "ics", "dav", "google", "graph",
]  # fmt: skip
# Those of which something lies at a server.
ELSEWHERE = KINDS[1:]
# What is said of age differs from call to call.
_OF_AGE = {"_cache_status", "_cached_at", "asOf"}
# The operations that some test calls in an office of every kind.
EVERY: set[str] = set()


def calls(*operations: str) -> Callable[[F], F]:
    """Say which operations a test calls; the office holds it to that."""
    EVERY.update(operations)

    def mark(test: F) -> F:
        test.calls = set(operations)  # type: ignore[attr-defined]
        return test

    return mark


def in_turn(turn: int) -> list[Any]:
    """Return the kinds for a test of several that do the same: half of those without mail at a server."""
    return [*KINDS[:3], *by_turns(KINDS[3:], turn)]


class Office:
    """An account of a kind, and what is done at it; `places` are what it is connected to, by noun."""

    def __init__(self, kind: str, inbox: Any, actor: Any, reviewer: Any, mail: Mailroom) -> None:
        self.kind, self.inbox, self.actor, self.reviewer = kind, inbox, actor, reviewer
        self.account_id = inbox.account.public_id
        self.mail = mail
        self.called: set[str] = set()
        self.open: dict[str, Callable[[], Any]] = {}
        self.server: Any = None
        self.closing = ExitStack()

    def connect(self, noun: str, **how: Any) -> Any:
        """Connect the account to where its calendars, contacts, to-dos or files lie, if anywhere."""
        place = self.open.get(noun, Nowhere)(**how)
        self.closing.callback(place.close)
        return place

    def do(self, operation: str, /, key: str | None = None, **arguments: Any) -> Any:
        """Call an operation: what reads by its own name and by its verb, what writes by its verb."""
        self.called.add(operation)
        tool = REGISTRY.tool(operation)
        if "account_id" in tool.arguments.model_fields:
            arguments = {"account_id": self.account_id, **arguments}
        # One that is fixed to a part of what the operation does is another matter.
        verb = next(it for it in tool.folds if it.fold in VERBS and not it.preset)
        asked = {"resource": verb.branch, "parameters": arguments}
        if tool.effect is not Effect.READ or "path" in str(sorted(arguments)):
            return call(verb.fold, asked, self.actor, key).result
        answer = call(operation, arguments, self.actor).result
        assert without_age(call(verb.fold, asked, self.actor).result) == without_age(answer)
        return answer

    def ask(self, tool: str, **arguments: Any) -> Any:
        """Call a tool that is no operation."""
        return call(tool, arguments, self.actor).result

    def serve(self, service: str, action: str, **arguments: Any) -> Any:
        """Call an action of a service, and return its data."""
        answer = self.ask(service, action=action, **arguments)
        assert answer["status"] == "success", answer
        return answer["data"]

    def refused(self, operation: str, /, **arguments: Any) -> ToolError:
        """Call an operation, or a service, that is refused; return why."""
        run = self.ask if operation.endswith("_service") else self.do
        with pytest.raises(ToolError) as caught:
            run(operation, **arguments)
        return caught.value

    def let_leave(self, answer: dict[str, Any]) -> None:
        """Check that a call waits for a person and nothing left, approve it, and let it leave."""
        assert answer["status"] == "queued"
        approval = Approval.objects.get(state="waiting")
        assert answer.get("approval_id", approval.public_id) == approval.public_id
        assert approval.submission.state == "held"
        before = self.mail.left()
        check_proposed()
        approval.refresh_from_db()
        lifecycle.approve(approval=approval, by=self.reviewer, sha256=approval.sha256)
        hurry()
        run_due()
        approval.submission.refresh_from_db()
        assert approval.submission.state == "sent", approval.submission.state
        left = self.mail.left()
        assert left is None or len(left) == len(before or []) + 1


def without_age(answer: Any) -> Any:
    """Return an answer without what it says of its age."""
    if isinstance(answer, dict):
        return {k: without_age(it) for k, it in answer.items() if k not in _OF_AGE}
    return [without_age(it) for it in answer] if isinstance(answer, list) else answer


VERBS = {"list", "get", "create", "send", "reply", "update", "move", "delete", "search", "auth",
         "cache"}  # fmt: skip


# -- the kinds -------------------------------------------------------------------------------------
@contextmanager
def office_of(kind: str, inbox: Any, actor: Any, reviewer: Any, request: Any) -> Iterator[Office]:
    """Have an office whose mail leaves at once."""
    Account.objects.filter(pk=inbox.account_id).update(undo_seconds=0)
    inbox.account.refresh_from_db()
    with ExitStack() as stack:
        rooms = {"imap_smtp": imap_room, "jmap": jmap_room}
        mail = (
            stack.enter_context(rooms[kind](inbox, request)) if kind in rooms else Mailroom(inbox)
        )
        office = Office(kind, inbox, actor, reviewer, mail)
        if kind in _OPENED:
            stack.enter_context(_OPENED[kind](office, request))
        with office.closing:
            yield office


@contextmanager
def _at_addresses(office: Office, _request: Any) -> Iterator[None]:
    with serving_calendar() as server:
        office.open = {"calendar": lambda **_how: Feed(office.inbox.account, server)}
        yield


@contextmanager
def _at_dav(office: Office, request: Any) -> Iterator[None]:
    radicale = request.getfixturevalue("radicale")
    user, account = radicale.new_user(), office.inbox.account

    def at_radicale(noun: Any, **how: Any) -> Place:
        stage = DavStage(radicale, user, noun)
        settings = {"url": f"{radicale.url}/", "username": user}
        return Place(account, stage, "dav", PASSWORD, settings, **how)

    def files(**how: Any) -> Place:
        stage = FileStage(request.getfixturevalue("wsgidav"))
        settings = {"files_url": stage.collection.id, "username": "mira"}
        return Place(account, stage, "dav", PASSWORD, settings, **how)

    for noun in ("calendar", "contacts", "todos"):
        office.open[noun] = partial(at_radicale, noun)
    office.open["files"] = files
    yield


@contextmanager
def _at_jmap(office: Office, request: Any) -> Iterator[None]:
    cyrus = request.getfixturevalue("cyrus")
    user, account = office.mail.user, office.inbox.account

    def opened(stage: Any, **how: Any) -> Place:
        settings = cyrus.settings(user)
        return Place(account, stage(cyrus, user), "jmap", CYRUS_PASSWORD, settings, **how)

    office.open["contacts"] = partial(opened, ContactStage)
    office.open["calendar"] = partial(opened, CalendarStage)
    yield


@contextmanager
def _at_google(office: Office, _request: Any) -> Iterator[None]:
    with google_server() as server:
        office.server = server
        _open_stages(office, server, server.token, {
            "calendar": google_stages.CalendarStage, "contacts": google_stages.PeopleStage,
            "todos": google_stages.TaskStage, "files": google_stages.DriveStage,
        })  # fmt: skip
        yield
    # Google tells guests unless it is asked not to.
    assert server.calendars.told == []
    assert server.violations == []


@contextmanager
def _at_graph(office: Office, _request: Any) -> Iterator[None]:
    with graph_server() as server:
        box = server.add_account()
        office.server = server
        _open_stages(office, server, server.sign_in, {
            "calendar": graph_stages.CalendarStage, "contacts": graph_stages.ContactStage,
            "todos": graph_stages.TodoStage, "files": graph_stages.DriveStage,
        })  # fmt: skip
        yield
    assert box.sent == []


def _open_stages(office: Office, server: Any, sign_in: Any, stages: dict[str, Any]) -> None:
    account = office.inbox.account

    # Who signs in there has another address than the account.
    settings = {"api_url": server.url, "username": "mira@lantern.example"}

    def opened(stage: Any, **how: Any) -> Place:
        return Place(account, stage(server), office.kind, sign_in(), settings, **how)

    office.open = {noun: partial(opened, stage) for noun, stage in stages.items()}


_OPENED: dict[str, Any] = {
    "jmap": _at_jmap, "ics": _at_addresses, "dav": _at_dav, "google": _at_google, "graph": _at_graph,
}  # fmt: skip
