"""The pages on which a person makes, moves and cancels events, and keeps to-dos."""
