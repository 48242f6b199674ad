"""What the provider has is read: arrivals, changes, and what vanished."""
