"""The card as a resource: one document with everything in it, which fetches nothing.

Its policy names its own script and style by their hashes, on top of what the host allows.
"""

import base64
import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from agents.models import ApprovalState
from agents.surfaces.mcp.profiles import Profile

URI = "ui://chancery/proposal"
MIME = "text/html;profile=mcp-app"
EXTENSION = "io.modelcontextprotocol/ui"
# Nothing is fetched, framed or based elsewhere, whatever a host would allow.
META: dict[str, Any] = {
    "ui": {
        "csp": {
            "connectDomains": [], "resourceDomains": [], "frameDomains": [], "baseUriDomains": []
        },
        "prefersBorder": True,
    }
}  # fmt: skip
_FOLDER = Path(__file__).parent / "card"
_WORDS = {
    "from": pgettext_lazy("mail", "From"),
    "to": pgettext_lazy("mail", "To"),
    "cc": pgettext_lazy("mail", "Cc"),
    "bcc": pgettext_lazy("mail", "Bcc"),
    "subject": pgettext_lazy("mail", "Subject"),
    "files": pgettext_lazy("mail", "Files"),
    "by": _("Proposed by"),
    "cut": _("The whole message is on the page where you decide."),
    "decide": _("Review and decide"),
    "look": _("Open the page"),
    "where": _("Only the page decides, and only after you have signed in:"),
    "done": _("Done. Nothing of it waits for anyone."),
    "failed": _("It did not work, and nothing waits for anyone."),
    "stopped": _("The call was stopped."),
    **{f"state_{state.value}": state.label for state in ApprovalState},
}


def is_shown_by(capabilities: Any) -> bool:
    """Return True if a client has said that it shows such cards; `capabilities` as JSON."""
    match capabilities:
        case {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": [*kinds]}}}:
            return MIME in kinds
    return False


def with_card(profile: Profile, form: dict[str, Any]) -> dict[str, Any]:
    """Return a tool of a list with its card, if its calls may wait for a person.

    Views may not call it: only the model proposes.
    """
    declared = profile.find(form["name"])
    if declared is None or not declared.asks_a_person:
        return form
    ui = {"resourceUri": URI, "visibility": ["model"]}
    return {**form, "_meta": {**form["_meta"], "ui": ui}}


@lru_cache(maxsize=1)
def document() -> str:
    """Return the card, in every language of the pages."""
    text = _read("card.html")
    style, script = _read("card.css"), _read("card.js")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    # A tag cannot end inside of it.
    words = json.dumps(_all_words(), ensure_ascii=False).replace("<", "\\u003c")
    filled = {"policy": policy, "style": style, "words": words, "script": script}
    for name, value in filled.items():
        text = text.replace(f"{{{{ {name} }}}}", value)
    return text


def _all_words() -> dict[str, dict[str, str]]:
    said = {}
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            said[language] = {name: str(text) for name, text in _WORDS.items()}
    return said


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8").strip()


def _hash(content: str) -> str:
    """Return what a policy calls an inline script or style (CSP 3, section 2.3.1)."""
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"
