"""The commands of `manage.py` about mail and accounts."""
