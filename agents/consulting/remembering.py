"""What the model said to a question before; where it was not asked yet a job asks it.

So nobody waits for it, and nothing is asked within a transaction: who asks is answered by whoever
else understands mail, and by the model when the same is asked again. A question is known by its
hash: once a text, a rule or the wording of a task changes it is another.
"""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, TypeAlias

from django.utils import timezone

from inbox.background.jobs import Payload, enqueue
from inbox.language_model.answers import read_object
from inbox.language_model.consulting import Consulted, consult, may_ask
from inbox.language_model.errors import ModelError
from inbox.language_model.prompts import Prompt
from inbox.models import Account, ModelAnswer

ASK = "model.ask"
# What failed for a while is asked again then, where somebody still wants to know.
_AGAIN_AFTER = timedelta(minutes=10)
# Makes the question anew from what its job knows of it; None where that is gone.
Remake: TypeAlias = Callable[[Mapping[str, Any]], "Question | None"]


class Question:
    """A question about something of an account: `refs` are the keys by which it is made anew."""

    __slots__ = ("about", "account", "prompt", "refs")

    def __init__(
        self, account: Account, prompt: Prompt, about: str, refs: Mapping[str, Any]
    ) -> None:
        self.account, self.prompt, self.about, self.refs = account, prompt, about, refs


_REMAKERS: dict[str, Remake] = {}


def remade_by(task: str, remake: Remake) -> None:
    """Register what makes the questions of a task anew."""
    _REMAKERS[task] = remake


def recall(question: Question) -> Consulted | None:
    """Return what the model said to exactly this question.

    None where it said nothing that can be read; where it was not asked yet a job will.
    """
    row = _newest(question)
    if row is not None and not row.outcome:
        try:
            return Consulted(row, read_object(row.answer))
        except ModelError:
            return None
    if row is None or _may_go_better(row):
        _enqueue(question, after=row.pk if row else 0)
    return None


def _newest(question: Question) -> ModelAnswer | None:
    rows = ModelAnswer.objects.filter(
        workspace_id=question.account.workspace_id, account=question.account,
        about=question.about, prompt_sha256=question.prompt.sha256,
    )  # fmt: skip
    return rows.order_by("-pk").first()


def _may_go_better(row: ModelAnswer) -> bool:
    is_old = row.created_at < timezone.now() - _AGAIN_AFTER
    return is_old and row.outcome != "garbled"


def _enqueue(question: Question, after: int) -> None:
    account, sha256 = question.account, question.prompt.sha256
    enqueue(
        ASK, {"task": question.prompt.task, **question.refs}, workspace_id=account.workspace_id,
        account_id=account.pk, key=f"{ASK}:{account.pk}:{sha256}:{after}", slow=True,
        max_attempts=1,
    )  # fmt: skip


def ask_model(payload: Payload) -> None:
    """Ask a question that somebody had, unless it was answered meanwhile or may not be asked."""
    remake = _REMAKERS.get(payload["task"])
    question = remake(payload) if remake else None
    if question is None or not may_ask(question.account.workspace_id, payload["task"]):
        return
    row = _newest(question)
    if row is not None and not _may_go_better(row):
        return
    try:
        consult(question.account, question.prompt, question.about)
    except ModelError:
        # It is kept why, and somebody else has answered.
        return
