"""The addresses of MCP as OAuth's protected resources, and where a client is told to sign in."""

from urllib.parse import quote

from starlette.datastructures import Headers

from agents.errors import ToolError
from agents.operations.agents import BASIC_SCOPES
from agents.surfaces.mcp.profile_names import DEFAULT, JOINT
from agents.surfaces.mcp.profiles import Profile, find_profile
from agents.surfaces.mcp.transports.handler import PATH

# Where an address says who lets one in (RFC 9728, section 3): this, then its own path.
METADATA = "/.well-known/oauth-protected-resource"


def plain_path(path: str) -> str:
    """Return the path of a profile as it is written; many clients append `/mcp` to any."""
    name = path.removeprefix(PATH).removesuffix("/").removesuffix(PATH).strip("/")
    name = name.replace(" ", JOINT)
    return f"{PATH}/{name}" if name else PATH


def profile_at(path: str) -> Profile:
    """Return the profile of an address; raises ToolError `not_found`."""
    return find_profile(plain_path(path).removeprefix(PATH).strip("/") or DEFAULT)


def is_served(path: str) -> bool:
    """Return True if MCP is spoken at this path."""
    if path != PATH and not path.startswith(f"{PATH}/"):
        return False
    try:
        profile_at(path)
    except ToolError:
        return False
    return True


def origin_of(scheme: str, host: str) -> str:
    """Return where a request came to, as the client wrote it."""
    return f"{scheme}://{host.lower()}"


def address_of(scheme: str, headers: Headers, path: str) -> str:
    """Return the address that a request was for, such as `https://host/mcp/mail`."""
    return origin_of(scheme, headers.get("host", "")) + plain_path(path)


def challenge(origin: str, path: str, error: str = "", scope: str = "") -> str:
    """Return the WWW-Authenticate header that says where to sign in, and for which scopes.

    By RFC 6750, section 3, and RFC 9728, section 5.1; `error` is a code of the former.
    """
    parts = ['Bearer realm="chancery"', *([f'error="{error}"'] if error else [])]
    if is_served(path):
        parts.append(f'resource_metadata="{origin}{METADATA}{quote(path, safe="/+")}"')
    return ", ".join([*parts, f'scope="{scope or " ".join(BASIC_SCOPES)}"'])
