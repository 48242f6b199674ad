"""The pages of servers with an account's calendars, contacts, to-dos and files."""
