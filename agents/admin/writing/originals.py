"""The message that is answered or forwarded: to whom, under which subject, with which words."""

from dataclasses import dataclass

from django.http import HttpRequest
from django.utils.translation import gettext as _

from agents.admin.review.forms import write_addresses
from inbox.admin.finding import first_or_404
from inbox.compose.forwarding import LONGEST_QUOTE, forwarded_subject, forwarded_text
from inbox.models import Identity, Message
from inbox.operations.accounts.accounts import identities_of
from inbox.operations.drafts.replying import ReplyPlan, plan_reply_to
from inbox.viewer import viewer_of, zone_of

ANSWER, ANSWER_ALL, FORWARD = "answer", "all", "forward"
KINDS = (ANSWER, ANSWER_ALL, FORWARD)


@dataclass(frozen=True, slots=True)
class Original:
    """What a new mail starts from, and how; `plan` is that of an answer."""

    kind: str
    message: Message
    plan: ReplyPlan | None = None

    @property
    def identity(self) -> Identity:
        """As whom one would write."""
        return self.plan.identity if self.plan else identities_of(self.message.inbox.account)[0]

    @property
    def to(self) -> str:
        """To whom it would go, as one types it."""
        return write_addresses(self.plan.to) if self.plan else ""

    @property
    def cc(self) -> str:
        """Who would get a copy, as one types it."""
        return write_addresses(self.plan.cc) if self.plan else ""

    @property
    def subject(self) -> str:
        """Under which subject."""
        if self.plan:
            return self.plan.subject
        return forwarded_subject(self.message.subject)


def read_original(request: HttpRequest, kind: str, public_id: str) -> Original | None:
    """Return the message that is meant; None where the address names none.

    Raises Http404 for what is not there or is foreign, and DomainError for what nobody can answer.
    """
    if kind not in KINDS:
        return None
    rows = Message.objects.visible_to(viewer_of(request).actor).kept().with_public_id(public_id)
    found = first_or_404(rows.select_related("inbox__account", "thread"), "message")
    if kind == FORWARD:
        return Original(kind, found)
    return Original(kind, found, plan_reply_to(found, to_all=kind == ANSWER_ALL))


def quoted(request: HttpRequest, message: Message) -> str:
    """Return a message as an answer quotes it."""
    at = message.received_at.astimezone(zone_of(request))
    who = message.from_name or message.from_email
    head = _("On %(day)s, %(who)s wrote:") % {"day": f"{at:%Y-%m-%d %H:%M}", "who": who}
    lines = message.text[:LONGEST_QUOTE].strip("\n").split("\n")
    return "\n".join([head, *(f"> {line}".rstrip() for line in lines)])


def forwarded(request: HttpRequest, message: Message) -> str:
    """Return a message as one forwards it: with who wrote it, when, to whom, and its text."""
    return forwarded_text(message, message.received_at.astimezone(zone_of(request)))
