"""Whether what a message claims is so: each claim tied to its source, by words alone. Pure."""
