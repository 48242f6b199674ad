"""The project's settings without our own apps: what the packages behind them need to start."""

from project.settings import *  # noqa: F403
from project.settings import INSTALLED_APPS as _ALL

_OURS = ("agents.", "calendar_app.", "inbox.", "project.")
INSTALLED_APPS = ["django.contrib.admin", *(app for app in _ALL if not app.startswith(_OURS))]
