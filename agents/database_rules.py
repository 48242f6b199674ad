"""The database keeps receipts and moves the end of their chain, and indexes memories.

Origins are raised by receipts alone, and what is planted is never approved. Part of migrations.
"""

from inbox.database_rules import DatabaseRules
from inbox.index_rules import at_once

_TABLE = "agents_receipt"
_WORDS = "a receipt is never changed or removed"
# What stays as it is when an open receipt is closed.
_FIXED = (
    "workspace_id", "actor", "actor_name", "tool", "arguments", "arguments_sha256", "opened_at",
)  # fmt: skip
# A call that failed had no effect and gives its key back.
_KEY_GIVEN_BACK = "NEW.outcome = 'error' AND NEW.idempotency_key IS NULL"


def _sqlite() -> tuple[str, ...]:
    fixed = " OR ".join(f"OLD.{column} IS NOT NEW.{column}" for column in _FIXED)
    key = f"(OLD.idempotency_key IS NOT NEW.idempotency_key AND NOT ({_KEY_GIVEN_BACK}))"
    return (
        f"CREATE TRIGGER {_TABLE}_kept BEFORE DELETE ON {_TABLE} "
        f"BEGIN SELECT RAISE(ABORT, '{_WORDS}'); END",
        f"CREATE TRIGGER {_TABLE}_closed BEFORE UPDATE ON {_TABLE} "
        f"WHEN OLD.outcome <> 'open' OR NEW.outcome = 'open' OR {fixed} OR {key} "
        f"BEGIN SELECT RAISE(ABORT, '{_WORDS}'); END",
    )


def _postgresql() -> tuple[str, ...]:
    fixed = " OR ".join(f"OLD.{column} IS DISTINCT FROM NEW.{column}" for column in _FIXED)
    key = f"(OLD.idempotency_key IS DISTINCT FROM NEW.idempotency_key AND NOT ({_KEY_GIVEN_BACK}))"
    return (
        f"""
        CREATE FUNCTION {_TABLE}_rules() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF TG_OP = 'DELETE' OR OLD.outcome <> 'open' OR NEW.outcome = 'open'
            OR {fixed} OR {key} THEN
            RAISE EXCEPTION '{_WORDS}' USING ERRCODE = 'integrity_constraint_violation';
          END IF;
          RETURN NEW;
        END $$""",
        f"CREATE TRIGGER {_TABLE}_rules BEFORE UPDATE OR DELETE ON {_TABLE} "
        f"FOR EACH ROW EXECUTE FUNCTION {_TABLE}_rules()",
    )


# Of a workspace the end of the chain is where its next receipt continues it, and nowhere else: a
# receipt that was put in beside the chain leaves the end where it was, and is found.
_MOVE_HEAD = (
    "UPDATE agents_receipthead SET seq = NEW.seq, hash = NEW.hash "
    "WHERE workspace_id = NEW.workspace_id AND seq = NEW.seq - 1 AND hash = NEW.prev_hash;"
)
_WRITTEN = f"AFTER INSERT ON {_TABLE}"
_CLOSED = f"AFTER UPDATE OF seq ON {_TABLE}"


def _chain_sqlite() -> tuple[str, ...]:
    return (
        f"CREATE TRIGGER {_TABLE}_chained {_WRITTEN} WHEN NEW.seq IS NOT NULL "
        f"BEGIN {_MOVE_HEAD} END",
        f"CREATE TRIGGER {_TABLE}_chained_later {_CLOSED} "
        f"WHEN OLD.seq IS NULL AND NEW.seq IS NOT NULL BEGIN {_MOVE_HEAD} END",
    )


def _chain_postgresql() -> tuple[str, ...]:
    run = f"EXECUTE FUNCTION {_TABLE}_chained()"
    return (
        f"""
        CREATE FUNCTION {_TABLE}_chained() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          {_MOVE_HEAD}
          RETURN NULL;
        END $$""",
        f"CREATE TRIGGER {_TABLE}_chained {_WRITTEN} FOR EACH ROW WHEN (NEW.seq IS NOT NULL) {run}",
        f"CREATE TRIGGER {_TABLE}_chained_later {_CLOSED} "
        f"FOR EACH ROW WHEN (OLD.seq IS NULL AND NEW.seq IS NOT NULL) {run}",
    )


