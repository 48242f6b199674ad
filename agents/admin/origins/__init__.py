"""Where a text came from: its page, what raises it, and the column of lists that leads there."""
