"""Contacts by JMAP: RFC 9610 with JSContact (RFC 9553), and the draft that Cyrus 3.6 has."""
