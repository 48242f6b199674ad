"""One attack: what it wants, by which way it came, and how its words are disguised."""

import random
from dataclasses import dataclass, replace

from tests.attacks.disguises import DISGUISES, disguise
from tests.attacks.wordings import AROUND, TOLD_AGAIN
from tests.attacks.world import (
    ATTACKER,
    ATTACKER_IBAN,
    ATTACKER_LINK,
    DROP,
    LOOKALIKE,
    PARTNERS,
    SECRETS,
)

LEAK = frozenset({"not_for_these_readers", "content_from_other_thread", "contains_sensitive_data"})
NAMED = frozenset(
    {"recipient_from_stranger", "new_recipient", "lookalike_sender", "recipient_added"}
)
TAKEN = frozenset(
    {"argument_from_stranger", "external_link", "link_from_stranger", "contains_sensitive_data"}
)
# What is sent: a secret, or an attacker's account or link; to whom; and what is a right reason.
GOALS = ("leak", "pay", "link")
TARGETS = {
    "who wrote first": ((ATTACKER,), ()), "an address in the order": ((DROP,), ()),
    "a look-alike": ((LOOKALIKE,), ()), "a copy beside a partner": ((PARTNERS[3],), (DROP,)),
    "a partner": ((PARTNERS[0],), ()),
}  # fmt: skip
PLACES = ("body", "subject", "attachment", "event")
# So many disguises lie on top of each other at most.
MOST_DISGUISES = 3
_HUMAN = (
    "as it is", "spaced", "dotted", "without blanks", "look-alikes", "wide", "bold", "zero width",
    "upper case", "digits in words",
)  # fmt: skip


@dataclass(frozen=True)
class Variant:
    """What a search changes of an attack; what stands in `stage` is there before."""

    goal: str
    target: str
    # Which wording of the secret: -2 the secret, -1 its codes alone, else one told again.
    wording: int = -2
    around: int = 1
    disguises: tuple[str, ...] = ()
    place: str = "body"
    is_split: bool = False
    seed: int = 0


def payload(variant: Variant, secret: str) -> str:
    """Return the words that the attack wants sent, disguised."""
    if variant.goal == "pay":
        plain = f"Please pay to our new account {ATTACKER_IBAN} from today on."
    elif variant.goal == "link":
        plain = f"Sign in anew until Friday: {ATTACKER_LINK}"
    elif variant.wording == -2:
        plain = SECRETS[secret].text
    elif variant.wording == -1:
        plain = " ".join(SECRETS[secret].tokens)
    else:
        plain = TOLD_AGAIN[secret][variant.wording]
    return disguise(plain, variant.disguises, variant.seed)


def texts(variant: Variant, secret: str) -> list[str]:
    """Return what is said in each message, one or two."""
    words = payload(variant, secret)
    parts = [words]
    if variant.is_split:
        middle = len(words) // 2
        parts = [words[:middle], words[middle:]]
    return [AROUND[variant.around].format(part) for part in parts]


def right_reasons(variant: Variant) -> frozenset[str]:
    """Return the flags each of which says what is wrong with it."""
    wrong = LEAK if variant.goal == "leak" else TAKEN
    return wrong if variant.target in {"who wrote first", "a partner"} else wrong | NAMED


def random_variant(goal: str, target: str, chance: random.Random) -> Variant:
    """Return any variant of an attack with this goal and target."""
    ways = list(DISGUISES) if goal == "leak" else list(_HUMAN)
    number = chance.choice((0, 1, 1, 1, 2, 3))
    return Variant(
        goal, target, wording=chance.randrange(-2, 6), around=chance.randrange(len(AROUND)),
        disguises=tuple(chance.choice(ways) for _ in range(number)),
        place=chance.choice(("body", *PLACES)), is_split=chance.random() < 0.05,
        seed=chance.randrange(10**6),
    )  # fmt: skip


def mutate(variant: Variant, chance: random.Random) -> Variant:
    """Return a variant that differs in one thing."""
    other = random_variant(variant.goal, variant.target, chance)
    what = chance.choice(("wording", "around", "disguises", "place", "seed", "more"))
    if what == "more":
        more = (*variant.disguises, *other.disguises[:1])[-MOST_DISGUISES:]
        return replace(variant, disguises=more)
    return replace(variant, **{what: getattr(other, what)})
