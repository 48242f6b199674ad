"""Mail as it comes in, and what is done to what is there."""
