"""What is wrong with a set-up, in plain words and with what to do: `manage.py doctor`."""
