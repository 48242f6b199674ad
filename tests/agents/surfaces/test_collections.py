"""What holds for every collection under `/api/v1/`: filters, order, pages, tags and queries."""

import itertools
from urllib.parse import quote

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from jsonschema import Draft202012Validator

from agents.contracts import RESOURCES
from agents.models import Receipt
from agents.operations.agents import create_token, known_scopes
from agents.resources import COLLECTIONS
from tests import factories
from tests.agents.surfaces.collection_rows import MAKERS, Place
from tests.agents.surfaces.test_rest import error
from tests.cases import in_one_test, taken_back

pytestmark = pytest.mark.django_db


def each(test):
    """Try it with every collection, none of which has rows that another was tried with."""
    return in_one_test("noun", sorted(COLLECTIONS))(taken_back(test))


def make_rows():
    """Make an agent with an inbox, and the text of a token of its with every scope."""
    lantern = factories.make_lantern()
    scopes = set(known_scopes()) & factories.EVERY_SCOPE
    return {**lantern, "token": create_token(agent=lantern["agent"], scopes=scopes)[1]}


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(make_rows)


@pytest.fixture
def token(own_rows):
    return own_rows["token"]


@pytest.fixture
def place(inbox, agent):
    return Place(inbox, agent)


@pytest.fixture
def fill(place):
    """Make so many rows of a collection."""

    def fill(noun, count, *, first=1):
        return [MAKERS[noun](place, number) for number in range(first, first + count)]

    return fill


def rows(api, noun, query=""):
    answer = api.get(f"v1/{noun}?{query}")
    assert answer.status_code == 200, answer.content
    return answer.json()[COLLECTIONS[noun].key]


def every_page(api, noun, query, limit):
    """The rows of each page, until there is no cursor."""
    found, cursor = [], ""
    while cursor is not None:
        page = api.get(f"v1/{noun}?limit={limit}&{query}{cursor}").json()
        found.append(page[COLLECTIONS[noun].key])
        cursor = f"&cursor={page['next_cursor']}" if "next_cursor" in page else None
    return found


def ids_of(rows):
    return [row["id"] for row in rows]


def test_every_collection_of_the_contract_is_there():
    assert set(COLLECTIONS) == set(MAKERS)


@each
def test_a_row_is_listed_and_read_as_its_schema_says(api, fill, noun):
    collection, made = COLLECTIONS[noun], fill(noun, 2)[-1]
    listed = api.get(f"v1/{noun}").json()
    Draft202012Validator(RESOURCES.schemas_of(collection.lists)[1]).validate(listed)
    assert made.public_id in ids_of(listed[collection.key])
    whole = api.get(f"v1/{noun}/{made.public_id}").json()
    Draft202012Validator(RESOURCES.schemas_of(collection.reads)[1]).validate(whole)
    assert whole["id"] == made.public_id


@each
def test_a_list_takes_as_many_queries_for_six_rows_as_for_two(api, fill, noun):
    # The first call of a token notes that it is in use, the first text shown opens a quota's count.
    fill(noun, 1)
    rows(api, noun)
    counts = []
    for first, more in ((2, 1), (3, 4)):
        fill(noun, more, first=first)
        with CaptureQueriesContext(connection) as queries:
            assert len(rows(api, noun, "limit=200")) > more
        counts.append(len(queries))
    assert counts[0] == counts[1], [query["sql"] for query in queries]


@each
def test_pages_of_any_order_together_are_the_list(api, fill, noun):
    fill(noun, 5)
    # By one order there are three pages and more, by the others two.
    limits = itertools.chain([2], itertools.repeat(3))
    for name, limit in zip(COLLECTIONS[noun].orderings, limits, strict=False):
        whole = ids_of(rows(api, noun, f"limit=200&ordering={name}"))
        pages = every_page(api, noun, f"ordering={name}", limit)
        paged = [row for page in pages for row in ids_of(page)]
        assert len(set(whole)) == len(whole) >= 5, name
        assert [one for one in paged if one in set(whole)] == whole, name


@in_one_test("noun", ["drafts", "events", "todos", "agents", "receipts", "files"])
@taken_back
def test_a_cursor_keeps_its_place_while_rows_come_and_go(api, fill, noun):
    order = next(iter(COLLECTIONS[noun].orders))
    fill(noun, 4)
    first = api.get(f"v1/{noun}?limit=2&ordering={order}").json()
    seen = ids_of(first[COLLECTIONS[noun].key])
    fill(noun, 2, first=10)
    query = f"limit=200&ordering={order}&cursor={first['next_cursor']}"
    then = ids_of(rows(api, noun, query))
    assert not set(seen) & set(then)
    everything = ids_of(rows(api, noun, f"limit=200&ordering={order}"))
    assert everything[: len(seen + then)] == seen + then


