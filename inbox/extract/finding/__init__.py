"""Finding the values of a field by its kind, where that takes more than a pattern; pure."""
