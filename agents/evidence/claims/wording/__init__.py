"""What a message says in words: whom it greets, what it promises, what goes with it; pure."""
