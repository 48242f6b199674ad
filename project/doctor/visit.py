"""All that the doctor looks at, in order."""

from collections.abc import Iterator

from project.doctor import configuration, nearness, running
from project.doctor.findings import Finding, Look, bad

_FIRST: tuple[tuple[str, Look], ...] = (
    ("address", configuration.look_at_addresses),
    ("secrets", configuration.look_at_secrets),
    ("model", configuration.look_at_model),
    ("meanings", configuration.look_at_meanings),
    ("disk", configuration.look_at_disk),
    ("storage", running.look_at_storage),
    ("broker", running.look_at_broker),
)
_WITH_DATABASE: tuple[tuple[str, Look], ...] = (
    ("meanings", nearness.look_at_nearness),
    ("clock", running.look_at_clock),
    ("workers", running.look_at_workers),
    ("sending", running.look_at_sending),
    ("accounts", running.look_at_accounts),
)


def visit(*, reach: bool = False) -> Iterator[Finding]:
    """Yield what is found; trouble in one place keeps nobody from looking at the next.

    With `reach` the servers of all accounts and the language model are tried, too.
    """
    for about, look in _FIRST:
        yield from _seen(about, look)
    database = list(_seen("database", running.look_at_database))
    yield from database
    if any(finding.kind == "bad" for finding in database):
        return
    for about, look in _WITH_DATABASE:
        yield from _seen(about, look)
    if reach:
        yield from _seen("reach", running.reach_accounts)
        yield from _seen("reach", running.reach_model)


def _seen(about: str, look: Look) -> Iterator[Finding]:
    try:
        yield from look()
    except Exception as error:  # noqa: BLE001 (whatever is broken is what was asked for)
        words = f"It cannot be looked at: {str(error).strip() or type(error).__name__}"
        yield bad(about, words.splitlines()[0][:300], _REMEDIES.get(about, "Mend that first."))


_REMEDIES = {
    "database": "Start the database, or set DATABASE_URL to where it is.",
    "disk": "Make the folder in CHANCERY_VAR, or set another.",
}
