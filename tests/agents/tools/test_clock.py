"""What time it is."""

from datetime import UTC, datetime, timedelta

import pytest

from agents.dispatching.dispatch import call
from agents.errors import ToolError

pytestmark = pytest.mark.django_db


def test_the_time_is_given_in_utc_and_locally(actor):
    answer = call("get_current_time", {"timezone": "Asia/Kathmandu"}, actor).result
    utc, local = (datetime.fromisoformat(answer[name]) for name in ("utc", "local"))
    assert utc == local
    assert abs(datetime.now(UTC) - utc) < timedelta(minutes=1)
    assert (local.utcoffset(), answer["utc_offset"]) == (timedelta(hours=5, minutes=45), "+05:45")
    assert answer["weekday"] == f"{local:%A}"
    assert answer["date"] == local.date().isoformat()


def test_it_is_utc_unless_told_otherwise(actor):
    answer = call("get_current_time", {}, actor).result
    assert (answer["timezone"], answer["utc_offset"]) == ("UTC", "+00:00")
    assert answer["utc"] == answer["local"].replace("+00:00", "Z")


@pytest.mark.parametrize(
    "zone",
    ["Mars/Olympus", "../../etc/passwd", "/etc/localtime", "europe/berlin", "", "x" * 65, None],
)
def test_what_is_no_zone_is_refused(actor, zone):
    with pytest.raises(ToolError) as caught:
        call("get_current_time", {"timezone": zone}, actor)
    assert caught.value.details["errors"][0]["pointer"] == "/timezone"
