"""An office with accounts at scripted peers, where what happens to its mail is written down."""

import itertools
import os
import random
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from agents.approval import lifecycle
from agents.dispatching.dispatch import call
from agents.models import Approval
from inbox.accounts.credentials import encrypt
from inbox.actor import Actor
from inbox.models import Inbox
from inbox.operations.accounts.accounts import create_account
from inbox.operations.activities.understanding import ensure_defaults
from tests import factories
from tests.faults.imap_faults import random_imap_scripts
from tests.faults.imap_peer import ImapPeer
from tests.faults.smtp_faults import random_scripts
from tests.faults.smtp_peer import SmtpPeer
from tests.faults.tls_faults import Certificates, random_tls_script
from tests.processes import process_environment

_numbers = itertools.count(1)
_WORDS = (
    "offer", "lamp", "delivery", "Grüße", "Friday", "invoice", "日本語", "terms", "workshop", "tall",
    "draft", ".", "..", "From the desk", "answer", "Ωmega", "price", "two", "crates", "-- ", "\t",
)  # fmt: skip


@dataclass
class Case:
    """One message: who proposed what, what was pressed for it, and which connections it made."""

    approval: Approval
    lane: "Lane"
    # The hashes for which a person pressed "approve", and those of which the answer was yes.
    pressed: set[str] = field(default_factory=set)
    granted: set[str] = field(default_factory=set)
    # The submissions that were taken back, the answer being yes, and when (monotonic seconds).
    taken_back: dict[int, float] = field(default_factory=dict)
    # How much its server had heard and said before, in pieces.
    before: int = 0
    # Its approval, and those that took its place one after the other.
    line: list[Approval] = field(default_factory=list)
    story: list[str] = field(default_factory=list)

    def told(self) -> str:
        """What happened to it, for a report."""
        return " → ".join(self.story)


@dataclass
class Lane:
    """An account and its servers; `smtp` is None for the built-in provider."""

    inbox: Inbox
    smtp: SmtpPeer | None
    imap: ImapPeer | None
    # Where mail leaves over TLS only.
    certificates: Certificates | None = None
    cases: list[Case] = field(default_factory=list)

    @property
    def name(self) -> str:
        """What is behind the account."""
        if self.smtp is None:
            return "the built-in provider"
        if self.certificates:
            return "TLS" if self.smtp.tls else "STARTTLS"
        if self.imap is None:
            return "SMTP"
        return "SMTP and IMAP" if self.smtp.deliver is None else "a server that keeps what it sent"

    def misbehave(self, chance: random.Random, *, patient: bool) -> None:
        """Have its servers fail on the next connections, or not."""
        if self.smtp:
            self.smtp.scripts.extend(random_scripts(chance, patient=patient))
        if self.smtp and self.certificates and chance.random() < 0.7:
            wrong = self.certificates.wrong
            script = random_tls_script(chance, wrong, at_once=self.smtp.tls)
            self.smtp.scripts.insert(chance.randrange(len(self.smtp.scripts) + 1), script)
        if self.imap:
            self.imap.scripts.extend(random_imap_scripts(chance))

    def behave(self) -> None:
        """Have its servers be as usual again."""
        for peer in filter(None, (self.smtp, self.imap)):
            peer.scripts.clear()


