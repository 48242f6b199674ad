"""The one way in for a call: whose it is, whether it may, and its run in one transaction."""
