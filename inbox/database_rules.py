"""What the database itself refuses or keeps, on SQLite and PostgreSQL; written into migrations."""

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ClassVar

from django.db import migrations
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from inbox.index_rules import at_once, plain_words, row_index, sqlite_index
from inbox.rfc5322.text.folds import folded
from inbox.submission_states import APPROVED_STATES, SUBMISSION_MOVES

SEALED_COLUMNS = (
    "mime", "sha256", "size", "envelope_from", "envelope_to", "message_id_header", "account_id",
)  # fmt: skip


# Whether a row enters the full-text index as it is written, or with many others afterwards.
_INDEXED_AT_ONCE: ContextVar[bool] = ContextVar("indexed_at_once", default=True)


def add_sqlite_functions(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Give a SQLite connection the functions that the triggers call.

    `chancery_sha256(blob)` is called by those of the submissions, `chancery_indexed_at_once()` by
    those of the full-text indexes. A client without them cannot write to these tables at all.
    `chancery_folded(text)` is called by searches alone.
    """
    if connection.vendor != "sqlite":
        return
    raw: sqlite3.Connection = connection.connection
    raw.create_function(
        "chancery_sha256", 1, lambda data: hashlib.sha256(data).hexdigest(), deterministic=True
    )
    raw.create_function("chancery_indexed_at_once", 0, _INDEXED_AT_ONCE.get)
    raw.create_function(
        "chancery_folded", 1, lambda text: text and folded(text), deterministic=True
    )


@contextmanager
def indexed_together(connection: BaseDatabaseWrapper, table: str, first: int) -> Iterator[None]:
    """Index the rows that the block adds to a SQLite table, with keys from `first`, at its end.

    One statement for all of them takes FTS5 half as long as a trigger for each. Belongs into a
    transaction, which nobody else's rows can enter meanwhile. A table without an index is let be.
    """
    if table not in SEARCHED:
        yield
        return
    index, searched = SEARCHED[table]
    columns = ", ".join(searched)
    token = _INDEXED_AT_ONCE.set(False)
    try:
        yield
    finally:
        _INDEXED_AT_ONCE.reset(token)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {index} (rowid, {columns}) "  # noqa: S608
            f"SELECT id, {columns} FROM {table} WHERE id >= %s",
            [first],
        )


class DatabaseRules(migrations.RunPython):
    """A migration step of one list of statements for SQLite and another for PostgreSQL.

    A migration holds its statements as text, so that it does for ever what it did once.
    """

    serialization_expand_args: ClassVar = ["sqlite", "postgresql"]

    def __init__(self, sqlite: Sequence[str] = (), postgresql: Sequence[str] = ()) -> None:
        self._sqlite, self._postgresql = tuple(sqlite), tuple(postgresql)
        super().__init__(self._run, migrations.RunPython.noop, elidable=False)

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        """Return what a migration is written with."""
        given = {"sqlite": list(self._sqlite), "postgresql": list(self._postgresql)}
        return (type(self).__name__, [], given)

    def statements(self, vendor: str) -> tuple[str, ...]:
        """Return the statements for `sqlite`, or those for any other vendor."""
        return self._sqlite if vendor == "sqlite" else self._postgresql

    def _run(self, _: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
        with schema_editor.connection.cursor() as cursor:
            for statement in self.statements(schema_editor.connection.vendor):
                cursor.execute(statement)


def _illegal_move(old: str, new: str) -> str:
    legal = " OR ".join(
        f"({old} = '{state}' AND {new} IN ({_quoted(moves)}))"
        for state, moves in SUBMISSION_MOVES.items()
        if moves
    )
    return f"{old} <> {new} AND NOT ({legal})"


# The mark of the final dot must be unset: what may have been taken is not asked about again.
_HELD_WITH_A_TRACE = (
    "OLD.state <> 'held' AND NEW.state = 'held' AND (NEW.approved_sha256 <> '' "
    "OR NEW.approved_by_id IS NOT NULL OR NEW.held_again_at IS NULL "
    "OR OLD.handed_over_at IS NOT NULL)"
)
_HELD_ANEW = "a submission is held again without its approval, and not once it was handed over"


def _quoted(words: frozenset[str]) -> str:
    return ", ".join(f"'{word}'" for word in sorted(words))


def _submission_rules_sqlite() -> tuple[str, ...]:
    table = "inbox_submission"
    changed = " OR ".join(f"OLD.{column} IS NOT NEW.{column}" for column in SEALED_COLUMNS)
    approved = _quoted(APPROVED_STATES)
    rules = {
        "sealed": (f"BEFORE UPDATE OF {', '.join(SEALED_COLUMNS)}", changed,
                   "a submission is sealed and cannot be changed"),
        "move": ("BEFORE UPDATE OF state", _illegal_move("OLD.state", "NEW.state"),
                 "a submission cannot make this move"),
        "approved": (
            "BEFORE UPDATE OF state, approved_sha256",
            f"NEW.state IN ({approved}) AND NEW.approved_sha256 IS NOT chancery_sha256(NEW.mime)",
            "the approved hash is not the hash of the bytes"),
        "held_again": ("BEFORE UPDATE OF state", _HELD_WITH_A_TRACE, _HELD_ANEW),
        "hashed": ("BEFORE INSERT", "NEW.sha256 IS NOT chancery_sha256(NEW.mime)",
                   "sha256 is not the hash of the bytes"),
        "starts_held": ("BEFORE INSERT", "NEW.state <> 'held'", "a submission starts as held"),
        "kept": ("BEFORE DELETE", "OLD.state NOT IN ('held')", "a submission is never removed"),
    }  # fmt: skip
    return tuple(
        f"CREATE TRIGGER {table}_{name} {when} ON {table} FOR EACH ROW WHEN {condition} "
        f"BEGIN SELECT RAISE(ABORT, '{words}'); END"
        for name, (when, condition, words) in rules.items()
    )


def _submission_rules_postgresql() -> tuple[str, ...]:
    changed = " OR ".join(
        f"OLD.{column} IS DISTINCT FROM NEW.{column}" for column in SEALED_COLUMNS
    )
    approved = _quoted(APPROVED_STATES)
    function = f"""
    CREATE FUNCTION inbox_submission_rules() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'DELETE' THEN
        IF OLD.state <> 'held' THEN RAISE EXCEPTION 'a submission is never removed'
          USING ERRCODE = 'integrity_constraint_violation'; END IF;
        RETURN OLD;
      END IF;
      IF TG_OP = 'INSERT' THEN
        IF NEW.state <> 'held' THEN RAISE EXCEPTION 'a submission starts as held'
          USING ERRCODE = 'integrity_constraint_violation'; END IF;
        IF NEW.sha256 <> encode(sha256(NEW.mime), 'hex') THEN
          RAISE EXCEPTION 'sha256 is not the hash of the bytes'
          USING ERRCODE = 'integrity_constraint_violation'; END IF;
        RETURN NEW;
      END IF;
      IF {changed} THEN RAISE EXCEPTION 'a submission is sealed and cannot be changed'
        USING ERRCODE = 'integrity_constraint_violation'; END IF;
      IF {_illegal_move("OLD.state", "NEW.state")} THEN
        RAISE EXCEPTION 'a submission cannot make this move'
        USING ERRCODE = 'integrity_constraint_violation'; END IF;
      IF {_HELD_WITH_A_TRACE} THEN RAISE EXCEPTION '{_HELD_ANEW}'
        USING ERRCODE = 'integrity_constraint_violation'; END IF;
      IF NEW.state IN ({approved}) AND NEW.approved_sha256 <> encode(sha256(NEW.mime), 'hex') THEN
        RAISE EXCEPTION 'the approved hash is not the hash of the bytes'
        USING ERRCODE = 'integrity_constraint_violation'; END IF;
      RETURN NEW;
    END $$"""
    trigger = (
        "CREATE TRIGGER inbox_submission_rules BEFORE INSERT OR UPDATE OR DELETE "
        "ON inbox_submission FOR EACH ROW EXECUTE FUNCTION inbox_submission_rules()"
    )
    return (function, trigger)


_PLANTED = "a planted message never leaves"
_MARK = "the mark of a planted message is never changed or removed"
_MARKED_LATE = "a message that was approved cannot be planted"


def _is_planted(drafts: str) -> str:
    return f"EXISTS (SELECT 1 FROM inbox_planteddraft WHERE draft_id IN ({drafts}))"  # noqa: S608


# Approved, in whichever column that is said.
_APPROVED = f"(NEW.state IN ({_quoted(APPROVED_STATES)}) OR NEW.approved_sha256 <> '')"
# A submission keeps the draft that says whether it was planted.
_OTHER_DRAFT = "OLD.draft_id <> NEW.draft_id"
_WAS_APPROVED = (
    "(EXISTS (SELECT 1 FROM inbox_submission WHERE draft_id = NEW.draft_id "  # noqa: S608
    f"AND state IN ({_quoted(APPROVED_STATES)})) "
    "OR EXISTS (SELECT 1 FROM inbox_draft WHERE id = NEW.draft_id AND status = 'sent'))"
)


def _of_job(submission: str) -> str:
    """Return the SQL that finds whether a job would send something planted."""
    return (
        "EXISTS (SELECT 1 FROM inbox_submission s "  # noqa: S608
        "JOIN inbox_planteddraft p ON p.draft_id = s.draft_id "
        f"WHERE s.id = {submission})"
    )


def _planted_rules_sqlite() -> tuple[str, ...]:
    """Refuse each step of what is planted on its way out, whoever asks for it."""
    submission = "json_extract(NEW.payload, '$.submission_id')"
    rules = {
        "inbox_submission_planted": (
            "BEFORE UPDATE ON inbox_submission",
            f"({_APPROVED} OR {_OTHER_DRAFT}) AND {_is_planted('OLD.draft_id, NEW.draft_id')}",
            _PLANTED),
        "inbox_submission_planted_new": (
            "BEFORE INSERT ON inbox_submission",
            f"{_APPROVED} AND {_is_planted('NEW.draft_id')}", _PLANTED),
        "inbox_draft_planted": (
            "BEFORE UPDATE OF status ON inbox_draft",
            f"NEW.status = 'sent' AND {_is_planted('NEW.id')}", _PLANTED),
        "inbox_job_planted": (
            "BEFORE INSERT ON inbox_job",
            f"NEW.kind = 'submission.send' AND {_of_job(submission)}", _PLANTED),
        "inbox_planteddraft_kept": ("BEFORE DELETE ON inbox_planteddraft", "1", _MARK),
        "inbox_planteddraft_fixed": ("BEFORE UPDATE ON inbox_planteddraft", "1", _MARK),
        "inbox_planteddraft_first": (
            "BEFORE INSERT ON inbox_planteddraft", _WAS_APPROVED, _MARKED_LATE),
    }  # fmt: skip
    return tuple(
        f"CREATE TRIGGER {name} {when} FOR EACH ROW WHEN {condition} "
        f"BEGIN SELECT RAISE(ABORT, '{words}'); END"
        for name, (when, condition, words) in rules.items()
    )


def _planted_rules_postgresql() -> tuple[str, ...]:
    submission = "(NEW.payload->>'submission_id')::bigint"
    rules = {
        "inbox_submission_planted": (
            "INSERT OR UPDATE ON inbox_submission",
            f"({_APPROVED} AND {_is_planted('NEW.draft_id')}) OR (TG_OP = 'UPDATE' "
            f"AND {_OTHER_DRAFT} AND {_is_planted('OLD.draft_id, NEW.draft_id')})", _PLANTED),
        "inbox_draft_planted": (
            "UPDATE ON inbox_draft", f"NEW.status = 'sent' AND {_is_planted('NEW.id')}", _PLANTED),
        "inbox_job_planted": (
            "INSERT ON inbox_job",
            f"NEW.kind = 'submission.send' AND {_of_job(submission)}", _PLANTED),
        "inbox_planteddraft_kept": ("UPDATE OR DELETE ON inbox_planteddraft", "TRUE", _MARK),
        "inbox_planteddraft_first": (
            "INSERT ON inbox_planteddraft", _WAS_APPROVED, _MARKED_LATE),
    }  # fmt: skip
    statements: list[str] = []
    for name, (when, condition, words) in rules.items():
        statements += [
            f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            f"IF {condition} THEN RAISE EXCEPTION '{words}' "
            "USING ERRCODE = 'integrity_constraint_violation'; END IF; "
            "RETURN NEW; END $$",
            f"CREATE TRIGGER {name} BEFORE {when} FOR EACH ROW EXECUTE FUNCTION {name}()",
        ]
    return tuple(statements)


# The inbox's number is a word like the others, so that a search never walks through the mail of
# another inbox.
SEARCHED: dict[str, tuple[str, tuple[str, ...]]] = {
    "inbox_message": (
        "inbox_search",
        ("inbox_id", "subject", "from_name", "from_email", "search_extra", "text"),
    ),
    "inbox_filenode": ("inbox_file_search", ("account_id", "name", "search_extra", "text")),
    "inbox_attachmenttext": ("inbox_attachment_search", ("inbox_id", "search_extra", "text")),
}


def _search_sqlite(table: str, key: str = "id") -> tuple[str, ...]:
    index, searched = SEARCHED[table]
    return sqlite_index(
        table, index, searched, key=key, added_when="chancery_indexed_at_once()"
    )  # fmt: skip


def _lexemes(text: str, weight: str) -> str:
    return f"setweight(to_tsvector('english', {plain_words(text)}), '{weight}')"


def _search_postgresql() -> tuple[str, ...]:
    """Index a generated column; a tsvector holds at most 1 MB, hence the cuts."""
    parts = (
        _lexemes("left(subject, 2000)", "A"),
        _lexemes("left(from_name || ' ' || from_email, 1000)", "B"),
        _lexemes("left(search_extra, 50000)", "B"),
        _lexemes("left(text, 200000)", "C"),
    )
    return (
        f"ALTER TABLE inbox_message ADD COLUMN search tsvector GENERATED ALWAYS AS "
        f"({' || '.join(parts)}) STORED",
        "CREATE INDEX inbox_message_search ON inbox_message USING gin (search)",
    )


def _file_search_postgresql() -> tuple[str, ...]:
    parts = (
        _lexemes("name", "A"),
        _lexemes("left(search_extra, 50000)", "B"),
        _lexemes("left(text, 200000)", "C"),
    )
    return (
        f"ALTER TABLE inbox_filenode ADD COLUMN search tsvector GENERATED ALWAYS AS "
        f"({' || '.join(parts)}) STORED",
        "CREATE INDEX inbox_filenode_search ON inbox_filenode USING gin (search)",
    )


def _attachment_search_postgresql() -> tuple[str, ...]:
    parts = _lexemes("left(search_extra, 50000)", "B"), _lexemes("left(text, 200000)", "C")
    return (
        f"ALTER TABLE inbox_attachmenttext ADD COLUMN search tsvector GENERATED ALWAYS AS "
        f"({' || '.join(parts)}) STORED",
        "CREATE INDEX inbox_attachmenttext_search ON inbox_attachmenttext USING gin (search)",
    )


# Where a message is in a mailbox, its time stands beside it, whoever put it there and however.
_TIME_OF = "(SELECT received_at FROM inbox_message WHERE id = NEW.message_id)"
_RETIME = (
    "UPDATE inbox_message_mailboxes SET received_at = NEW.received_at WHERE message_id = NEW.id;"
)
_TIMES_SQLITE = (
    "CREATE TRIGGER inbox_message_put AFTER INSERT ON inbox_message_mailboxes BEGIN "  # noqa: S608
    f"UPDATE inbox_message_mailboxes SET received_at = {_TIME_OF} WHERE id = NEW.id; END",
    "CREATE TRIGGER inbox_message_retimed AFTER UPDATE OF received_at ON inbox_message "
    f"WHEN OLD.received_at IS NOT NEW.received_at BEGIN {_RETIME} END",
)
_TIMES_POSTGRESQL = (
    "CREATE FUNCTION inbox_message_put() RETURNS trigger LANGUAGE plpgsql AS $$ "
    f"BEGIN NEW.received_at := {_TIME_OF}; RETURN NEW; END $$",
    "CREATE TRIGGER inbox_message_put BEFORE INSERT ON inbox_message_mailboxes "
    "FOR EACH ROW EXECUTE FUNCTION inbox_message_put()",
    "CREATE FUNCTION inbox_message_retimed() RETURNS trigger LANGUAGE plpgsql AS $$ "
    f"BEGIN {_RETIME} RETURN NEW; END $$",
    "CREATE TRIGGER inbox_message_retimed AFTER UPDATE OF received_at ON inbox_message "
    "FOR EACH ROW WHEN (OLD.received_at IS DISTINCT FROM NEW.received_at) "
    "EXECUTE FUNCTION inbox_message_retimed()",
)

# What of people is searched, and how much it counts on PostgreSQL.
_OF_PEOPLE = {
    "fn": "A", "email": "B", "org": "B", "title": "C", "search_extra": "C", "note": "D",
}  # fmt: skip

_INDEXES = (
    "inbox_message_search", "inbox_filenode_search", "inbox_attachmenttext_search",
    "inbox_person_search",
)  # fmt: skip

OPERATIONS = [
    DatabaseRules(_TIMES_SQLITE, _TIMES_POSTGRESQL),
    DatabaseRules(_submission_rules_sqlite(), _submission_rules_postgresql()),
    DatabaseRules(_planted_rules_sqlite(), _planted_rules_postgresql()),
    DatabaseRules(_search_sqlite("inbox_message"), _search_postgresql()),
    DatabaseRules(_search_sqlite("inbox_filenode"), _file_search_postgresql()),
    DatabaseRules(
        _search_sqlite("inbox_attachmenttext", "attachment_id"), _attachment_search_postgresql()
    ),
    DatabaseRules(*row_index("inbox_person", "inbox_person_search", "workspace_id", _OF_PEOPLE)),
    DatabaseRules((), at_once(*_INDEXES)),
]
