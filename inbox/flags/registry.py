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
            "characters": _("It holds %(count)s characters nobody sees: %(codes)s."),
            "blanks": _("It holds %(count)s blanks nobody sees, which may carry something."),
            "gap": _("More text follows, far below or far to the right of the rest."),
            "letters": _("This word only looks as if it were of Latin letters: %(codes)s."),
            "answered": _("The mail that it answers holds text that its reader cannot see."),
            "alternatives": _(
                "The mail that it answers says something to machines that it does not say to "
                "whoever reads its HTML."
            ),
        },
    ),
    FlagKind(
        "recipient_from_stranger", "high", _("Recipient named by a stranger"),
        {
            "named": _(
                "This address is new, and stands only in what %(by)s wrote, whom we do not know; "
                "the agent had been shown it."
            ),
            "unseen": _(
                "This address is new, and stands only in what the readers of a mail of %(by)s do "
                "not see."
            ),
            "earlier": _(
                "This address is new, and stands only in what %(by)s wrote, whom we do not know; "
                "an agent was shown it before."
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
            "label": _("Its words name %(named)s, but it leads to %(host)s."),
            "letters": _("The host looks like another: %(host)s."),
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
            "memory": _("The agent had recalled a memory made of a stranger's words: %(words)s."),
            "context": _("The agent had read shared context from a stranger's words: %(words)s."),
            "agent_message": _(
                "Another agent had told it something from a stranger's words: %(words)s."
            ),
        },
    ),
    FlagKind(
        "read_differently", "high", _("May be read differently"),
        {
            "sender": _("Others may read another sender than the one shown here."),
            "recipients": _("Others may read other recipients than those shown here."),
            "subject": _("Others may read another subject than the one shown here."),
            "text": _("Others may read another text than the one shown here."),
            "files": _("Others may find other attachments than those shown here."),
            "encoding": _("A part of it is encoded in a way that others may read differently."),
            "structure": _("It is put together in a way that others may read differently."),
            "field": _("It has a field that is not shown here: %(field)s."),
            "envelope": _("Its header names somebody whom it would not reach, or another sender."),
        },
        conditions=False,
    ),
    FlagKind(
        "uninspectable", "high", _("Cannot be inspected"),
        {
            "encrypted": _("Encrypted, so that nobody can see here what it says: %(part)s."),
            "charset": _("In a character set that is unknown or wrong: %(part)s."),
            "encoding": _("Encoded wrongly or cut off; some of it may be missing: %(part)s."),
            "partial": _("Only a piece of a message, to be put together elsewhere: %(part)s."),
            "external": _("Only a pointer to something that lies elsewhere: %(part)s."),
            "cut": _("Too long; only the beginning is shown: %(part)s."),
            "html": _("HTML, of which at most the words are shown: %(part)s."),
            "archive": _("An archive with more in it than can be looked at: %(part)s."),
            "damaged": _("An archive that cannot be opened: %(part)s."),
            "structure": _("Its parts are broken or too many; some may not be shown here."),
        },
        conditions=False,
    ),
    FlagKind(
        "risky_attachment", "high", _("Risky attachment"),
        {
            "runs": _("Opening this file may run a program or macros."),
            "program": _("This file is a program, whatever it is called."),
            "scripted": _("This file is a page that may run scripts where it is opened."),
            "deceptive": _("The name of this file looks like that of another kind of file."),
        },
    ),
    FlagKind(
        "not_for_these_readers", "high", _("Not meant for these recipients"),
        {
            "passage": _("These words stand in something that not all of the recipients may read."),
            "token": _("This stands in something that not all of the recipients may read."),
            "retold": _(
                "This tells in other words what stands in something that says that it stays here."
            ),
            "attachment": _(
                "This file came with a message that not all of the recipients have read."
            ),
            "marked": _("This file says of itself that it is for our own house."),
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
        "address_changed", "high", _("Address of someone you know"),
        {
            "added": _(
                "It puts this address on the card of %(address)s, with whom we have written."
            ),
            "removed": _(
                "It takes this address off the card of %(address)s, with whom we have written."
            ),
        },
        conditions=False,
    ),
    FlagKind(
        "guests_not_told", "high", _("Guests are not told"),
        {"silent": _("Guests who would not be told that this meeting is off: %(count)s.")},
        conditions=False,
    ),
    FlagKind(
        "overwrites_attached", "high", _("File of a message that waits"),
        {
            "waits": _(
                "A message that has not left attaches %(name)s as it is now. It would become "
                "%(size)s bytes with the SHA-256 %(sha256)s."
            ),
        },
        conditions=False,
    ),
    FlagKind(
        "destroys", "medium", _("Deletes something"),
        {"deletes": _("What it deletes a person can bring back for 30 days at most.")},
        conditions=False,
    ),
    FlagKind(
        "invitation", "medium", _("Invitation"),
        {"asks": _("It asks people to a meeting, or tells them that it changed.")},
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
        "recipient_added", "medium", _("Recipient added to an answer"),
        {
            "added": _(
                "The message that it answers does not have this address; %(field)s names it."
            ),
            "blind": _(
                "The message that it answers does not have this address, and nobody else would "
                "see that it gets a copy."
            ),
            "to_all": _(
                "It goes to all who were named in the message that it answers, this address among "
                "them, which is new."
            ),
        },
    ),
    FlagKind(
        "same_as", "medium", _("Said already"),
        {
            "waits": _("A message with this text to the same people waits already."),
            "left": _("A message with this text went to the same people within the last day."),
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
# Raised by what a call does, whatever a message of it says.
OF_CALLS = frozenset({"address_changed", "destroys", "guests_not_told", "overwrites_attached"})
ODDITIES: dict[str, FlagKind] = {kind.code: kind for kind in _OF_INCOMING}
FILTERS = tuple(kind.code for kind in (*_KINDS, *_OF_INCOMING) if kind.filters)
CONDITIONS = tuple(kind.code for kind in (*_KINDS, *_OF_INCOMING) if kind.conditions)


def title_of(code: str) -> str:
    """Return what a flag is called, in the reader's language; "" for a code that is none."""
    kind = FLAGS.get(code) or ODDITIES.get(code)
    return gettext(kind.title) if kind else ""
