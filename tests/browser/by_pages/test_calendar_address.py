"""A calendar at an address, from the first page to the last."""

import pytest
from playwright.sync_api import expect

from tests.calendar_server import calendar, serving_calendar

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
HERE = "127.0.0.1"
FAIR = "UID:fair@team\nDTSTAMP:20260101T000000Z\nDTSTART:20260110T100000Z\nSUMMARY:{}\n"
ODD = "UID:odd@team\nDTSTART:yesterday\nSUMMARY:Odd"


@pytest.fixture
def server():
    with serving_calendar(calendar(FAIR.format("Fair"), ODD, name="The harbour team")) as server:
        yield server


@pytest.mark.parametrize("desk", [{}], ids=["address"], indirect=True)
def test_an_owner_subscribes_to_a_calendar(walk, server):
    page = walk.page
    walk.to_connect()
    walk.say_where(server.url)
    expect(page.get_by_role("heading", name="A calendar address")).to_be_visible()
    walk.press("See what is there")
    expect(page.get_by_label("The harbour team")).to_be_checked()
    walk.look("found")
    walk.press("Connect")
    walk.is_up_to_date()
    page.reload()
    # One that cannot be read is named, with the reason.
    expect(page.get_by_text("Not synced")).to_be_visible()
    expect(page.get_by_role("cell", name="odd@team", exact=True)).to_be_visible()
    walk.look("connected")
    server.content = calendar(FAIR.format("Harbour fair"), name="The harbour team")
    walk.sync(HERE)
    page.reload()
    walk.has_items("The harbour team", "Calendar", 1)
    walk.rename_event("Harbour fair", "Ours")
    walk.is_refused("is read-only here. Change it at its source.")
    server.status = 404
    walk.to_source(HERE)
    walk.sync_fails("(HTTP 404)")
    walk.look("gone")
    walk.to_health()
    expect(page.get_by_text("(HTTP 404)")).to_be_visible()
    walk.look("health")
    server.status = 0
    walk.sync(HERE)
    walk.disconnect(HERE)
