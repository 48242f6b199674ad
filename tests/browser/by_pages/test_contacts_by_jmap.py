"""Contacts by JMAP, from the first page to the last."""

import pytest
from playwright.sync_api import expect

from tests.browser.by_pages.walking import there, until
from tests.cyrus import PASSWORD
from tests.inbox.providers.jmap.stages import ContactStage

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
HERE = "127.0.0.1"


@pytest.fixture
def stage(cyrus):
    found = ContactStage(cyrus, cyrus.new_user())
    found.put("ada", "Ada Lamp")
    yield found
    found.close()


@pytest.mark.parametrize("desk", [{}], ids=["jmap contacts"], indirect=True)
def test_an_owner_keeps_contacts_in_step(walk, cyrus, stage):
    page, name = walk.page, stage.collection.name
    walk.to_connect()
    page.get_by_role("link", name="JMAP").click()
    walk.fill(Server_address=f"{cyrus.url}/", User_name=stage.program.user)
    page.locator("[name=password]").fill("wrong")
    walk.press("See what is there")
    walk.is_refused("does not accept the user name, password or key")
    page.locator("[name=password]").fill(PASSWORD)
    walk.press("See what is there")
    expect(page.get_by_label(name)).to_be_checked()
    walk.look("found")
    walk.press("Connect")
    walk.is_up_to_date()
    page.reload()
    walk.has_items(name, "Address book", 1)
    # The draft that Cyrus has knows a name by its parts alone.
    walk.rename_person("Ada Lamp", "Ada Lantern", family_name="Ada Lantern")
    until(lambda: there(stage) == {"Ada Lantern"})
    stage.put("finn", "Finn Quay")
    walk.sync(HERE)
    walk.open_person("Finn Quay")
    walk.only_read(HERE, (name, "Address book"))
    walk.rename_person("Ada Lantern", "Ours alone")
    expect(page.get_by_text("is read-only here. Change it at its source.")).to_be_visible()
    walk.give_password(HERE, "wrong")
    expect(page.locator("#mirror").get_by_text("Sign-in refused")).to_be_visible()
    walk.give_password(HERE, PASSWORD)
    walk.is_up_to_date()
    walk.disconnect(HERE)
