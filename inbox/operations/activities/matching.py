"""How the rules heed what persons corrected: which correction a message falls under, and its say.

A correction may raise attention for whatever bears the name. It lowers attention only for mail that
is proven to come from there, and never for what may be meant to deceive: whoever writes another's
name into From, or another's List-Id, gains nothing by a correction made for them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, cast

from inbox.classify import Classification, Judgement
from inbox.classify.facts import ActivityKind, UrgencyWord
from inbox.models import (
    ActivityStatus,
    Authentication,
    Correction,
    CorrectionRoute,
    CorrectionScope,
    Message,
)
from inbox.operations.activities.changes import ATTENTION, URGENCY
from inbox.operations.activities.routing import CONFIDENT, route
from inbox.reasons import ReasonText, say, together
from inbox.rfc5322.addresses.mailbox_providers import PUBLIC_DOMAINS
from inbox.rfc5322.authentication import is_aligned, proven_domains

# Those that say the least, last: a sender's own correction goes before its list's or domain's.
_NEAREST: Final = (CorrectionScope.SENDER, CorrectionScope.LIST, CorrectionScope.DOMAIN)
_STATUS: Final[Mapping[str, ActivityStatus]] = {
    CorrectionRoute.SURFACE: ActivityStatus.SURFACED,
    CorrectionRoute.REVIEW: ActivityStatus.NEEDS_REVIEW,
    CorrectionRoute.NOTE: ActivityStatus.PROCESSED,
    CorrectionRoute.DISMISS: ActivityStatus.ARCHIVED,
}
# The tier that goes with a route, where the correction names none.
_TIER: Final[Mapping[str, int]] = {
    CorrectionRoute.SURFACE: 4,
    CorrectionRoute.REVIEW: 3,
    CorrectionRoute.NOTE: 2,
    CorrectionRoute.DISMISS: 1,
}
# What says that a From field is not to be believed, whatever was proven.
_DOUBTFUL: Final = frozenset(
    {
        "many_from",
        "malformed_from",
        "several_authors",
        "deceptive_name",
        "lookalike_sender",
        "lookalike_domain",
    }
)
_IMITATES: Final = "its sender may be imitating somebody"
_LIST_MARKS: Final = ("list-unsubscribe", "list-post", "precedence")


@dataclass(frozen=True, slots=True)
class CorrectionMatch:
    """What the rules say with a correction: `by` is None where none had a say.

    `held_back` is one that would lower attention and was not let, and `why` says why.
    """

    classification: Classification
    status: ActivityStatus
    by: Correction | None = None
    held_back: Correction | None = None
    why: str = ""


class ActiveCorrections:
    """The corrections that a batch of messages may fall under, read with one query.

    `named` is each message's workspace, and its names.
    """

    def __init__(self, named: Iterable[tuple[int, Mapping[str, str]]]) -> None:
        self._found: dict[tuple[int, str, str], Correction] = {}
        wanted: dict[str, set[str]] = {}
        workspaces: set[int] = set()
        for workspace_id, names in named:
            workspaces.add(workspace_id)
            for scope, value in names.items():
                wanted.setdefault(scope, set()).add(value)
        if not wanted:
            return
        for row in Correction.objects.in_force_for(workspaces, wanted):
            self._found[row.workspace_id, row.scope, row.value] = row

    def of(self, workspace_id: int, names: Mapping[str, str]) -> Correction | None:
        """Return the nearest correction that a message of these names falls under."""
        for scope in _NEAREST:
            row = self._found.get((workspace_id, scope, names.get(scope, "")))
            if row is not None:
                return row
        return None


def names_of(message: Message) -> dict[str, str]:
    """Return what corrections may know a message by: its sender, their domain, its list."""
    return names_by(message.from_email, message.list_id)


def names_by(sender: str, list_id: str = "") -> dict[str, str]:
    """Return what corrections may know mail by, from its sender's address and its List-Id.

    A domain at which anybody gets an address is no name: whoever wanted to be overlooked would.
    """
    domain = sender.lower().rpartition("@")[2]
    names = {
        CorrectionScope.SENDER.value: sender.lower(),
        CorrectionScope.DOMAIN.value: "" if domain in PUBLIC_DOMAINS else domain,
        CorrectionScope.LIST.value: list_id.lower(),
    }
    return {scope: value for scope, value in names.items() if value}


def weigh_correction(
    judgement: Judgement, correction: Correction | None, *, doubt: str, is_guarded: bool = False
) -> CorrectionMatch:
    """Return what the rules say with a correction; `doubt` says why it may not lower attention.

    Only a guarded judgement and a doubt bind it: raising attention is always let.
    """
    said = judgement.classification
    status = route(said.autonomy_tier, said.confidence)
    if correction is None:
        return CorrectionMatch(said, status)
    if is_guarded or judgement.is_guarded:
        doubt = doubt or "it may be meant to deceive"
    wanted, target = _corrected(said, correction)
    if not doubt:
        return CorrectionMatch(_reasoned(wanted, correction), target, by=correction)
    raised, kept_status = _raised(said, wanted), _higher(status, target)
    same = replace(said, activity_type=raised.activity_type)
    if same == raised and kept_status == status:
        return CorrectionMatch(said, status, held_back=correction, why=doubt)
    return CorrectionMatch(_reasoned(raised, correction), kept_status, by=correction)


def why_doubtful(message: Message | None, correction: Correction, *, imitates: bool = False) -> str:
    """Return why a message may not be what a correction is about; "" where it is proven to be."""
    if message is None:
        return "nothing proves who sent it"
    if correction.scope != CorrectionScope.LIST:
        return why_sender_doubtful(message, imitates=imitates)
    if imitates or _DOUBTFUL & set(message.anomalies):
        return _IMITATES
    return _doubt_of_list(message, correction, proven_domains(message.authentication_results))


def why_sender_doubtful(message: Message, *, imitates: bool = False) -> str:
    """Return why a message may not be from whom its From names; "" where that is proven."""
    if imitates or _DOUBTFUL & set(message.anomalies):
        return _IMITATES
    if message.authentication == Authentication.FAIL:
        return "the receiving server could not confirm its sender"
    proven = proven_domains(message.authentication_results)
    aligned = is_aligned(message.from_email.rpartition("@")[2], proven)
    return "" if aligned else "nothing proves that its sender is the one it names"


def _doubt_of_list(message: Message, correction: Correction, proven: frozenset[str]) -> str:
    """Return why a message may not be of a list: it is proven by the domain that once vouched.

    Where none ever did, by the marks of a list and no failed check. Those can be forged; but then
    it would be list mail for the rules as well, which asks for nobody's attention.
    """
    if correction.vouched_by:
        vouched = is_aligned(correction.vouched_by, proven)
        return "" if vouched else f"{correction.vouched_by} does not vouch for it"
    if message.authentication == Authentication.FAIL:
        return "the receiving server could not confirm its sender"
    marked = any(name in message.signals for name in _LIST_MARKS)
    return "" if marked else "it bears no mark of list mail beside the list's name"


def domain_vouching_for_list(message: Message) -> str:
    """Return the domain that vouches for the list a message came by, the signer's before others."""
    results = message.authentication_results
    for method, name in (("dkim", "header.d"), ("spf", "smtp.mailfrom"), ("dmarc", "header.from")):
        domain = results.get(f"{method}.{name}", "").rpartition("@")[2].strip(".").lower()
        if results.get(method) == "pass" and "." in domain:
            return str(domain)
    return ""


