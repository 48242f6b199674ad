"""Calendars and contacts at the tests' Cyrus, which schedules by itself, as a DAV server."""

from tests.cyrus import Cyrus
from tests.dav_servers import DavServer


class CyrusDav(DavServer):
    """A Cyrus that somebody else starts and stops."""

    title = "cyrus"

    def __init__(self, cyrus: Cyrus) -> None:
        self.cyrus, self.port = cyrus, cyrus.port

    def start(self) -> None:
        """It runs."""

    def remove(self) -> None:
        """Leave it running."""

    def new_user(self) -> str:
        """Return a user who has an empty calendar and address book."""
        return self.cyrus.new_user()

    def home(self, user: str) -> str:
        """Return where the calendars of a user lie."""
        return f"{self.url}/dav/calendars/user/{user}/"

    def contacts_home(self, user: str) -> str:
        """Return where the address books of a user lie."""
        return f"{self.url}/dav/addressbooks/user/{user}/"
