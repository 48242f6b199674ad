"""To-dos of a server, kept as ours and written back; nothing echoes, nothing is lost."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calendar_app.models import Todo, TodoList
from calendar_app.operations.todos import (
    create_todo,
    default_todo_list,
    delete_todo,
    restore_todo,
    update_todo,
)
from inbox.errors import DomainError
from inbox.formats.content_lines import read_blocks
from inbox.models import RemoteCollection
from inbox.syncing.collections.keepers import UnfitItemError, keeper_of
from tests.cases import in_one_test, made_up
from tests.factories import agent_actor, make_agent
from tests.inbox.syncing.collections.mirrored import (
    found,
    keep,
    keep_again,
    make_collection,
    written,
)
from tests.inbox.syncing.collections.sources import run_jobs_but_syncs

pytestmark = pytest.mark.django_db

ZONE = """BEGIN:VTIMEZONE\r
TZID:Europe/Berlin\r
BEGIN:STANDARD\r
DTSTART:19701025T030000\r
RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU\r
TZOFFSETFROM:+0200\r
TZOFFSETTO:+0100\r
END:STANDARD\r
END:VTIMEZONE\r
"""


def calendar(*lines, zone=""):
    body = "".join(f"{line}\r\n" for line in lines)
    return (
        f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Maker//EN\r\n{zone}"
        f"BEGIN:VTODO\r\n{body}END:VTODO\r\nEND:VCALENDAR\r\n"
    ).encode()


APPLE = calendar(
    "UID:A1", "DTSTAMP:20260105T100000Z", "CREATED:20260105T100000Z", "SUMMARY:Send Ada the offer",
    "DTSTART;TZID=Europe/Berlin:20260306T170000", "DUE;TZID=Europe/Berlin:20260306T170000",
    "PRIORITY:1", "STATUS:NEEDS-ACTION", "SEQUENCE:0", "X-APPLE-SORT-ORDER:789012345",
    "BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER;VALUE=DATE-TIME:20260306T160000Z",
    "X-WR-ALARMUID:B2", "END:VALARM", zone=ZONE,
)  # fmt: skip
NEXTCLOUD = calendar(
    "UID:N1", "CREATED:20260201T083000", "LAST-MODIFIED:20260201T083000", "DTSTAMP:20260201T083000",
    "SUMMARY:Water\\, then feed", "DESCRIPTION:The *ferns*\\;\\nand the cat", "CATEGORIES:home,green",
    "PERCENT-COMPLETE:40", "STATUS:IN-PROCESS", "DUE;VALUE=DATE:20260310", "PRIORITY:5",
    "RELATED-TO;RELTYPE=PARENT:N0", "X-OC-HIDESUBTASKS:1", "X-PINNED:true",
)  # fmt: skip
THUNDERBIRD = calendar(
    "CREATED:20260201T083000Z", "LAST-MODIFIED:20260202T083000Z", "DTSTAMP:20260202T083000Z",
    "UID:T1", "SUMMARY:Backup", "STATUS:COMPLETED", "COMPLETED:20260202T082959Z",
    "PERCENT-COMPLETE:100", "RRULE:FREQ=WEEKLY", "DTSTART:20260130T090000Z", "DURATION:PT1H",
    "X-MOZ-GENERATION:3",
)  # fmt: skip
OUTLOOK = calendar(
    "UID:040000008200E00074C5B7101A82E008", "DTSTAMP:20260105T100000Z", "SUMMARY;LANGUAGE=de:Prüfen",
    "DTSTART;VALUE=DATE:20260301", "DUE;VALUE=DATE:20260303", "PRIORITY:9",
    "X-MICROSOFT-CDO-IMPORTANCE:0", "STATUS:CANCELLED",
)  # fmt: skip
ALL = {"Apple": APPLE, "Nextcloud": NEXTCLOUD, "Thunderbird": THUNDERBIRD, "Outlook": OUTLOOK}
STAMPS = ("DTSTAMP", "LAST-MODIFIED")


@pytest.fixture
def tasks(inbox):
    collection = make_collection(inbox.account, "todos", name="Tasks")
    keeper_of("todos").open(collection)
    return collection


def read(raw):
    return keeper_of("todos").read(raw, "")


def lines(raw):
    """All lines of the to-do, but for when it was said."""
    [whole] = read_blocks(raw.decode())
    todo = next(block for block in whole.blocks if block.name == "VTODO")
    return [it for it in todo.items if not (isinstance(it, str) and it.startswith(STAMPS))]


def differences(before, after):
    return (
        [it for it in lines(before) if it not in lines(after)],
        [it for it in lines(after) if it not in lines(before)],
    )


def change(key, **changes):
    return update_todo(todo=Todo.objects.get(pk=key), changes=changes)


@in_one_test("maker", list(ALL))
def test_what_is_kept_of_a_todo_is_found_as_it_was_read(tasks, maker):
    [key] = keep(tasks, ALL[maker])
    assert found(tasks, key) == read(ALL[maker])
    assert differences(ALL[maker], written(tasks, key)) == ([], [])


def test_when_a_todo_was_done_may_be_said_on_the_clock_of_a_zone():
    done = read(calendar("UID:1", "COMPLETED;TZID=Our town:20260706T100000",
                         zone=ZONE.replace("Europe/Berlin", "Our town")))  # fmt: skip
    assert (done["status"], done["completed"]) == ("completed", "20260706T090000Z")


def test_when_a_todo_was_done_is_not_made_up_where_something_else_of_it_changes(tasks):
    done = calendar("UID:1", "DTSTAMP:20260105T100000Z", "SUMMARY:Send it", "STATUS:COMPLETED")
    [key] = keep(tasks, done)
    change(key, summary="Send all of it")
    assert differences(done, written(tasks, key)) == (
        ["SUMMARY:Send it"],
        ["SUMMARY:Send all of it"],
    )


def test_a_todo_says_what_is_to_be_done(tasks):
    rows = Todo.objects.in_bulk(int(key) for key in keep(tasks, *ALL.values()))
    apple, nextcloud, thunderbird, outlook = rows.values()
    assert (apple.summary, apple.starred, apple.due) == (
        "Send Ada the offer", True, datetime(2026, 3, 6, 16, tzinfo=UTC),
    )  # fmt: skip
    assert (nextcloud.description, nextcloud.due, nextcloud.status) == (
        "The *ferns*;\nand the cat", datetime(2026, 3, 10, tzinfo=UTC), "needs-action",
    )  # fmt: skip
    assert (thunderbird.due, thunderbird.completed_at) == (
        datetime(2026, 1, 30, 10, tzinfo=UTC), datetime(2026, 2, 2, 8, 29, 59, tzinfo=UTC),
    )  # fmt: skip
    assert (outlook.summary, outlook.status, outlook.completed_at) == ("Prüfen", "completed", None)
    assert [row.position for row in rows.values()] == [0, 1, 2, 3]


@in_one_test(
    ("raw", "changes", "gone", "new"),
    [
        (APPLE, {"summary": "Call Ada"}, ["SUMMARY:Send Ada the offer"], ["SUMMARY:Call Ada"]),
        (APPLE, {"starred": False}, ["PRIORITY:1"], []),
        (
            APPLE, {"due": datetime(2026, 7, 1, 15, tzinfo=UTC)},
            ["DTSTART;TZID=Europe/Berlin:20260306T170000", "DUE;TZID=Europe/Berlin:20260306T170000"],
            ["DTSTART;TZID=Europe/Berlin:20260701T170000", "DUE;TZID=Europe/Berlin:20260701T170000"],
        ),
        (NEXTCLOUD, {"description": ""}, ["DESCRIPTION:The *ferns*\\;\\nand the cat"], []),
        (
            NEXTCLOUD, {"due": datetime(2026, 3, 11, tzinfo=UTC)},
            ["DUE;VALUE=DATE:20260310"], ["DUE;VALUE=DATE:20260311"],
        ),
        (
            NEXTCLOUD, {"due": datetime(2026, 3, 11, 9, tzinfo=UTC)},
            ["DUE;VALUE=DATE:20260310"], ["DUE:20260311T090000Z"],
        ),
        (NEXTCLOUD, {"starred": True}, ["PRIORITY:5"], ["PRIORITY:1"]),
        (
            THUNDERBIRD, {"status": "needs-action"},
            ["STATUS:COMPLETED", "COMPLETED:20260202T082959Z", "PERCENT-COMPLETE:100"],
            ["STATUS:NEEDS-ACTION"],
        ),
        (
            OUTLOOK, {"due": datetime(2026, 3, 2, 9, tzinfo=UTC)},
            ["DTSTART;VALUE=DATE:20260301", "DUE;VALUE=DATE:20260303"],
            ["DTSTART:20260302T090000Z", "DUE:20260302T090000Z"],
        ),
    ],
)  # fmt: skip
def test_a_change_here_changes_its_lines_and_no_other(tasks, raw, changes, gone, new):
    [key] = keep(tasks, raw.replace(b"STATUS:CANCELLED", b"STATUS:NEEDS-ACTION"))
    change(key, **changes)
    raw = raw.replace(b"STATUS:CANCELLED", b"STATUS:NEEDS-ACTION")
    after = written(tasks, key)
    assert differences(raw, after) == (gone, new)
    assert read(after) == found(tasks, key)
    keeper_of("todos").remove(tasks, [key])
    Todo.objects.all().delete()
    tasks.items.all().delete()


def test_completing_says_so_and_when(tasks):
    [key] = keep(tasks, NEXTCLOUD)
    done = change(key, status="completed")
    after = written(tasks, key)
    stamp = done.completed_at.strftime("%Y%m%dT%H%M%SZ")
    assert differences(NEXTCLOUD, after) == (
        ["PERCENT-COMPLETE:40", "STATUS:IN-PROCESS"],
        ["PERCENT-COMPLETE:100", "STATUS:COMPLETED", f"COMPLETED:{stamp}"],
    )
    # Read again, it stays as exact as it was noted here.
    keep_again(tasks, key, after)
    assert Todo.objects.get(pk=key).completed_at == done.completed_at


def test_a_recurring_one_keeps_its_rule_and_its_instances(tasks):
    instance = (
        b"BEGIN:VTODO\r\nUID:T1\r\nRECURRENCE-ID:20260206T090000Z\r\nSUMMARY:Later\r\nEND:VTODO\r\n"
    )
    raw = THUNDERBIRD.replace(b"END:VCALENDAR", instance + b"END:VCALENDAR")
    [key] = keep(tasks, raw)
    change(key, summary="Backup, twice", due=datetime(2026, 1, 31, 9, tzinfo=UTC))
    after = written(tasks, key)
    assert instance in after
    assert b"RRULE:FREQ=WEEKLY\r\n" in after
    assert b"DTSTART:20260130T090000Z\r\n" in after
    assert read(after)["due"] == "20260131T090000Z"


def test_a_part_waits_for_what_it_is_part_of_and_is_told_of_nothing(tasks):
    [part] = keep(tasks, NEXTCLOUD)
    assert found(tasks, part)["parent"] == "N0"
    [whole] = keep(tasks, calendar("UID:N0", "SUMMARY:Garden"))
    assert Todo.objects.get(pk=part).parent_id == int(whole)
    keeper_of("todos").remove(tasks, [whole])
    row = Todo.objects.get(pk=part)
    assert (row.parent, row.deleted_at, found(tasks, part)) == (None, None, read(NEXTCLOUD))


def test_todos_that_are_parts_of_each_other_end_somewhere(tasks):
    circle = [
        calendar(f"UID:{one}", "SUMMARY:x", f"RELATED-TO:{other}")
        for one, other in ("ab", "bc", "ca", "dd")
    ]
    keys = keep(tasks, *circle)
    rows = Todo.objects.in_bulk(map(int, keys))
    assert sum(row.parent_id is not None for row in rows.values()) == 2
    assert [found(tasks, key) for key in keys] == [read(raw) for raw in circle]


def test_what_is_made_here_has_its_uid_and_parent_there(tasks, actor):
    ours = TodoList.objects.get(remote=tasks)
    whole = create_todo(actor=actor, todo_list=ours, summary="a")
    due = datetime(2026, 3, 6, tzinfo=UTC)
    part = create_todo(actor=actor, todo_list=ours, summary="b, c", parent=whole, due=due)
    keeper = keeper_of("todos")
    fields = found(tasks, str(part.pk))
    raw = keeper.write(b"", fields, frozenset(fields), keeper.new_name(str(part.pk)))
    assert read(raw) == fields
    assert {f"UID:{part.uid}", f"RELATED-TO:{whole.uid}", "DUE;VALUE=DATE:20260306"} <= set(
        lines(raw)
    )


def test_what_is_deleted_here_is_not_found_and_comes_back(tasks):
    [key] = keep(tasks, APPLE)
    todo = Todo.objects.get(pk=key)
    delete_todo(todo=todo)
    assert keeper_of("todos").find(tasks, [key]) == {}
    restore_todo(todo=todo)
    assert found(tasks, key) == read(APPLE)


def test_a_calendar_without_todos_is_none_of_ours():
    with pytest.raises(UnfitItemError) as refused:
        read(b"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n")
    assert str(refused.value) == ""


@in_one_test(
    "raw",
    [
        b"", b"BEGIN:VCALENDAR\r\n", calendar("SUMMARY:no uid"), calendar("UID:1", "DUE:soon"),
        calendar("UID:1", "DUE;TZID=Nowhere:20260301T100000"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_unfit(raw):
    with pytest.raises(UnfitItemError, match=r"."):
        read(raw)


def test_a_batch_takes_as_many_queries_as_one_todo(tasks, django_assert_max_num_queries):
    with django_assert_max_num_queries(25):
        keep(tasks, *(calendar(f"UID:{at}", "SUMMARY:x") for at in range(90)))


# -- the list --------------------------------------------------------------------------------------
def test_a_list_has_a_name_of_its_own_and_follows_the_servers(inbox, tasks):
    other = make_collection(inbox.account, "todos", name="Tasks")
    keeper = keeper_of("todos")
    keeper.open(other)
    names = dict(TodoList.objects.exclude(remote=None).values_list("remote", "name"))
    assert names == {tasks.pk: "Tasks", other.pk: f"Tasks ({inbox.account.address})"}
    RemoteCollection.objects.filter(pk=other.pk).update(name="Errands")
    keeper.open(RemoteCollection.objects.get(pk=other.pk))
    assert TodoList.objects.get(remote=other).name == "Errands"


def test_new_to_dos_go_to_the_first_list_of_ones_own_unless_another_is_in_use(inbox, tasks):
    first = TodoList.objects.get(remote=tasks)
    assert default_todo_list(workspace_id=inbox.workspace_id) == first
    stranger = agent_actor(make_agent(inbox.workspace))
    built_in = default_todo_list(workspace_id=inbox.workspace_id, actor=stranger)
    assert (built_in.account, built_in.is_default) == (None, False)
    keeper_of("todos").close(tasks)
    assert default_todo_list(workspace_id=inbox.workspace_id) == built_in


@pytest.mark.parametrize("fields", [{"is_writable": False}, {"is_own": False}, {"read_only": True}])
def test_a_list_that_is_only_read_takes_no_new_to_dos(inbox, fields):
    keeper_of("todos").open(make_collection(inbox.account, "todos", **fields))
    assert default_todo_list(workspace_id=inbox.workspace_id).remote is None


def test_a_list_that_is_in_use_stays_the_default_one(inbox, actor):
    built_in = default_todo_list(workspace_id=inbox.workspace_id)
    create_todo(actor=actor, todo_list=built_in, summary="x")
    keeper_of("todos").open(make_collection(inbox.account, "todos"))
    assert default_todo_list(workspace_id=inbox.workspace_id) == built_in


def test_a_list_that_is_closed_and_taken_again_has_its_todos(tasks):
    keeper = keeper_of("todos")
    [key] = keep(tasks, APPLE)
    keeper.close(tasks)
    assert not keeper.is_open(tasks)
    assert Todo.objects.get(pk=key).deleted_at is not None
    tasks.items.all().delete()
    keeper.open(tasks)
    assert keep(tasks, APPLE) == [key]
    assert found(tasks, key) == read(APPLE)


def test_a_list_that_may_only_be_read_refuses_every_change(tasks, actor):
    [key, gone] = keep(tasks, APPLE, NEXTCLOUD)
    todo = Todo.objects.get(pk=key)
    deleted = Todo.objects.get(pk=gone)
    delete_todo(todo=deleted)
    RemoteCollection.objects.filter(pk=tasks.pk).update(read_only=True)
    for attempt in (
        lambda: create_todo(actor=actor, todo_list=todo.list, summary="x"),
        lambda: update_todo(todo=todo, changes={"summary": "x"}),
        lambda: delete_todo(todo=todo),
        lambda: restore_todo(todo=deleted),
    ):
        with pytest.raises(DomainError) as refused:
            attempt()
        assert (refused.value.code, str(refused.value.message)) == (
            "permission_denied", "The list Tasks is read-only here. Change it at its source.",
        )  # fmt: skip
    assert found(tasks, key) == read(APPLE)
    assert Todo.objects.get(pk=gone).deleted_at is not None


def test_what_changes_here_is_marked_and_what_a_sync_wrote_is_not(tasks, actor):
    _kept, changed, gone = keep(tasks, APPLE, THUNDERBIRD, OUTLOOK)
    ours = TodoList.objects.get(remote=tasks)
    run_jobs_but_syncs()
    assert not tasks.items.filter(dirty=True).exists()
    change(changed, summary="Restore")
    delete_todo(todo=Todo.objects.get(pk=gone))
    made = create_todo(actor=actor, todo_list=ours, summary="x")
    other = TodoList.objects.create(workspace=tasks.workspace, name="Here alone")
    create_todo(actor=actor, todo_list=other, summary="y")
    run_jobs_but_syncs()
    marked = tasks.items.filter(dirty=True).values_list("key", flat=True)
    assert set(marked) == {changed, gone, str(made.pk)}


# -- made up ---------------------------------------------------------------------------------------
words = st.text("aB ä丽😀,;:\\\"^'=.", max_size=20).map(lambda text: " ".join(text.split()))
moments = st.just("") | st.datetimes(
    datetime(1990, 1, 1), datetime(2090, 1, 1)  # noqa: DTZ001
).map(lambda at: at.strftime("%Y%m%dT%H%M%SZ"))  # fmt: skip


@st.composite
def todo_fields(draw):
    is_done = draw(st.booleans())
    return {
        "summary": draw(words),
        "description": "\n".join(draw(st.lists(words.filter(bool), max_size=3))),
        "due": draw(moments),
        "status": "completed" if is_done else "needs-action",
        "completed": draw(moments) if is_done else "",
        "parent": draw(st.sampled_from(["", "N0", "other@maker.example"])),
        "starred": draw(st.booleans()),
    }


@settings(max_examples=made_up(160), deadline=None)
@given(st.sampled_from([b"", APPLE, NEXTCLOUD, OUTLOOK]), todo_fields())
def test_a_todo_changed_in_every_field_reads_so_and_keeps_what_we_do_not_know(raw, fields):
    before = read(raw) if raw else {}
    wanted = fields | {"uid": before.get("uid", "uid-1")}
    changed = frozenset(it for it in wanted if before.get(it) != wanted[it])
    after = keeper_of("todos").write(raw, wanted, changed, "uid-1")
    assert read(after) == wanted
    if raw:
        unknown = [
            it
            for it in lines(raw)
            if not isinstance(it, str) or it.startswith(("X-", "CAT", "SEQ"))
        ]
        assert [it for it in lines(after) if it in unknown] == unknown
