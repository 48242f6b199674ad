"""Oversight at a glance: what came in, what was done with it, and a sample to check."""
