"""What the calls are made up against: a furnished workspace, a token for all of it, and its ids."""

from collections import defaultdict

from agents.operations.agents import create_token, known_scopes
from agents.resources import COLLECTIONS
from agents.resources.collection import Collection
from inbox.actor import Actor
from tests.agents.furnishing import furnish
from tests.fuzz.calls import Ids

# Who calls a row something else than the collection does.
_ALSO = {
    "message": ["email", "source"], "file": ["folder", "parent"], "person": ["contact"],
    "todo": ["task", "parent"], "agent": ["author", "sender", "recipient"],
}  # fmt: skip


def furnish_for_fuzzing() -> tuple[str, Ids]:
    """Make a workspace with something of everything; return a token for it, and its ids by kind."""
    world = furnish("fuzzed", "walnut")
    _, token = create_token(agent=world.agents[0], scopes=known_scopes())
    ids: Ids = defaultdict(list)
    for collection in COLLECTIONS.values():
        found = _ids_of(collection, world.actor)
        for kind in [collection.one, *_ALSO.get(collection.one, ())]:
            ids[kind] += found
    ids["account"].append(world.account.public_id)
    return token, ids


def _ids_of(collection: Collection, actor: Actor) -> list[str]:
    return [row.public_id for row in collection.rows(actor)[:20]]
