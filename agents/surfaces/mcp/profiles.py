"""Which tools a client is shown: a few unified ones, the single operations, or one family."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

from agents.contracts import REGISTRY, Declared, Fold, Registry
from agents.errors import ToolError

# Who one is and what there is to work with is told everywhere, and so is what became of one's own
# proposals.
_EVERYWHERE = frozenset({"look_around", "list_approvals", "get_approval"})
# Told beside each answer; asked for where the list of tools need not be short.
_BUT_BY_DEFAULT = frozenset({"explain_origin"})
# What else a family's tools need for their ids.
_BESIDE = {"house": frozenset({"list_threads"})}
DEFAULT = "unified"


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
        return next((each for each in self.declared if each.name == name), None)


def _family(name: str) -> Callable[[Declared], bool]:
    others = _EVERYWHERE | _BESIDE.get(name, frozenset())
    if name != DEFAULT:
        others |= _BUT_BY_DEFAULT

    def chooses(declared: Declared) -> bool:
        return declared.family == name or declared.name in others

    return chooses


# The address of a profile is its name; the operations are called individual as well.
PROFILES = {
    name: Profile(name, REGISTRY, _family(family))
    for name, family in {
        "unified": "unified",
        "individual": "operations",
        "operations": "operations",
        "mail": "mail",
        "concierge": "concierge",
        "services": "services",
        "mesh": "mesh",
        "house": "house",
    }.items()
}


def find_profile(name: str) -> Profile:
    """Return the profile of this name; raises ToolError `not_found`."""
    try:
        return PROFILES[name]
    except KeyError:
        accepted = "one of " + ", ".join(PROFILES)
        raise ToolError(
            "not_found", "There is no such profile", {"profile": name[:100], "accepted": accepted}
        ) from None


def profile_of(name: str) -> Profile | None:
    """Return the first profile that has a tool of this name."""
    return next((profile for profile in PROFILES.values() if profile.find(name)), None)


@lru_cache(maxsize=256)
def allowed(profile: Profile, scopes: frozenset[str]) -> tuple[Declared, ...]:
    """Return what a bearer of these scopes may call, folds with only the branches that it may."""
    narrowed = (_narrow(declared, scopes) for declared in profile.declared)
    return tuple(declared for declared in narrowed if declared is not None)


def _narrow(declared: Declared, scopes: frozenset[str]) -> Declared | None:
    if not isinstance(declared, Fold):
        return declared if declared.opens_to(scopes) else None
    if not declared.scopes & scopes:
        return None
    branches = {
        value: branch for value, branch in declared.branches.items() if branch.tool.scope in scopes
    }
    return replace(declared, branches=branches)
