"""Servers are connected by their pages alone, on a phone and in the dark too."""

import os

import pytest
from playwright.sync_api import expect

from calendar_app.models import Event
from inbox.actor import operator_actor
from inbox.models import FileNode, Membership, RemoteSource, Role, SyncConflict
from inbox.operations.files import write_file
from tests.browser.crawling import find_barriers
from tests.calendar_server import calendar, serving_calendar
from tests.dav_servers import PASSWORD
from tests.inbox.providers.dav.conftest import wsgidav
from tests.inbox.providers.dav.stages import FileStage
from tests.inbox.syncing.collections.sources import sync

__all__ = ["wsgidav"]
pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
FAIR = "UID:fair@team\nDTSTAMP:20260101T000000Z\nDTSTART;VALUE=DATE:20260401\nSUMMARY:Fair\n"
ODD = "UID:odd@team\nDTSTART:yesterday\nSUMMARY:Odd"


on_every_desk = pytest.mark.parametrize(
    "desk",
    [{}, {"color_scheme": "dark"}, {"viewport": {"width": 390, "height": 844}}],
    ids=["desktop", "dark", "phone"],
    indirect=True,
)


def looking(desk, request):
    """Return what looks at a page: for barriers, and for a picture where somebody wants one."""

    def look(what):
        assert find_barriers(desk.page) == []
        assert not desk.overflows()
        if folder := os.environ.get("PICTURES"):
            name = request.node.callspec.id
            desk.page.screenshot(path=f"{folder}/{what}-{name}.png", full_page=True)

    return look


@on_every_desk
def test_an_owner_connects_a_calendar_and_looks_after_it(inbox, reviewer, desk, request):
    Membership.objects.filter(user=reviewer).update(role=Role.OWNER)
    page, look = desk.page, looking(desk, request)
    with serving_calendar(calendar(FAIR, ODD, name="The harbour team")) as server:
        desk.open(f"/admin/inbox/account/{inbox.account_id}/change/")
        look("account")
        page.get_by_role("link", name="Connect calendars, contacts or files").click()
        look("choose")
        page.get_by_role("link", name="A calendar address").click()
        page.get_by_label("Address").fill("http://127.0.0.1:1/team.ics")
        page.get_by_role("button", name="See what is there").click()
        expect(page.get_by_role("alert")).to_contain_text("cannot be reached")
        look("refused")
        page.get_by_label("Address").fill(server.url)
        page.get_by_role("button", name="See what is there").click()
        expect(page.get_by_label("The harbour team")).to_be_checked()
        look("found")
        page.get_by_role("button", name="Connect").click()
        expect(page.get_by_role("heading", name="127.0.0.1")).to_be_visible()
        source = sync(RemoteSource.objects.get())
        assert Event.objects.get().summary == "Fair"
        SyncConflict.objects.create(
            workspace=source.workspace, collection=source.collections.get(), key="fair@team",
            title="Fair", ours={"summary": "Our fair"}, theirs={"summary": "Fair"},
        )  # fmt: skip
        page.reload()
        expect(page.get_by_text("Up to date").first).to_be_visible()
        look("source")
        desk.open("/admin/accounts/health/")
        look("health")


@on_every_desk
def test_an_owner_connects_a_folder_of_files_and_sees_what_gave_way(
    inbox, reviewer, desk, request, wsgidav
):
    Membership.objects.filter(user=reviewer).update(role=Role.OWNER)
    page, look = desk.page, looking(desk, request)
    stage = FileStage(wsgidav)
    for name, content in (("Offer.txt", "one"), ("offer.TXT", "two"), ("Plan.txt", "three")):
        stage.client.put(f"{stage.collection.id}{name}", content=content.encode())
    desk.open(f"/admin/accounts/{inbox.account_id}/servers/add/?provider=dav")
    page.get_by_text("Contacts or files at another address").click()
    page.get_by_label("Address of files").fill(stage.collection.id)
    page.get_by_label("User name").fill("mira")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="See what is there").click()
    # Files are many and large: nothing is selected until somebody does.
    folder = page.get_by_label("folder of files, with all that is in it")
    expect(folder).not_to_be_checked()
    look("files-found")
    folder.check()
    page.get_by_role("button", name="Connect").click()
    expect(page.get_by_role("heading", name="127.0.0.1")).to_be_visible()
    source = sync(RemoteSource.objects.get())
    collection = source.collections.get()
    assert not source.failures, (source.words, source.reply)
    plan = FileNode.objects.get(name="Plan.txt")
    write_file(actor=operator_actor(inbox.workspace_id), file=plan, content=b"ours")
    stage.client.put(f"{stage.collection.id}Plan.txt", content=b"theirs, and longer")
    sync(source)
    page.reload()
    expect(page.get_by_text("the names differ in case alone")).to_be_visible()
    expect(page.get_by_text("kept among the versions of the file")).to_be_visible()
    look("files-source")
    page.get_by_role("link", name=collection.folder.path, exact=True).click()
    expect(page.get_by_role("link", name="Plan.txt")).to_be_visible()
    look("files-folder")
    stage.close()
