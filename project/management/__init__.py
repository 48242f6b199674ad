"""The commands of `manage.py` about the installation."""
