"""Two workspaces, three agents each: no address shows anything that is another's, nor that it is.

Every object of the other workspace holds the canary; every object of another agent in ours, too.
"""

import json
import re

import pytest
from django.test import Client
from django.utils import timezone

from agents.operations.agents import create_token, known_scopes
from agents.resources import COLLECTIONS
from agents.surfaces.urls import urlpatterns
from inbox import ids
from inbox.actor import Actor
from tests import factories
from tests.agents.surfaces.collection_rows import MAKERS, Place
from tests.agents.surfaces.conftest import Api
from tests.cases import in_one_test, taken_back

pytestmark = pytest.mark.django_db
CANARY = "canary"


def one_by_one(names, values):
    """Try it with all of them, none of which has rows that another was tried with."""
    return lambda test: in_one_test(names, values)(taken_back(test))


each = one_by_one("noun", sorted(COLLECTIONS))
# What an agent keeps for itself, whatever accounts others were granted.
OWN = ["agent-messages", "approvals", "contexts", "memories", "receipts", "schedules"]
# What belongs to an account, and what to the workspace.
OF_WORKSPACE = ["agents", "policies", "schemas", "taxonomies", "todos", "webhooks"]
OF_ACCOUNT = sorted(set(COLLECTIONS) - set(OWN) - set(OF_WORKSPACE))
# Differs with every answer.
PASSING = {"Chancery-Receipt", "Date"}
DELETED = ["messages", "drafts", "people", "calendars", "events", "todos", "files", "memories"]


class World:
    """A workspace of three agents; the first two were granted the same inbox."""

    def __init__(self, slug, word):
        workspace = factories.make_workspace(slug)
        inbox = factories.make_inbox(workspace, f"office@{word}.example")
        other = factories.make_inbox(workspace, f"other@{word}.example")
        grants = ((inbox,), (inbox,), (other,))
        self.agents = [
            factories.make_agent(workspace, name, granted)
            for name, granted in zip(("Clerk", "Scout", "Scribe"), grants, strict=True)
        ]
        self.place = Place(inbox, self.agents[0], word)
        self.places = [
            self.place,
            Place(inbox, self.agents[1], CANARY),
            Place(other, self.agents[2], CANARY),
        ]

    def row(self, noun, number=1):
        """Make a row of the first agent's."""
        return MAKERS[noun](self.place, number)


def make_worlds():
    """Make ours, with a token of every scope for its first agent, and theirs."""
    ours, theirs = World("ours", "walnut"), World("theirs", CANARY)
    token = create_token(agent=ours.agents[0], scopes=known_scopes())[1]
    return {"ours": ours, "theirs": theirs, "token": token}


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(make_worlds)


@pytest.fixture
def ours(own_rows, db):
    return own_rows["ours"]


@pytest.fixture
def theirs(own_rows, db):
    return own_rows["theirs"]


@pytest.fixture
def clerk(own_rows, db):
    """Our first agent, with every scope."""
    return Api(Client(), own_rows["token"])


def shown(answer):
    """All of an answer that must not differ."""
    headers = {name: value for name, value in answer.headers.items() if name not in PASSING}
    return answer.status_code, headers, answer.content


def everything(api, noun, made):
    """What a collection says in all: its list, what a search finds, and one row."""
    key = COLLECTIONS[noun].key
    search = f"search={CANARY}" if COLLECTIONS[noun].search else ""
    texts = [api.get(f"v1/{noun}?limit=200").content, api.get(f"v1/{noun}?{search}").content]
    listed = json.loads(texts[0])[key]
    assert made is None or made.public_id in [row["id"] for row in listed]
    return b"".join(
        [*texts, *(api.get(f"v1/{noun}/{row['id']}").content for row in listed)]
    ).decode()


@each
def test_no_collection_shows_anything_of_another_workspace(ours, theirs, clerk, noun):
    made, foreign = ours.row(noun), theirs.row(noun)
    text = everything(clerk, noun, made)
    assert "walnut" in text or noun == "inboxes"
    assert CANARY not in text.replace(f"search={CANARY}", "")
    assert foreign.public_id not in text


@one_by_one(("noun", "whose"), [(noun, whose) for noun in OWN for whose in (1, 2)])
def test_what_another_agent_keeps_for_itself_is_not_shown(ours, clerk, noun, whose):
    made = ours.row(noun)
    MAKERS[noun](ours.places[whose], 2)
    assert CANARY not in everything(clerk, noun, made)


@one_by_one("noun", OF_ACCOUNT)
def test_what_belongs_to_an_account_that_was_not_granted_is_not_shown(ours, clerk, noun):
    made = ours.row(noun)
    MAKERS[noun](ours.places[2], 2)
    assert CANARY not in everything(clerk, noun, made)


@one_by_one("noun", OF_ACCOUNT)
def test_what_belongs_to_an_account_is_shown_to_all_who_were_granted_it(ours, clerk, noun):
    shared = MAKERS[noun](ours.places[1], 1)
    if noun == "inboxes":
        ours.agents[0].grants.create(account=shared.account)
    everything(clerk, noun, shared)


