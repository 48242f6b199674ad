"""Events of a server, kept as ours and written back: what was not changed stays to the byte."""

from inbox.syncing.collections.keepers import keeper_of

NOTES = (
    b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Maker//EN\r\nBEGIN:VEVENT\r\nUID:1\r\n"
    b"DTSTAMP:20260101T000000Z\r\nDTSTART:20260302T120000Z\r\nDTEND:20260302T130000Z\r\n"
    b"SUMMARY:Caf\xe9\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)


def test_bytes_that_are_not_utf_8_stay_where_something_else_changes():
    keeper = keeper_of("calendar")
    fields = {**keeper.read(NOTES, ""), "location": "Bridge"}
    raw = keeper.write(NOTES, fields, frozenset({"location"}), "")
    assert b"\r\nSUMMARY:Caf\xe9\r\n" in raw
    assert b"\r\nLOCATION:Bridge\r\n" in raw
