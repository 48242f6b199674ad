"""The full-text indexes, those of short rows whole, as of people and events; part of migrations.

The words of a row's own columns are indexed by the database, whoever changes them; what stands in
`search_extra` is put there by whoever saves the row.
"""

from collections.abc import Mapping, Sequence

# A tsvector holds at most 1 MB; so much of each column is searched.
_LONGEST = 20_000


# By these PostgreSQL's parser makes one word of an address, a path, a version or what has hyphens,
# and drops what looks like a tag. FTS5 takes their parts as words, and so does our index.
_JOINING = "-./:@_+&<>"


def plain_words(text: str) -> str:
    """Return the SQL of a text, itself given as SQL, in which no mark joins two words to one."""
    return f"translate({text}, '{_JOINING}', '{' ' * len(_JOINING)}')"


def at_once(*indexes: str) -> tuple[str, ...]:
    """Return PostgreSQL's statements that these indexes put every word in its place at once.

    Otherwise new words wait in a list, up to 4 MB, that each question reads from end to end; of a
    whole message hundreds are asked.
    """
    return tuple(
        statement
        for index in indexes
        for statement in (
            f"ALTER INDEX {index} SET (fastupdate = off)",
            f"SELECT gin_clean_pending_list('{index}')",
        )
    )


def row_index(
    table: str, index: str, owner: str, weights: Mapping[str, str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the statements, of SQLite and PostgreSQL, that index a table's columns by weights.

    The number in `owner` is a word like the others on SQLite, so that a search keeps to its rows.
    """
    searched = [owner, *weights]
    changed = " OR ".join(f"OLD.{column} IS NOT NEW.{column}" for column in searched)
    on_sqlite = sqlite_index(table, index, searched, changed_when=changed)
    return on_sqlite, _postgresql(table, index, weights)


def sqlite_index(
    table: str,
    index: str,
    searched: Sequence[str],
    *,
    key: str = "id",
    added_when: str = "",
    changed_when: str = "",
) -> tuple[str, ...]:
    """Index a table's own columns, with no second copy of the text (SQLite FTS5).

    `added_when` and `changed_when` are SQL conditions of the triggers that index a row.
    """
    columns = ", ".join(searched)
    new = ", ".join(f"NEW.{column}" for column in searched)
    old = ", ".join(f"OLD.{column}" for column in searched)
    add = f"INSERT INTO {index} (rowid, {columns}) VALUES (NEW.{key}, {new});"  # noqa: S608
    remove = (
        f"INSERT INTO {index} ({index}, rowid, {columns}) "  # noqa: S608
        f"VALUES ('delete', OLD.{key}, {old});"
    )
    added = f"WHEN {added_when} " if added_when else ""
    changed = f"WHEN {changed_when} " if changed_when else ""
    return (
        f"CREATE VIRTUAL TABLE {index} USING fts5({columns}, content='{table}', "
        f"content_rowid='{key}', tokenize='porter unicode61 remove_diacritics 2')",
        f"CREATE TRIGGER {table}_indexed AFTER INSERT ON {table} {added}BEGIN {add} END",
        f"CREATE TRIGGER {table}_unindexed AFTER DELETE ON {table} BEGIN {remove} END",
        f"CREATE TRIGGER {table}_reindexed AFTER UPDATE OF {columns} ON {table} "
        f"{changed}BEGIN {remove} {add} END",
    )


def _postgresql(table: str, index: str, weights: Mapping[str, str]) -> tuple[str, ...]:
    # As they stand as well: among the words that English leaves out are names, as Will.
    lexemes = " || ".join(
        f"setweight(to_tsvector('{words}', {plain_words(f'left({column}, {_LONGEST})')}), "
        f"'{weight}')"
        for words in ("english", "simple")
        for column, weight in weights.items()
    )
    return (
        f"ALTER TABLE {table} ADD COLUMN search tsvector GENERATED ALWAYS AS ({lexemes}) STORED",
        f"CREATE INDEX {index} ON {table} USING gin (search)",
    )
