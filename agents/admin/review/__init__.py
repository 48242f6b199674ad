"""The review page: one proposal as it is sealed, and the decisions on it."""
