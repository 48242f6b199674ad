"""The tools: one declaration each, which calls operations."""