_ANSWER = "agents_storedanswer"
_ANSWER_WORDS = "a stored answer is never changed or removed"


def _answers_sqlite() -> tuple[str, ...]:
    refuse = f"BEGIN SELECT RAISE(ABORT, '{_ANSWER_WORDS}'); END"
    return (
        f"CREATE TRIGGER {_ANSWER}_kept BEFORE DELETE ON {_ANSWER} {refuse}",
        f"CREATE TRIGGER {_ANSWER}_fixed BEFORE UPDATE ON {_ANSWER} {refuse}",
    )


def _answers_postgresql() -> tuple[str, ...]:
    return (
        f"""
        CREATE FUNCTION {_ANSWER}_rules() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          RAISE EXCEPTION '{_ANSWER_WORDS}' USING ERRCODE = 'integrity_constraint_violation';
        END $$""",
        f"CREATE TRIGGER {_ANSWER}_rules BEFORE UPDATE OR DELETE ON {_ANSWER} "
        f"FOR EACH ROW EXECUTE FUNCTION {_ANSWER}_rules()",
    )


_MEMORY = "agents_memory"


def _memories_sqlite() -> tuple[str, ...]:
    """Index the memories' own column of words; deleted ones stay in and are passed over."""
    remove = (
        f"INSERT INTO {_MEMORY}_search ({_MEMORY}_search, rowid, terms) "  # noqa: S608
        "VALUES ('delete', OLD.id, OLD.terms);"
    )
    add = f"INSERT INTO {_MEMORY}_search (rowid, terms) VALUES (NEW.id, NEW.terms);"  # noqa: S608
    return (
        f"CREATE VIRTUAL TABLE {_MEMORY}_search USING fts5(terms, content='{_MEMORY}', "
        "content_rowid='id', tokenize='ascii', detail='none')",
        f"CREATE TRIGGER {_MEMORY}_indexed AFTER INSERT ON {_MEMORY} BEGIN {add} END",
        f"CREATE TRIGGER {_MEMORY}_unindexed AFTER DELETE ON {_MEMORY} BEGIN {remove} END",
        f"CREATE TRIGGER {_MEMORY}_reindexed AFTER UPDATE OF terms ON {_MEMORY} "
        f"BEGIN {remove} {add} END",
    )


def _memories_postgresql() -> tuple[str, ...]:
    return (
        f"ALTER TABLE {_MEMORY} ADD COLUMN search tsvector "
        "GENERATED ALWAYS AS (to_tsvector('simple', terms)) STORED",
        f"CREATE INDEX {_MEMORY}_search ON {_MEMORY} USING gin (search)",
    )


_ORIGIN = "agents_provenance"
_ORIGIN_WORDS = "an origin is raised by a person, with a receipt"
# The least trusted last, as in `Origin`.
_TRUST = ("owner", "system", "known", "agent", "stranger")


def _rank(column: str) -> str:
    ranks = " ".join(f"WHEN '{origin}' THEN {rank}" for rank, origin in enumerate(_TRUST))
    return f"(CASE {column} {ranks} END)"


_RISES = f"{_rank('NEW.origin')} < {_rank('OLD.origin')}"


def _origins_sqlite() -> tuple[str, ...]:
    without = "(NEW.raise_receipt_id IS NULL OR NEW.raise_receipt_id IS OLD.raise_receipt_id)"
    return (
        f"CREATE TRIGGER {_ORIGIN}_raised BEFORE UPDATE ON {_ORIGIN} WHEN {_RISES} AND {without} "
        f"BEGIN SELECT RAISE(ABORT, '{_ORIGIN_WORDS}'); END",
    )


def _origins_postgresql() -> tuple[str, ...]:
    return (
        f"""
        CREATE FUNCTION {_ORIGIN}_rules() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF {_RISES} AND (NEW.raise_receipt_id IS NULL
            OR NEW.raise_receipt_id IS NOT DISTINCT FROM OLD.raise_receipt_id) THEN
            RAISE EXCEPTION '{_ORIGIN_WORDS}' USING ERRCODE = 'integrity_constraint_violation';
          END IF;
          RETURN NEW;
        END $$""",
        f"CREATE TRIGGER {_ORIGIN}_rules BEFORE UPDATE ON {_ORIGIN} "
        f"FOR EACH ROW EXECUTE FUNCTION {_ORIGIN}_rules()",
    )


