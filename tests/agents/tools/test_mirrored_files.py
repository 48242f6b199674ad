"""Files that lie at a server as well, as a caller meets them."""

import pytest

from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.evidence.refs import Ref
from agents.evidence.trust import read_trust
from agents.exchange import folders
from agents.models import Approval, Origin
from inbox.models import FileNode, RemoteCollection, RemoteSource
from inbox.operations.accounts.sources import disconnect_source
from inbox.providers import PROVIDERS
from tests.inbox.syncing.collections.sources import connect, sync
from tests.made_up_drive import Drive, declare

pytestmark = pytest.mark.django_db


@pytest.fixture
def drive(inbox, monkeypatch):
    drive = Drive()
    monkeypatch.setitem(PROVIDERS, "drive", declare(drive))
    drive.make("Offers", None)
    drive.make("Offers/June.txt", b"June")
    connect(inbox.account, "drive", {})
    update()
    return drive


def update():
    return sync(RemoteSource.objects.get())


@pytest.fixture
def ask(actor, inbox):
    """Call a tool about the account's files."""

    def ask(name, **arguments):
        return call(name, {"account_id": inbox.account.public_id, **arguments}, actor).result

    return ask


def test_what_an_agent_does_with_files_is_so_at_the_server(ask, drive, actor):
    [listed] = ask("file_list", path="/Drive/Offers")
    assert (listed["name"], listed["_cache_status"]) == ("June.txt", "fresh")
    ask("file_get", file_id=listed["id"], download_path="june.txt")
    assert folders.read_file(actor, "june.txt") == b"June"
    folders.write_file(actor, "new.txt", b"July")
    made = ask("file_create", onedrive_path="/Drive/Offers/July.txt", local_file_path="new.txt")
    folders.write_file(actor, "newer.txt", b"June, again")
    ask("file_update", file_id=listed["id"], local_file_path="newer.txt")
    update()
    assert drive.everything() == {
        "Offers": None, "Offers/June.txt": b"June, again", "Offers/July.txt": b"July",
    }  # fmt: skip
    ask("file_delete", file_id=made["id"], confirm=True)
    update()
    assert "Offers/July.txt" not in drive.everything()


def test_a_search_finds_what_a_file_there_says(ask, drive):
    drive.make("Lamps.txt", b"The lighthouse keeper orders wicks.")
    update()
    assert [one["name"] for one in ask("search_files", query="wicks")] == ["Lamps.txt"]


def test_a_share_waits_for_a_person_and_nothing_leaves(ask, drive):
    queued = ask("file_share", file_id="/Drive/Offers/June.txt", to=["ada@customer.example"])
    assert queued["status"] == "queued"
    assert Approval.objects.get().submission.state == "held"
    assert drive.applied == []


def test_a_folder_that_may_only_be_read_refuses_in_plain_words(ask, drive, actor):
    [listed] = ask("file_list", path="/Drive/Offers")
    RemoteCollection.objects.update(read_only=True)
    folders.write_file(actor, "new.txt", b"July")
    for name, arguments in (
        ("file_create", {"onedrive_path": "/Drive/x.txt", "local_file_path": "new.txt"}),
        ("file_update", {"file_id": listed["id"], "local_file_path": "new.txt"}),
        ("file_delete", {"file_id": listed["id"], "confirm": True}),
    ):
        with pytest.raises(ToolError) as refused:
            ask(name, **arguments)
        assert refused.value.code == "permission_denied"
        assert "/Drive is read-only here" in str(refused.value)
    update()
    assert drive.applied == []


def test_what_others_write_there_is_a_strangers_word(drive, actor, inbox):
    file = FileNode.objects.get(name="June.txt")
    ref = Ref("fil", file.pk)
    assert origin(actor, ref) == Origin.OWNER
    RemoteCollection.objects.update(is_own=False)
    assert origin(actor, ref) == Origin.STRANGER
    # Nor does it come back as ours once nothing tells any more who wrote it.
    disconnect_source(source=RemoteSource.objects.get(), keep=True)
    assert not FileNode.objects.filter(name="June.txt").exists()


def origin(actor, ref):
    return read_trust(actor.workspace_id, [ref])[ref].origin
