"""New recipients who stand where few look: in mail of another day, or in what mail hides."""

from collections.abc import Iterator, Mapping, Sequence

import regex

from agents.approval.checks.shown import Shown
from agents.evidence.known import know
from agents.evidence.origins import message_origin
from agents.models import Exposure, Origin
from inbox.actor import Actor
from inbox.flags import Finding, found
from inbox.html.marks import hidden_passages
from inbox.models import Message
from inbox.rfc5322.addresses.parsing import stands_in
from inbox.search.passages import with_phrases

_MOST_EMAILS, _MOST_MESSAGES = 20, 50
_MOST_ODD = 20
_UNSEEN = frozenset({"hidden_text", "alternatives_differ"})
_WORD = regex.compile(r"[^\W_]+")
_COLUMNS = ("id", "from_email", "direction", "authentication", "subject", "text")


def find_named_elsewhere(
    actor: Actor, workspace_id: int, new: Sequence[str], shown: Shown
) -> Iterator[Finding]:
    """Yield the new recipients of an agent's draft who stand where few look."""
    yield from _find_unseen(actor, workspace_id, new, shown)
    named = {it for it in new if any(stands_in(it, one.text) for one in shown.texts)}
    yield from _find_earlier(actor, workspace_id, [it for it in new if it not in named])


def _find_earlier(actor: Actor, workspace_id: int, emails: Sequence[str]) -> Iterator[Finding]:
    """Yield those of the new addresses that nobody but strangers named in mail agents were shown.

    In a few queries, and none where there are no such addresses.
    """
    asked = emails[:_MOST_EMAILS]
    if not asked:
        return
    there = actor.within(workspace_id)
    rows = Message.objects.visible_to(there).kept()
    naming = list(
        with_phrases(rows, [" ".join(_WORD.findall(email)) for email in asked])
        .order_by("-received_at", "-id").only(*_COLUMNS)[:_MOST_MESSAGES]
    )  # fmt: skip
    known = know(actor, workspace_id, {one.from_email for one in naming})
    keys = [one.pk for one in naming]
    seen = Exposure.objects.filter(workspace_id=workspace_id, kind="msg", object_id__in=keys)
    shown = set(seen.values_list("object_id", flat=True)) if keys else set()
    for email in asked:
        holding = [one for one in naming if stands_in(email, f"{one.subject}\n{one.text}")]
        if any(_origin(one, known) != Origin.STRANGER for one in holding):
            continue
        told = next((one for one in holding if one.pk in shown), None)
        if told is not None:
            yield found(
                "recipient_from_stranger", "earlier", by=told.from_email, excerpt=email,
                source=told.public_id,
            )  # fmt: skip


def _find_unseen(
    actor: Actor, workspace_id: int, emails: Sequence[str], shown: Shown
) -> Iterator[Finding]:
    """Yield those of the new addresses that stand only in what the readers of a mail do not see.

    Such mail may be of somebody known. In two queries, and none where there are no such addresses.
    """
    asked = emails[:_MOST_EMAILS]
    keys = [one.ref.key for one in shown.texts if one.is_inbound] if asked else []
    if not keys:
        return
    rows = Message.objects.visible_to(actor.within(workspace_id)).filter(pk__in=keys)
    odd = [one for one in rows.only("id", "from_email", "anomalies", "text") if _is_odd(one)]
    pages = dict(rows.filter(pk__in=[it.pk for it in odd[:_MOST_ODD]]).values_list("pk", "html"))
    unseen = [(one, _unseen(one, pages[one.pk])) for one in odd[:_MOST_ODD] if one.pk in pages]
    sources = {one.public_id for one in odd}
    for email in asked:
        naming = next((one for one, text in unseen if stands_in(email, text)), None)
        if naming is not None and not any(
            stands_in(email, one.text)
            for one in shown.trusted if one.ref.public_id not in sources
        ):  # fmt: skip
            yield found(
                "recipient_from_stranger", "unseen", by=naming.from_email, excerpt=email,
                source=naming.public_id,
            )  # fmt: skip


def _is_odd(one: Message) -> bool:
    return not _UNSEEN.isdisjoint(one.anomalies)


def _unseen(one: Message, html: str) -> str:
    """Return what the reader of a message does not see of it, or may not."""
    plain = one.text if "alternatives_differ" in one.anomalies else ""
    return "\n".join([plain, *hidden_passages(html)])


def _origin(one: Message, known: Mapping[str, str]) -> str:
    return message_origin(one.direction, one.from_email, one.authentication, known)
