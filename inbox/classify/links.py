"""Where the links of a message lead."""

import re
from typing import Final
from urllib.parse import unquote

from inbox.languages import lazy
from inbox.rfc5322.addresses.lookalikes import unicode_domain

_HREF: Final = lazy(
    r"<(?:a|area)\b[^<>]{0,500}?\bhref\s*=\s*[\"']?\s*https?:/{1,3}([^\s\"'<>/?#]{1,300})",
    re.IGNORECASE,
)
_MOST: Final = 20


def link_hosts(markup: str) -> tuple[str, ...]:
    """Return the first hosts to which links of an HTML text lead, in lower case, each once."""
    found: dict[str, None] = {}
    for match in _HREF.finditer(markup):
        host = unquote(match[1]).rpartition("@")[2].partition(":")[0]
        found[unicode_domain(host)] = None
        if len(found) == _MOST:
            break
    return tuple(found)
