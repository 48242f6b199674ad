"""Servers as an owner uses them: from the first page, by the pages alone, against what really runs."""
