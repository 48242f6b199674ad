"""A strict stand-in for Microsoft Graph v1.0, as one account sees it: calendars, contacts, to-dos and files."""
