"""What a message states, kind by kind: read from a text, and how near two of it are; pure."""
