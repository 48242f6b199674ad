"""From an address or a domain to where somebody's calendars and address books lie (RFC 6764)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from inbox.providers.dav import names
from inbox.providers.dav.hrefs import (
    UnfitAddressError,
    as_collection,
    checked,
    host_of,
    is_related,
    origin,
    resolved,
)
from inbox.providers.dav.multistatus import Multistatus, Response, propfind
from inbox.providers.dav.service_names import service_host, service_records
from inbox.providers.dav.session import MOST_REDIRECTS, Session
from inbox.providers.dav.settings import DavSettings
from inbox.providers.http.reading import Answer
from inbox.providers.http.session import Asked, refused
from inbox.providers.mail_store import StoreError
from inbox.providers.web import is_loopback
from inbox.reasons import phrase as _

SERVICES = ("caldav", "carddav")
# Homes of one account.
MOST_HOMES = 20
_ASKED = (
    names.PRINCIPAL, names.CALENDAR_HOME, names.ADDRESSBOOK_HOME, names.RESOURCE_TYPE,
)  # fmt: skip
_HOMES = (("caldav", names.CALENDAR_HOME), ("carddav", names.ADDRESSBOOK_HOME))
_NO_DAV = frozenset({400, 403, 404, 405, 410, 501})


@dataclass(frozen=True, slots=True)
class Home:
    """A place whose collections are listed: those right in it, or only itself.

    `service` is what it was named as the home of; empty where nobody named it.
    """

    url: str
    service: str = ""
    is_collection: bool = False


def homes(session: Session, settings: DavSettings) -> list[Home]:
    """Return where the collections of the account lie; raises StoreError."""
    found: dict[str, Home] = {}
    services = set[str]()
    refusal: StoreError | None = None
    for start in _starts(session, settings):
        at, answer = session.try_multistatus("PROPFIND", start, propfind(_ASKED))
        if isinstance(answer, Answer):
            if answer.status not in _NO_DAV:
                raise refused(answer)
            refusal = refusal or refused(answer)
            continue
        told = _homes_from(session, at, answer)
        found.update((home.url, home) for home in told)
        services.update(home.service for home in told)
        if services >= set(SERVICES):
            break
    if not found:
        place = settings.domain or host_of(settings.url or settings.contacts_url)
        words = _("No calendars or address books were found at %(place)s.", place=place)
        raise StoreError("permanent", words) from refusal
    return list(found.values())[:MOST_HOMES]


def _homes_from(session: Session, at: str, answer: Multistatus) -> list[Home]:
    """Return what an address leads to: homes, those of its principal, or itself."""
    here = _own(answer)
    if here is None:
        return []
    if here.inside(names.RESOURCE_TYPE) & {names.CALENDAR, names.ADDRESSBOOK}:
        return [Home(as_collection(at), is_collection=True)]
    if told := _home_sets(at, here):
        return told
    for href in here.hrefs(names.PRINCIPAL)[:1]:
        principal = _credible(at, href)
        if principal:
            there, said = session.multistatus("PROPFIND", principal, propfind(_ASKED))
            who = _own(said)
            return _home_sets(there, who) if who else []
    is_folder = names.COLLECTION in here.inside(names.RESOURCE_TYPE)
    return [Home(as_collection(at))] if is_folder and urlsplit(at).path != "/" else []


def _home_sets(at: str, here: Response) -> list[Home]:
    named = (
        (service, _credible(at, href)) for service, name in _HOMES for href in here.hrefs(name)
    )
    return [Home(as_collection(place), service) for service, place in named if place]


def _own(answer: Multistatus) -> Response | None:
    """Return what is said of the resource that was asked for, which is the only one."""
    return answer.responses[0] if answer.responses else None


def _credible(at: str, href: str) -> str | None:
    """Return the address that a server gave us, if passwords may go there as well."""
    try:
        found = resolved(at, href)
    except UnfitAddressError:
        return None
    if origin(found) == origin(at):
        return found
    near = found.startswith("https:") and is_related(host_of(found), host_of(at))
    return found if near else None


# -- where to begin --------------------------------------------------------------------------------
def _starts(session: Session, settings: DavSettings) -> Iterator[str]:
    """Yield addresses to ask, the most exact first; the same one once."""
    seen = set[str]()
    for url in _candidates(session, settings):
        if url not in seen:
            seen.add(url)
            yield url


def _candidates(session: Session, settings: DavSettings) -> Iterator[str]:
    for url, services in ((settings.contacts_url, ["carddav"]), (settings.url, SERVICES)):
        if url:
            yield url
            if urlsplit(url).path == "/":
                yield from _contexts(session, origin(url), services)
    if not settings.domain:
        return
    scheme = (
        "http" if is_loopback(settings.domain.rpartition(":")[0] or settings.domain) else "https"
    )
    base = f"{scheme}://{settings.domain}"
    known = _contexts(session, base)
    if not known and scheme == "https":
        for service in SERVICES:
            known += _by_names(session, settings.domain, service)
    yield from known or [f"{base}/"]


def _contexts(session: Session, base: str, services: Iterable[str] = SERVICES) -> list[str]:
    """Return where the well-known addresses of a host lead; nothing where it does not answer.

    What one leads to is not all there is while another fails: then that is raised.
    """
    found, failures = list[str](), list[StoreError]()
    for service in services:
        try:
            place = _well_known(session, base, service)
        except StoreError as error:
            failures.append(error)
        else:
            found += [place] if place else []
    if found and failures:
        raise failures[0]
    return found


def _well_known(session: Session, base: str, service: str) -> str | None:
    """Return where a well-known address leads. Nobody is signed in for that: it may be elsewhere.

    From https it leads to https only.
    """
    url = f"{base}/.well-known/{service}"
    headers = {"Depth": "0", "Content-Type": "application/xml; charset=utf-8"}
    for _number in range(MOST_REDIRECTS + 1):
        asked = Asked("PROPFIND", url, headers, propfind([names.PRINCIPAL]), signed_in=False)
        answer = session.ask(asked)
        target = answer.headers.get("location", "")
        if not (300 <= answer.status < 400 and target):
            return url if answer.status in (207, 401) else None
        try:
            found = resolved(url, target)
        except UnfitAddressError:
            return None
        if url.startswith("https:") and not found.startswith("https:"):
            return None
        url = found
    return None


def _by_names(session: Session, domain: str, service: str) -> list[str]:
    """Return where the domain's SRV and TXT records lead (RFC 6764 3, 4)."""
    name = f"_{service}s._tcp.{domain.partition(':')[0]}"
    host, port = service_host(name)
    if not host:
        return []
    base = f"https://{host}" if port == 443 else f"https://{host}:{port}"
    path = _service_path(name)
    try:
        if path:
            return [checked(f"{base}{path}")]
        return _contexts(session, checked(base).rstrip("/"), [service]) or [f"{base}/"]
    except UnfitAddressError:
        return []


def _service_path(name: str) -> str:
    for record in service_records(name, "TXT"):
        text = b"".join(record.strings).decode("utf-8", "replace")
        key, _between, path = text.partition("=")
        if key.strip().lower() == "path" and path.startswith("/"):
            return path.strip()
    return ""