@each
def test_a_cursor_belongs_to_its_query(api, fill, noun):
    fill(noun, 3)
    default = COLLECTIONS[noun].default
    other = default.removeprefix("-") if default.startswith("-") else f"-{default}"
    cursor = api.get(f"v1/{noun}?limit=1").json()["next_cursor"]
    answer = api.get(f"v1/{noun}?limit=1&ordering={other}&cursor={cursor}")
    assert error(answer, 400, "invalid_input")["details"]["errors"][0]["pointer"] == "/cursor"


@in_one_test("noun", ["drafts", "agents", "receipts", "threads", "todos"])
@in_one_test(
    "cursor", ["x", "W10", "bnVsbA", "W251bGwsMSwieCJd", "é", "a" * 3000, "%00", "WzEsMV0"]
)
def test_what_is_no_cursor_is_refused(api, noun, cursor):
    error(api.get(f"v1/{noun}?cursor={quote(cursor)}"), 400, "invalid_input")


@each
def test_an_unknown_parameter_is_refused_and_the_known_ones_are_named(api, noun):
    body = error(api.get(f"v1/{noun}?colour=red"), 400, "invalid_input")
    (problem,) = body["details"]["errors"]
    assert problem["pointer"] == "/colour"
    for name in ("limit", "cursor", "ordering", *COLLECTIONS[noun].filters.base_filters):
        assert name in problem["accepted"]


@each
@in_one_test(
    "query",
    [
        "limit=1&limit=1", "ordering=colour", "ordering=--id", "limit=0", "limit=201", "limit=1.5",
        "search=",
    ],
)  # fmt: skip
def test_what_a_list_does_not_take_is_refused(api, noun, query):
    error(api.get(f"v1/{noun}?{query}"), 400, "invalid_input")


VALUES = {
    "bool": ["true", "false"], "Moment": ["2026-03-02T12:00:00Z", "2030-01-01T00:00:00%2B02:00"],
    "int": ["0", "3"], "str": ["walnut", "%F0%9F%92%8C"],
}  # fmt: skip
REFUSED = {"bool": "maybe", "int": "-1"}


def kind_of(schema):
    if "enum" in schema:
        return "enum"
    kinds = {"boolean": "bool", "integer": "int"}
    return kinds.get(schema["type"], "Moment" if schema.get("format") == "date-time" else "str")


@each
def test_every_filter_takes_its_kind_and_nothing_else(api, fill, noun):
    fill(noun, 1)
    fields = RESOURCES.tool(COLLECTIONS[noun].lists).input_schema["properties"]
    taken, wrong = {}, {}
    for name in COLLECTIONS[noun].filters.base_filters:
        schema = {"type": "string"} if "$ref" in fields[name] else fields[name]
        kind = kind_of(schema)
        taken[name] = schema.get("enum") or VALUES[kind]
        wrong[name] = REFUSED.get(kind, "" if kind == "str" else "lost")
    # The first values of all, the second ones, and so on; who has fewer begins again.
    for turn in range(max(map(len, taken.values()))):
        given = [f"{name}={values[turn % len(values)]}" for name, values in taken.items()]
        rows(api, noun, "&".join(given))
    refused = api.get(f"v1/{noun}?" + "&".join(f"{name}={one}" for name, one in wrong.items()))
    errors = error(refused, 400, "invalid_input")["details"]["errors"]
    assert {one["pointer"] for one in errors} == {f"/{name}" for name in wrong}


@pytest.mark.parametrize(
    ("noun", "query", "kept"),
    [
        ("messages", "created_since=2026-03-02T12:02:00Z", {2, 3}), ("messages", "created_before=2026-03-02T12:02:00Z", {1}),
        ("messages", "sender=WALNUT@customer.example", {1, 2, 3}), ("messages", "sender=walnut", set()),
        ("messages", "has_attachments=true", set()), ("messages", "direction=inbound", {1, 2, 3}),
        ("events", "starts_before=2026-03-02T12:02:00Z&ends_since=2026-03-02T12:00:00Z", {1}), ("events", "uid=walnut-2", {2}),
        ("agents", "name=WALNUT 002", {2}), ("agents", "status=paused", set()), ("contexts", "key=walnut:003", {3}),
        ("todos", "due_before=2027-01-01T00:00:00Z", {1, 3}), ("files", "name=WALNUT-1.TXT", {1}),
        ("schedules", "trigger_since=2026-03-02T12:03:00Z", {3}), ("activities", "autonomy_tier=4", {1, 2, 3}),
        ("people", "email=walnut2@CUSTOMER.example", {2}), ("calendars", "name=walnut 001", {1}),
        ("attachments", "content_type=TEXT/plain&inline=false", {1, 2, 3}), ("agent-messages", "unread=false", set()),
    ],
)  # fmt: skip
def test_a_filter_keeps_what_it_says(api, fill, noun, query, kept):
    made = fill(noun, 3)
    wanted = {made[number - 1].public_id for number in kept}
    assert set(ids_of(rows(api, noun, query.replace(" ", "%20")))) == wanted


