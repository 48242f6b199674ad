"""Why a call waits, or nothing can be decided, as it is stored."""

from django.utils.translation import gettext_noop as _

SENTENCES = (
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
# What changed since something was sealed, divided by semicolons.
DRIFT = (
    _("the draft is %(status)s"),
    _("changed in the draft: %(parts)s"),
    _("the draft is at version %(now)s now, not %(sealed)s"),
    _("the sender is %(now)s now, sealed was %(sealed)s"),
    _("another reply policy applies"),
    _("the policy %(name)s is at version %(now)s now, not %(sealed)s"),
    _("the thread has a newer message, from %(who)s"),
    _("a newer proposal took its place"),
    _("the event is not in the calendar any more"),
    _("the event was changed meanwhile: it is at revision %(now)s"),
    _("the event was called off meanwhile"),
)
# Why nothing is decided, put off or taken back.
REFUSALS = (
    _("Somebody else has decided it meanwhile"),
    _("It is %(status)s already"),
    _("It is %(status)s, so nothing can be undone"),
    _("Nobody decided in time; it has expired"),
    _("Nobody decided in time."),
    _("What you were shown is not what waits here"),
    _("Nothing would leave by this call: there is no mail"),
    _("The letter as it is edited raises flags"),
    _("Void:"),
    _("There is no tool %(tool)s any more"),
    _("%(agent)s has no grant on %(account)s any more."),
    _("Only an owner or reviewer of the workspace decides"),
    _("Who proposed it cannot decide it"),
    _("That time is past."),
    _("That is more than a year away."),
    _("It expires before that, on %(at)s: decide it, or put it off for less."),
)
# What may stand in one of them.
TERMS = (
    _("something."),
    _("the sender"),
    _("the date named"),
    _("nobody named"),
)
