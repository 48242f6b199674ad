"""Mail on its way in: where it is brought from, reading it, and what a row needs of it."""
