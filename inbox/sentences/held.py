"""Why a letter is flagged or a call waits, as it is stored."""

from django.utils.translation import gettext_noop as _

SENTENCES = (
    _("It had %(what)s, which was removed."),
    _("The policy blocks %(entry)s as a recipient."),
    _("The policy's list of allowed recipients does not have this address."),
    _("Nobody has written with this address before."),
    _("It stands only in the mail that this answers."),
    _("Looking for %(what)s took too long to be sure."),
    _("The policy forbids %(phrase)s."),
    _("It seems to hold %(what)s."),
    _("A required text is missing: %(what)s."),
    _("It has %(count)s characters; the policy allows %(most)s."),
    _("It links to an address that cannot be read."),
    _("It links to %(host)s."),
    _("The draft is only %(percent)s sure that it meets its goal."),
    _("The address looks like %(address)s."),
    _("It holds %(count)s characters nobody sees: %(codes)s."),
    _("The mail that it answers holds text that its reader cannot see."),
    _("The sender %(address)s could not be authenticated."),
    _("The sender's address looks like %(address)s."),
    _("What leaves waits for a person."),
    _("It reaches %(people)s and %(count)s more"),
    _("It reaches %(people)s"),
    _("Agents propose this, and people decide on it."),
    _("It says that mail which was sent from here did not arrive."),
    _("It lowers attention:"),
)
# What follows a colon, divided by semicolons.
CLAUSES = (
    _("leaves quarantine for %(status)s"),
    _("moves from %(before)s to %(status)s"),
    _("lowers the tier from %(before)s to %(tier)s"),
    _("lowers the urgency from %(before)s to %(urgency)s"),
    _("lifts the confidence from %(before)s to %(after)s, over the line of quarantine"),
)
# What may stand in one of them.
TERMS = (
    _("a bank account (IBAN)"),
    _("a card number"),
    _("a social security number"),
    _("a password or key"),
    _("a phone number"),
    _("an e-mail address"),
    _("something."),
    _("the sender"),
    _("the date named"),
)
