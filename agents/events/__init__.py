"""What clients are told of facts, and the guarded way out to addresses that somebody typed."""
