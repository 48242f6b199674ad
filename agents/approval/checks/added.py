"""Who reads an answer beside those who were to be answered."""

from collections.abc import Collection, Iterator

from inbox.flags import Finding, found
from inbox.models import Draft, Message
from inbox.rfc5322.addresses.mailbox_providers import PUBLIC_DOMAINS

_FIELDS = {"To": "to", "Cc": "cc", "Bcc": "bcc"}


def find_added(
    draft: Draft, outsiders: Collection[str], known: Collection[str]
) -> Iterator[Finding]:
    """Yield the recipients of an answer whom the answered message did not have.

    Of those that it had: whoever is new, is not at the domain of its sender, and gets the answer
    because it goes to all. `outsiders` are the recipients to whom what is said may be a leak,
    `known` the addresses that we know, in lower case.
    """
    answered = draft.in_reply_to
    if answered is None:
        return
    writers = {one["email"].lower() for one in [answered.sender, *answered.reply_to]}
    had = {*answered.readers, *writers}
    for field, email in _recipients(draft, outsiders):
        where = {"excerpt": email, "source": answered.public_id}
        if email.lower() in had:
            if not (email.lower() in {*writers, *known} or _is_colleague(email, answered)):
                yield found("recipient_added", "to_all", **where)
        elif field == "Bcc":
            yield found("recipient_added", "blind", **where)
        else:
            yield found("recipient_added", "added", field=field, **where)


def _recipients(draft: Draft, outsiders: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the header field and the address of each outsider."""
    for field, name in _FIELDS.items():
        emails = (one["email"] for one in getattr(draft, name))
        yield from ((field, email) for email in emails if email in outsiders)


def _is_colleague(email: str, answered: Message) -> bool:
    """Return True for an address at the sender's own domain."""
    domain = email.lower().rpartition("@")[2]
    return domain == answered.from_email.lower().rpartition("@")[2] not in PUBLIC_DOMAINS
