"""Whether a database has the tables, columns, indexes and triggers that this version needs."""
