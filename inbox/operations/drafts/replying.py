"""Whom a reply goes to: one to a thread, to a message, or to everybody in it (RFC 5322 3.6.3)."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from inbox.actor import Actor
from inbox.compose.outgoing import MOST_RECIPIENTS, AddressList, plain_name, reply_subject
from inbox.errors import DomainError
from inbox.models import Account, Direction, Identity, Inbox, Message, Thread
from inbox.operations.accounts.accounts import identities_of
from inbox.reasons import phrase as _
from inbox.rfc5322.addresses.parsing import check_address

# A reply answers the newest message; no thread is read further back than this to find it.
NEWEST_LOOKED_AT = 50


@dataclass(frozen=True)
class ReplyPlan:
    """To whom a reply would go, as whom, under which subject, answering what."""

    in_reply_to: Message
    identity: Identity
    to: AddressList
    subject: str
    cc: AddressList = field(default_factory=list)


def plan_reply(actor: Actor, thread: Thread) -> ReplyPlan:
    """Return what a reply to the thread starts from (RFC 5322 3.6.2).

    It goes to Reply-To, else From, of the newest message that came in, and never to an identity of
    ours; where all messages are ours, to whom the newest went. Raises DomainError (`conflict`)
    where that leaves nobody.
    """
    identities = identities_of(thread.inbox.account, field="thread_id")
    own = own_addresses(thread.inbox.account, identities, thread.inbox)
    newest = list(
        Message.objects.visible_to(actor)
        .kept()
        .filter(thread=thread)
        .defer("new_text", "text", "html", "search_extra", "signals")
        .order_by("-received_at", "-pk")[:NEWEST_LOOKED_AT]
    )
    came_in = [message for message in newest if message.direction == Direction.INBOUND]
    went_out = [message for message in newest if message.direction == Direction.OUTBOUND]
    for message in [*came_in, *went_out]:
        if to := _addresses_to_answer(message, own):
            identity = _identity_written_to(message, identities)
            return ReplyPlan(message, identity, to, reply_subject(message.subject))
    raise DomainError(
        "conflict", _("There is no one in this thread to reply to."), field="thread_id",
        accepted=_('a thread with a message from an address that can be answered'),
    )  # fmt: skip


def plan_reply_to(message: Message, *, to_all: bool = False) -> ReplyPlan:
    """Return what a reply to this very message starts from, or one to all in it (`to_all`).

    It goes to Reply-To, else From; a reply to our own message goes to whom that went. To all, the
    others of To and Cc get copies. Never to an identity of ours, and to each address once. Raises
    DomainError (`conflict`) where that leaves nobody, or more than mail may go to.
    """
    account = message.inbox.account
    identities = identities_of(account, field="email_id")
    own = own_addresses(account, identities, message.inbox)
    to = _unique(_addresses_to_answer(message, own), set())
    if not to:
        raise DomainError(
            "conflict", _("There is no one to reply to: it contains no address but our own."),
            field="email_id", accepted=_('a message from an address that can be answered'),
        )  # fmt: skip
    cc = _others(message, to, own) if to_all else []
    if len(to) + len(cc) > MOST_RECIPIENTS:
        raise DomainError(
            "conflict",
            _("The reply would go to %(count)s addresses.", count=len(to) + len(cc)),
            field="email_id",
            accepted=_("a message with at most %(most)s to answer", most=MOST_RECIPIENTS),
        )
    identity = _identity_written_to(message, identities)
    return ReplyPlan(message, identity, to, reply_subject(message.subject), cc)


def _others(message: Message, to: AddressList, own: frozenset[str]) -> AddressList:
    """Return those of To and Cc whom the reply does not go to already, without ourselves."""
    usable = [_usable(address) for address in [*message.to, *message.cc]]
    others = [it for it in usable if it and it["email"].lower() not in own]
    return _unique(others, {it["email"].lower() for it in to})


def _unique(addresses: AddressList, seen: set[str]) -> AddressList:
    first: AddressList = []
    for address in addresses:
        if address["email"].lower() not in seen:
            seen.add(address["email"].lower())
            first.append(address)
    return first


def own_addresses(account: Account, identities: Sequence[Identity], inbox: Inbox) -> frozenset[str]:
    """Return, in lower case, the addresses that are ourselves."""
    emails = (account.address, inbox.address, *(identity.email for identity in identities))
    return frozenset(email.lower() for email in emails)


def _addresses_to_answer(message: Message, own: frozenset[str]) -> AddressList:
    """Return the first of its address lists that leaves somebody who is not ourselves.

    An address that cannot be written to is passed over, so a broken Reply-To leaves From.
    """
    if message.direction == Direction.OUTBOUND:
        lists = [message.to, message.cc]
    else:
        lists = [message.reply_to, [message.sender]]
    for addresses in lists:
        usable = [_usable(address) for address in addresses]
        if others := [it for it in usable if it and it["email"].lower() not in own]:
            return others
    return []


def _usable(address: dict[str, str]) -> dict[str, str] | None:
    try:
        email = check_address(address.get("email", ""))
    except ValueError:
        return None
    name = plain_name(address.get("name", ""))
    return {"name": name, "email": email} if name else {"email": email}


def _identity_written_to(message: Message, identities: Sequence[Identity]) -> Identity:
    if message.direction == Direction.OUTBOUND:
        mentioned = {message.from_email.lower()}
    else:
        mentioned = {it.get("email", "").lower() for it in [*message.to, *message.cc]}
    for identity in identities:
        if identity.email.lower() in mentioned:
            return identity
    return identities[0]
