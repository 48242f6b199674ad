"""Watching: connections wait in the inboxes of accounts, and tell at once when mail comes.

One thread of a process holds all of them in an event loop. Whoever watches reads and writes nothing
there: it asks for a sync. Where nobody can watch, the rounds still find everything.
"""
