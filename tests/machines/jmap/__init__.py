"""A strict server of contacts (RFC 9610) and calendars by JMAP, for there is none to be had here."""
