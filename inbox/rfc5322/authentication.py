"""What our own receiving server said of the sender (RFC 8601).

Anybody can write such a field into a message. One counts by the name of the server that it bears
(`authserv_id`); or, where a server writes none (Microsoft 365), by the place where it stands: see
`read_unnamed`.
"""

import ipaddress
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from inbox.rfc5322.addresses.lookalikes import unicode_domain

# `compauth` is what Microsoft 365 makes of all the others.
_METHODS = ("spf", "dkim", "dmarc", "arc", "compauth")
_RESULT = re.compile(r"\s*([a-z0-9-]+)\s*(?:/\s*\d+\s*)?=\s*([a-z]+)")
_PROPERTY = re.compile(r"(header\.from|header\.d|smtp\.mailfrom)\s*=\s*\"?([^\s;\"]+)")
_INSTANCE = re.compile(r"\s*i\s*=\s*\d{1,3}\s*")
_SPF = re.compile(r"\s*(pass|fail|softfail|neutral|none|temperror|permerror)(?![\w-])")
_ENVELOPE = re.compile(r"\benvelope-from\s*=\s*[\"<]*([^\s\"<>;]+@[^\s\"<>;]+)")
_DESIGNATES = re.compile(r"\bdomain of (?:[^\s()@]+@)?([^\s()@:]+)")
_QUOTED_OR_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*+")|\((?:[^()\\]|\\.)*+\)', re.DOTALL)
_MOST = 20
_DOMAIN = re.compile(
    r"(?=.{3,253}\Z)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+"
)
# RFC 5321 4.4: who handed it in as he called himself, his address as it was seen, who took it.
_HOP = re.compile(
    r"(?:from\s+(?P<peer>[^\s();]+)\s+\((?P<seen>[^()]*)\)\s+)?by\s+(?P<host>[^\s();]+)(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_SEEN = re.compile(r"(?:^|\[)(?:IPv6:)?([0-9A-Fa-f:.]+)(?:%\w{1,20})?(?:\]|$)", re.IGNORECASE)

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
Verdict = str
# Nobody outside has one of these (RFC 1918, RFC 4193, RFC 4291 2.5).
_INSIDE = tuple(
    map(
        ipaddress.ip_network,
        (
            "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "::1/128", "fc00::/7",
            "fe80::/10",
        ),
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class OwnServers:
    """The servers that an account's mail passes at its provider: their domains and networks."""

    domains: tuple[str, ...] = ()
    networks: tuple[Network, ...] = ()

    @classmethod
    def read(cls, text: str) -> "OwnServers":
        """Read domains and networks with blanks between; raises ValueError naming what is none."""
        domains: list[str] = []
        networks: list[Network] = []
        for word in text.lower().split():
            if _DOMAIN.fullmatch(word) and not word.rpartition(".")[2].isdigit():
                domains.append(word)
            else:
                networks.append(_network(word))
        if networks and not domains:
            raise ValueError("networks need a domain beside them")
        if len(domains) + len(networks) > _MOST:
            raise ValueError(f"more than {_MOST} domains and networks")
        return cls(tuple(domains), tuple(networks))

    def __bool__(self) -> bool:
        """Return whether there are any."""
        return bool(self.domains)

    def took(self, received: str) -> str:
        """Return the one of these servers that wrote a Received field; "" where none did."""
        hop = _hop(received)
        return hop["host"].lower() if hop and self.has_name(hop["host"]) else ""

    def passed_on(self, received: str) -> bool:
        """Return whether a Received field tells of a step from one of these servers to another.

        What a server calls itself is not believed without the address at which it was seen.
        """
        hop = _hop(received)
        if hop is None or not self.has_name(hop["host"]):
            return False
        return hop["peer"] is None or (self.has_name(hop["peer"]) and self._has_seen(hop["seen"]))

    def has_name(self, host: str) -> bool:
        """Return True if a host is one of these servers by its name, which anybody can write."""
        name = host.lower().rstrip(".")
        return any(name == domain or name.endswith(f".{domain}") for domain in self.domains)

    def _has_seen(self, text: str) -> bool:
        found = _SEEN.search(text.strip())
        try:
            address = ipaddress.ip_address(found[1] if found else "")
        except ValueError:
            return False
        address = getattr(address, "ipv4_mapped", None) or address
        return any(address in network for network in (*_INSIDE, *self.networks))


def _network(word: str) -> Network:
    try:
        network = ipaddress.ip_network(word)
    except ValueError as error:
        raise ValueError(f"{word[:80]!r} is neither a domain nor a network") from error
    if network.prefixlen < (8 if network.version == 4 else 20):
        raise ValueError(f"{word[:80]!r} is too wide to be a provider's own")
    return network


def _hop(received: str) -> re.Match[str] | None:
    """Read a Received field; None where it is written so that it may say two things."""
    hop = _HOP.fullmatch(received.strip())
    return None if hop is None or re.search(r"\sby\s", hop["rest"]) else hop


@lru_cache(maxsize=256)
def own_servers(text: str) -> OwnServers:
    """Return the servers that an account's settings name; none where they cannot be read."""
    try:
        return OwnServers.read(text)
    except ValueError:
        return OwnServers()


def read_authentication(
    headers: Iterable[str], trusted_authserv_id: str
) -> tuple[Verdict, dict[str, str]]:
    """Return `pass`, `fail` or `none`, and the results by method with `authserv_id`.

    Only the topmost field that names our own server counts: anybody can write the others
    (RFC 8601 5). DMARC decides where it was checked; else DKIM or SPF must have passed.
    """
    trusted = trusted_authserv_id.strip().lower()
    if not trusted:
        return "none", {}
    for header in list(headers)[:_MOST]:
        server, results = read_field(header)
        if server == trusted:
            return _verdict(results), {**results, "authserv_id": server}
    return "none", {}


def read_unnamed(
    trace: Sequence[tuple[str, str]], own: OwnServers, domain: str
) -> tuple[Verdict, dict[str, str]]:
    """As `read_authentication`, of what our own servers wrote by the place where it stands.

    `trace` has the fields of `headers.TRACED` from the top (name, value). The topmost
    Authentication-Results without a server's name counts; without one, ARC's (RFC 8617 4.1.1) that
    names one of our servers, then Received-SPF (RFC 7208 9.1). `domain` is that of the sender, for
    which a method has to have passed. `authserv_id` is the server that took the message in.
    """
    fields = tuple(_own_fields(trace, own))
    for kind, read in _READERS.items():
        for value, host in ((value, host) for name, value, host in fields if name == kind):
            server, results = read(value)
            is_ours = own.has_name(server) if kind == "arc-authentication-results" else not server
            if not results or not is_ours:
                continue
            if not host or _says_twice(value):
                return "none", {}
            return _verdict_for(results, domain), {**results, "authserv_id": host}
    return "none", {}


def _own_fields(
    trace: Sequence[tuple[str, str]], own: OwnServers
) -> Iterator[tuple[str, str, str]]:
    """Yield the fields that our own servers wrote, and the server that took the message in.

    Each server writes above what it was given: a field is ours where every Received above it tells
    of a step between our servers. The one below it has to be ours too, or the server is "".
    """
    for place, (name, value) in enumerate(trace):
        if name != "received":
            below = (text for kind, text in trace[place + 1 :] if kind == "received")
            yield name, value, own.took(next(below, ""))
        elif not own.passed_on(value):
            return


def read_field(header: str) -> tuple[str, dict[str, str]]:
    """Return the authserv-id of one field and its results, whoever wrote it.

    A field that begins with a result has no authserv-id ("").
    """
    server, *statements = _split(_plain(header))
    first = _RESULT.match(server)
    if first is not None and first[1] in _METHODS:
        server, statements = "", [server, *statements]
    server = server.strip().strip('"').partition(" ")[0]
    results: dict[str, str] = {}
    for statement in statements:
        result = _RESULT.match(statement)
        if result is None or result[1] not in _METHODS:
            continue
        method, value = result.groups()
        # Of several signatures one that passes is enough (RFC 6376 4.2).
        if method not in results or (method == "dkim" and value == "pass"):
            results[method] = value
            for name, found in _PROPERTY.findall(statement):
                results[f"{method}.{name}"] = found[:255]
    return server, results


def _read_arc(header: str) -> tuple[str, dict[str, str]]:
    """Read a field of ARC, which has the number of its set before the authserv-id."""
    instance, _, rest = header.partition(";")
    return read_field(rest) if _INSTANCE.fullmatch(instance) else ("", {})


def _read_spf(header: str) -> tuple[str, dict[str, str]]:
    """Read a Received-SPF field; its server is "", for it has no place for one that is certain."""
    text = header[:20_000].lower()
    result = _SPF.match(text)
    if result is None:
        return "", {}
    named = _ENVELOPE.search(text) or _DESIGNATES.search(text)
    domain = {"spf.smtp.mailfrom": named[1][:255]} if named else {}
    return "", {"spf": result[1], **domain}


_READERS: Final[Mapping[str, Callable[[str], tuple[str, dict[str, str]]]]] = {
    "authentication-results": read_field,
    "arc-authentication-results": _read_arc,
    "received-spf": _read_spf,
}


def _plain(header: str) -> str:
    """Return a field without its comments, in lower case."""
    return _QUOTED_OR_COMMENT.sub(lambda found: found[1] or " ", header[:20_000]).lower()


def _says_twice(header: str) -> bool:
    """Return whether a method has two results, as where the sender's words were copied into it."""
    stated = [found[1] for part in _split(_plain(header)) if (found := _RESULT.match(part))]
    return any(stated.count(method) > 1 for method in stated if method != "dkim")


def _split(text: str) -> list[str]:
    """Split at the semicolons that are not inside quotes."""
    pieces: list[str] = []
    current: list[str] = []
    quoted = False
    for chunk in re.split(r'([";])', text):
        if chunk == ";" and not quoted:
            pieces.append("".join(current))
            current = []
            continue
        quoted ^= chunk == '"'
        current.append(chunk)
    return [*pieces, "".join(current)]


def _verdict(results: dict[str, str]) -> Verdict:
    dmarc = results.get("dmarc", "none")
    if dmarc in ("pass", "fail"):
        return dmarc
    values = {results.get("spf", "none"), results.get("dkim", "none")}
    if "pass" in values:
        return "pass"
    return "fail" if values & {"fail", "softfail", "permerror"} else "none"


def _verdict_for(results: dict[str, str], domain: str) -> Verdict:
    """Return the verdict where a method counts for its own domain only."""
    dmarc = results.get("dmarc", "none")
    if dmarc == "fail" or (dmarc != "pass" and results.get("compauth") == "fail"):
        return "fail"
    if is_aligned(domain, proven_domains(results)):
        return "pass"
    values = {dmarc, results.get("spf", "none"), results.get("dkim", "none")}
    return "fail" if values & {"fail", "softfail", "permerror"} and "pass" not in values else "none"


def speaks_of_another(results: Mapping[str, str], domain: str) -> bool:
    """Return whether DMARC passed for another domain than that of the sender as it was read here.

    A From field may be written so that two programs read two senders from it.
    """
    named = results.get("dmarc.header.from", "").rpartition("@")[2].strip(".")
    return results.get("dmarc") == "pass" and bool(named) and not is_aligned(domain, [named])


def proven_domains(results: Mapping[str, str]) -> frozenset[str]:
    """Return the domains for which a method passed: signed (DKIM), handed in (SPF), named (DMARC).

    `results` are those of `read_authentication`, so of a server that is trusted.
    """
    named = {"dkim": "header.d", "spf": "smtp.mailfrom", "dmarc": "header.from"}
    found = (
        results.get(f"{method}.{name}", "").rpartition("@")[2].strip(".").lower()
        for method, name in named.items()
        if results.get(method) == "pass"
    )
    return frozenset(domain for domain in found if "." in domain)


def is_aligned(domain: str, proven: Iterable[str]) -> bool:
    """Return True if a domain is a proven one, or above or below one (RFC 7489 3.1, relaxed).

    Without a list of public suffixes: nobody can sign for `com`, and a parent speaks for its child.
    """
    domain = unicode_domain(domain)
    return bool(domain) and any(
        domain == one or domain.endswith(f".{one}") or one.endswith(f".{domain}")
        for one in map(unicode_domain, proven)
    )
