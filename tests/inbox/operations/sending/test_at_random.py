"""Approve, undo, edit, new mail and sending in any order, and at once: what must always hold."""

import random
import threading
from collections import Counter
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connections
from django.utils import timezone

from inbox.background.jobs import run_due
from inbox.errors import DomainError
from inbox.models import Account, Draft, Message, Submission
from inbox.operations.drafts.writing import attach_to_draft, draft_reply, revise_draft
from inbox.operations.mail.incoming import receive_message
from inbox.operations.sending import delivery
from inbox.operations.sending.submissions import (
    close_submission,
    expire_submissions,
    find_drift,
    propose_submission,
    release_submission,
    undo_submission,
)
from inbox.reasons import own
from inbox.submission_states import LIVE_STATES
from tests.cases import made_up
from tests.sending_tools import hurry

MAIL = (
    b"From: Ada Byron <ada@customer.example>\r\nTo: office@lantern.example\r\n"
    b"Subject: The offer\r\nMessage-ID: <%d@customer.example>\r\n"
    b"In-Reply-To: <0@customer.example>\r\n\r\nWhen may we have the offer?\r\n"
)


class Office:
    """One draft, and everything that may happen to it."""

    def __init__(self, actor, inbox, reviewer, seed: int) -> None:
        self.actor, self.inbox, self.reviewer = actor, inbox, reviewer
        self.random = random.Random(seed)
        thread = receive_message(inbox=inbox, raw=MAIL % 0).thread
        self.draft_pk = draft_reply(actor=actor, thread=thread, body="On Friday.").pk

    def step(self) -> None:
        weighted = {
            self.propose: 5, self.approve: 6, self.approve_something_else: 1, self.undo: 2,
            self.edit: 2, self.attach: 1, self.new_mail: 1, self.reject: 1, self.send: 6,
            self.hurry: 3, self.expire: 1, self.sweep: 1,
        }  # fmt: skip
        [action] = self.random.choices(list(weighted), weights=list(weighted.values()))
        with suppress(DomainError):
            action()

    @property
    def draft(self) -> Draft:
        return Draft.objects.get(pk=self.draft_pk)

    @property
    def newest(self) -> Submission:
        newest = Submission.objects.order_by("-pk").first()
        if newest is None:
            raise DomainError("not_found", own("Nothing is proposed yet."))
        return newest

    def propose(self):
        propose_submission(actor=self.actor, draft=self.draft)

    def approve(self):
        # A person looks at the bytes before everything else may happen to them.
        seen = self.newest
        release_submission(submission=seen, approved_by=self.reviewer, sha256=seen.sha256)

    def approve_something_else(self):
        oldest = Submission.objects.order_by("pk").first() or self.newest
        release_submission(submission=self.newest, approved_by=self.reviewer, sha256=oldest.sha256)

    def undo(self):
        undo_submission(submission=self.newest)

    def edit(self):
        text = f"Not before {self.random.random()}."
        revise_draft(draft=self.draft, author_key="agent:1", author_name="Clerk", body=text)

    def attach(self):
        name = f"{self.random.random()}.txt"
        attach_to_draft(draft=self.draft, filename=name, content_type="text/plain", content=b"x")

    def new_mail(self):
        receive_message(inbox=self.inbox, raw=MAIL % self.random.randrange(1, 10**9))

    def reject(self):
        close_submission(submission=self.newest, state="rejected", outcome="No.")

    def send(self):
        run_due(limit=3)

    def hurry(self):
        hurry()

    def expire(self):
        if self.random.random() < 0.1:
            expire_submissions(timezone.now() + timedelta(hours=80))

    def sweep(self):
        delivery.sweep_submissions()


def delivered() -> list[bytes]:
    return [path.read_bytes() for path in Path(settings.LOCAL_MAIL_DIR).glob("*/new/*")]


def check() -> None:
    submissions = list(Submission.objects.all())
    live = Counter(it.draft_id for it in submissions if it.state in LIVE_STATES)
    assert max(live.values(), default=0) <= 1
    left = delivered()
    sealed = {it.mime_bytes: it for it in submissions}
    assert len(left) == len(set(left))
    for mime in left:
        submission = sealed[mime]
        assert submission.state in ("sent", "sending")
        assert submission.approved_sha256 == submission.sha256
        assert submission.approved_by is not None
    sent = {it.mime_bytes for it in submissions if it.state == "sent"}
    assert sent <= set(left)


def finish() -> None:
    hurry()
    run_due()
    check()
    for submission in Submission.objects.all():
        copies = Message.objects.filter(submission=submission).count()
        assert copies == (1 if submission.state == "sent" else 0)
        assert submission.state not in ("pending", "sending", "unknown")


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(made_up(16)))
def test_in_any_order_only_what_was_approved_leaves_and_once(seed, actor, inbox, reviewer):
    Account.objects.update(undo_seconds=30)
    office = Office(actor, inbox, reviewer, seed)
    for _ in range(30):
        drifted = {
            it.pk for it in Submission.objects.filter(state__in=["held", "pending"])
            if find_drift(it)
        }  # fmt: skip
        office.step()
        check()
        assert not Submission.objects.filter(pk__in=drifted, state="sent").exists()
    finish()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("seed", range(3))
def test_all_at_once_only_what_was_approved_leaves_and_once(seed, actor, inbox, reviewer):
    Account.objects.update(undo_seconds=0)
    first = Office(actor, inbox, reviewer, seed)
    troubles = []

    def work(number: int) -> None:
        office = object.__new__(Office)
        office.__dict__ |= first.__dict__ | {"random": random.Random(seed * 100 + number)}
        try:
            for _ in range(15):
                office.step()
        except Exception as error:  # noqa: BLE001
            troubles.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert troubles == []
    finish()
