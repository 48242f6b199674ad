#!/usr/bin/env python3
"""Run Chancery's commands; `manage.py help` lists them, and so does `chancery help`."""

import gc
import os
import sys

from django.core.management import execute_from_command_line

from inbox.loading import begin_light

# Their first answers need no tools, pages and jobs; they load the rest by themselves.
_LIGHT = {"mcp"}


def main() -> None:
    """Run the command that the arguments name."""
    # What is loaded stays: to look through it for garbage, again and again, is a fifth of a start.
    gc.set_threshold(50_000, 20, 20)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
    if _LIGHT & set(sys.argv[1:2]):
        begin_light()
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
