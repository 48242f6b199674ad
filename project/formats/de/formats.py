"""Django's formats for German, but for the zone, and short names of months."""

DATETIME_FORMAT = "j. M Y, H:i e"
DATE_FORMAT = "j. M Y"
SHORT_DATETIME_FORMAT = "d.m.Y, H:i e"
