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
_TOO_SLOW = _("The search for %(what)s took too long to be reliable.")
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
                "This address is not on the policy's list of allowed recipients."
            ),
            "phrase": _FORBIDS, "own_words": _OWN_WORDS, "too_slow": _TOO_SLOW,
            "flow": _("The policy %(policy)s forbids it: %(rule)s."),
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
            "characters": _("It contains %(count)s invisible characters: %(codes)s."),
            "blanks": _("It contains %(count)s invisible spaces that may carry hidden data."),
            "gap": _("More text follows far below or far to the right."),
            "letters": _("This word only looks like Latin letters: %(codes)s."),
            "answered": _("The mail it answers contains text that its reader cannot see."),
            "alternatives": _(
                "The mail it answers shows programs something that readers of its HTML do not "
                "see."
            ),
        },
    ),
    FlagKind(
        "recipient_from_stranger", "high", _("Recipient named by a stranger"),
        {
            "named": _(
                "This address is new and appears only in what %(by)s, a stranger, wrote; the "
                "agent had been shown it."
            ),
            "unseen": _(
                "This address is new and appears only in text hidden from the readers of a mail "
                "from %(by)s."
            ),
            "earlier": _(
                "This address is new and appears only in what %(by)s, a stranger, wrote; an "
                "agent was shown it before."
            ),
        },
    ),
    FlagKind(
        "link_from_stranger", "high", _("Link named by a stranger"),
        {"host": _("Only %(by)s, whom we do not know, named where this link leads: %(host)s.")},
    ),
    FlagKind(
        "deceptive_link", "high", _("Deceptive link"),
        {
            "label": _("It shows %(named)s but leads to %(host)s."),
            "letters": _("The host imitates another one: %(host)s."),
        },
    ),
    FlagKind(
        "argument_from_stranger", "high", _("Taken from a stranger"),
        {
            "account": _("Only %(by)s, whom we do not know, named this bank account."),
            "amount": _("Only %(by)s, whom we do not know, named this amount."),
            "place": _("Only %(by)s, whom we do not know, named this place."),
        },
    ),
    FlagKind(
        "steered", "high", _("Steered by a stranger's words"),
        {
            "memory": _("The agent had recalled a memory based on a stranger's words: %(words)s."),
            "context": _("The agent had read shared context based on a stranger's words: "
                         "%(words)s."),
            "agent_message": _(
                "Another agent had passed on a stranger's words: %(words)s."
            ),
        },
    ),
    FlagKind(
        "read_differently", "high", _("May be read differently"),
        {
            "sender": _("Other programs may show a different sender than the one here."),
            "recipients": _("Other programs may show different recipients than those here."),
            "subject": _("Other programs may show a different subject than the one here."),
            "text": _("Other programs may show a different text than the one here."),
            "files": _("Other programs may find different attachments than those shown here."),
            "encoding": _("Part of it is encoded in a way that other programs may read "
                          "differently."),
            "structure": _("Its structure may be read differently by other programs."),
            "field": _("It has a field that is not shown here: %(field)s."),
            "envelope": _("Its header names someone it would not reach, or a different sender."),
        },
        conditions=False,
    ),
    FlagKind(
        "uninspectable", "high", _("Cannot be inspected"),
        {
            "encrypted": _("Encrypted, so its contents cannot be shown: %(part)s."),
            "charset": _("In an unknown or wrong character set: %(part)s."),
            "encoding": _("Encoded wrongly or cut off; some text may be missing: %(part)s."),
            "partial": _("Only part of a message, to be put together elsewhere: %(part)s."),
            "external": _("Only a reference to something stored elsewhere: %(part)s."),
            "cut": _("Too long; only the beginning is shown: %(part)s."),
            "html": _("HTML, shown as plain text at most: %(part)s."),
            "archive": _("An archive with more files than can be checked: %(part)s."),
            "damaged": _("An archive that cannot be opened: %(part)s."),
            "structure": _("Its parts are broken or too many; some may not be shown here."),
        },
        conditions=False,
    ),
    FlagKind(
        "risky_attachment", "high", _("Risky attachment"),
        {
            "runs": _("Opening this file may run a program or macros."),
            "program": _("This file is a program, whatever its name says."),
            "scripted": _("This file is a page that may run scripts when opened."),
            "deceptive": _("This file's name looks like another type of file."),
        },
    ),
    FlagKind(
        "not_for_these_readers", "high", _("Not meant for these recipients"),
        {
            "passage": _("These words come from something that not all recipients may read."),
            "token": _("This comes from something that not all recipients may read."),
            "retold": _(
                "This repeats in other words something marked as internal."
            ),
            "attachment": _(
                "This file came with a message that not all recipients have read."
            ),
            "marked": _("This file is marked as internal."),
        },
    ),
    FlagKind(
        "content_from_other_thread", "high", _("Words from another thread"),
        {"passage": _("These words are from another thread, with %(address)s.")},
    ),
    FlagKind(
        "contains_sensitive_data", "high", _("Sensitive data"),
        {
            "holds": _("It seems to contain %(what)s."),
            "removed": _("It contained %(what)s, which was removed."),
            "too_slow": _TOO_SLOW,
        },
        of_composing=frozenset({"removed"}),
    ),
    FlagKind(
        "address_changed", "high", _("Address of someone you know"),
        {
            "added": _(
                "It adds this address to the contact card of %(address)s, with whom we have "
                "written."
            ),
            "removed": _(
                "It removes this address from the contact card of %(address)s, with whom we have "
                "written."
            ),
        },
        conditions=False,
    ),
    FlagKind(
        "guests_not_told", "high", _("Guests are not notified"),
        {"silent": _("Guests who would not be told that this event is canceled: %(count)s.")},
        conditions=False,
    ),
    FlagKind(
        "overwrites_attached", "high", _("Attached to a waiting message"),
        {
            "waits": _(
                "A message that has not been sent yet attaches %(name)s as it is now. It would "
                "become %(size)s bytes with the SHA-256 %(sha256)s."
            ),
        },
        conditions=False,
    ),
    FlagKind(
        "destroys", "medium", _("Deletes something"),
        {"deletes": _("You can restore what it deletes for at most 30 days.")},
        conditions=False,
    ),
    FlagKind(
        "invitation", "medium", _("Invitation"),
        {"asks": _("It invites people to a meeting, or tells them that it changed.")},
    ),
    FlagKind(
        "new_recipient", "medium", _("New recipient"),
        {
            "new": _(
                "This address is new: we have never written to it, and no one here has it on a "
                "contact card or among the guests of a meeting."
            ),
            "only_in_mail": _(
                "This address is new and appears only in the mail this answers: we have never "
                "written to it, and no one here has it on a contact card or among the guests of "
                "a meeting."
            ),
        },
    ),
    FlagKind(
        "recipient_added", "medium", _("Recipient added to an answer"),
        {
            "added": _(
                "The message it answers does not include this address; it is named in %(field)s."
            ),
            "blind": _(
                "The message it answers does not include this address, and no one else would see "
                "that it gets a copy."
            ),
            "to_all": _(
                "It goes to everyone on the message it answers, including this new address."
            ),
        },
    ),
    FlagKind(
        "same_as", "medium", _("Said before"),
        {
            "waits": _("A message with this text to the same people is already waiting."),
            "left": _("A message with this text was sent to the same people within the last day."),
        },
    ),
    FlagKind(
        "external_link", "medium", _("External link"),
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
            "unsure": _("The agent is only %(percent)s sure that the draft meets its goal."),
            "not_understood": _("Not understood and left out: %(parts)s."),
            "other_words": _(
                "Left out, for it is in another language than the letter: %(parts)s."
            ),
            "body_to_write": _("Of the goal nothing is said: the body is the agent's to write."),
            "formal": _(
                "The mail is on first-name terms, and the draft addresses its reader formally."
            ),
            "other_language": _(
                "Drafts cannot be written in the language of the mail; this one is in English."
            ),
            "by_model": _("Written by the language model %(model)s (its answer is %(answer)s)."),
            "without_source": _(
                "Sentences of the language model left out, for nothing bears them out: %(count)s."
            ),
        },
        of_composing=frozenset(
            {
                "unsure", "not_understood", "other_words", "body_to_write", "other_language",
                "formal", "by_model", "without_source",
            }
        ),
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
        {"seen": _("The sender's name shows a different address than the one it came from.")},
        conditions=False,
    ),
    FlagKind(
        "misleading_link", "high", _("Misleading link"),
        {"seen": _("A link in it does not lead where it says.")}, conditions=False,
    ),
    FlagKind(
        "reply_to_differs", "medium", _("Reply-To differs"),
        {"seen": _("Answers would go to a different address than the sender's.")}, conditions=False,
    ),
)  # fmt: skip
# Of what leaves, which is all that an approval, the contracts and a policy know.
FLAGS: dict[str, FlagKind] = {kind.code: kind for kind in _KINDS}
# Raised by what a call does, whatever a message of it says.
OF_CALLS = frozenset({"address_changed", "destroys", "guests_not_told", "overwrites_attached"})
ODDITIES: dict[str, FlagKind] = {kind.code: kind for kind in _OF_INCOMING}
FILTERS = tuple(kind.code for kind in (*_KINDS, *_OF_INCOMING) if kind.filters)
CONDITIONS = tuple(kind.code for kind in (*_KINDS, *_OF_INCOMING) if kind.conditions)


def title_of(code: str) -> str:
    """Return what a flag is called, in the reader's language; "" for a code that is none."""
    kind = FLAGS.get(code) or ODDITIES.get(code)
    return gettext(kind.title) if kind else ""
