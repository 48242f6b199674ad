"""How we speak TLS with a mail server: certificates are checked, and nothing old is spoken."""

import ssl


def tls_context(ca_file: str | None) -> ssl.SSLContext:
    """Return a context that trusts the system's certificates, or those in a file.

    Raises OSError where the file cannot be read.
    """
    context = ssl.create_default_context(cafile=ca_file)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context
