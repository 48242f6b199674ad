"""Mail by IMAP and SMTP, and by JMAP, from the first page to the last."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.by_pages.walking import until
from tests.dovecot import PASSWORD
from tests.inbox.syncing.mirrors import letter
from tests.servers import smtp_sink

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
REFUSED = re.compile("does not accept|refuses the|not accepted", re.IGNORECASE)
ADDRESS = "sales@lantern.example"


class ByImap:
    """Mail at a Dovecot, which leaves by SMTP."""

    service = "From the address"

    def __init__(self, dovecot, sink, port):
        self.dovecot, self.sink, self.port = dovecot, sink, port
        self.user = dovecot.new_user()

    def program(self):
        return self.dovecot.client(self.user)

    def fill(self, walk):
        page = walk.page
        for name, port in (("imap", self.dovecot.port), ("smtp", self.port)):
            page.locator(f"[name={name}_host]").fill("127.0.0.1")
            page.locator(f"[name={name}_port]").fill(str(port))
            page.locator(f"[name={name}_security]").select_option("none")


class ByJmap:
    """Mail at a Cyrus, which leaves by it too."""

    service = "Another one, by JMAP"

    def __init__(self, cyrus):
        self.cyrus, self.sink, self.user = cyrus, cyrus.outgoing, cyrus.new_user()
        cyrus.outgoing.taken.clear()

    def program(self):
        return self.cyrus.client(self.user)

    def fill(self, walk):
        walk.page.locator("[name=jmap_url]").fill(f"{self.cyrus.url}/")


@pytest.fixture(params=["imap", "jmap"])
def server(request):
    if request.param == "jmap":
        yield ByJmap(request.getfixturevalue("cyrus"))
        return
    with smtp_sink(auth_require_tls=False) as (sink, port):
        yield ByImap(request.getfixturevalue("dovecot"), sink, port)


@pytest.mark.parametrize("desk", [{}], ids=["mail"], indirect=True)
def test_an_owner_reads_and_sends_mail(walk, server):
    walk.address = ADDRESS
    arrive(server, "Two lamps")
    connect(walk, server)
    change_on_both_sides(walk, server)
    mend_the_password(walk)
    rest_and_part(walk)


def connect(walk, server):
    page = walk.page
    walk.desk.open("/admin/")
    page.get_by_role("link", name="Accounts", exact=True).click()
    page.get_by_role("link", name="Connect an account").click()
    page.get_by_label("Email address").fill(ADDRESS)
    page.get_by_role("combobox", name="Provider").select_option(label=server.service)
    walk.look("first")
    walk.press("Continue")
    walk.look("servers")
    server.fill(walk)
    walk.fill(User_name=server.user)
    page.locator("[name=password]").fill("wrong")
    walk.press("Connect")
    expect(page.locator(".finding-bad").get_by_text(REFUSED).first).to_be_visible()
    walk.look("refused")
    page.locator("[name=password]").fill(PASSWORD)
    walk.press("Test the connection")
    expect(page.get_by_text("Receiving works with 127.0.0.1")).to_be_visible()
    expect(page.get_by_text("Sending works with 127.0.0.1")).to_be_visible()
    walk.look("found")
    walk.press("Connect")
    expect(page.get_by_role("heading", name=ADDRESS)).to_be_visible()
    walk.is_up_to_date()
    page.reload()
    row = page.get_by_role("row").filter(has=page.get_by_text("inbox", exact=True))
    expect(row.get_by_role("cell").nth(2)).to_have_text("1")
    walk.look("connected")


def change_on_both_sides(walk, server):
    walk.answer("Two lamps", "They are wrapped up.")
    until(lambda: any(b"wrapped up" in one.content for one in server.sink.taken))
    until(lambda: lying(server, "Sent") == ["Re: Two lamps"])
    until(lambda: lying(server, "INBOX", "ANSWERED") == ["Two lamps"])
    arrive(server, "Three lamps")
    walk.to_account()
    walk.press("Sync now")
    walk.is_up_to_date()
    walk.open_thread("Three lamps")


def mend_the_password(walk):
    page = walk.page
    walk.to_account()
    give_password(walk, "wrong")
    walk.press("Save", page.locator("#connection"))
    expect(page.locator(".finding-bad").get_by_text(REFUSED).first).to_be_visible()
    page.get_by_role("button", name="Save anyway").click()
    expect(page.locator("#mirror").get_by_text("Sign-in refused")).to_be_visible()
    page.reload()
    walk.look("sign-in-refused")
    walk.to_health()
    expect(page.get_by_text("login refused")).to_be_visible()
    walk.look("health")
    walk.to_account()
    give_password(walk, PASSWORD)
    walk.press("Save", page.locator("#connection"))
    walk.is_up_to_date()


def give_password(walk, password):
    fold = walk.page.locator("#connection")
    if fold.get_attribute("open") is None:
        fold.locator("summary").first.click()
    fold.locator("[name=password]").fill(password)


def rest_and_part(walk):
    page = walk.page
    walk.to_account()
    walk.press("Pause")
    expect(page.locator("#mirror").get_by_text("Paused")).to_be_visible()
    walk.press("Resume")
    walk.is_up_to_date()
    fold = page.locator("details", has_text="Disconnect").last
    fold.locator("summary").click()
    walk.press("Disconnect", fold)
    expect(page.locator("#mirror").get_by_text("Disconnected")).to_be_visible()
    walk.look("parted")


def arrive(server, subject):
    with server.program() as program:
        program.append("INBOX", letter(subject, To=ADDRESS))


def lying(server, mailbox, *wanted):
    """Return the subjects of what lies in a mailbox, all of it or what is `wanted` of it."""
    with server.program() as program:
        program.select_folder(mailbox, readonly=True)
        found = program.fetch(program.search(wanted or "ALL"), ["ENVELOPE"]).values()
        return [one[b"ENVELOPE"].subject.decode() for one in found]
