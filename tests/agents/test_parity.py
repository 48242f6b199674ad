"""The same call gives the same answer, the same error and the same receipt, whichever way it comes.

Each surface has a world of its own, furnished alike, so that what one call changes is seen by no
other surface; what is a world's own (ids, times, random words) is compared by its place.
"""

import re

import pytest

from agents.models import Receipt, Token
from agents.operations.agents import create_token, known_scopes
from inbox import ids
from tests.agents.furnishing import PUBLIC_ID, calls_of, furnish
from tests.agents.surfaces.callers import EVERY
from tests.agents.surfaces.conftest import port  # noqa: F401
from tests.cases import every
from tests.factories import EVERY_SCOPE

pytestmark = pytest.mark.django_db(transaction=True)
# What is random, or a figure that depends on what the others did to the mirror.
OWN_FIELDS = {
    "device_code", "user_code", "flow_cache", "_flow_cache", "verification_url", "instructions",
    "next_cursor",
}  # fmt: skip
ID = re.compile(rf"(?<![A-Za-z0-9_]){PUBLIC_ID.pattern}(?![A-Za-z0-9_])")
OWN_TEXTS = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?"), "<time>"),
    (re.compile(r"[0-9a-f]{32,64}"), "<hash>"),
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "<uuid>"),
)


class Plain:
    """Makes what one world says comparable: ids by their order, its word, times and what is random."""

    def __init__(self, world):
        self.word = world.word
        self.slug = world.workspace.slug
        self.seen = {}

    def __call__(self, value):
        if isinstance(value, dict):
            return {
                self(name): "<own>" if name in OWN_FIELDS else self(one)
                for name, one in value.items()
            }
        if isinstance(value, list):
            return [self(one) for one in value]
        if not isinstance(value, str):
            return value
        text = ID.sub(self._number, value).replace(self.word, "WORD").replace(self.slug, "SLUG")
        for pattern, name in OWN_TEXTS:
            text = pattern.sub(name, text)
        return text

    def _number(self, found):
        prefix = found[0].partition("_")[0]
        return self.seen.setdefault(found[0], f"{prefix}#{len(self.seen)}")


def with_absent_ids(arguments):
    """The same with ids of rows that do not exist; None where there is none."""
    absent = _absent(arguments)
    return None if absent == arguments else absent


def _absent(value):
    """Leave what is random as it is: a part of it may look like an id."""
    if isinstance(value, dict):
        return {name: one if name in OWN_FIELDS else _absent(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_absent(one) for one in value]
    if not isinstance(value, str):
        return value
    return ID.sub(lambda found: ids.encode(found[0].partition("_")[0], 10**9), value)


@pytest.mark.parametrize("code", ["x-abc_DEFGHIJKLMNOP-x", "abc_DEFGHIJKLMNOP"])
def test_a_random_code_is_no_id_though_it_may_look_like_one(code):
    assert with_absent_ids({"flow_cache": code, "parameters": {"device_code": code}}) is None


def attempts(world):
    """Every call, and of a quarter of them the ways in which they go wrong; or of all.

    What each tool does with an id of no row, `test_isolation` asks all of them without a surface.
    """
    for number, (profile, name, arguments) in enumerate(calls_of(world)):
        if number % every(1) == 0:
            yield profile, name, {**arguments, "nonsense": 1}
        yield profile, name, arguments
        absent = with_absent_ids(arguments)
        if absent is not None and (number + 2) % every(1) == 0:
            yield profile, name, absent


def run(surface, world, asked):
    """What each call came to, with the content of its receipts."""
    plain, said = Plain(world), []
    for profile, name, arguments in asked:
        before = Receipt.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
        answer = surface.call(name, arguments, profile)
        receipts = [
            plain([it.actor_name, it.tool, it.arguments, it.decision, it.outcome, it.error_code,
                   it.reason, it.result])
            for it in Receipt.objects.filter(pk__gt=before, actor=world.actor.key).order_by("pk")
        ]  # fmt: skip
        assert receipts, (surface.name, name)
        said.append((name, plain(arguments), answer.is_error, plain(answer.body), receipts))
    surface.close()
    return said


def differences(said):
    """Where a surface says something else than the first does, as short as can be."""
    (_, expected), *others = said.items()
    return [
        (surface, one[0], [pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]])
        for surface, answers in others
        for one, other in zip(expected, answers, strict=True)
        if one != other
    ]


@pytest.fixture
def worlds(port):  # noqa: F811
    """A world for each surface, with a token of every scope."""
    made = {}
    for number, surface in enumerate(EVERY):
        world = furnish(f"parity{number}", f"walnut{number}")
        # Over stdio there is no token: an agent may there what any of its tokens may.
        Token.objects.filter(agent=world.agents[0]).delete()
        scopes = set(known_scopes()) & EVERY_SCOPE
        token = create_token(agent=world.agents[0], scopes=scopes)[1]
        made[surface(port, world, token)] = world
    return made


def test_every_surface_gives_the_same_answers_errors_and_receipts(worlds):
    said = {surface.name: run(surface, world, attempts(world)) for surface, world in worlds.items()}
    assert differences(said) == []
    outcomes = {receipt[4:6] for answer in said["REST"] for receipt in map(tuple, answer[4])}
    seen = {("ok", ""), ("held", ""), ("error", "invalid_input"), ("error", "not_found")}
    assert seen <= outcomes


def test_every_surface_refuses_alike_what_the_token_may_not(port):  # noqa: F811
    """One agent and one world: not even the hash of the arguments may differ."""
    world = furnish("parity", "walnut")
    world.agents[0].tokens.all().delete()
    token = create_token(agent=world.agents[0], scopes={"time:read"})[1]
    said = {}
    for kind in EVERY:
        surface = kind(port, world, token)
        may = {"get_current_time", "look_around"}
        # That every tool refuses, `test_isolation` sees.
        asked = [one for one in calls_of(world) if one[1] not in may][:: every(1)]
        last = Receipt.objects.order_by("-pk").first().pk
        said[kind.name] = run(surface, world, asked)
        hashes = Receipt.objects.filter(pk__gt=last, actor=world.actor.key).order_by("pk")
        said[kind.name].append(list(hashes.values_list("arguments_sha256", flat=True)))
    assert differences(said) == []
    assert all(answer[2] for answer in said["REST"][:-1])
