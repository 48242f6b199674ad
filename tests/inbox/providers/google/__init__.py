"""Google, as it stands in for itself on loopback."""
