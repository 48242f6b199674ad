"""Google with all of its interfaces that are built here."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.machines.api_server import serving
from tests.machines.google.calendar import Calendars
from tests.machines.google.drive import Drive
from tests.machines.google.gmail.service import Gmail
from tests.machines.google.people import People
from tests.machines.google.server import GoogleServer
from tests.machines.google.tasks import Tasks


class Google(GoogleServer):
    """What one account has."""

    def __init__(self, address: str = "mira@lantern.example") -> None:
        super().__init__(address)
        self.calendars = Calendars(self)
        self.tasks = Tasks(self)
        self.people = People(self)
        self.drive = Drive(self)
        self.gmail = Gmail(self)


@contextmanager
def google_server(address: str = "mira@lantern.example") -> Iterator[Google]:
    """Serve until left."""
    server = Google(address)
    with serving(server):
        yield server
