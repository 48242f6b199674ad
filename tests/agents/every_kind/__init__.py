"""Every operation on an account of every kind: the built-in one, and those that lie at servers."""
