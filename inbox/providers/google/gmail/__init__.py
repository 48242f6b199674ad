"""Mail at Google by its own interface: history in place of UIDs, and labels as mailboxes."""
