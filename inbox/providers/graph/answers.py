"""What stands in Graph's JSON; nothing in it is taken on trust. Pure."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias

from inbox.formats.calendar_lines import Moment
from inbox.providers.graph.zones import iana_name
from inbox.providers.http.json_values import object_of, text_of

Json: TypeAlias = Mapping[str, Any]
# The account's own folder of contacts, which has no id of its own in the list of folders.
DEFAULT = "contacts"
DRIVE = "drive"
_FRACTION = re.compile(r"(\.\d{1,6})\d*")


def etag(found: Json) -> str:
    """Return the entity tag of an item."""
    return text_of(found, "@odata.etag")


def instant(found: Json, name: str) -> datetime | None:
    """Return the time of a DateTimeOffset; None where it is none."""
    try:
        moment = datetime.fromisoformat(_FRACTION.sub(r"\1", text_of(found, name)))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def moment(found: Json, name: str) -> Moment | None:
    """Return the time of a dateTimeTimeZone; None where it is none, or its zone is not known."""
    said = object_of(found, name)
    zone = iana_name(text_of(said, "timeZone"))
    try:
        local = datetime.fromisoformat(_FRACTION.sub(r"\1", text_of(said, "dateTime")))
    except ValueError:
        return None
    if not zone or not 1900 <= local.year <= 2200:
        return None
    return Moment(local.replace(tzinfo=None, microsecond=0), zone)