def _corrected(
    said: Classification, correction: Correction
) -> tuple[Classification, ActivityStatus]:
    tier = correction.autonomy_tier or _TIER.get(correction.route, said.autonomy_tier)
    wanted = replace(
        said,
        activity_type=cast("ActivityKind", correction.activity_type or said.activity_type),
        urgency=cast("UrgencyWord", correction.urgency or said.urgency),
        autonomy_tier=tier,
        confidence=max(said.confidence, CONFIDENT),
        option_framing=said.option_framing if tier > 2 else None,
    )
    return wanted, _STATUS.get(correction.route) or route(wanted.autonomy_tier, wanted.confidence)


def _raised(said: Classification, wanted: Classification) -> Classification:
    """Return what was said with only those parts of what is wanted that raise attention."""
    more_urgent = URGENCY[wanted.urgency] > URGENCY[said.urgency]
    return replace(
        said,
        activity_type=wanted.activity_type,
        urgency=wanted.urgency if more_urgent else said.urgency,
        autonomy_tier=max(said.autonomy_tier, wanted.autonomy_tier),
    )


def _higher(status: ActivityStatus, target: ActivityStatus) -> ActivityStatus:
    return target if ATTENTION[target] > ATTENTION[status] else status


def _reasoned(said: Classification, correction: Correction) -> Classification:
    return replace(said, reasoning=together(in_words(correction), said.reasoning))


def in_words(correction: Correction) -> ReasonText:
    """Return the sentence with which a reasoning names the correction that it rests on."""
    parts: list[ReasonText] = []
    if correction.route:
        parts.append(say(f"route_{correction.route}"))
    if correction.activity_type:
        parts.append(say("of_kind", kind=correction.activity_type.replace("_", " ")))
    if correction.urgency:
        parts.append(say("of_urgency", urgency=correction.urgency))
    if correction.autonomy_tier:
        parts.append(say("of_tier", tier=correction.autonomy_tier))
    whose = {"sender": "corrected_sender", "domain": "corrected_domain", "list": "corrected_list"}
    return say(
        whose[correction.scope], person=correction.created_by_name, name=correction.value,
        at=f"{correction.created_at:%-d %b %Y}", parts=parts,
    )  # fmt: skip
