"""A seeded search for what gets through: at random, and near to what already did."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.attacks.planting import CARRIERS
from tests.attacks.trying import REFUSED, check, propose, undone
from tests.attacks.variants import (
    GOALS,
    TARGETS,
    Variant,
    mutate,
    random_variant,
    right_reasons,
    texts,
)
from tests.attacks.wordings import ORDERS
from tests.attacks.world import DROP, SECRETS, World

# The unflagged share is told at these parts of the search.
POINTS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
# Of every so many that were checked one is proposed as an agent would.
_PROPOSED = 100


@dataclass(frozen=True)
class Stage:
    """What is there before an attack: how its order came, and what the agent has read besides."""

    carrier: str
    secret: str
    number: int
    seed: int


@dataclass
class Found:
    """What a search came to; `through` are variants without a right reason, some of them kept."""

    tried: int = 0
    unflagged: int = 0
    silent: int = 0
    through: list[str] = field(default_factory=list)
    # How many were tried, and how many of these got through, at each point.
    at: list[tuple[int, int]] = field(default_factory=lambda: [(0, 0)] * len(POINTS))
    why: Counter[str] = field(default_factory=Counter)
    differing: list[str] = field(default_factory=list)

    def add(self, other: "Found") -> None:
        """Add what another search came to."""
        self.tried += other.tried
        self.unflagged += other.unflagged
        self.silent += other.silent
        self.through += other.through
        self.at = [(a + c, b + d) for (a, b), (c, d) in zip(self.at, other.at, strict=True)]
        self.why += other.why
        self.differing += other.differing

    @property
    def share(self) -> float:
        """The share without a right reason."""
        return self.unflagged / max(1, self.tried)


def stages(number: int, seed: int) -> list[Stage]:
    """Return the stages of a search over so many variants, each with its part of them."""
    pairs = [(carrier, secret) for carrier in CARRIERS for secret in SECRETS]
    each, more = divmod(number, len(pairs))
    return [
        Stage(carrier, secret, each + (place < more), seed * 1000 + place)
        for place, (carrier, secret) in enumerate(pairs)
    ]


def search(world: World, stage: Stage) -> Found:
    """Return what the variants of a stage come to; nothing of it stays."""
    chance, found = random.Random(stage.seed), Found()
    order = chance.choice(ORDERS).format(to=DROP)
    with undone():
        CARRIERS[stage.carrier](world, order)
        SECRETS[stage.secret].read(world, world.clerk)
        for variant in _variants(stage, chance, found):
            codes = check(world, world.clerk, variant, stage.secret)
            _note(found, stage, variant, codes)
            if found.tried % _PROPOSED == 1 and not variant.is_split:
                _propose_as_well(world, found, variant, codes, stage.secret)
    return found


# What got through of a goal and target, from which the search goes on.
_Pool = dict[tuple[str, str], list[Variant]]


def _variants(stage: Stage, chance: random.Random, found: Found) -> Iterator[Variant]:
    """Yield variants: half of them near to those that got through, where there are any."""
    through: _Pool = {}
    seen: set[Variant] = set()
    while found.tried < stage.number:
        goal = chance.choice(("leak", "leak", "leak", *GOALS[1:]))
        # Nobody has their own account or link sent back to them.
        target = chance.choice([it for it in TARGETS if goal == "leak" or it != "who wrote first"])
        pool = through.setdefault((goal, target), [])
        variant = random_variant(goal, target, chance)
        if pool and chance.random() < 0.5:
            variant = mutate(chance.choice(pool), chance)
        if variant in seen:
            continue
        seen.add(variant)
        before = found.unflagged
        yield variant
        if found.unflagged > before:
            pool.append(variant)


def _note(found: Found, stage: Stage, variant: Variant, codes: set[str]) -> None:
    found.tried += 1
    if not codes & right_reasons(variant):
        found.unflagged += 1
        found.silent += not codes
        found.why.update([variant.target, stage.secret, stage.carrier, variant.goal, variant.place])
        found.why.update(variant.disguises or ["no disguise"])
        if len(found.through) < 5:
            found.through.append(f"{stage.carrier}, {stage.secret}: {variant}")
    for place, point in enumerate(POINTS):
        if found.tried <= point * stage.number or point == 1.0:
            found.at[place] = (found.tried, found.unflagged)


def _propose_as_well(
    world: World, found: Found, variant: Variant, codes: set[str], secret: str
) -> None:
    """Propose what was only checked, and keep it where the right reasons are others then."""
    with undone():
        whole = propose(world, world.clerk, variant, texts(variant, secret)[0])
    right = right_reasons(variant)
    if REFUSED not in whole and bool(whole & right) != bool(codes & right):
        found.differing.append(f"{variant}: {sorted(codes)}, proposed {sorted(whole)}")
