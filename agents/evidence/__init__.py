"""Whom we know, what agents were shown, whose words it was, and what a message claims."""
