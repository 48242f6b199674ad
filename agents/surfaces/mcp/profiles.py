"""Which tools a client is shown: a few unified ones, the single operations, or families."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

from agents.contracts import REGISTRY, Declared, Fold, Registry
from agents.surfaces.mcp.profile_names import DEFAULT, FAMILIES, JOINT, read_names

# Who one is and what there is to work with is told everywhere, and so is what became of one's own
# proposals.
_EVERYWHERE = frozenset({"look_around", "list_approvals", "get_approval"})
# Told beside each answer; asked for where the list of tools need not be short.
_BUT_BY_DEFAULT = frozenset({"explain_origin"})
# What else a family's tools need for their ids.
_BESIDE = {"house": frozenset({"list_threads"})}


@dataclass(frozen=True, eq=False)
class Profile:
    """A selection of tools under a name."""

    name: str
    registry: Registry
    chooses: Callable[[Declared], bool]

    @property
    def declared(self) -> list[Declared]:
        """What belongs to it, in an order that stays."""
        return [each for each in self.registry if self.chooses(each)]

    def find(self, name: str) -> Declared | None:
        """Return what has this name here, whoever may call it."""
        return _by_name(self).get(name)


@lru_cache(maxsize=256)
def _by_name(profile: Profile) -> dict[str, Declared]:
    return {each.name: each for each in profile.declared}


def _family(name: str) -> Callable[[Declared], bool]:
    others = _EVERYWHERE | _BESIDE.get(name, frozenset())
    if name != DEFAULT:
        others |= _BUT_BY_DEFAULT

    def chooses(declared: Declared) -> bool:
        return declared.family == name or declared.name in others

    return chooses


PROFILES = {name: Profile(name, REGISTRY, _family(family)) for name, family in FAMILIES.items()}
# What each is for, in the words that clients are shown.
ABOUT = {
    "unified": "a few verbs over mail, calendar, contacts and files",
    "individual": "each of these operations by itself",
    "mail": "threads, search, triage, extraction, replies by policy",
    "concierge": "what came in, classified, and people",
    "services": "to-dos, calendar, memory, scheduler",
    "mesh": "context and messages shared between agents",
    "house": "free slots, shares, policy, the state of proposals",
}


def find_profile(name: str) -> Profile:
    """Return the profile of this name, or several joined by `+`; raises ToolError `not_found`."""
    names = read_names(name)
    return PROFILES[names[0]] if len(names) == 1 else _joined(tuple(names))


@lru_cache(maxsize=256)
def _joined(names: tuple[str, ...]) -> Profile:
    """Return the profile of all that these have."""
    parts = [PROFILES[name] for name in names]

    def chooses(declared: Declared) -> bool:
        return any(part.chooses(declared) for part in parts)

    return Profile(JOINT.join(names), REGISTRY, chooses)


def profile_of(name: str) -> Profile | None:
    """Return the first profile that has a tool of this name."""
    return next((profile for profile in PROFILES.values() if profile.find(name)), None)


def scope_lacking(profile: Profile, name: str, arguments: object, scopes: frozenset[str]) -> str:
    """Return the scope that a call needs and these are not; empty where they do, or none would."""
    declared = profile.find(name)
    if isinstance(declared, Fold):
        value = arguments.get(declared.discriminator) if isinstance(arguments, dict) else None
        branch = declared.branches.get(value) if isinstance(value, str) else None
        tool = branch.tool if branch else None
    else:
        tool = declared
    return "" if tool is None or tool.opens_to(scopes) else tool.scope


@lru_cache(maxsize=256)
def allowed(
    profile: Profile, scopes: frozenset[str], only: frozenset[str] = frozenset()
) -> tuple[Declared, ...]:
    """Return what a bearer of these scopes may call, folds with only the branches that it may.

    `only` are the tools that its token is for; empty: whichever the scopes open.
    """
    narrowed = (_narrow(declared, scopes, only) for declared in profile.declared)
    return tuple(declared for declared in narrowed if declared is not None)


def _narrow(declared: Declared, scopes: frozenset[str], only: frozenset[str]) -> Declared | None:
    if not isinstance(declared, Fold):
        return declared if declared.opens_to(scopes, only) else None
    branches = {
        value: branch
        for value, branch in declared.branches.items()
        if branch.tool.opens_to(scopes, only)
    }
    return replace(declared, branches=branches) if branches else None
