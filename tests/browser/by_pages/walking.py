"""What an owner does on the pages of servers; each page is looked at as it is met."""

import os
import re
import time
from collections.abc import Callable
from contextlib import suppress

from playwright.sync_api import Locator, expect

from tests.browser.conftest import Desk
from tests.browser.crawling import find_barriers
from tests.change_store_cases import Stage, everything, titles
from tests.patience import LONG

COLOURS = ("color-contrast", "link-in-text-block")
_VIEWS = {
    "desktop": ({"width": 1280, "height": 800}, "light"),
    "dark": ({"width": 1280, "height": 800}, "dark"),
    "phone": ({"width": 390, "height": 844}, "light"),
}


class Walk:
    """An owner before the pages."""

    def __init__(self, desk: Desk, address: str, name: str) -> None:
        self.desk, self.page, self.address, self._name = desk, desk.page, address, name
        # A form that is refused is answered so.
        desk.expected = (*desk.expected, "400 (Bad Request)")
        # Colours that still change are no colours of the page.
        self.page.emulate_media(reduced_motion="reduce")

    def look(self, what: str) -> None:
        """See that everybody can read the page; a picture of it is kept where somebody wants one."""
        for view, (size, scheme) in _VIEWS.items():
            self.page.set_viewport_size(size)
            self.page.emulate_media(color_scheme=scheme)
            assert not self.desk.overflows(), (what, view)
            rules = () if view == "desktop" else COLOURS
            assert view == "phone" or find_barriers(self.page, rules=rules) == [], (what, view)
            if folder := os.environ.get("PICTURES"):
                path = f"{folder}/{self._name}-{what}-{view}.png"
                self.page.screenshot(path=path, full_page=True)
        self.page.set_viewport_size(_VIEWS["desktop"][0])
        self.page.emulate_media(color_scheme="light")

    # -- ways ----------------------------------------------------------------------------------
    def to_account(self) -> None:
        """Go from the first page to the account's."""
        self.desk.open("/admin/")
        self.page.get_by_role("link", name="Accounts", exact=True).click()
        self.page.get_by_role("link", name=self.address).click()

    def to_connect(self) -> None:
        """Go on to where servers are connected."""
        self.to_account()
        self.page.get_by_role("link", name="Connect calendars, contacts or files").click()

    def to_health(self) -> None:
        """Go from the first page to that of all accounts."""
        self.desk.open("/admin/")
        self.page.get_by_role("link", name="Accounts", exact=True).click()
        self.page.get_by_role("link", name="Account health").click()

    def to_source(self, name: str) -> None:
        """Go from the first page to a server's."""
        self.to_account()
        self.page.get_by_role("link", name=name).click()

    def press(self, name: str, within: Locator | None = None) -> None:
        """Press a button."""
        (within or self.page).get_by_role("button", name=name, exact=True).click()

    # -- connecting ----------------------------------------------------------------------------
    def say_where(self, at: str, service: str = "") -> None:
        """Say whose server it is, on the first page of connecting."""
        self.page.get_by_label("Email address or server").fill(at)
        if service:
            self.page.get_by_role("combobox", name="Provider").select_option(label=service)
        self.press("Continue")

    def fill(self, **fields: str) -> None:
        """Fill fields in by their labels, underscores for spaces."""
        for label, text in fields.items():
            # Whatever hint stands below the field is of its label, too.
            self.page.get_by_label(re.compile(rf"^\s*{label.replace('_', ' ')}")).first.fill(text)

    def is_refused(self, words: str) -> None:
        """See that what was tried is refused, in words."""
        expect(self.page.get_by_role("alert").first).to_contain_text(words)

    # -- a server's page -----------------------------------------------------------------------
    def is_up_to_date(self) -> None:
        """Wait for the page to say so by itself."""
        mirror = self.page.locator("#mirror")
        expect(mirror.get_by_text("Up to date")).to_be_visible()
        # Not "now": what was asked for is done.
        expect(mirror.get_by_text(re.compile(r"^\s*in \d"))).to_be_visible()

    def sync(self, name: str) -> None:
        """Have a server looked at now, and wait for the page to say that it was."""
        self.to_source(name)
        self.press("Sync now")
        expect(self.page.get_by_text("Checking now.")).to_be_visible()
        self.is_up_to_date()

    def sync_fails(self, words: str) -> None:
        """Have what is open looked at by the button until the page says so in these words.

        A look that was under way already, which the button asks nothing more of, may have found all well.
        """
        told = self.page.locator("#mirror").get_by_text(words)
        end = time.monotonic() + LONG
        while not told.is_visible():
            assert time.monotonic() < end, words
            self.press("Sync now")
            with suppress(AssertionError):
                expect(told).to_be_visible(timeout=20_000)

    @property
    def collections(self) -> Locator:
        """The form that says what is synced."""
        return self.page.locator("form", has=self.page.locator("#collections"))

    def row(self, collection: str, kind: str) -> Locator:
        """Return the line of a collection; one may be a calendar and a list of to-dos."""
        lines = self.collections.locator("tr", has_text=collection)
        return lines.filter(has=self.page.locator("[data-label=Kind]", has_text=kind))

    def has_items(self, collection: str, kind: str, count: int | str) -> None:
        """See how many items of a collection the page says there are."""
        cell = self.row(collection, kind).locator("[data-label=Items]")
        expect(cell).to_have_text(str(count))

    def only_read(self, name: str, *collections: tuple[str, str]) -> None:
        """Say that nothing may be changed at the server."""
        self.to_source(name)
        for one, kind in collections:
            self.row(one, kind).get_by_label("Read-only").check()
        self.press("Save", self.collections)
        expect(self.page.get_by_text("Saved.", exact=True)).to_be_visible()

    def give_password(self, name: str, password: str) -> None:
        """Enter another password for a server."""
        self.to_source(name)
        fold = self.page.locator("details", has=self.page.get_by_label("Password"))
        if fold.get_attribute("open") is None:
            fold.locator("summary").click()
        fold.get_by_label("Password").fill(password)
        self.press("Save", fold)

    def disconnect(self, name: str, words: str = "Disconnected") -> None:
        """Part from a server, which the page says in these words."""
        self.to_source(name)
        fold = self.page.locator("details", has_text="Disconnect").last
        fold.locator("summary").click()
        self.press("Disconnect", fold)
        expect(self.page.get_by_text(words).first).to_be_visible()
        expect(self.page.get_by_role("link", name=name)).to_have_count(0)

    # -- what came in --------------------------------------------------------------------------
    def open_event(self, title: str, day: str = "2026-01-10") -> None:
        """Look into the calendar, and open what is there."""
        self.desk.open(f"/admin/calendar/?view=day&day={day}")
        self.page.get_by_role("link", name=title).first.click()
        expect(self.page.get_by_role("heading", name=title)).to_be_visible()

    def rename_event(self, title: str, new: str) -> None:
        """Give an event another title."""
        self.open_event(title)
        self.page.get_by_role("link", name="Change or move").click()
        self.fill(Title=new)
        self.press("Save")

    def open_person(self, name: str) -> None:
        """Look somebody up among the people, and open their page."""
        self.desk.open("/admin/")
        self.page.get_by_role("link", name="People", exact=True).click()
        self.page.get_by_role("link", name=name).first.click()
        expect(self.page.get_by_role("heading", name=name)).to_be_visible()

    def rename_person(self, name: str, new: str, **parts: str) -> None:
        """Write another name on somebody's card, and `parts` of it by their fields."""
        self.open_person(name)
        self.page.get_by_role("link", name="Edit the card").click()
        for field, text in {"fn": new, **parts}.items():
            self.page.locator(f"[name={field}]").fill(text)
        self.page.locator("[name=_save]").click()

    def open_thread(self, subject: str) -> None:
        """Look a message up among the threads, and open it."""
        self.desk.open("/admin/")
        self.page.get_by_role("link", name="Threads", exact=True).click()
        self.page.get_by_role("link", name=subject).first.click()
        expect(self.page.get_by_role("heading", name=subject)).to_be_visible()

    def answer(self, subject: str, words: str) -> None:
        """Answer a message, and send the answer."""
        self.open_thread(subject)
        self.page.get_by_role("link", name="Answer").first.click()
        self.fill(Message=words)
        self.press("Review and send")
        expect(self.page.locator(".message-text").first).to_contain_text(words)
        self.look("sealed")
        self.page.get_by_role("button", name="Send").first.click()
        sent = self.page.get_by_role("heading", name="Sent.")
        expect(sent).to_be_visible()

    def open_todo(self, title: str) -> Locator:
        """Look through what is to be done, and return one."""
        self.desk.open("/admin/todos/")
        line = self.page.locator("li.todo", has_text=title)
        expect(line).to_be_visible()
        return line

    def rename_todo(self, title: str, new: str) -> None:
        """Write something else to be done."""
        line = self.open_todo(title)
        line.locator("summary").click()
        line.get_by_label("To do").fill(new)
        self.press("Save", line)

    def upload(self, folder: str, name: str, content: bytes) -> None:
        """Put a file into a folder by its page; one of the name becomes another version."""
        self.open_folder(folder)
        self.page.locator("summary", has_text="Upload").click()
        given = {"name": name, "mimeType": "text/plain", "buffer": content}
        self.page.get_by_label("Files A file with the same name").set_input_files(given)
        self.press("Upload")

    def open_folder(self, name: str) -> None:
        """Open a folder at the top of the account's files."""
        self.desk.open("/admin/")
        self.page.get_by_role("link", name="Files", exact=True).click()
        self.page.get_by_role("link", name=name).click()
        expect(self.page.get_by_role("heading", name=name)).to_be_visible()

    def open_file(self, folder: str, name: str) -> None:
        """Open a file in a folder."""
        self.open_folder(folder)
        self.page.get_by_role("link", name=name).click()
        expect(self.page.get_by_role("heading", name=name)).to_be_visible()


def there(stage: Stage) -> set[str]:
    """Return the titles of all that lies at a server."""
    return set(titles(stage, everything(stage)))


def until(holds: Callable[[], bool]) -> None:
    """Wait for something at a server, which is told in the background."""
    end = time.monotonic() + LONG
    while not holds():
        assert time.monotonic() < end, "it did not come to hold"
        time.sleep(0.1)
