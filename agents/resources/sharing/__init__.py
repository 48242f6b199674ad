"""What agents share, by its address."""
