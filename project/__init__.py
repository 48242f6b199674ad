"""Settings, addresses, processes and pages for signing in: what makes one service of the rooms."""

__version__ = "0.2.0"
