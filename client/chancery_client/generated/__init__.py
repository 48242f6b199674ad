"""Made by `python manage.py reference`; change the declarations instead."""
