"""Pages on which people change what agents work with: each asks once, and says what follows."""
