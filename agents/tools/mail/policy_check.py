"""What would happen to a message if it were proposed, by the code that proposing uses."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, model_validator

from agents.approval.checks.risks import find_risks, policy_of
from agents.contracts import REGISTRY, Effect, tool
from agents.contracts.fields import Closed, IdOrName, Maybe, OrAbsent
from agents.contracts.flags import FlagShape, flag_shapes
from agents.dispatching.policy import may_act
from agents.dispatching.rows import get_row, get_thread_row
from inbox.actor import Actor
from inbox.compose.outgoing import check_body, check_recipients
from inbox.flags import Flag
from inbox.models import Draft, Inbox, InboxStatus, ReplyPolicy
from inbox.operations.drafts.replying import plan_reply
from inbox.policies import Policy
from inbox.reasons import say
from inbox.rfc5322.text.language import detect_language

_ALWAYS = "What leaves waits for a person, always."
_FORMS = ({"draft_id"}, {"thread_id", "body"}, {"to", "subject", "body"})
_CHOICE = "draft_id, or thread_id and body, or to, subject and body"

Outcome: TypeAlias = Literal["held", "blocked", "refused"]
Address: TypeAlias = Annotated[str, Field(max_length=320)]


def _id(what: str) -> Any:
    return Field(min_length=1, max_length=200, description=what)


class CheckPolicy(Closed):
    """A draft, or the text of a reply to a thread, or a new message; and perhaps a policy."""

    draft_id: Maybe[Annotated[str, _id("A stored draft of yours.")]] = None
    thread_id: Maybe[Annotated[str, _id("The thread that `body` would answer.")]] = None
    to: Maybe[
        Annotated[
            list[Address],
            Field(min_length=1, max_length=500, description="To whom a new message would go."),
        ]
    ] = None
    subject: Maybe[Annotated[str, Field(max_length=998, description="Of a new message.")]] = None
    body: Maybe[Annotated[str, Field(min_length=1, description="The text as it would leave.")]] = (
        None
    )
    policy_id: Maybe[
        Annotated[
            str,
            _id("The policy to check by, its id or name; the draft's, or the first, unless given."),
            IdOrName(ReplyPolicy.ID_PREFIX),
        ]
    ] = None

    @model_validator(mode="after")
    def _is_one_of_the_forms(self) -> "CheckPolicy":
        if self.model_fields_set - {"policy_id"} not in _FORMS:
            raise ValueError(f"takes {_CHOICE}")
        return self


class CheckedPolicy(Closed):
    """What would happen, and why; nothing was stored.

    `outcome` is `held` (a person is asked), `blocked` (the policy forbids it) or `refused` (you may
    not send, or the inbox is paused). `to_add` are the texts that the policy requires and that are
    missing: `draft_reply_with_policy` adds them by itself.
    """

    outcome: Outcome
    reasons: list[str]
    asks_a_person: bool
    risk_flags: list[FlagShape]
    to_add: list[str]
    policy_id: OrAbsent[str] = None
    policy_version: OrAbsent[int] = None


@tool(
    family="house",
    domain="policy",
    effect=Effect.READ,
    shows=False,
    example={"to": ["ada@customer.example"], "subject": "Offer", "body": "Here is the offer."},
)
def policy_check(actor: Actor, args: CheckPolicy) -> CheckedPolicy:
    """Tell what would happen to a message if you proposed to send it, and why; stores nothing.

    Give `draft_id`, or `thread_id` and `body` for a reply, or `to`, `subject` and `body`.
    """
    policies = ReplyPolicy.objects.visible_to(actor)
    chosen = get_row(policies, args.policy_id, "policy", "/policy_id") if args.policy_id else None
    draft = _read_draft(actor, args)
    if chosen is not None and chosen != draft.policy:
        # What was found while it was composed was found by the other policy.
        draft.policy, draft.risk_flags = chosen, []
    risks = find_risks(actor, draft)
    row, policy = policy_of(actor, draft)
    outcome, reasons = _judge(actor, draft, risks)
    return CheckedPolicy(
        outcome=outcome,
        reasons=reasons,
        asks_a_person=outcome == "held",
        risk_flags=flag_shapes(risks),
        to_add=_missing(policy, draft.body),
        policy_id=row.public_id if row else None,
        policy_version=row.version if row else None,
    )


def _read_draft(actor: Actor, args: CheckPolicy) -> Draft:
    """Return the draft, stored or as it would be; raises ToolError `not_found`, or DomainError."""
    if args.draft_id is not None:
        rows = Draft.objects.visible_to(actor).select_related("policy", "inbox")
        if actor.kind == "agent":
            rows = rows.filter(versions__version=1, versions__author=actor.key)
        return get_row(rows, args.draft_id, "draft", "/draft_id")
    body = check_body(args.body or "")
    if args.thread_id is None:
        to = check_recipients(to=args.to or [])["to"]
        return Draft(workspace_id=actor.workspace_id, to=to, subject=args.subject or "", body=body)
    thread = get_thread_row(actor, args.thread_id)
    plan = plan_reply(actor, thread)
    return Draft(
        workspace_id=actor.workspace_id, inbox=thread.inbox, thread=thread, to=plan.to, body=body,
        in_reply_to=plan.in_reply_to, identity=plan.identity, subject=plan.subject,
    )  # fmt: skip


def _judge(actor: Actor, draft: Draft, risks: list[Flag]) -> tuple[Outcome, list[str]]:
    refusal = may_act(REGISTRY.tool("send_reply"), actor)
    inbox: Inbox | None = draft.inbox if draft.inbox_id else None
    if inbox is not None and inbox.status == InboxStatus.PAUSED:
        refusal = refusal or say("inbox_paused", address=inbox.address)
    if refusal:
        return "refused", [refusal]
    blocked = [words for risk in risks if risk.flag == "policy_blocked" for words in risk.reasons]
    return ("blocked", blocked) if blocked else ("held", [_ALWAYS])


def _missing(policy: Policy, body: str) -> list[str]:
    texts = policy.disclosures(detect_language(body))
    return [texts[place] for place in policy.lacks(body)]
