"""Finding values in letters and documents: labelled ones that we wrote, and what is found."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
django.setup()
