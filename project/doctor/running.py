"""What can be told by asking: the database, the storage, the broker, the workers, the accounts."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice

from celery import Celery
from django.conf import settings
from django.db import connection
from django.db.models import Q
from django.utils import timezone
from django.utils.module_loading import import_string

from inbox.accounts.credentials import CredentialError, decrypt
from inbox.errors import DomainError
from inbox.files.storage import check_storage
from inbox.language_model.answers import read_object
from inbox.language_model.asking import ask
from inbox.language_model.errors import ModelError
from inbox.language_model.prompts import Prompt
from inbox.language_model.server import is_set, read_server
from inbox.models import Account, SyncState, SyncStatus
from inbox.operations.accounts.connecting import CONNECTED, try_account, unchecked_by
from inbox.operations.figures import jobs_failed_lately, queue_figures, submissions_by_state
from inbox.operations.worker_processes import GONE_AFTER, seconds_since_worker
from inbox.providers.mail_store import alone
from inbox.submission_states import SubmissionState
from project.doctor.findings import Finding, bad, good, warn
from project.monitoring.health import LATE
from project.schema.comparing import REMEDY, explain, missing_migrations, schema_differences

# How many accounts are named; the others are counted.
_NAMED = 20
# In seconds.
_CLOCKS_APART = 5.0
_BROKER_PATIENCE = 3
# A machine that has lost its battery begins in 1970 or in the year of its making.
_NO_EARLIER = datetime(2025, 1, 1, tzinfo=UTC)
_IN_TROUBLE = (
    SyncStatus.LOGIN_REFUSED, SyncStatus.LOCKED, SyncStatus.FAILED, SyncStatus.THROTTLED,
)  # fmt: skip
# A server that was away so often in a row is no passing trouble: that takes some two hours.
_AWAY_FOR_LONG = 8


_KEY_IS_MISSING = (
    "Put the key that it was encrypted under back into CHANCERY_CREDENTIAL_KEYS or its file, and "
    "restart every process; or connect the account anew."
)


_TAKE_WORD = (
    "On its page in the admin press “Use its servers' sender checks”; or, where another filter "
    "receives the mail first, name that filter's server under “Mail settings” there."
)


def look_at_database() -> Iterator[Finding]:
    """Look at whether the database answers, and has the tables that this version needs."""
    connection.ensure_connection()
    missing = missing_migrations()
    if differences := schema_differences():
        yield bad("database", explain(differences), REMEDY)
    elif missing:
        yield bad(
            "database",
            f"Not applied: {_counted(len(missing), 'migration')}.",
            f"Run: {settings.COMMAND} migrate",
        )
    else:
        yield good(
            "database", f"{connection.display_name} answers, and its schema is this version's."
        )
    if connection.vendor == "sqlite" and settings.CELERY_BROKER_URL:
        yield warn(
            "database", "Celery workers share an SQLite file, which one machine can do only.",
            "Set DATABASE_URL to a PostgreSQL, or unset CELERY_BROKER_URL.",
        )  # fmt: skip


def look_at_clock() -> Iterator[Finding]:
    """Look at whether this machine's clock is that of the database."""
    now = timezone.now()
    if now < _NO_EARLIER:
        yield bad("clock", f"It says {now:%Y-%m-%d}.", "Set the clock, by NTP best.")
        return
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            apart = abs((cursor.fetchone()[0] - timezone.now()).total_seconds())
        if apart > _CLOCKS_APART:
            words = f"It is {apart:.0f} seconds off the database's."
            yield bad("clock", words, "Set both by NTP: leases and sending times depend on it.")
            return
    alike = ", and the database's does too" if connection.vendor == "postgresql" else ""
    yield good("clock", f"It says {now:%Y-%m-%d %H:%M} UTC{alike}.")


def look_at_storage() -> Iterator[Finding]:
    """Look at whether bytes can be kept, and come back."""
    where = f"The bucket {settings.S3_BUCKET}" if settings.S3_BUCKET else str(settings.MEDIA_ROOT)
    try:
        check_storage()
    except OSError as error:
        remedy = "Let the user that runs this write there."
        if settings.S3_BUCKET:
            remedy = "Look at CHANCERY_S3_BUCKET, CHANCERY_S3_ENDPOINT and the AWS_ keys."
        yield bad("storage", f"{where} takes nothing: {error}.", remedy)
    else:
        yield good("storage", f"{where} takes bytes and gives them back.")


def look_at_broker() -> Iterator[Finding]:
    """Look at whether the broker answers, where there is one."""
    if not settings.CELERY_BROKER_URL:
        yield good("broker", "There is none: workers look for jobs themselves.")
        return
    app: Celery = import_string("project.celery.app")
    try:
        with app.connection_for_write(connect_timeout=_BROKER_PATIENCE) as broker:
            broker.ensure_connection(max_retries=1, timeout=_BROKER_PATIENCE)
    except Exception as error:  # noqa: BLE001 (each transport has errors of its own)
        yield bad(
            "broker", f"It does not answer ({type(error).__name__}).",
            "Look at CELERY_BROKER_URL. Until then work waits for the next sweep; none is lost.",
        )  # fmt: skip
    else:
        yield good("broker", "It answers.")


