"""The nearest by an index of pgvector are those of comparing all, and without it nothing is lost."""

import json

import pytest

from tests.pgvector import run_pgvector
from tests.project.backups.places import Place

pytestmark = pytest.mark.services

START = """
import json, os
from django.db import connection
from inbox.models import Message, MessageVector
from inbox.semantic import indexing
from inbox.semantic.finding import MESSAGES
from inbox.semantic.vector_index import find_indexes, index_name
from tests.inbox.semantic.near_rows import *
def tell(**what): print(json.dumps(what))
def scans():
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT sum(idx_scan) FROM pg_stat_user_indexes WHERE indexrelname LIKE '%near384%'")
        return int(cursor.fetchone()[0] or 0)
"""
TWO = (
    "one, other = fill('one@lantern.example', 1500), fill('other@lantern.example', 1200, seed=2)\n"
)


@pytest.fixture(scope="module")
def server():
    with run_pgvector() as server:
        yield server


@pytest.fixture(scope="module")
def template(server, tmp_path_factory):
    """A database with our tables."""
    name = server.new_database()
    made = place_of(server.url(name), tmp_path_factory.mktemp("var")).manage("migrate", "-v0")
    assert made.returncode == 0, made.stderr
    return name


def place_of(url, folder):
    return Place(folder, {
        "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "project.settings",
        "CHANCERY_SEMANTIC_SEARCH": "1",
    })  # fmt: skip


@pytest.fixture
def name(server, template):
    return server.new_database(template=template)


@pytest.fixture
def place(server, name, tmp_path):
    return place_of(server.url(name), tmp_path / "var")


def ask(place, code):
    return json.loads(place.ask(START + code).splitlines()[-1])


def test_the_index_finds_what_comparing_all_finds_and_nothing_of_others(place):
    told = ask(place, TWO + """
small = fill('small@lantern.example', 40, seed=3)
asked = work()
before = scans()
shares = [recall(inbox) for inbox in (one, other)]
owned = [set(MessageVector.objects.filter(inbox=inbox).values_list("pk", flat=True)) for inbox in (one, other)]
near = [found(inbox, QUERIES[0]).keys() for inbox in (one, other)]
both = find_nearest(MESSAGES, [one.pk, small.pk, other.pk], QUERIES[0], SOUGHT)
all = compared(one, QUERIES[0]) | compared(small, QUERIES[0]) | compared(other, QUERIES[0])
best = sorted(all, key=all.get, reverse=True)[:SOUGHT]
tell(asked=asked, indexed=sorted(find_indexes(MESSAGES).owners) == [one.pk, other.pk], shares=shares,
     own=all_own if (all_own := bool(near[0] <= owned[0] and near[1] <= owned[1])) else False,
     counts=[len(keys) for keys in near], both=len(both.keys() & set(best)), scans=scans() - before,
     again=work())
""")  # fmt: skip
    assert (told["asked"], told["again"], told["indexed"], told["own"]) == (True, False, True, True)
    assert min(told["shares"]) >= 0.99
    assert told["counts"] == [100, 100]
    assert told["both"] >= 98
    # A search of each inbox for each query, those of the two, and both at once.
    assert told["scans"] == 6 + 6 + 2 + 2


def test_rows_that_come_go_or_change_are_found_accordingly(place):
    told = ask(place, TWO + """
from django.db import transaction
work()
query = QUERIES[1]
first, second, third = list(found(one, query))[:3]
Message.objects.filter(pk=first).delete()
exact = MessageVector.objects.get(pk=second).vector
MessageVector.objects.filter(pk=second).update(vector=bytes(384))
gone = [key in found(one, query) for key in (first, second)]
MessageVector.objects.filter(pk=second).update(vector=exact)
try:
    with transaction.atomic():
        MessageVector.objects.filter(pk=third).delete()
        inside = third in found(one, query)
        raise KeyError
except KeyError: pass
back = list(found(one, query))[:2] == [second, third]
MessageVector.objects.filter(pk=third).update(vector=b"another length")
odd = third in found(one, query)
MessageVector.objects.filter(inbox=one).exclude(pk__in=list(found(one, query))[-40:]).delete()
rest = MessageVector.objects.filter(inbox=one).count()
tell(gone=gone, inside=inside, back=back, odd=odd, rest=rest, found=len(found(one, query)))
""")  # fmt: skip
    assert told["gone"] == [False, False]
    assert (told["inside"], told["back"], told["odd"]) == (False, True, False)
    # Nor do the many rows that are gone, and that nobody cleared away, hide those that are left.
    assert told["rest"] == told["found"] == 40


def test_a_letter_is_found_by_other_words_and_conditions_hold(place):
    told = ask(place, TWO + """
from inbox.actor import system_actor
from inbox.search import search_messages
from inbox.semantic.embedding import embed_messages
from inbox.operations.mail.incoming import receive_message
from tests.inbox.letters import letter
rows = list(MessageVector.objects.filter(inbox=one))
for row in rows:
    row.vector = os.urandom(384)
MessageVector.objects.bulk_update(rows, ["vector"], batch_size=500)
receive_message(inbox=one, raw=letter("lease", subject="The flat", text="Our lease of the flat ends in March."))
work()
embed_messages()
def find(inbox, query="rental agreement expires"):
    actor = system_actor(inbox.workspace_id, "test")
    return [hit.message.subject for hit in search_messages(actor=actor, inbox=inbox, query=query)]
before = scans()
first = find(one), "The flat" in find(other), find(one, "rental agreement expires -landlord subject:flat")
Message.objects.filter(subject="The flat").update(deleted_at="2026-03-09T00:00Z")
tell(found=first, deleted=find(one), scans=scans() - before)
""")  # fmt: skip
    assert told["found"] == [["The flat"], False, ["The flat"]]
    assert told["deleted"] == []
    assert told["scans"] == 4


