"""Files and folders as persons look through them, with where each file went."""
