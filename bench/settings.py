"""The project's settings, with one bare view beside what it serves."""

from project.settings import *  # noqa: F403

ROOT_URLCONF = "bench.urls"
