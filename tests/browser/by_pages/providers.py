"""Google and Microsoft as stand-ins that know this site, each with one account that has everything."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.inbox.admin.accounts.signing_in import register
from tests.inbox.providers.google import stages as google
from tests.inbox.providers.graph import stages as graph
from tests.machines.authorization_server import (
    CLIENT,
    SECRET,
    AuthorizationServer,
    authorization_server,
)
from tests.machines.google.everything import google_server
from tests.machines.google.server import SCOPE, SCOPES
from tests.machines.graph.server import ADDRESS, GRAPH, graph_server
from tests.ports import CLOSED_PORT

OUTLOOK = "https://outlook.office.com/"
_KINDS = ("calendar", "contacts", "todos", "files")


@dataclass
class Provider:
    """Where one signs in, what answers, and a stage of each kind; `title` is what people call it.

    `choice` is its line in the list of providers, `parting` what is said when it is disconnected.
    """

    title: str
    choice: str
    parting: str
    login: AuthorizationServer
    api: Any
    stages: dict[str, Any] = field(default_factory=dict)

    def close(self) -> None:
        for stage in self.stages.values():
            stage.close()


@contextmanager
def google_provider(settings: Any, base: str) -> Iterator[Provider]:
    """Yield a Google."""
    with authorization_server() as login, google_server() as api:
        register(settings, login, base)
        login.scopes = {*SCOPES, f"{SCOPE}gmail.modify"}
        settings.GOOGLE_ISSUER, settings.GOOGLE_API = login.issuer, api.url
        settings.GOOGLE_CLIENT_ID, settings.GOOGLE_CLIENT_SECRET = CLIENT, SECRET
        api.issuer = login
        made = (google.CalendarStage, google.PeopleStage, google.TaskStage, google.DriveStage)
        stages = {kind: stage(api) for kind, stage in zip(_KINDS, made, strict=True)}
        words = "Google has revoked the access"
        made_of = ("Google", "Gmail and Google Workspace", words)
        yield from _served(Provider(*made_of, login, api, stages))
        # Google tells guests unless it is asked not to.
        assert api.calendars.told == []
        assert api.violations == []


@contextmanager
def microsoft_provider(settings: Any, base: str) -> Iterator[Provider]:
    """Yield a Microsoft."""
    kinds = ("Calendars", "Contacts", "Tasks", "Files", "Mail")
    with authorization_server() as login, graph_server() as api:
        register(settings, login, base)
        login.scopes = {f"{GRAPH}{kind}.ReadWrite" for kind in kinds}
        login.scopes |= {f"{GRAPH}Mail.Send", f"{OUTLOOK}SMTP.Send"}
        login.issuer_path, login.about = "/common/v2.0", {"revocation_endpoint": None}
        login.lies = {"preferred_username": ADDRESS, "email_verified": None}
        settings.MICROSOFT_LOGIN, settings.MICROSOFT_API = login.url, api.url
        settings.MICROSOFT_CLIENT_ID, settings.MICROSOFT_CLIENT_SECRET = CLIENT, SECRET
        settings.MICROSOFT_IMAP = settings.MICROSOFT_SMTP = f"127.0.0.1:{CLOSED_PORT} none"
        api.issuer = login
        api.add_account(ADDRESS)
        made = (graph.CalendarStage, graph.ContactStage, graph.TodoStage, graph.DriveStage)
        stages = {kind: stage(api) for kind, stage in zip(_KINDS, made, strict=True)}
        words = "Microsoft cannot be told to revoke the access"
        made_of = ("Microsoft", "Microsoft 365 (work or school)", words)
        yield from _served(Provider(*made_of, login, api, stages))


def _served(provider: Provider) -> Iterator[Provider]:
    try:
        yield provider
    finally:
        provider.close()