def look_at_workers() -> Iterator[Finding]:
    """Look at whether anybody carries the jobs, and keeps up with them."""
    silent = seconds_since_worker()
    start = f"Start one: {settings.COMMAND} worker, or {settings.COMMAND} celery worker and beat."
    if silent is None:
        yield bad("workers", "No worker was ever seen: nothing is sent.", start)
    elif silent > GONE_AFTER.total_seconds():
        yield bad("workers", f"None was seen for {_span(silent)}: nothing is sent.", start)
    else:
        yield good("workers", f"One was seen {_span(silent)} ago.")
    oldest = max(each.oldest_seconds for each in queue_figures())
    if oldest > LATE.total_seconds():
        words = f"Work that is due has waited for {_span(oldest)}."
        yield warn("workers", words, "Start more workers, or see why they do not get on.")
    if failed := jobs_failed_lately():
        words = f"Given up within a day: {_counted(failed, 'job')}."
        yield warn("workers", words, "Each says why, under Jobs in the admin.")


def look_at_sending() -> Iterator[Finding]:
    """Look at whether any mail waits for a working login, or for what somebody says of it."""
    for account in Account.objects.exclude(sending_resumes_at=None).order_by("address")[:_NAMED]:
        words = f"{account.address} sends nothing: {alone(account.sending_problem)}"
        yield warn("sending", words, "Give a new password on its page; approved mail waits for it.")
    unknown = submissions_by_state().get(SubmissionState.UNKNOWN, 0)
    if unknown:
        words = f"Nobody knows whether it left: {_counted(unknown, 'message')}."
        yield warn("sending", words, "Look into the Sent folder, and settle them in the queue.")
    else:
        yield good("sending", "No mail waits for somebody to say whether it left.")


def look_at_accounts() -> Iterator[Finding]:
    """Look at the accounts that do not get on, and at passwords that cannot be opened."""
    locked = list(islice(_locked(), _NAMED + 1))
    for address in locked[:_NAMED]:
        words = f"The password or token of {address} cannot be opened: its key is missing."
        yield bad("accounts", words, _KEY_IS_MISSING)
    if len(locked) > _NAMED:
        yield bad("accounts", "There are more of them.", _KEY_IS_MISSING)
    away = Q(status=SyncStatus.WAITING, failures__gte=_AWAY_FOR_LONG)
    rows = SyncState.objects.filter(Q(status__in=_IN_TROUBLE) | away).select_related("account")
    troubled = list(rows.order_by("account__address")[: _NAMED + 1])
    for state in troubled[:_NAMED]:
        words = f"{state.account.address}: {alone(state.words) or state.get_status_display()}"
        yield warn("accounts", words, "Its page in the admin says more.")
    if len(troubled) > _NAMED:
        yield warn("accounts", "There are more of them.", "See the list of accounts in the admin.")
    yield from _unchecked()
    if not troubled and not locked:
        yield good("accounts", f"None of {Account.objects.count()} is in trouble.")


def _unchecked() -> Iterator[Finding]:
    """Yield the accounts that take nobody's word of a sender though their provider's is known."""
    rows = Account.objects.filter(provider__in=CONNECTED, authserv_id="").order_by("address")
    found = [account.address for account in rows.only("address", "settings", "authserv_id")
             if unchecked_by(account)]  # fmt: skip
    for address in found[:_NAMED]:
        words = f"{address}: nobody says whether senders are genuine, though its servers check it."
        yield warn("accounts", words, _TAKE_WORD)
    if len(found) > _NAMED:
        yield warn("accounts", f"There are {len(found) - _NAMED} more of them.", _TAKE_WORD)


def _locked() -> Iterator[str]:
    """Yield the addresses of accounts whose credential none of our keys opens."""
    rows = Account.objects.exclude(secret=None).order_by("address")
    for address, secret in rows.values_list("address", "secret").iterator():
        try:
            decrypt(secret)
        except CredentialError:
            yield address


def reach_accounts() -> Iterator[Finding]:
    """Try the servers of every connected account; nothing is sent."""
    for account in Account.objects.filter(provider__in=CONNECTED).order_by("address").iterator():
        try:
            trial = try_account(account=account, settings=account.settings)
        except (DomainError, CredentialError) as error:
            yield bad("reach", f"{account.address}: {error}", "Open its page in the admin.")
            continue
        for found in trial.findings:
            words = f"{account.address}, {found.about}: {found.heading}"
            yield Finding(found.kind, "reach", words, found.words)


def reach_model() -> Iterator[Finding]:
    """Ask the language model one short question, where there is one; nothing of anybody is told."""
    if not is_set():
        return
    try:
        server = read_server()
        said = ask(server, Prompt("doctor", 1, 'Answer {"ready": true}.', (), most_tokens=200))
        read_object(said.text)
    except ModelError as error:
        words = f"The language model does not answer. {error.words}"
        yield bad("reach", words, "Look at the settings CHANCERY_MODEL and those named like it.")
    else:
        yield good("reach", f"The language model {server.label} answers.")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _span(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.0f} hours"
