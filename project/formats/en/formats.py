"""Django's formats for English: the day before the month's name, a day of 24 hours, the zone."""

DATETIME_FORMAT = "j M Y, H:i e"
DATE_FORMAT = "j M Y"
TIME_FORMAT = "H:i"
SHORT_DATETIME_FORMAT = "j M Y, H:i e"
SHORT_DATE_FORMAT = "j M Y"
