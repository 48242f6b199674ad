"""Letters proposed one by one, and whether the marks on each stand where they should."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from zoneinfo import ZoneInfo

from django.db import transaction
from django.utils import timezone

from agents.approval.checks.claims import find_marks, gather_sources, marks_as_json
from agents.approval.checks.risks import thread_of
from agents.consulting.letters import letter_prompt, merge, read_marks
from agents.consulting.passages import passages_of
from agents.dispatching.dispatch import call
from agents.exchange.folders import write_file
from agents.models import Approval
from agents.resources.control.approvals import APPROVALS, MarkShape, WholeApproval
from agents.resources.shapes import shape_of
from bench.letters.corpus import Corpus, Letter, Row
from bench.letters.office import Office, clock_at, make_office, written_at
from inbox.language_model.answers import read_object
from inbox.language_model.asking import ask
from inbox.language_model.server import read_server
from inbox.models import Draft
from inbox.operations.accounts.accounts import identities_of
from inbox.operations.drafts.replying import plan_reply_to
from inbox.operations.drafts.writing import NewAttachment, create_draft


@dataclass(frozen=True)
class Tried:
    """A letter and the marks on its claims."""

    letter: Letter
    marks: Sequence[MarkShape]

    @property
    def doubts(self) -> list[MarkShape]:
        """The marks on what differs from its sources, or stands in none."""
        return [it for it in self.marks if it.state != "found"]

    @property
    def is_marked(self) -> bool:
        """Whether it has a mark of doubt: a bad letter one at its wrong words."""
        return bool(self.doubts if self.letter.is_good else self.at_wrong_words(self.doubts))

    def at_wrong_words(self, marks: Sequence[MarkShape]) -> list[MarkShape]:
        """Return those of the marks that overlap the wrong words."""
        return [
            mark for mark in marks
            if any(
                part == mark.part and mark.start < end and start < mark.end
                for part, start, end in self.letter.wrong_places
            )
        ]  # fmt: skip


def try_letters(corpus: Corpus, only: str = "", *, with_model: bool = False) -> list[Tried]:
    """Return how each letter of an office is marked, or the one of an id; nothing stays.

    `with_model`: the language model of the settings reads each letter as well. Raises ModelError.
    """
    chosen = [it for it in corpus.letters if only in ("", it.id)]
    with _undone(), timezone.override(ZoneInfo(corpus.office["zone"])):
        office = make_office(corpus)
        with clock_at(written_at(corpus)):
            return [Tried(it, _propose(office, it, with_model=with_model)) for it in chosen]


@contextmanager
def _undone() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def _propose(office: Office, letter: Letter, *, with_model: bool) -> list[MarkShape]:
    """Return the marks on a letter that is proposed."""
    with _undone():
        if not may_be_called(letter):
            draft = _draft(office, letter)
            marks = _check(office, draft)
        else:
            approval = propose(office, letter)
            marks = _marks_of(approval, office)
            assert approval is not None
            assert approval.submission is not None
            draft = approval.submission.draft
        return _read(office, draft, marks) if with_model else marks


def _read(office: Office, draft: Draft, marks: Sequence[MarkShape]) -> list[MarkShape]:
    """Return the marks on a letter with those of the language model; raises ModelError."""
    proposed, sources = gather_sources(office.agent, draft, thread_of(office.agent, draft))
    passages = passages_of(draft.workspace_id, sources)
    said = ask(read_server(), letter_prompt(proposed, passages))
    read = read_marks(read_object(said.text), proposed, passages)
    return [_shape(it) for it in merge([_as_row(it) for it in marks], read.marks)]


def _as_row(mark: MarkShape) -> Row:
    row = mark.model_dump()
    return {**row, "expected": row.get("expected") or "", "by": row.get("by") or ""}


def _shape(row: Row) -> MarkShape:
    return MarkShape.model_validate(
        {**row, "expected": row["expected"] or None, "by": row["by"] or None}
    )


def may_be_called(letter: Letter) -> bool:
    """Return True if a call can propose it: one with a goal, or an answer with files, none can."""
    is_plain = not letter.cc and not letter.attachments
    return not letter.goal and (is_plain or not letter.answers)


def propose(office: Office, letter: Letter) -> Approval | None:
    """Have the agent of an office propose a letter; return what waits."""
    return _answer(office, letter) if letter.answers else _send(office, letter)


def _answer(office: Office, letter: Letter) -> Approval | None:
    given = {
        "account_id": office.account.public_id, "body": letter.body, "confirm": True,
        "email_id": office.newest[letter.answers].public_id,
    }  # fmt: skip
    return call("email_reply", given, office.agent).approval


def _send(office: Office, letter: Letter) -> Approval | None:
    paths = [f"out/{letter.id}/{PurePosixPath(path).name}" for path in letter.attachments]
    for path, name in zip(letter.attachments, paths, strict=True):
        write_file(office.agent, name, office.files[path])
    given = {
        "account_id": office.account.public_id, "to": list(letter.to), "subject": letter.subject,
        "body": letter.body, "confirm": True,
        **({"cc": list(letter.cc)} if letter.cc else {}),
        **({"attachments": paths} if paths else {}),
    }  # fmt: skip
    return call("email_send", given, office.agent).approval


def _marks_of(approval: Approval | None, office: Office) -> list[MarkShape]:
    if approval is None:
        raise ValueError("nothing waits for a person")
    row = APPROVALS.rows(office.agent).get(pk=approval.pk)
    return shape_of(WholeApproval, row).marks


def _check(office: Office, draft: Draft) -> list[MarkShape]:
    """Return the marks on a letter with a goal, or an answer with files: no call takes both."""
    found = find_marks(office.agent, draft, thread_of(office.agent, draft))
    return [_shape(it) for it in marks_as_json(found)]


def _draft(office: Office, letter: Letter) -> Draft:
    files = [
        NewAttachment(PurePosixPath(path).name, "application/octet-stream", office.files[path])
        for path in letter.attachments
    ]
    if not letter.answers:
        return create_draft(
            actor=office.agent, inbox=office.inbox, identity=identities_of(office.account)[0],
            to=letter.to, cc=letter.cc, subject=letter.subject, body=letter.body, goal=letter.goal,
            attachments=files,
        )  # fmt: skip
    answered = office.newest[letter.answers]
    plan = plan_reply_to(answered)
    return create_draft(
        actor=office.agent, inbox=office.inbox, identity=plan.identity, to=plan.to, cc=letter.cc,
        subject=plan.subject, body=letter.body, goal=letter.goal, attachments=files,
        thread=answered.thread, in_reply_to=answered, cited=[answered],
    )  # fmt: skip