@dataclass
class Stage:
    """Everything a run needs; made by `stage`."""

    folder: Path
    environment: dict[str, str]
    actor: Actor
    reviewer: User
    cookies: dict[str, str]
    lanes: list[Lane] = field(default_factory=list)

    def open_lanes(self) -> list[Lane]:
        """Connect one account of each kind."""
        return [
            self.open_lane(),
            self.open_lane(imap=True),
            self.open_lane(imap=True, sent_by_server=True),
            self.open_lane(smtp=False),
        ]

    def open_encrypted_lanes(self) -> list[Lane]:
        """Connect accounts whose mail leaves over TLS only."""
        return [self.open_lane(security="starttls"), self.open_lane(security="tls")]

    def open_lane(
        self, *, smtp: bool = True, imap: bool = False, security: str = "none", **settings: object
    ) -> Lane:
        """Connect an account at peers of its own."""
        certificates = Certificates.make(self.folder) if security != "none" else None
        good = certificates.good if certificates else None
        out = SmtpPeer(good, tls=security == "tls").__enter__() if smtp else None
        back = ImapPeer().__enter__() if imap else None
        if out and back and settings.get("sent_by_server"):
            out.deliver = lambda whole: back.add("Sent", whole.content, ("\\Seen",))
        given: dict[str, object] = {}
        if out:
            given |= {
                "smtp_host": "127.0.0.1", "smtp_port": out.port, "smtp_security": security,
                "smtp_timeout": 2, "smtp_answer_timeout": 2,
            }  # fmt: skip
        if certificates:
            given["smtp_ca_file"] = str(certificates.trusted)
        if back:
            given |= {
                "imap_host": "127.0.0.1", "imap_port": back.port, "imap_security": "none",
                "imap_timeout": 2,
            }  # fmt: skip
        workspace = factories.Workspace.objects.get(pk=self.actor.workspace_ids[0])
        account = create_account(
            workspace=workspace, address=f"desk{next(_numbers)}@lantern.example", name="Lantern",
            provider="imap_smtp" if smtp else "local", settings=given | settings, undo_seconds=0,
        )  # fmt: skip
        account.secret = encrypt("open sesame")
        account.save(update_fields=["secret"])
        agent = factories.Agent.objects.get(pk=self.actor.id)
        factories.Grant.objects.create(agent=agent, account=account)
        self.actor = factories.agent_actor(agent)
        lane = Lane(Inbox.objects.get(account=account), out, back, certificates)
        self.lanes.append(lane)
        return lane

    def close(self) -> None:
        """Have every server go away."""
        for lane in self.lanes:
            for peer in filter(None, (lane.smtp, lane.imap)):
                peer.__exit__(None, None, None)

    def propose(self, lane: Lane, chance: random.Random) -> Case:
        """Have the agent propose a message of some sort."""
        number = next(_numbers)
        # The first word of the text is the case's own: no two messages are alike.
        words = " ".join(chance.choices(_WORDS, k=chance.choice((3, 30, 300))))
        arguments = {
            "account_id": lane.inbox.account.public_id, "subject": f"Case {number}",
            "to": [f"ada{it}@customer.example" for it in range(chance.choice((1, 1, 2, 5)))],
            "body": f"{number}. {words}\n.\n{chance.random()}", "confirm": True,
        }  # fmt: skip
        if chance.random() < 0.3:
            arguments["cc"] = ["board@customer.example"]
        answer = call("email_send", arguments, self.actor)
        before = len(lane.smtp.log) if lane.smtp else 0
        case = Case(Approval.objects.get(pk=answer.approval.pk), lane, before=before)
        lane.cases.append(case)
        return case

    def approve(self, case: Case, sha256: str = "") -> None:
        """Press "approve" as the reviewer, who was shown these bytes; raises what it raises."""
        sha256 = sha256 or case.approval.sha256
        case.pressed.add(sha256)
        lifecycle.approve(approval=case.approval, by=self.reviewer, sha256=sha256)
        case.granted.add(sha256)


@contextmanager
def stage() -> Iterator[Stage]:
    """Build it on a database of its own, as DATABASE_URL says; it is all removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="chancery-faults-"))
    if connection.vendor != "sqlite":
        # Several runs may share a server.
        connection.settings_dict["TEST"]["NAME"] = f"chancery_faults_{os.getpid()}"
    name = connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    built = None
    try:
        built = build(folder)
        os.environ.update(built.environment)
        yield built
    finally:
        if built:
            built.close()
        connection.creation.destroy_test_db(name, verbosity=0)
        shutil.rmtree(folder, ignore_errors=True)


def build(folder: Path) -> Stage:
    """Build it on the database that there is."""
    workspace = factories.make_workspace("lantern")
    ensure_defaults(workspace)
    agent = factories.make_agent(workspace, "Clerk")
    reviewer = factories.make_person_user(workspace, name="rhea")
    client = Client()
    client.force_login(reviewer)
    cookies = {name: morsel.value for name, morsel in client.cookies.items()}
    environment = process_environment(DJANGO_SETTINGS_MODULE="tests.settings")
    return Stage(folder, environment, factories.agent_actor(agent), reviewer, cookies)
