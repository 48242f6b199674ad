"""Activities: raised, classified, corrected, and in which order they wait."""
