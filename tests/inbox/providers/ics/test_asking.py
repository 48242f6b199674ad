"""A calendar's address: which can be asked, and what is said where nobody gives one out."""

import pytest

from inbox.accounts.credentials import Secret
from inbox.providers.base import Connection
from inbox.providers.ics.store import IcsStore
from inbox.providers.mail_store import StoreError
from tests.calendar_server import calendar, serving_calendar
from tests.ports import CLOSED_PORT


def collections(url):
    with IcsStore(Connection("mira@lantern.example", {"url": url}, Secret(""))) as store:
        return store.collections()


@pytest.mark.parametrize("host", ["a" * 64 + ".example", "team..example", ".example", ""])
def test_a_host_that_has_no_name_to_look_up_is_none(host):
    with pytest.raises(StoreError, match="must begin with https") as refused:
        collections(f"https://{host}/team.ics")
    assert refused.value.kind == "permanent"


def test_a_redirect_to_a_host_that_cannot_be_looked_up_is_not_followed():
    with serving_calendar() as server:
        server.status, server.headers = 302, {"Location": "https://" + "a" * 64 + ".example/"}
        with pytest.raises(StoreError, match="redirects to one that cannot be used"):
            collections(server.url)


def test_a_calendar_without_a_name_is_called_by_its_server_not_by_its_secret_address():
    with serving_calendar(calendar(name="")) as server:
        [found] = collections(server.url)
    assert found.name == "127.0.0.1"


def test_why_it_cannot_be_reached_is_said_in_words():
    with pytest.raises(
        StoreError, match=r"127\.0\.0\.1 cannot be reached: no server answers there\."
    ):
        collections(f"http://127.0.0.1:{CLOSED_PORT}/team.ics")
