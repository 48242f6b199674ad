"""What our own receiving server said of the sender (RFC 8601)."""

import re
from collections.abc import Iterable, Mapping

_METHODS = ("spf", "dkim", "dmarc", "arc")
_RESULT = re.compile(r"\s*([a-z0-9-]+)\s*(?:/\s*\d+\s*)?=\s*([a-z]+)")
_PROPERTY = re.compile(r"(header\.from|header\.d|smtp\.mailfrom)\s*=\s*\"?([^\s;\"]+)")
_QUOTED_OR_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*+")|\((?:[^()\\]|\\.)*+\)', re.DOTALL)
_MOST = 20

Verdict = str


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


def read_field(header: str) -> tuple[str, dict[str, str]]:
    """Return the authserv-id of one field and its results, whoever wrote it."""
    plain = _QUOTED_OR_COMMENT.sub(lambda found: found[1] or " ", header[:20_000]).lower()
    server, *statements = _split(plain)
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
    """Tell whether a domain is one of those proven, or above or below one (RFC 7489 3.1, relaxed).

    Without a list of public suffixes: nobody can sign for `com`, and a parent speaks for its child.
    """
    domain = domain.lower()
    return bool(domain) and any(
        domain == one or domain.endswith(f".{one}") or one.endswith(f".{domain}") for one in proven
    )
