"""The mirror of mail that lies at a provider: read from it, told to it, watched and on time."""
