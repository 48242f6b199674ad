"""Ports of this machine: free ones to listen on, and one at which nobody ever answers."""

import random
import socket
from pathlib import Path

_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
# Below these are the ports of well-known servers.
_FIRST = 12_000
# Bound for as long as the process lives and listening never, so that connecting is refused.
_CLOSED = socket.socket()
_CLOSED.bind(("127.0.0.1", 0))
CLOSED_PORT: int = _CLOSED.getsockname()[1]


def free_port() -> int:
    """Return a port that nobody listens on, outside of those that outgoing connections get."""
    for _ in range(200):
        # Of the system's own chance: each process of a run draws others.
        port = random.SystemRandom().randrange(_FIRST, _first_of_clients())
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("no port is free")


def _first_of_clients() -> int:
    try:
        first = int(_RANGE.read_text().split()[0])
    except (OSError, ValueError):
        first = 32_768
    return first if first > _FIRST + 1000 else 65_536
