"""The pages of the calendar."""
