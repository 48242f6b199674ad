"""Reading what the provider has: arrivals, changes, and what vanished."""
