"""The commands of `manage.py` about calendars."""
