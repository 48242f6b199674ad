"""The common rules of a policy are set by switches, which change single lines of its YAML."""

import pytest
from django.test import Client

from inbox.models import ReplyPolicy, Role
from inbox.operations.activities.understanding import save_version
from tests import factories

pytestmark = pytest.mark.django_db
HOUSE = "tone: friendly # as we speak\nflows:\n  destroy: allow\nredactions: [iban]\n"


@pytest.fixture
def policy(workspace):
    return save_version(ReplyPolicy, workspace=workspace, name="House", content=HOUSE)


def sign_in(workspace, role=Role.OWNER) -> Client:
    client = Client()
    client.force_login(factories.make_person_user(workspace, role))
    return client


def place(policy, what="switch") -> str:
    return f"/admin/inbox/replypolicy/{policy.pk}/{what}/"


def written(answer) -> str:
    return answer.context["content"].value()


def posted(client, policy, source=HOUSE, **given):
    """Set switches as a browser posts them: each with what it was."""
    page = client.get(place(policy, "change"))
    fields = {f"was.{one.name}": one.value for one in page.context["switches"]}
    fields |= {one.name: one.value for one in page.context["switches"] if one.kind != "several"}
    fields |= {one.name: one.value.split(",") for one in page.context["switches"]
               if one.kind == "several"}  # fmt: skip
    return client.post(place(policy), {"name": "House", "source": source, **fields, **given})


def test_switches_say_how_the_policy_stands_in_plain_words(workspace, policy):
    text = sign_in(workspace).get(place(policy, "change")).content.decode()
    for words in ("How replies sound", "An agent deletes something", "Ask a person"):
        assert words in text
    shown = {one.name: one.value for one in
             sign_in(workspace).get(place(policy, "change")).context["switches"]}  # fmt: skip
    assert shown["set.flows.destroy"] == "allow"
    assert shown["set.flows.silent_cancel"] == "hold"
    assert shown["set.redactions"] == "iban"


def test_a_switch_changes_its_line_shows_it_and_saves_nothing(workspace, policy):
    client = sign_in(workspace)
    given = {"set.flows.destroy": "hold", "set.redactions": ["iban", "phone"]}
    answer = posted(client, policy, **given)
    assert written(answer) == (
        "tone: friendly # as we speak\nflows:\n  destroy: hold\nredactions: [iban, phone]\n"
    )
    assert [one.text for one in answer.context["lines"] if one.kind == "added"] == [
        "  destroy: hold", "redactions: [iban, phone]",
    ]  # fmt: skip
    assert "What would be saved" in answer.content.decode()
    policy.refresh_from_db()
    assert (policy.version, policy.source) == (1, HOUSE)


def test_what_was_written_by_hand_meanwhile_stays(workspace, policy):
    source = HOUSE.replace("friendly", "brief")
    answer = posted(sign_in(workspace), policy, source, **{"set.max_length": "900"})
    assert written(answer) == source + "max_length: 900\n"


def test_what_cannot_be_read_is_refused_with_its_line_and_field(workspace, policy):
    source = HOUSE.replace("allow", "perhaps")
    answer = posted(sign_in(workspace), policy, source, **{"set.flows.readers": "hold"})
    assert written(answer) == source
    problem = answer.context["problem"]
    assert (problem.line, problem.field) == (3, "flows/destroy")


def test_values_that_no_switch_offers_change_nothing(workspace, policy):
    given = {"set.flows.destroy": "[a]", "set.max_length": "-1", "set.redactions": ["x", "iban"]}
    assert written(posted(sign_in(workspace), policy, **given)) == HOUSE


def test_an_empty_policy_begins_with_the_text_of_the_default(workspace):
    client = sign_in(workspace)
    page = client.get("/admin/inbox/replypolicy/add/").content.decode()
    assert "Start from the default policy" in page
    answer = client.post("/admin/inbox/replypolicy/switch/", {"default": "1", "name": "House"})
    assert "forbidden_phrases:" in written(answer)
    assert answer.context["form"]["name"].value() == "House"
    assert not ReplyPolicy.objects.exists()


def test_only_owners_set_switches(workspace, policy):
    reviewer = sign_in(workspace, Role.REVIEWER)
    assert reviewer.post(place(policy), {"source": HOUSE}).status_code == 403
    assert "Common rules" not in reviewer.get(place(policy, "change")).content.decode()
    foreigner = sign_in(factories.make_workspace("harbour"))
    assert foreigner.post(place(policy), {"source": HOUSE}).status_code == 404
    assert sign_in(workspace).get(place(policy)).status_code == 405
