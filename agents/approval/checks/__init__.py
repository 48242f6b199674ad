"""What is checked before something is sealed: risks, claims, readers, files, sealed bytes."""
