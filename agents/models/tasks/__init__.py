"""Work that agents ask for and come back to: readings of the mirror, and tasks of A2A."""
