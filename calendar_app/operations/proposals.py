"""What attendees would be sent, in words that they can read, as a draft that waits for a person."""

from calendar_app.event_words import describe_time
from calendar_app.icalendar import Invitee, ItipEvent
from calendar_app.itip_writing import write_itip
from calendar_app.operations.events import Invitation
from inbox.actor import Actor
from inbox.errors import DomainError
from inbox.models import Account, Draft, Identity, Inbox
from inbox.operations.accounts.accounts import identities_of
from inbox.operations.drafts.writing import create_draft
from inbox.reasons import phrase as _
from inbox.rfc5322.text.unicode_text import clean_line

_NAMED = 20
_ANSWERS = {
    "accepted": ("Accepted", "accepts the invitation"),
    "declined": ("Declined", "declines the invitation"),
    "tentative": ("Tentative", "tentatively accepts the invitation"),
}
_LONGEST_SUBJECT = 200


def draft_change(*, actor: Actor, change: Invitation) -> Draft:
    """Store a draft to everybody whom the change reaches, with the iTIP message itself.

    Raises DomainError where the account has no inbox or identity to send from.
    """
    account = change.calendar.account
    inbox = Inbox.objects.visible_to(actor).filter(account=account).order_by("pk").first()
    if inbox is None:
        raise DomainError("conflict", _("The account has no inbox to send from."))
    return create_draft(
        actor=actor, inbox=inbox, identity=_identity_of(account, change),
        to=[{"email": one.email, "name": _plain(one.name)} for one in change.recipients],
        subject=_subject(change), body=_body(change), calendar=write_itip(change.message),
    )  # fmt: skip


def _identity_of(account: Account, change: Invitation) -> Identity:
    """Return the identity that the message speaks as: the organizer's, or who answers."""
    said = change.event
    who = said.attendees[0] if change.message.method == "REPLY" else said.organizer
    identities = identities_of(account)
    same = (one for one in identities if who is not None and one.email.lower() == who.email)
    return next(same, identities[0])


def _plain(name: str) -> str:
    return "" if "@" in name else clean_line(name)[0][:200]


def _subject(change: Invitation) -> str:
    said = change.event
    title = clean_line(said.summary)[0] or "(no title)"
    return f"{_kind(change)}: {title}"[:_LONGEST_SUBJECT].strip()


def _kind(change: Invitation) -> str:
    said = change.event
    match change.message.method:
        case "REPLY":
            return _ANSWERS[said.attendees[0].partstat][0]
        case "CANCEL":
            return "Canceled" if said.status == "cancelled" else "Invitation withdrawn"
        case _ if said.sequence or said.recurrence_id:
            return "Updated invitation"
        case _:
            return "Invitation"


def _body(change: Invitation) -> str:
    said = change.event
    lines = [
        _opening(change),
        "",
        f"What:  {clean_line(said.summary)[0] or '(no title)'}",
        f"When:  {describe_time(said)}",
        *([f"Where: {clean_line(said.location)[0]}"] if said.location else []),
        f"Who:   {_who(said)}",
    ]
    further = said.comment.strip() or said.description.strip()
    if further:
        lines += ["", further]
    return "\n".join(lines)


def _opening(change: Invitation) -> str:
    said = change.event
    organizer = _name(said.organizer) if said.organizer else "The organizer"
    which = "this meeting of the series" if said.recurrence_id else "this meeting"
    match change.message.method:
        case "REPLY":
            who = said.attendees[0]
            return f"{_name(who)} {_ANSWERS[who.partstat][1]}."
        case "CANCEL" if said.status == "cancelled":
            return f"{organizer} has called off {which}."
        case "CANCEL":
            return f"{organizer} has withdrawn your invitation to {which}."
        case _ if said.sequence or said.recurrence_id:
            return f"{organizer} has changed {which}."
        case _:
            return f"{organizer} invites you to {which}."


def _name(person: Invitee) -> str:
    name = _plain(person.name)
    return f"{name} <{person.email}>" if name else person.email


def _who(said: ItipEvent) -> str:
    people = [*([said.organizer] if said.organizer else []), *said.attendees]
    named = ", ".join(_name(one) for one in people[:_NAMED])
    left = len(people) - _NAMED
    return f"{named} and {left} more" if left > 0 else named
