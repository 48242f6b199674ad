"""The provider is told of what was changed here."""
