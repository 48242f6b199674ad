"""Releases: how one is cut, and that an installation of each is updated without loss."""
