"""Mail by Google's and Microsoft's own interfaces, by signing in with clicks, to the last page."""

import pytest
from playwright.sync_api import expect

from tests.browser.by_pages.providers import google_provider, microsoft_provider
from tests.browser.by_pages.walking import until
from tests.inbox.syncing.mirrors import letter
from tests.machines.graph.server import ADDRESS

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


class AtGoogle:
    """The mail of an account at Gmail."""

    opened = staticmethod(google_provider)

    def __init__(self, api):
        self.lock, self.box, self.gmail = api.lock, api.gmail.box, api.gmail

    def arrive(self, subject):
        with self.lock:
            self.box.add(letter(subject, To=ADDRESS), {"INBOX", "UNREAD"})

    def sent(self):
        with self.lock:
            return [one.raw for one in self.box.letters.values() if "SENT" in one.labels]


class AtMicrosoft:
    """The mail of an account at Microsoft."""

    opened = staticmethod(microsoft_provider)

    def __init__(self, api):
        self.lock, self.mail = api.lock, api.boxes[ADDRESS].mail

    def arrive(self, subject):
        with self.lock:
            self.mail.arrive(letter(subject, To=ADDRESS))

    def sent(self):
        with self.lock:
            folder = self.mail.folder("sentitems").id
            return [one.raw for one in self.mail.letters.values() if one.folder == folder]


@pytest.fixture(params=[AtGoogle, AtMicrosoft], ids=["gmail", "graph"])
def at(request, live_server, settings):
    with request.param.opened(settings, live_server.url) as provider:
        found = request.param(provider.api)
        found.provider = provider
        yield found


@pytest.fixture
def desk(desk, at):
    """The owner's desk, from which the provider may be reached."""
    desk.expected = (f"a request to {at.provider.login.url}", "favicon")
    return desk


@pytest.mark.parametrize("desk", [{}], ids=["interface"], indirect=True)
def test_an_owner_reads_and_sends_mail(walk, at):
    walk.address = ADDRESS
    at.arrive("Two lamps")
    connect(walk, at)
    walk.answer("Two lamps", "They are wrapped up.")
    until(lambda: any(b"Re: Two lamps" in raw for raw in at.sent()))
    at.arrive("Three lamps")
    walk.to_account()
    walk.press("Sync now")
    walk.is_up_to_date()
    walk.open_thread("Three lamps")
    sign_in_again(walk, at)
    walk.to_account()
    fold = walk.page.locator("details", has_text="Disconnect").last
    fold.locator("summary").click()
    walk.press("Disconnect", fold)
    expect(walk.page.get_by_text(at.provider.parting)).to_be_visible()
    walk.look("parted")


def connect(walk, at):
    page = walk.page
    walk.desk.open("/admin/")
    page.get_by_role("link", name="Accounts", exact=True).click()
    page.get_by_role("link", name="Connect an account").click()
    walk.look("first")
    page.get_by_role("button", name=f"Use {at.provider.title}’s own interface").click()
    walk.press("Allow")
    expect(page.get_by_role("heading", name=ADDRESS)).to_be_visible()
    walk.is_up_to_date()
    page.reload()
    row = page.get_by_role("row").filter(has=page.get_by_text("inbox", exact=True))
    expect(row.get_by_role("cell").nth(2)).to_have_text("1")
    walk.look("connected")


def sign_in_again(walk, at):
    """Somebody takes the access back at the provider; the owner signs in again by the page."""
    page = walk.page
    for grant in at.provider.login.grants:
        grant.ended = True
    walk.to_account()
    walk.sync_fails("Sign-in refused")
    expect(page.get_by_text("Sign in again under “Sign-in”.")).to_be_visible()
    page.reload()
    # Nobody who signs in by clicking is shown fields for tokens.
    expect(page.locator("[name=refresh_token]")).to_be_hidden()
    walk.look("sign-in-refused")
    walk.to_health()
    expect(page.get_by_text("login refused")).to_be_visible()
    walk.to_account()
    page.get_by_role("button", name=f"Sign in with {at.provider.title}").first.click()
    walk.press("Allow")
    walk.is_up_to_date()
