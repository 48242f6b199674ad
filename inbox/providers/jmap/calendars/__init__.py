"""Calendars by JMAP, whose events are JSCalendar (RFC 8984); and the draft that Cyrus 3.6 has."""
