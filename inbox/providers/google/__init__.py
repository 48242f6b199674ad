"""Google: one provider for the calendars, contacts, to-dos and files that an account has there."""
