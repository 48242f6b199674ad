"""Asking the model about something of an account: what it cost is counted, what it said is kept."""

import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from inbox.background.periodic import periodic
from inbox.language_model.answers import as_kept, read_object
from inbox.language_model.asking import Said, ask
from inbox.language_model.budgets import Reserved, reserve, settle
from inbox.language_model.errors import FREE, ModelError
from inbox.language_model.prompts import Prompt
from inbox.language_model.server import ModelServer, is_set, read_server
from inbox.models import Account, ModelAnswer, ModelSetting

# What it said is kept for so long.
KEEP = timedelta(days=90)
_REMOVED_AT_ONCE = 2000


@dataclass(frozen=True, slots=True)
class Consulted:
    """What came of a question: the row that is kept, and the answer's JSON object."""

    kept: ModelAnswer
    found: dict[str, object]


def may_ask(workspace_id: int, task: str) -> bool:
    """Return True if there is a model and an owner lets it be used for a task; it may yet fail."""
    return task in tasks_of([workspace_id]).get(workspace_id, [])


def tasks_of(workspace_ids: Collection[int]) -> dict[int, list[str]]:
    """Return what owners let the model be used for, by workspace; nothing where there is none.

    Where the settings name none the database is not asked.
    """
    if not is_set():
        return {}
    rows = ModelSetting.objects.filter(workspace_id__in=workspace_ids)
    return {key: tasks for key, tasks in rows.values_list("workspace_id", "tasks") if tasks}


def consult(account: Account, prompt: Prompt, about: str) -> Consulted:
    """Ask the model, count what it cost, and keep what it said; raises ModelError.

    `about` is the public id of what the question is about. What went wrong is kept as well. It must
    not be within a transaction.
    """
    server = read_server()
    reserved = _reserve(account, server, prompt, about)
    began = time.monotonic()
    try:
        said = ask(server, prompt)
    except ModelError as error:
        tokens = 0 if error.code in FREE else reserved.tokens
        _keep(_Asked(account, server, prompt, about, began), reserved, Said(""), tokens, error.code)
        raise
    try:
        found, code = read_object(said.text), ""
    except ModelError as error:
        found, code = {}, error.code
    asked = _Asked(account, server, prompt, about, began)
    kept = _keep(asked, reserved, said, _cost(said, prompt), code)
    if code:
        raise ModelError(code)
    return Consulted(kept, found)


@dataclass(frozen=True, slots=True)
class _Asked:
    account: Account
    server: ModelServer
    prompt: Prompt
    about: str
    began: float


def _reserve(account: Account, server: ModelServer, prompt: Prompt, about: str) -> Reserved:
    try:
        return reserve(account, prompt.tokens + prompt.most_tokens, server.seconds)
    except ModelError as error:
        row = _row(_Asked(account, server, prompt, about, time.monotonic()))
        row.outcome = error.code
        row.save()
        raise


def _cost(said: Said, prompt: Prompt) -> int:
    """Return the tokens of a question: as its server says, else guessed by the letters."""
    read = said.input_tokens or prompt.tokens
    return read + (said.output_tokens or len(said.text) // 3)


def _keep(asked: _Asked, reserved: Reserved, said: Said, tokens: int, outcome: str) -> ModelAnswer:
    row = _row(asked)
    row.answer, row.outcome = as_kept(said.text), outcome
    row.input_tokens, row.output_tokens = said.input_tokens, said.output_tokens
    row.milliseconds = int((time.monotonic() - asked.began) * 1000)
    with transaction.atomic():
        settle(reserved, tokens, row.milliseconds)
        row.save()
    return row


def _row(asked: _Asked) -> ModelAnswer:
    prompt = asked.prompt
    return ModelAnswer(
        workspace_id=asked.account.workspace_id, account=asked.account, task=prompt.task,
        about=asked.about, model=asked.server.label, prompt_version=prompt.version,
        prompt_sha256=prompt.sha256,
    )  # fmt: skip


@contextmanager
def noted(kept: ModelAnswer) -> Iterator[None]:
    """Note of an answer what was wrong with it, where that shows only once it is read."""
    try:
        yield
    except ModelError as error:
        kept.outcome = error.code
        kept.save(update_fields=["outcome"])
        raise


def note_use(kept: ModelAnswer, used: int, dropped: int) -> None:
    """Note of an answer how many of its parts count, and how many were dropped."""
    if (kept.used, kept.dropped) != (used, dropped):
        kept.used, kept.dropped = used, dropped
        kept.save(update_fields=["used", "dropped"])


@periodic(3600)
def remove_old_answers(now: datetime | None = None) -> int:
    """Remove what was said long ago, some at a time; return how many."""
    old = ModelAnswer.objects.filter(created_at__lt=(now or timezone.now()) - KEEP)
    keys = list(old.order_by("created_at").values_list("pk", flat=True)[:_REMOVED_AT_ONCE])
    return ModelAnswer.objects.filter(pk__in=keys).delete()[0]
