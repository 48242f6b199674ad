"""Addresses: read, checked, and compared with those that they pretend to be."""