def test_the_schema_counts_as_this_version_s_and_the_doctor_says_what_works(place):
    ask(place, TWO + "tell(made=work(2000))")
    assert "pgvector is added once an inbox has 10,000 messages" in place.manage("doctor").stdout
    told = ask(place, """
from project.doctor.nearness import look_at_nearness
from project.monitoring.health import Readiness
from project.schema.comparing import schema_differences
def said(): return [(it.kind, it.words) for it in look_at_nearness()]
import project.doctor.nearness as nearness
nearness.LEAST_INDEXED = indexing.LEAST_INDEXED = 1000
before = said()
work()
one = said()
indexing.LEAST_INDEXED = 1400
work(1400)
Message.objects.filter(inbox__address="one@lantern.example").delete()
indexing.LEAST_INDEXED = 2500
dropped = work(2500), len(find_indexes(MESSAGES).owners)
tell(before=before, made=one, differences=schema_differences(), dropped=dropped,
     ready=Readiness().look().as_json()["checks"]["migrations"])
""")  # fmt: skip
    assert told["before"][0][0] == "warn"
    assert "was not added to this database yet" in told["before"][0][1]
    [(kind, words)] = told["made"]
    assert (kind, "(indexed: 2)" in words) == ("good", True)
    assert (told["differences"], told["ready"]) == ([], "ok")
    assert told["dropped"] == [True, 0]


def test_a_backup_leaves_the_indexes_out_and_they_are_made_anew(place, server, tmp_path):
    first = ask(place, TWO + "work(); tell(near=list(found(one, QUERIES[2])))")
    made = place.manage("backup", tmp_path / "b.tar")
    assert made.returncode == 0, made.stderr
    new = place_of(server.url(server.new_database()), tmp_path / "new")
    done = new.manage("restore", tmp_path / "b.tar")
    assert done.returncode == 0, done.stderr
    told = ask(new, """
one = MessageVector.objects.order_by("pk").first().inbox
none = not find_indexes(MESSAGES).owners
by_comparing = list(found(one, QUERIES[2]))
tell(none=none, compared=by_comparing, made=work(), near=list(found(one, QUERIES[2])), recall=recall(one))
""")  # fmt: skip
    assert (told["none"], told["made"]) == (True, True)
    assert len(set(first["near"]) & set(told["compared"])) >= 98
    assert told["recall"] >= 0.99


def test_who_may_not_add_the_extension_searches_by_comparing(server, template, tmp_path):
    name = server.new_database(template=template)
    with server.administered(name) as database:
        database.execute("DROP ROLE IF EXISTS clerk")
        database.execute("CREATE ROLE clerk LOGIN")
        database.execute("GRANT ALL ON ALL TABLES IN SCHEMA public TO clerk")
        database.execute("GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO clerk")
        database.execute("GRANT CREATE ON SCHEMA public TO clerk")
        database.execute("ALTER TABLE inbox_messagevector OWNER TO clerk")
        clerk = place_of(server.url(name, "clerk"), tmp_path)
        told = ask(clerk, TWO + """
from project.doctor.nearness import look_at_nearness
asked = work()
tell(asked=asked, recall=recall(one), said=[(it.kind, it.words, it.remedy) for it in look_at_nearness()])
""")  # fmt: skip
        assert (told["asked"], told["recall"]) == (False, 1.0)
        [(kind, words, remedy)] = told["said"]
        assert kind == "warn"
        assert "comparing all in memory" in words
        assert "CREATE EXTENSION vector" in remedy
        # Somebody who may adds it, in whatever schema.
        database.execute("CREATE SCHEMA extensions; GRANT USAGE ON SCHEMA extensions TO clerk")
        database.execute("CREATE EXTENSION vector SCHEMA extensions")
        told = ask(clerk, """
one = MessageVector.objects.order_by("pk").first().inbox
asked, before = work(), scans()
tell(asked=asked, recall=recall(one), scans=scans() - before)
""")  # fmt: skip
        assert (told["asked"], told["recall"] >= 0.99, told["scans"]) == (True, True, 6)


def test_what_breaks_off_is_made_anew_and_what_is_gone_is_done_without(place, server, name):
    ask(place, TWO + "tell(made=work())")
    again = """
from django.db import transaction
one = MessageVector.objects.order_by("pk").first().inbox
broken = len(find_indexes(MESSAGES).broken)
with transaction.atomic():
    share = recall(one)
    there = Message.objects.exists()
made = work()
tell(broken=broken, recall=share, there=there, made=made, left=len(find_indexes(MESSAGES).broken),
     indexed=len(find_indexes(MESSAGES).owners))
"""
    with server.administered(name) as database:
        database.execute(
            "UPDATE pg_index SET indisvalid = false FROM pg_class c "
            "WHERE c.oid = indexrelid AND c.relname LIKE '%near384%'"
        )
        told = ask(place, again)
        assert told == {
            "broken": 2, "recall": 1.0, "there": True, "made": True, "left": 0, "indexed": 2,
        }  # fmt: skip
        # An index without its function, as where somebody is just dropping it all.
        database.execute("ALTER FUNCTION inbox_meaning_of RENAME TO gone")
        assert (ask(place, again)["recall"], ask(place, again)["there"]) == (1.0, True)
        database.execute("ALTER FUNCTION gone RENAME TO inbox_meaning_of")
        database.execute("DROP EXTENSION vector CASCADE")
        told = ask(place, again)
        assert (told["recall"], told["broken"], told["indexed"]) == (1.0, 0, 2)
