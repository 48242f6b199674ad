"""The page of the language model: its state, who may turn it on, what it used and said."""

import pytest
from django.test import override_settings
from django.urls import reverse

from agents.models import Receipt
from inbox.background import jobs
from inbox.models import ModelSetting
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(workspace):
    return factories.make_person_user(workspace, "owner", name="olga")


def page(client):
    return client.get(reverse("language-model")).content.decode()


def switch(client, workspace, *tasks):
    posted = {f"{workspace.pk}-tasks": list(tasks)}
    return client.post(reverse("language-model-switch", args=[workspace.pk]), posted)


def test_an_owner_turns_it_on_and_off_and_each_leaves_a_receipt(client, workspace, owner):
    client.force_login(owner)
    assert "no text goes to its server" in page(client)
    assert switch(client, workspace, "check").status_code == 302
    assert (ModelSetting.objects.get().tasks, ModelSetting.objects.get().changed_by) == (
        ["check"], owner,
    )  # fmt: skip
    receipt = Receipt.objects.get(tool="switch_model")
    assert (receipt.actor, receipt.arguments) == (f"person:{owner.pk}", {"tasks": ["check"]})
    assert "Check what proposals claim" in page(client)
    assert switch(client, workspace).status_code == 302
    assert ModelSetting.objects.get().tasks == []


def test_nobody_else_may(client, workspace, reviewer):
    other = factories.make_person_user(factories.make_workspace("other"), "owner", name="eve")
    for user, status in ((reviewer, 403), (other, 404)):
        client.force_login(user)
        assert switch(client, workspace, "check").status_code == status
        assert f'name="{workspace.pk}-tasks"' not in page(client)
    assert not ModelSetting.objects.exists()


def test_a_task_that_is_none_is_refused(client, workspace, owner):
    client.force_login(owner)
    assert switch(client, workspace, "check", "send").status_code == 400
    assert not ModelSetting.objects.exists()


def test_it_says_whether_there_is_a_model_and_what_is_wrong_with_it(client, owner, machine):
    client.force_login(owner)
    assert "openai:scripted" in page(client)
    assert "sk-secret" not in page(client)
    with override_settings(MODEL_ALLOW=frozenset()):
        assert "CHANCERY_MODEL_ALLOW does not name its host" in page(client)
    with override_settings(MODEL=""):
        assert "None is set; everything works by rules." in page(client)


def test_what_it_said_is_listed_and_told_on_the_proposals_own_page(
    client, workspace, owner, machine, propose
):
    switched = ModelSetting.objects.create(workspace=workspace, tasks=["check"])
    machine.says({"marks": [
        {"words": "Here is <b>the</b> offer", "kind": "statement", "state": "nowhere"},
        {"words": "nothing of the letter", "kind": "statement", "state": "nowhere"},
    ]})  # fmt: skip
    approval = propose("Here is <b>the</b> offer from Petra in the workshop.")
    jobs.run_due()
    client.force_login(owner)
    listed = page(client)
    assert reverse("review", args=[approval.public_id]) in listed
    assert "dropped, for its quotes stand nowhere: 1" in listed
    assert "Here is &lt;b&gt;the&lt;/b&gt; offer" in listed
    review = client.get(reverse("review", args=[approval.public_id])).content.decode()
    assert "1 remark whose words stand nowhere was dropped" in review
    assert "language model</span>" in review
    machine.says("nonsense")
    switched.save()
    again = propose("Something else altogether.", key="k2")
    jobs.run_due()
    review = client.get(reverse("review", args=[again.public_id])).content.decode()
    assert "The language model did not read it. Its answer could not be read." in review


def test_others_see_nothing_of_it(client, workspace, machine, propose):
    ModelSetting.objects.create(workspace=workspace, tasks=["check"])
    machine.says({"marks": []})
    propose("Something.")
    jobs.run_due()
    client.force_login(
        factories.make_person_user(factories.make_workspace("other"), "owner", name="eve")
    )
    assert "Nothing asked yet." in page(client)
    assert "Nothing yet" in page(client)
