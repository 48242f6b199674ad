"""The database of the tests is a copy of one that was made once."""

import shutil
from contextlib import closing
from sqlite3 import connect

from tests.sqlite3.base import put_copy


def fill(place, rows):
    """Write rows, and leave the database as a process does that is killed: its log beside it."""
    made = place.with_name("made.sqlite3")
    with closing(connect(made, isolation_level=None)) as there:
        there.execute("PRAGMA journal_mode = WAL")
        there.execute("CREATE TABLE kept (word TEXT)")
        there.executemany("INSERT INTO kept VALUES (?)", [(f"{n}" * 200,) for n in range(rows)])
        for ending in ("", "-wal", "-shm"):
            shutil.copyfile(f"{made}{ending}", f"{place}{ending}")


def test_a_copy_is_whole_although_a_killed_run_left_its_log(tmp_path):
    kept, place = tmp_path / "kept.sqlite3", tmp_path / "test.sqlite3"
    with closing(connect(kept)) as there:
        there.execute("CREATE TABLE other (number INTEGER)")
        there.executemany("INSERT INTO other VALUES (?)", [(n,) for n in range(5000)])
        there.commit()
    fill(place, 3000)
    put_copy(kept, place)
    assert sorted(one.name for one in tmp_path.glob("test.sqlite3*")) == ["test.sqlite3"]
    with closing(connect(place)) as there:
        assert there.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert there.execute("SELECT count(*) FROM other").fetchone() == (5000,)