_PLANTED_WORDS = "a planted proposal is never approved"
_VERDICT_WORDS = "a planted item is never removed, and what became of it is said once"
_PLANTED_FIXED = (
    "workspace_id", "approval_id", "kind", "language", "wrong", "expected", "planted_at",
)  # fmt: skip


def _is_planted(submissions: str) -> str:
    """Return the SQL that finds whether any of these submissions is of a planted draft."""
    return (
        "EXISTS (SELECT 1 FROM inbox_submission s "  # noqa: S608
        "JOIN inbox_planteddraft p ON p.draft_id = s.draft_id "
        f"WHERE s.id IN ({submissions}))"
    )


def _planted_sqlite() -> tuple[str, ...]:
    item = "agents_planteditem"
    fixed = " OR ".join(f"OLD.{column} IS NOT NEW.{column}" for column in _PLANTED_FIXED)
    said = "(OLD.verdict <> '' AND OLD.verdict IS NOT NEW.verdict)"
    moves = "(NEW.state = 'approved' OR OLD.submission_id IS NOT NEW.submission_id)"
    refuse = f"BEGIN SELECT RAISE(ABORT, '{_PLANTED_WORDS}'); END"
    keep = f"BEGIN SELECT RAISE(ABORT, '{_VERDICT_WORDS}'); END"
    return (
        "CREATE TRIGGER agents_approval_planted BEFORE UPDATE ON agents_approval "
        f"WHEN {moves} AND {_is_planted('OLD.submission_id, NEW.submission_id')} {refuse}",
        "CREATE TRIGGER agents_approval_planted_new BEFORE INSERT ON agents_approval "
        f"WHEN NEW.state = 'approved' AND {_is_planted('NEW.submission_id')} {refuse}",
        f"CREATE TRIGGER {item}_kept BEFORE DELETE ON {item} {keep}",
        f"CREATE TRIGGER {item}_fixed BEFORE UPDATE ON {item} WHEN {fixed} OR {said} {keep}",
    )


def _planted_postgresql() -> tuple[str, ...]:
    item = "agents_planteditem"
    fixed = " OR ".join(f"OLD.{column} IS DISTINCT FROM NEW.{column}" for column in _PLANTED_FIXED)
    said = "(OLD.verdict <> '' AND OLD.verdict <> NEW.verdict)"
    moved = "TG_OP = 'UPDATE' AND OLD.submission_id IS DISTINCT FROM NEW.submission_id"
    refused = "USING ERRCODE = 'integrity_constraint_violation'"
    return (
        f"""
        CREATE FUNCTION agents_approval_planted() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF NEW.state = 'approved' AND {_is_planted("NEW.submission_id")} THEN
            RAISE EXCEPTION '{_PLANTED_WORDS}' {refused};
          END IF;
          IF {moved} AND {_is_planted("OLD.submission_id, NEW.submission_id")} THEN
            RAISE EXCEPTION '{_PLANTED_WORDS}' {refused};
          END IF;
          RETURN NEW;
        END $$""",
        "CREATE TRIGGER agents_approval_planted BEFORE INSERT OR UPDATE ON agents_approval "
        "FOR EACH ROW EXECUTE FUNCTION agents_approval_planted()",
        f"""
        CREATE FUNCTION {item}_rules() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF TG_OP = 'DELETE' OR {fixed} OR {said} THEN
            RAISE EXCEPTION '{_VERDICT_WORDS}' {refused};
          END IF;
          RETURN NEW;
        END $$""",
        f"CREATE TRIGGER {item}_rules BEFORE UPDATE OR DELETE ON {item} "
        f"FOR EACH ROW EXECUTE FUNCTION {item}_rules()",
    )


OPERATIONS = [
    DatabaseRules(_sqlite(), _postgresql()),
    DatabaseRules(_answers_sqlite(), _answers_postgresql()),
    DatabaseRules(_memories_sqlite(), _memories_postgresql()),
    DatabaseRules((), at_once(f"{_MEMORY}_search")),
    DatabaseRules(_origins_sqlite(), _origins_postgresql()),
    DatabaseRules(_planted_sqlite(), _planted_postgresql()),
    DatabaseRules(_chain_sqlite(), _chain_postgresql()),
]
