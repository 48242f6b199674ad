"""A folder of files by WebDAV, from the first page to the last."""

import pytest
from playwright.sync_api import expect

from tests.browser.by_pages.walking import until
from tests.dav_servers import PASSWORD
from tests.inbox.providers.dav.stages import FileStage

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
HERE = "127.0.0.1"


@pytest.fixture(params=["shallow_apache", "wsgidav"])
def stage(request):
    found = FileStage(request.getfixturevalue(request.param))
    found.put("Offer.txt", "Two lamps")
    yield found
    found.close()


@pytest.mark.parametrize("desk", [{}], ids=["files"], indirect=True)
def test_an_owner_keeps_a_folder_of_files_in_step(walk, stage):
    page, folder = walk.page, stage.collection.name
    walk.to_connect()
    walk.say_where(stage.collection.id)
    walk.fill(User_name="mira", Password="wrong")
    walk.press("See what is there")
    walk.is_refused("does not accept the user name, password or key")
    walk.fill(Password=PASSWORD)
    walk.press("See what is there")
    # Files are many and large: nothing is selected until somebody does.
    expect(page.get_by_label(folder)).not_to_be_checked()
    walk.look("found")
    walk.press("Connect")
    walk.is_refused("Select at least one.")
    page.get_by_label(folder).check()
    walk.press("Connect")
    walk.is_up_to_date()
    page.reload()
    walk.has_items(folder, "Files", 1)
    walk.look("connected")
    walk.upload(folder, "Plan.txt", b"Ours")
    until(lambda: read(stage, "Plan.txt") == b"Ours")
    stage.put("Offer.txt", "Three lamps")
    walk.sync(HERE)
    walk.open_file(folder, "Offer.txt")
    expect(page.get_by_text("Three lamps")).to_be_visible()
    walk.only_read(HERE, (folder, "Files"))
    walk.upload(folder, "Plan.txt", b"Ours alone")
    expect(page.get_by_text("is read-only here. Change it at its source.")).to_be_visible()
    walk.look("refused")
    walk.give_password(HERE, "wrong")
    expect(page.locator("#mirror").get_by_text("Sign-in refused")).to_be_visible()
    walk.give_password(HERE, PASSWORD)
    walk.is_up_to_date()
    walk.disconnect(HERE)


def read(stage, name):
    answer = stage.client.get(f"{stage.collection.id}{name}")
    return answer.content if answer.is_success else b""