def spellings(prefix, *rows):
    """Ids that lead nowhere for us: of rows that are not ours, of none, and malformed."""
    known = [row.public_id for row in rows]
    absent = [ids.encode(prefix, 10**9), ids.encode(prefix, 0, 10**9), ids.encode(prefix, 1, 10**9)]
    malformed = [
        f"{prefix}_",
        "x",
        known[0].upper(),
        f"{known[0]}x",
        "zzz_k3G7QAe51F",
        "%F0%9F%92%8C",
        "-",
        "a" * 200,
    ]
    return [*known, *absent, *malformed]


def addresses_by_id():
    """Every address that takes the id of a row, with the name by which it takes it."""
    for pattern in urlpatterns:
        found = re.findall(r"<str:(\w+)_id>", str(pattern.pattern))
        if found:
            yield str(pattern.pattern), found[0]


def noun_of(one):
    return next(noun for noun, collection in COLLECTIONS.items() if collection.one == one)


ADDRESSES = sorted(addresses_by_id())


def test_every_collection_is_among_the_addresses():
    assert {one for _, one in ADDRESSES} >= {collection.one for collection in COLLECTIONS.values()}


@one_by_one(("route", "one"), ADDRESSES)
def test_ids_that_are_foreign_absent_or_malformed_answer_alike(ours, theirs, clerk, route, one):
    noun = noun_of(one)
    prefix = ours.row(noun).public_id.partition("_")[0]
    others = [theirs.row(noun)]
    if noun in OWN:
        others.append(MAKERS[noun](ours.places[1], 2))
    if noun in OF_ACCOUNT:
        others.append(MAKERS[noun](ours.places[2], 3))
    headers = clerk.headers(If_Match='"x"', Accept="*/*")
    for method in ("GET", "POST", "PATCH", "DELETE"):
        answers = [
            shown(clerk.client.generic(
                method, "/api/" + route.replace(f"<str:{one}_id>", key),
                "{}" if method != "GET" else "", content_type="application/json", headers=headers,
            ))
            for key in spellings(prefix, *others)
        ]  # fmt: skip
        assert all(answer == answers[0] for answer in answers), (method, answers)
        assert answers[0][0] in {403, 404, 405} or method != "GET"


@one_by_one("noun", DELETED)
def test_what_was_deleted_is_as_if_it_had_never_been(ours, clerk, noun):
    row = ours.row(noun)
    absent = ids.encode(row.public_id.partition("_")[0], 10**9)
    type(row).objects.filter(pk=row.pk).update(deleted_at=timezone.now())
    for path in (f"v1/{noun}/{{}}", f"v1/{noun}?search=walnut"):
        answers = {str(shown(clerk.get(path.format(key)))) for key in (row.public_id, absent)}
        assert len(answers) == 1
        assert row.public_id not in answers.pop()
    assert clerk.get(f"v1/{noun}/{row.public_id}").status_code == 404


def test_a_context_that_has_expired_is_as_if_it_had_never_been(ours, clerk):
    row = ours.row("contexts")
    type(row).objects.filter(pk=row.pk).update(expires_at=factories.NOON.replace(year=2020))
    assert clerk.get(f"v1/contexts/{row.public_id}").status_code == 404
    assert clerk.get("v1/contexts").json() == {"contexts": []}


FILTERED = [
    (noun, name)
    for noun, collection in COLLECTIONS.items()
    for name in collection.filters.base_filters
    if name.endswith("_id")
    and name.removesuffix("_id") in {one.one for one in COLLECTIONS.values()}
]


@one_by_one(("noun", "name"), FILTERED)
def test_a_filter_by_an_id_that_is_not_ours_finds_nothing_whatever_the_id(
    ours, theirs, clerk, noun, name
):
    ours.row(noun)
    theirs.row(noun)
    other = theirs.row(noun_of(name.removesuffix("_id")), 5)
    answers = {
        str(shown(clerk.get(f"v1/{noun}?{name}={key}")))
        for key in spellings(other.public_id.partition("_")[0], other)
    }
    assert len(answers) == 1
    assert clerk.get(f"v1/{noun}?{name}={other.public_id}").json() == {COLLECTIONS[noun].key: []}


def test_a_draft_is_made_neither_in_a_foreign_inbox_nor_in_a_foreign_thread(ours, theirs, clerk):
    body = {"to": [], "subject": "x", "body": "y", "inbox_id": ours.place.inbox.public_id}
    for name, one in (("inbox_id", "inboxes"), ("thread_id", "threads")):
        other = theirs.row(one)
        answers = {
            clerk.client.post(
                "/api/v1/drafts", json.dumps({**body, name: key}), content_type="application/json",
                headers=clerk.headers(),
            ).content
            for key in spellings(other.public_id[:3], other) if key != "-"
        }  # fmt: skip
        assert len(answers) == 1
        assert json.loads(answers.pop())["details"]["pointer"] == f"/{name}"


def test_no_two_kinds_of_rows_have_ids_that_look_alike():
    found = [
        collection.rows(Actor("person", 0, "nobody", (0,))).model
        for collection in COLLECTIONS.values()
    ]
    prefixes = [model.ID_PREFIX for model in found]
    assert len(set(prefixes)) == len(prefixes)
