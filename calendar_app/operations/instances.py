"""One instance of a series as a row of its own, where it comes to differ from the series."""

from dataclasses import replace

from calendar_app.icalendar import read_stamp
from calendar_app.models import Event
from calendar_app.operations.keeping import fill_event, replace_attendees, said_of, series_of
from calendar_app.recurrence import is_start


def make_instance(series: Event, stamp: str) -> Event | None:
    """Return a new row for the instance that the series names so; None where it has none."""
    start = read_stamp(stamp)
    if not is_start(series_of(series), start):
        return None
    said = replace(
        said_of(series), recurrence_id=stamp, start=start,
        end=start + (series.dtend - series.dtstart), rrule="", rdate=(), exdate=(),
    )  # fmt: skip
    row = Event(calendar=series.calendar, workspace_id=series.workspace_id, uid=series.uid)
    fill_event(row, said)
    row.status, row.message, row.partstat = series.status, series.message, series.partstat
    row.by_person = series.by_person
    row.save()
    replace_attendees(row, said)
    return row
