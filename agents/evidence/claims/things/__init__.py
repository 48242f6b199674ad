"""Whether a value is that of the thing that the message speaks of; pure."""
