"""Threads: what a person does with one on its page."""
