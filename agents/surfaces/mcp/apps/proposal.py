"""What the card shows of a proposal: from what was sealed, never from what the agent says of it."""

import json
from typing import Any

from django.conf import settings
from django.utils import translation

from agents.approval.due import check_due
from agents.approval.interrupts import make_interrupt
from agents.approval.pending import review_url
from agents.contracts.tool_titles import TITLES
from agents.models import Approval
from inbox.actor import Actor
from inbox.flags import Flag, read_flags
from inbox.reasons.words import worded

FIELD = "chancery/proposal"
_LONGEST_BODY = 2000
_LONGEST_VALUE = 300
_MOST_ARGUMENTS = 20
_MOST_FLAGS = 10


def tell_proposal(actor: Actor, approval_id: str) -> dict[str, Any]:
    """Return what an answer's `_meta` has of an approval of the caller's, for the card."""
    rows = Approval.objects.visible_to(actor).with_public_id(approval_id)
    approval = rows.select_related("submission__draft", "agent").first()
    if approval is None:
        return {}
    check_due([approval])
    shown: dict[str, Any] = {
        "approval_id": approval.public_id,
        "review_url": review_url(approval),
        "agent": approval.agent.name,
        "state": approval.state,
        "note": str(approval.note),
        "texts": {language: _texts(approval, language) for language, _ in settings.LANGUAGES},
    }
    return {FIELD: shown | _content(approval)}


def _content(approval: Approval) -> dict[str, Any]:
    args = make_interrupt(approval).action_request.args
    if approval.submission is None:
        rows = list(args.items())[:_MOST_ARGUMENTS]
        return {"arguments": [{"name": name, "value": _short(one)} for name, one in rows]}
    body = args["body"]
    named = ("from", "to", "cc", "bcc", "subject", "attachments")
    return {
        "mail": {
            **{name: args[name] for name in named},
            "body": body[:_LONGEST_BODY],
            "is_cut": len(body) > _LONGEST_BODY,
        }
    }


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


def _texts(approval: Approval, language: str) -> dict[str, Any]:
    with translation.override(language):
        flags = read_flags(approval.risk_flags)[:_MOST_FLAGS]
        return {
            "title": str(TITLES.get(approval.tool, approval.tool)),
            "reason": worded(approval.reason),
            "flags": [
                {"title": flag.title, "severity": flag.severity, "why": _why(flag)}
                for flag in flags
            ],
        }


def _why(flag: Flag) -> str:
    """Return why a flag is raised, in the language of the moment; the page has all of it."""
    return " ".join(dict.fromkeys(finding.words for finding in flag.findings[:2]))
