"""Whatever is held names its approval in the structured answer, which fits the schema it promised."""

import pytest
from jsonschema import Draft202012Validator

from agents.contracts import REGISTRY, Fold
from agents.models import Approval
from agents.operations.agents import create_token, known_scopes
from agents.surfaces.mcp.listing import describe_all
from agents.surfaces.mcp.profiles import PROFILES
from inbox.models import Activity
from tests.agents.furnishing import furnish
from tests.agents.surfaces.mcp.conftest import Raw
from tests.agents.test_parity import calls_of
from tests.factories import EVERY_SCOPE

pytestmark = pytest.mark.django_db(transaction=True)


def schemas_of(profile, any_json):
    tools = describe_all(PROFILES[profile], EVERY_SCOPE, any_json)
    return {tool["name"]: tool["outputSchema"] for tool in tools}


def ask(raw, revision, name, arguments, path):
    params = {"name": name, "arguments": arguments}
    if revision == "2026-07-28":
        return raw.ask_stateless("tools/call", params, path=path)[2]["result"]
    return raw.ask("tools/call", params, path=path, MCP_Protocol_Version=revision)[2]["result"]


@pytest.mark.parametrize("revision", ["2025-06-18", "2026-07-28"])
def test_every_held_call_names_its_approval_in_an_answer_that_fits_its_schema(port, revision):
    world = furnish("held", "walnut")
    scopes = set(known_scopes()) & EVERY_SCOPE
    raw = Raw(port, create_token(agent=world.agents[0], scopes=scopes)[1])
    held = set()
    for profile, name, arguments in calls_of(world):
        if not REGISTRY.find(name).asks_a_person:
            continue
        result = ask(raw, revision, name, arguments, f"/mcp/{profile}")
        structured = result.get("structuredContent")
        told = result.get("_meta", {}).get("chancery/approval")
        if told is None:
            assert not structured or "approval_id" not in structured, name
            continue
        # A verb proposes what the operation behind it has proposed already: it is the same one.
        approval = Approval.objects.with_public_id(told["approval_id"]).get()
        held.add(name)
        assert structured["approval_id"] == approval.public_id, name
        assert structured["review_url"].endswith(f"/{approval.public_id}/"), name
        assert f'{{"approval_id": "{approval.public_id}"}}' in structured["next"], name
        schema = schemas_of(profile, revision == "2026-07-28")[name]
        Draft202012Validator(schema).validate(structured)
    assert {"send_reply", "email_send", "file_share", "calendar_create_event"} <= held
    assert any(isinstance(REGISTRY.find(name), Fold) for name in held)


def test_a_change_that_waits_answers_with_an_error_that_fits_the_schema_too(raw, message):
    activity = Activity.objects.create(
        workspace=message.workspace, source="email", source_id="x", message=message, title="Roof",
        created_at=message.received_at, status="surfaced", autonomy_tier=4,
    )  # fmt: skip
    schema = Draft202012Validator(schemas_of("concierge", any_json=False)["update_activities"])
    for status, waits in (("archived", True), ("surfaced", False)):
        change = {"activity_ids": [activity.public_id], "updates": {"status": status}}
        result = ask(raw, "2025-11-25", "update_activities", change, "/mcp/concierge")
        assert result["isError"] is waits
        assert ("approval_id" in result["structuredContent"]) is waits
        schema.validate(result["structuredContent"])


def test_the_schema_says_what_may_stand_beside_the_printed_fields():
    shown = schemas_of("mail", any_json=False)["send_reply"]
    beside = {"approval_id", "review_url", "next"}
    assert shown["properties"].keys() == {"message_id", "status"} | beside
    assert shown["required"] == ["message_id", "status"]
    assert shown["additionalProperties"] is False
    assert "approval_id" not in str(schemas_of("mail", any_json=False)["list_threads"])
