"""The record of a decision: one file that says all of it, after a documented schema."""

import json
from io import StringIO
from pathlib import Path

import jsonschema
import pytest
from django.core.management import CommandError, call_command

from agents.approval import lifecycle
from agents.models import Approval, Receipt, Sighting
from agents.oversight.exporting import export_decision
from inbox.models import Message, ReplyPolicy
from inbox.operations.activities.understanding import save_version
from tests import factories

pytestmark = pytest.mark.django_db
SCHEMA = json.loads(
    (Path(__file__).parents[3] / "docs" / "reference" / "decision.schema.json").read_text()
)


@pytest.fixture
def record(client):
    """Download a record as this person, and hold it against the schema."""

    def record(approval, by, status=200):
        client.force_login(by)
        answer = client.get(f"/admin/review/{approval.public_id}/record/")
        assert answer.status_code == status
        if status != 200:
            return {}
        assert answer["Content-Disposition"].startswith("attachment")
        told = json.loads(answer.content)
        validator = jsonschema.Draft202012Validator(
            SCHEMA, format_checker=jsonschema.FormatChecker()
        )
        validator.validate(told)
        return told

    return record


def test_a_record_says_who_decided_what_seeing_what_and_names_its_receipts(
    propose, reviewer, record
):
    approval = propose()
    approval.sighting = Sighting("page", milliseconds=4000, end="seen", source="unseen")
    lifecycle.approve(approval=approval, by=reviewer, sha256=approval.sha256)
    told = record(approval, reviewer)
    assert told["outcome"] == "approved"
    assert told["proposed"]["sha256"] == told["approved_sha256"] == approval.sha256
    (decision,) = told["decisions"]
    assert (decision["who"], decision["role"], decision["decision"]) == (
        reviewer.username, reviewer.memberships.get().role, "approved",
    )  # fmt: skip
    assert (decision["milliseconds"], decision["end_on_screen"]) == (4000, "seen")
    named = {receipt["tool"]: receipt["sha256"] for receipt in told["receipts"]}
    assert {"send_reply", "approve"} <= set(named)
    assert named["approve"] == Receipt.objects.get(tool="approve").hash
    answered = Message.objects.get(direction="inbound")
    assert {"kind": "answered", "id": answered.public_id, "sha256": answered.blob.sha256} in told[
        "evidence"
    ]


def test_no_word_of_the_message_and_no_address_is_in_it(propose, reviewer, record):
    approval = propose("The walnut is at walnut@tree.example.")
    lifecycle.reject(approval=approval, by=reviewer, reason="Not ours to say.")
    told = record(approval, reviewer)
    assert (told["outcome"], told["reason"]) == ("rejected", "Not ours to say.")
    assert "walnut" not in json.dumps(told)
    assert "@" not in json.dumps(told)


def test_an_edit_is_modified_on_both_sides_and_a_second_approver_is_named(
    propose, reviewer, record, workspace
):
    omar = factories.make_person_user(workspace, name="omar")
    save_version(
        ReplyPolicy, workspace=workspace, name="House", stored=None,
        content="decisions:\n  - {second_approver: true}\n",
    )  # fmt: skip
    old = propose()
    draft = old.submission.draft
    new = lifecycle.edit_and_approve(
        approval=old, by=reviewer, subject=draft.subject, body="Other words.", to=draft.to,
        cc=[], bcc=[],
    )  # fmt: skip
    lifecycle.approve(approval=new, by=omar, sha256=new.sha256)
    first, then = record(old, reviewer), record(Approval.objects.get(pk=new.pk), reviewer)
    assert (first["outcome"], first["replaced_by"]) == ("modified", new.public_id)
    assert (then["outcome"], then["replaces"]) == ("modified", old.public_id)
    assert [one["decision"] for one in then["decisions"]] == ["edited", "approved"]
    assert (then["first_approver"]["who"], then["second_approver"]["who"]) == ("rhea", "omar")
    assert then["approved_sha256"] == new.sha256 != first["proposed"]["sha256"]


def test_what_waits_or_expired_has_a_record_without_decisions(propose, reviewer, record):
    told = record(propose(), reviewer)
    assert (told["outcome"], told["decisions"], told["second_approver"]) == ("waiting", [], None)


def test_nobody_gets_the_record_of_another_workspace_or_has_rows_of_one_in_theirs(
    propose, reviewer, record
):
    approval = propose()
    lifecycle.reject(approval=approval, by=reviewer, reason="No.")
    stranger = factories.make_person_user(factories.make_workspace("elsewhere"), "owner")
    record(approval, stranger, status=404)
    found = export_decision(factories.person_actor(stranger), Approval.objects.get(pk=approval.pk))
    assert (found.decisions, found.receipts) == ([], [])
    assert {one.kind for one in found.evidence} == {"marks", "flags"}


def test_the_command_prints_it_and_names_what_is_not_there(propose):
    printed = StringIO()
    call_command("export_decision", propose().public_id, stdout=printed)
    jsonschema.validate(json.loads(printed.getvalue()), SCHEMA)
    with pytest.raises(CommandError, match="no approval 'apr_x'"):
        call_command("export_decision", "apr_x")
