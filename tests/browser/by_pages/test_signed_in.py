"""All that an account has at Google and at Microsoft, by signing in with clicks, to the last page."""

import pytest
from playwright.sync_api import expect

from tests.browser.by_pages.providers import google_provider, microsoft_provider
from tests.browser.by_pages.walking import there, until

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
OPENED = {"google": google_provider, "microsoft": microsoft_provider}
# What each holds at first, by its kind.
FIRST = {
    "calendar": "Fair", "contacts": "Ada Lamp", "todos": "Trim the wick", "files": "Two lamps",
}  # fmt: skip
SHOWN = {
    "calendar": "Calendar", "contacts": "Address book", "todos": "To-do list", "files": "Files",
}  # fmt: skip


@pytest.fixture(params=OPENED)
def provider(request, live_server, settings):
    with OPENED[request.param](settings, live_server.url) as found:
        for kind, title in FIRST.items():
            found.stages[kind].put("offer.txt", title)
        yield found


@pytest.fixture
def desk(desk, provider):
    """The owner's desk, from which the provider may be reached."""
    desk.expected = (f"a request to {provider.login.url}", "favicon")
    return desk


@pytest.mark.parametrize("desk", [{}], ids=["signed in"], indirect=True)
def test_an_owner_keeps_all_of_an_account_in_step(walk, provider):
    here = f"{provider.title} (mira@lantern.example)"
    connect(walk, provider, here)
    change_on_both_sides(walk, provider.stages, here)
    only_read(walk, provider.stages, here)
    sign_in_again(walk, provider, here)
    walk.disconnect(here, provider.parting)


def connect(walk, provider, here):
    page = walk.page
    walk.to_connect()
    walk.look("choose")
    walk.say_where("mira@lantern.example", provider.choice)
    way = page.locator("form.way-in")
    way.get_by_label("files").check()
    walk.look("way-in")
    walk.press(f"Sign in with {provider.title}", way)
    walk.press("Allow")
    expect(page.get_by_role("heading", name=here)).to_be_visible()
    folder = provider.stages["files"].collection.name
    walk.row(folder, "Files").get_by_label(folder).check()
    walk.press("Save", walk.collections)
    walk.is_up_to_date()
    page.reload()
    for kind, stage in provider.stages.items():
        walk.has_items(stage.collection.name, SHOWN[kind], 1)
    walk.look("connected")


def change_on_both_sides(walk, stages, here):
    walk.rename_event("Fair", "Lamp fair")
    walk.rename_person("Ada Lamp", "Ada Lantern")
    walk.rename_todo("Trim the wick", "Trim both wicks")
    walk.upload(stages["files"].collection.name, "Plan.txt", b"Ours")
    ours = {
        "calendar": {"Lamp fair"}, "contacts": {"Ada Lantern"}, "todos": {"Trim both wicks"},
        "files": {"Two lamps", "Ours"},
    }  # fmt: skip
    for kind, titles in ours.items():
        until(lambda kind=kind, titles=titles: there(stages[kind]) == titles)
    theirs = {
        "calendar": "Harbour party", "contacts": "Finn Quay", "todos": "Fetch oil",
        "files": "Three lamps",
    }  # fmt: skip
    for kind, title in theirs.items():
        stages[kind].put("theirs.txt", title)
    walk.sync(here)
    walk.open_event("Harbour party")
    walk.open_person("Finn Quay")
    walk.open_todo("Fetch oil")
    walk.open_file(stages["files"].collection.name, "theirs.txt")
    expect(walk.page.get_by_text("Three lamps")).to_be_visible()


def only_read(walk, stages, here):
    walk.only_read(here, *((stages[kind].collection.name, SHOWN[kind]) for kind in SHOWN))
    before = {kind: there(stage) for kind, stage in stages.items()}
    walk.rename_event("Lamp fair", "Ours alone")
    walk.is_refused("is read-only here. Change it at its source.")
    walk.rename_person("Ada Lantern", "Ours alone")
    expect(walk.page.get_by_text("is read-only here. Change it at its source.")).to_be_visible()
    walk.rename_todo("Trim both wicks", "Ours alone")
    expect(walk.page.get_by_text("is read-only here. Change it at its source.")).to_be_visible()
    walk.look("to-do-refused")
    walk.upload(stages["files"].collection.name, "Plan.txt", b"Ours alone")
    expect(walk.page.get_by_text("is read-only here. Change it at its source.")).to_be_visible()
    walk.sync(here)
    assert {kind: there(stage) for kind, stage in stages.items()} == before


def sign_in_again(walk, provider, here):
    """Somebody takes the access back at the provider; the owner signs in again by the page."""
    page = walk.page
    for grant in provider.login.grants:
        grant.ended = True
    walk.to_source(here)
    walk.sync_fails("Sign-in refused")
    page.reload()
    walk.look("sign-in-refused")
    walk.to_health()
    expect(page.get_by_text("login refused")).to_be_visible()
    walk.look("health")
    walk.to_source(here)
    walk.press(f"Sign in with {provider.title}")
    walk.press("Allow")
    walk.is_up_to_date()
