"""The time zone that a browser tells, and what is made of it."""

from datetime import UTC
from zoneinfo import ZoneInfo

import pytest
from django.test import RequestFactory
from django.utils import timezone

from inbox.viewer import zone_of
from project.middleware.time_zones import ReaderTimeZone


def asked(cookie):
    request = RequestFactory().get("/")
    request.COOKIES["tz"] = cookie
    return request


def test_the_zone_is_the_browsers():
    assert zone_of(asked("Europe/Berlin")) == ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    "cookie",
    ["", "Mars/Base", "../../etc/passwd", "/etc/localtime", "Europe", "x" * 5000, "Ä", "a\0b", "."],
)
def test_what_is_no_zone_is_utc(cookie):
    assert zone_of(asked(cookie)) == UTC


def test_a_request_is_answered_in_it_and_leaves_nothing_behind():
    seen = []

    def answer(request):
        seen.append(timezone.get_current_timezone_name())
        return object()

    ReaderTimeZone(answer)(asked("Asia/Kolkata"))
    assert seen == ["Asia/Kolkata"]
    assert timezone.get_current_timezone_name() == "UTC"
