"""What profiles are called, and the family of tools that each shows."""

from agents.errors import ToolError

DEFAULT = "unified"
JOINT = "+"
# The address of a profile is its name; the operations are called individual as well.
FAMILIES = {
    "unified": "unified",
    "individual": "operations",
    "operations": "operations",
    "mail": "mail",
    "concierge": "concierge",
    "services": "services",
    "mesh": "mesh",
    "house": "house",
}
# No name of a joint profile is longer than all of them together.
_LONGEST = 200


def read_names(name: str) -> list[str]:
    """Return the profiles that a name joins by `+`, each once and in their order.

    A `+` that a query string turned into a blank joins them too. Raises ToolError `not_found`.
    """
    given = set(name[:_LONGEST].replace(" ", JOINT).split(JOINT))
    if not given <= FAMILIES.keys() or len(name) > _LONGEST:
        accepted = f"one of {', '.join(FAMILIES)}, or several joined by {JOINT}"
        raise ToolError(
            "not_found", "There is no such profile", {"profile": name[:100], "accepted": accepted}
        )
    return [one for one in FAMILIES if one in given]
