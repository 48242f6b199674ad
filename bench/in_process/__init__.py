"""What runs inside Django, on the data that CHANCERY_VAR names; the package sets it up."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
django.setup()
