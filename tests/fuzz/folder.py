"""Sets Django up on a data folder of its own; imported before anything that reads the settings."""

import os

import django

from tests.own_folders import own_folder

FOLDER = own_folder("chancery-fuzz-")
os.environ["CHANCERY_VAR"] = str(FOLDER)
os.environ["DJANGO_SETTINGS_MODULE"] = "project.settings"
# No limit: the calls that it would refuse would say nothing.
os.environ["CHANCERY_CALLS_PER_MINUTE"] = "0"
os.environ.pop("DATABASE_URL", None)
django.setup()
