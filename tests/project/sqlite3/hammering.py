"""A process that writes into a database over and over: `python -m … DATABASE NAME TIMES HELD`.

It says `ready` first, and begins with the next line it is given. Each transaction holds the lock
for some seconds and notes whose it was.
"""

import sys
import time

from django.conf import settings
from django.db import connection, transaction

from project.sqlite3 import SQLITE_OPTIONS


def main() -> None:
    """Write."""
    database, name, times, held = sys.argv[1:]
    configured = {"ENGINE": "project.sqlite3", "NAME": database, "OPTIONS": SQLITE_OPTIONS}
    settings.configure(DATABASES={"default": configured})
    connection.ensure_connection()
    say("ready")
    sys.stdin.readline()
    for _ in range(int(times)):
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("INSERT INTO written (name) VALUES (%s)", [name])
            say("writes")
            time.sleep(float(held))


def say(word: str) -> None:
    """Tell the test."""
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
