"""Gmail v1: messages with labels, their history, sending, and the calls that come in batches."""
