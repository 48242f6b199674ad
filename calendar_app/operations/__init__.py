"""What changes events and todos, and finds free times."""
