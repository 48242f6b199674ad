"""A process that writes over and over: `python -m … DATABASE NAME TIMES HELD [background]`.

It says `ready` first, and begins with the next line it is given. Each transaction holds the lock
for some seconds and notes whose it was.
"""

import sys
import time

from django.conf import settings
from django.db import connection, transaction

from inbox.background.precedence import in_background
from project.sqlite3 import SQLITE_OPTIONS


def main() -> None:
    """Write."""
    database, name, times, held, *background = sys.argv[1:]
    configured = {"ENGINE": "project.sqlite3", "NAME": database, "OPTIONS": SQLITE_OPTIONS}
    settings.configure(DATABASES={"default": configured})
    connection.ensure_connection()
    say("ready")
    sys.stdin.readline()
    with in_background(bool(background)):
        for _ in range(int(times)):
            write(name, float(held))


def write(name: str, held: float) -> None:
    """Write a row and hold the lock."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("INSERT INTO written (name) VALUES (%s)", [name])
        say("writes")
        time.sleep(held)


def say(word: str) -> None:
    """Tell the test."""
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
