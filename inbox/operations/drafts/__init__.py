"""Drafts: written, answered to somebody, and sealed into the bytes that would leave."""
