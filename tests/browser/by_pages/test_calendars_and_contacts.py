"""Calendars and address books by CalDAV and CardDAV, from the first page to the last."""

import pytest
from playwright.sync_api import expect

from tests.browser.by_pages.walking import there, until
from tests.dav_servers import PASSWORD
from tests.inbox.providers.dav.stages import DavStage

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
HERE = "127.0.0.1"


class Stages:
    """A user's calendar, another one, and an address book, each with one item."""

    def __init__(self, server, user):
        self.url, self.user = f"{server.url}/", user
        self.calendar = DavStage(server, user, "calendar")
        self.other = DavStage(server, user, "calendar")
        self.book = DavStage(server, user, "contacts")
        self.calendar.put("fair", "Fair")
        self.other.put("rehearsal", "Rehearsal")
        self.book.put("ada", "Ada Lamp")

    def close(self):
        for stage in (self.calendar, self.other, self.book):
            stage.close()


@pytest.fixture(params=["radicale", "xandikos", "davical", "cyrus_dav"])
def stages(request):
    server = request.getfixturevalue(request.param)
    found = Stages(server, "mira" if request.param == "xandikos" else server.new_user())
    found.asks_for_passwords = request.param != "xandikos"
    yield found
    found.close()


def test_an_owner_keeps_calendars_and_contacts_in_step(walk, stages):
    connect(walk, stages)
    change_on_both_sides(walk, stages)
    only_read(walk, stages)
    if stages.asks_for_passwords:
        mend_the_password(walk)
    choose_another(walk, stages)
    walk.to_health()
    expect(walk.page.get_by_text("3 items")).to_be_visible()
    walk.look("health")
    walk.disconnect(HERE)


def connect(walk, stages):
    page = walk.page
    walk.to_connect()
    walk.look("choose")
    walk.say_where(stages.url)
    walk.fill(User_name=stages.user)
    if stages.asks_for_passwords:
        walk.fill(Password="wrong")
        walk.press("See what is there")
        walk.is_refused("does not accept the user name, password or key")
        walk.look("refused")
    walk.fill(Password=PASSWORD)
    walk.press("See what is there")
    page.get_by_label(f"{stages.other.collection.name} calendar").uncheck()
    expect(page.get_by_label(f"{stages.calendar.collection.name} calendar")).to_be_checked()
    walk.look("found")
    walk.press("Connect")
    expect(page.get_by_role("heading", name=HERE)).to_be_visible()
    walk.is_up_to_date()
    page.reload()
    walk.has_items(stages.calendar.collection.name, "Calendar", 1)
    walk.has_items(stages.book.collection.name, "Address book", 1)
    walk.has_items(stages.other.collection.name, "Calendar", "—")
    walk.look("connected")


def change_on_both_sides(walk, stages):
    calendar, book = stages.calendar, stages.book
    walk.rename_event("Fair", "Lamp fair")
    walk.rename_person("Ada Lamp", "Ada Lantern")
    until(lambda: there(calendar) == {"Lamp fair"} and there(book) == {"Ada Lantern"})
    calendar.put("party", "Harbour party")
    book.put("finn", "Finn Quay")
    walk.sync(HERE)
    walk.open_event("Harbour party")
    walk.open_person("Finn Quay")


def only_read(walk, stages):
    calendar, book = stages.calendar.collection.name, stages.book.collection.name
    walk.only_read(HERE, (calendar, "Calendar"), (book, "Address book"))
    walk.rename_event("Lamp fair", "Ours alone")
    walk.is_refused("is read-only here. Change it at its source.")
    walk.look("event-refused")
    walk.rename_person("Ada Lantern", "Ours alone")
    expect(walk.page.get_by_text("is read-only here. Change it at its source.")).to_be_visible()
    walk.look("card-refused")
    walk.sync(HERE)
    assert there(stages.calendar) == {"Lamp fair", "Harbour party"}
    assert there(stages.book) == {"Ada Lantern", "Finn Quay"}


def mend_the_password(walk):
    page = walk.page
    walk.give_password(HERE, "wrong")
    expect(page.locator("#mirror").get_by_text("Sign-in refused")).to_be_visible()
    page.reload()
    walk.look("sign-in-refused")
    walk.give_password(HERE, PASSWORD)
    walk.is_up_to_date()


def choose_another(walk, stages):
    page = walk.page
    walk.to_source(HERE)
    name = stages.other.collection.name
    walk.row(name, "Calendar").get_by_label(name).check()
    other = stages.calendar.collection.name
    walk.row(other, "Calendar").get_by_label(other).uncheck()
    walk.press("Save", walk.collections)
    walk.is_up_to_date()
    page.reload()
    walk.has_items(name, "Calendar", 1)
    walk.open_event("Rehearsal")
    walk.desk.open("/admin/calendar/?view=day&day=2026-01-10")
    expect(page.get_by_role("link", name="Harbour party")).to_have_count(0)
