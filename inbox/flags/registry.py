"""The registry of flags: what each is called, why it is raised, how grave it is, who may name it.

A finding names a flag, one of its reasons and the parameters of that sentence; the words are made
where they are shown. Pages, the queue's filter, `required_when` of policies, the schemas and the
reference all read this, so that a new flag is declared here and nowhere else.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

Severity: TypeAlias = Literal["high", "medium", "low"]
_TOO_SLOW = _("Looking for %(what)s took too long to be sure.")
# What whoever wrote the policy says of the phrase.
_OWN_WORDS = "%(words)s"
_FORBIDS = _("The policy forbids %(phrase)s.")


@dataclass(frozen=True, slots=True)
class FlagKind:
    """A flag: its title and, by reason, its sentences in English, with `%(name)s` in them.

    `of_composing` are the reasons that only composing a draft knows: they stay with the draft.
    `filters`: the queue filters by it. `conditions`: a policy's `required_when` may name it.
    """

    code: str
    severity: Severity
    title: str
    reasons: Mapping[str, str]
    of_composing: frozenset[str] = frozenset()
    filters: bool = True
    conditions: bool = True


# The gravest first: that is the order in which they are shown.
_KINDS = (
    FlagKind(
        "policy_blocked", "high", _("Blocked by the policy"),
        {
            "recipient": _("The policy blocks %(entry)s as a recipient."),
            "not_allowed": _(
                "The policy's list of allowed recipients does not have this address."
            ),
            "phrase": _FORBIDS, "own_words": _OWN_WORDS, "too_slow": _TOO_SLOW,
        },
    ),
    FlagKind(
        "lookalike_sender", "high", _("Look-alike address"),
        {
            "recipient": _("The address looks like %(address)s."),
            "sender": _("The sender's address looks like %(address)s."),
            "unauthenticated": _("The sender %(address)s could not be authenticated."),
        },
    ),
    FlagKind(
        "hidden_text", "high", _("Hidden text"),
        {
            "characters": _("It holds %(count)s characters nobody sees: %(codes)s."),
            "answered": _("The mail that it answers holds text that its reader cannot see."),
        },
    ),
    FlagKind(
        "content_from_other_thread", "high", _("Words of another conversation"),
        {"passage": _("These words stand in another conversation, with %(address)s.")},
    ),
    FlagKind(
        "contains_sensitive_data", "high", _("Sensitive data"),
        {
            "holds": _("It seems to hold %(what)s."),
            "removed": _("It had %(what)s, which was removed."),
            "too_slow": _TOO_SLOW,
        },
        of_composing=frozenset({"removed"}),
    ),
    FlagKind(
        "new_recipient", "medium", _("New recipient"),
        {
            "new": _(
                "This address is new: we have not written to it, and no person here has it on a "
                "card or among the guests of a meeting."
            ),
            "only_in_mail": _(
                "This address is new, and stands only in the mail that this answers: we have not "
                "written to it, and no person here has it on a card or among the guests of a "
                "meeting."
            ),
        },
    ),
    FlagKind(
        "external_link", "medium", _("Link to elsewhere"),
        {
            "host": _("It links to %(host)s."),
            "unreadable": _("It links to an address that cannot be read."),
        },
    ),
    FlagKind(
        "forbidden_phrase", "medium", _("Forbidden phrase"),
        {
            "phrase": _FORBIDS, "own_words": _OWN_WORDS, "too_slow": _TOO_SLOW,
            "left_out": _("A sentence was left out: the policy forbids %(phrase)s."),
        },
        of_composing=frozenset({"left_out"}),
    ),
    FlagKind(
        "missing_disclosure", "medium", _("A required text is missing"),
        {"missing": _("A required text is missing: %(what)s.")},
    ),
    FlagKind(
        "low_confidence", "low", _("Unsure"),
        {
            "unsure": _("The draft is only %(percent)s sure that it meets its goal."),
            "not_understood": _("Not understood and left out: %(parts)s."),
            "other_language": _(
                "Drafts cannot be written in the language of the mail; this one is in English."
            ),
        },
        of_composing=frozenset({"unsure", "not_understood", "other_language"}),
    ),
    FlagKind(
        "too_long", "low", _("Too long"),
        {"length": _("It has %(count)s characters; the policy allows %(most)s.")},
    ),
)  # fmt: skip
# Of mail that came in: an anomaly of the message, which the queue filters by too. No policy names
# one: `required_when` is about what leaves.
_OF_INCOMING = (
    FlagKind(
        "authentication_failed", "high", _("Authentication failed"),
        {"seen": _("The receiving server could not confirm the sender.")}, conditions=False,
    ),
    FlagKind(
        "deceptive_name", "high", _("Deceptive name"),
        {"seen": _("The sender's name shows another address than the one it came from.")},
        conditions=False,
    ),
    FlagKind(
        "misleading_link", "high", _("Misleading link"),
        {"seen": _("A link in it leads elsewhere than it says.")}, conditions=False,
    ),
    FlagKind(
        "reply_to_differs", "medium", _("Reply-To differs"),
        {"seen": _("Answers would go to another address than the sender's.")}, conditions=False,
    ),
)  # fmt: skip
# Of what leaves, which is all that an approval, the contracts and a policy know.
FLAGS: dict[str, FlagKind] = {kind.code: kind for kind in _KINDS}
ODDITIES: dict[str, FlagKind] = {kind.code: kind for kind in _OF_INCOMING}
FILTERS = tuple(kind.code for kind in (*_KINDS, *_OF_INCOMING) if kind.filters)
CONDITIONS = tuple(kind.code for kind in (*_KINDS, *_OF_INCOMING) if kind.conditions)


def title_of(code: str) -> str:
    """Return what a flag is called, in the reader's language; "" for a code that is none."""
    kind = FLAGS.get(code) or ODDITIES.get(code)
    return gettext(kind.title) if kind else ""
