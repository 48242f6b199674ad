"""How well mail is understood, on mail that is at hand: `python -m bench.understanding PART …`.

The package sets Django up, without a database that anybody would miss.
"""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
django.setup()
