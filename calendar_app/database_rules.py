"""Each series has a row for when it takes place, emptied as soon as what says so changes.

Whoever changes it, and however: what was worked out beforehand is never older than its series. An
event that lasts for more than a week has one too; all others are found by their start. Part of
migrations.
"""

from calendar_app.models.events import LONG
from inbox.database_rules import DatabaseRules
from inbox.index_rules import row_index

_EVENT, _EXPANSION = "calendar_app_event", "calendar_app_expansion"
_COLUMNS = (
    "calendar_id", "recurrence_id", "dtstart", "dtend", "all_day", "timezone", "rrule", "rdate",
    "exdate", "last_end",
)  # fmt: skip
_RECURS = f"NEW.recurrence_id = '' AND (NEW.rrule <> '' OR NEW.rdate <> '[]' OR {{}} > {LONG.days})"
_DAYS_SQLITE = "julianday(NEW.dtend) - julianday(NEW.dtstart)"
_DAYS_POSTGRESQL = "extract(epoch FROM NEW.dtend - NEW.dtstart) / 86400"
_FORGET = f"DELETE FROM {_EXPANSION} WHERE event_id = NEW.id;"  # noqa: S608
# It is due, and nothing is known yet.
_MAKE = (
    f"INSERT INTO {_EXPANSION} (event_id, calendar_id, renew_at) "
    "SELECT NEW.id, NEW.calendar_id, '1970-01-01 00:00:00'"
)
_MADE, _CHANGED = f"{_EVENT}_recurs", f"{_EVENT}_retimed"
_ON_CHANGE = f"AFTER UPDATE OF {', '.join(_COLUMNS)} ON {_EVENT}"


def _differs(operator: str) -> str:
    return " OR ".join(f"OLD.{column} {operator} NEW.{column}" for column in _COLUMNS)


def _sqlite() -> tuple[str, ...]:
    recurs = _RECURS.format(_DAYS_SQLITE)
    return (
        f"CREATE TRIGGER {_MADE} AFTER INSERT ON {_EVENT} WHEN {recurs} BEGIN {_MAKE}; END",
        f"CREATE TRIGGER {_CHANGED} {_ON_CHANGE} WHEN {_differs('IS NOT')} "
        f"BEGIN {_FORGET} {_MAKE} WHERE {recurs}; END",
    )


def _postgresql() -> tuple[str, ...]:
    recurs = _RECURS.format(_DAYS_POSTGRESQL)
    each_row = f"FOR EACH ROW WHEN ({{}}) EXECUTE FUNCTION {_CHANGED}()"
    return (
        f"CREATE FUNCTION {_CHANGED}() RETURNS trigger LANGUAGE plpgsql AS $$ "
        f"BEGIN {_FORGET} {_MAKE} WHERE {recurs}; RETURN NEW; END $$",
        f"CREATE TRIGGER {_MADE} AFTER INSERT ON {_EVENT} {each_row.format(recurs)}",
        f"CREATE TRIGGER {_CHANGED} {_ON_CHANGE} {each_row.format(_differs('IS DISTINCT FROM'))}",
    )


# What of events is searched, and how much it counts on PostgreSQL.
_SEARCHED = {
    "summary": "A", "location": "B", "organizer_name": "B", "organizer": "B",
    "search_extra": "C", "description": "D",
}  # fmt: skip

OPERATIONS = [
    DatabaseRules(_sqlite(), _postgresql()),
    DatabaseRules(*row_index(_EVENT, "calendar_event_search", "calendar_id", _SEARCHED)),
]
