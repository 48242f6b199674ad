"""JMAP through a proxy at which each request goes wrong in turn: never lost, never sent twice."""

import json

import pytest

from inbox.accounts.credentials import Secret
from inbox.models import Message, SyncState
from inbox.providers.base import Connection, ProviderError
from inbox.providers.jmap import api
from inbox.providers.jmap.sending import JmapSender
from tests.cyrus import PASSWORD
from tests.faults.http_proxy import Answered, HttpProxy
from tests.inbox.syncing.by_changes.jmap_account import agree, connect
from tests.inbox.syncing.mirrors import duplicates, letter
from tests.provider_cases import ignore, parcel

pytestmark = pytest.mark.services
FAULTS = {
    "reset": "reset",
    "lost": "lost",
    "half": "half",
    "429": Answered(429, b"slower", (("Retry-After", "1"),)),
    "500": Answered(500, b"oops"),
    "503": Answered(503, b"busy"),
    "no JSON": Answered(200, b"<html>"),
    "no answers": Answered(200, b'{"methodResponses": []}'),
    "no name": Answered(200, b'{"methodResponses": [["Email/get", {}, []]]}'),
}


@pytest.fixture
def user(cyrus):
    cyrus.outgoing.taken.clear()
    return cyrus.new_user()


@pytest.fixture
def proxy(cyrus):
    with HttpProxy(cyrus.host, cyrus.port) as proxy:
        yield proxy


def settings(proxy, user):
    return {"jmap_url": f"{proxy.url}/", "username": user, "jmap_timeout": 5}


def at(number, fault):
    return lambda asked, *_request: fault if asked == number else None


@pytest.mark.django_db
@pytest.mark.parametrize("fault", FAULTS.values(), ids=list(FAULTS))
def test_whatever_request_of_a_sync_fails_the_next_goes_on(inbox, cyrus, user, proxy, fault):
    with cyrus.client(user) as program:
        for number in range(4):
            program.append("INBOX", letter(f"Letter {number}"))
        mirror = connect(inbox, settings(proxy, user))
        for number in range(1, 13):
            proxy.number = 0
            proxy.script = at(number, fault)
            mirror.sync()
            assert "unexpectedly" not in str(mirror.state.words)
            program.append("INBOX", letter(f"New {number}"))
        proxy.script = lambda *_request: None
        assert mirror.sync(times=2)
    agree(cyrus, user, mirror)
    assert Message.objects.kept().count() == 16
    assert duplicates(mirror.account) == []
    assert mirror.state.status == "current"


@pytest.mark.django_db
def test_changes_that_cannot_be_told_have_everything_listed(inbox, cyrus, user, proxy):
    with cyrus.client(user) as program:
        for number in range(3):
            program.append("INBOX", letter(f"Letter {number}"))
        mirror = connect(inbox, settings(proxy, user))
        mirror.sync()
        program.select_folder("INBOX")
        program.move([1], "Archive")

        def forgetful(_number, _method, _path, body):
            if b"Email/changes" not in body:
                return None
            error = ["error", {"type": "cannotCalculateChanges"}, "changes"]
            others = [
                ["error", {"type": "invalidResultReference"}, k] for k in ("created", "updated")
            ]
            return Answered(200, json.dumps({"methodResponses": [error, *others]}).encode())

        position = mirror.state.position
        proxy.script = forgetful
        mirror.sync()
        proxy.script = lambda *_request: None
        assert mirror.sync()
    agree(cyrus, user, mirror)
    assert mirror.state.position != position
    assert mirror.subjects("Archive") == ["Letter 0"]


def end_of(sender, mime):
    try:
        sender.submit(parcel(mime), ignore)
    except ProviderError as error:
        return error.kind
    return "sent"


@pytest.mark.parametrize("fault", FAULTS.values(), ids=list(FAULTS))
def test_whatever_request_of_a_send_fails_it_is_sent_once_or_said_not_to_be(
    cyrus, user, proxy, fault
):
    sender = JmapSender(
        Connection("office@lantern.example", settings(proxy, user), Secret(PASSWORD))
    )
    ends = []
    for number in range(1, 12):
        api._kept.clear()
        cyrus.outgoing.taken.clear()
        proxy.number = 0
        proxy.script = at(number, fault)
        mime = parcel().mime.replace(b"The offer", b"Offer %d" % number)
        ends.append(end_of(sender, mime))
        # Only of what nobody can tell may one have left or not.
        assert len(cyrus.outgoing.taken) in {"sent": {1}, "unknown": {0, 1}}.get(ends[-1], {0})
        proxy.script = lambda *_request: None
    assert "sent" in ends
    assert set(ends) <= {"sent", "transient", "unknown", "permanent"}


@pytest.mark.django_db
def test_a_password_that_is_refused_halfway_waits_for_a_person(inbox, cyrus, user, proxy):
    with cyrus.client(user) as program:
        program.append("INBOX", letter("Letter"))
    mirror = connect(inbox, settings(proxy, user))
    proxy.script = at(5, Answered(401, b"no", (("WWW-Authenticate", 'Basic realm="x"'),)))
    assert not mirror.sync()
    assert mirror.state.status == "refused"
    SyncState.objects.update(failures=0)
    proxy.script = lambda *_request: None
    assert mirror.sync()
    agree(cyrus, user, mirror)
