"""Where a domain's services are, as its name servers tell (RFC 2782)."""

from typing import Any

import dns.exception
import dns.resolver
from dns.rdtypes.IN.SRV import SRV

from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _

SECONDS_FOR_NAMES = 5.0


def service_host(name: str) -> tuple[str, int]:
    """Return the host and port of a service by its SRV records; ("", 0) where there is none."""
    records = [record for record in service_records(name, "SRV") if isinstance(record, SRV)]
    best = min(records, key=lambda record: (record.priority, -record.weight), default=None)
    host = best.target.to_text(omit_final_dot=True) if best else ""
    return ("", 0) if best is None or host in ("", ".") else (host.lower(), best.port)


def service_records(name: str, kind: str) -> list[Any]:
    """Return the records of a name; raises StoreError where no name server tells."""
    try:
        return list(dns.resolver.resolve(name, kind, lifetime=SECONDS_FOR_NAMES))
    except (dns.exception.Timeout, dns.resolver.NoNameservers) as error:
        words = _("No name server tells where %(name)s is.", name=name)
        raise StoreError("transient", words) from error
    except (dns.exception.DNSException, OSError):
        return []
