"""The commands of `manage.py` about agents, and what they run."""
