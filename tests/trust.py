"""What programs of a test trust over TLS, loaded once: each load of it takes 20 ms."""

import ssl
from functools import cache


@cache
def trust() -> ssl.SSLContext:
    """Return the system's certificates."""
    return ssl.create_default_context()