def test_rows_of_another_row_are_found_by_its_id(api, fill):
    first, second = fill("attachments", 2)
    thread, message = first.message.thread.public_id, second.message.public_id
    assert ids_of(rows(api, "attachments", f"thread_id={thread}")) == [first.public_id]
    assert ids_of(rows(api, "attachments", f"message_id={message}")) == [second.public_id]
    assert ids_of(rows(api, "messages", f"thread_id={thread}")) == [first.message.public_id]


def test_threads_and_messages_are_found_by_the_name_or_role_of_a_mailbox(api, fill, inbox):
    first, second = fill("messages", 2)
    archive = inbox.mailboxes.get(role="archive")
    first.mailboxes.add(archive)
    second.thread.mailboxes.add(archive)
    assert ids_of(rows(api, "messages", "label=ARCHIVE")) == [first.public_id]
    assert ids_of(rows(api, "threads", "label=archive")) == [second.thread.public_id]
    assert rows(api, "threads", "label=lost") == []


def test_messages_are_found_by_operators_and_in_their_texts(api, fill):
    first, second = fill("messages", 2)
    second.keywords, second.text = ["$flagged"], "The chestnut is planted."
    second.save()
    assert ids_of(rows(api, "messages", "search=chestnut")) == [second.public_id]
    assert ids_of(rows(api, "messages", "search=walnut%20-is:flagged")) == [first.public_id]
    assert rows(api, "messages", "search=chestnut%20before:2001") == []
    refused = api.get("v1/messages?search=is:blue")
    error(refused, 400, "invalid_input")
    assert "is:unread" in refused.content.decode()
    assert '"/search"' in refused.content.decode()


@in_one_test("noun", [noun for noun, one in COLLECTIONS.items() if one.search])
@taken_back
def test_every_word_that_is_searched_for_stands_in_the_row(api, fill, noun):
    made = {row.public_id for row in fill(noun, 2)}
    if noun == "approvals":
        assert made <= set(ids_of(rows(api, noun, "search=LEAVES%20the")))
    else:
        word = "send_reply" if noun == "approvals" else "WALNUT"
        assert made <= set(ids_of(rows(api, noun, f"search={word}")))
    assert rows(api, noun, "search=walnut%20chestnut") == []
    error(api.get(f"v1/{noun}?search=%20"), 400, "invalid_input")


# Each reading adds a receipt, so that no list of these is like the one before.
@in_one_test("noun", sorted(set(COLLECTIONS) - {"receipts"}))
@taken_back
def test_whoever_has_the_answer_is_spared_it(api, fill, noun):
    made = fill(noun, 1)[0]
    for path in (f"v1/{noun}", f"v1/{noun}/{made.public_id}"):
        first = api.get(path)
        assert first["Cache-Control"].startswith("private")
        again = api.get(path, If_None_Match=f'"other", W/{first["ETag"]}')
        assert (again.status_code, again.content) == (304, b"")
        assert again["ETag"] == first["ETag"]
        assert api.get(path, If_None_Match='"other"').status_code == 200


def test_a_tag_changes_with_its_row_and_with_no_other(api, fill):
    first, second = fill("agents", 2)
    path = f"v1/agents/{first.public_id}"
    before, listed = api.get(path)["ETag"], api.get("v1/agents")["ETag"]
    second.status = "paused"
    second.save()
    assert (api.get(path)["ETag"] == before, api.get("v1/agents")["ETag"] == listed) == (
        True,
        False,
    )


@each
def test_every_reading_leaves_a_receipt(api, fill, noun):
    made = fill(noun, 1)[0]
    before = Receipt.objects.count()
    answers = [
        api.get(f"v1/{noun}"),
        api.get(f"v1/{noun}/{made.public_id}"),
        api.get(f"v1/{noun}?colour=red"),
    ]
    assert Receipt.objects.count() == before + 3
    kept = Receipt.objects.order_by("-id")[:3]
    assert [one.outcome for one in kept] == ["error", "ok", "ok"]
    assert kept[1].public_id == answers[1]["Chancery-Receipt"]


@each
def test_every_collection_opens_with_its_own_scope_and_no_other(api, agent, fill, noun):
    made = fill(noun, 1)[0]
    wanted = f"{COLLECTIONS[noun].domain}:read"
    everything = set(known_scopes()) & factories.EVERY_SCOPE
    for scopes, status in (([wanted], 200), (sorted(everything - {wanted}), 403)):
        agent.tokens.exclude(hint="chy_none").update(scopes=scopes)
        assert api.get(f"v1/{noun}").status_code == status
        assert api.get(f"v1/{noun}/{made.public_id}").status_code == status
