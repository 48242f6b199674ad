"""The description of the API, and the page to browse it."""

import pytest
from jsonschema import Draft202012Validator

from agents.contracts import REGISTRY


@pytest.fixture
def described(client):
    return client.get("/api/openapi.json").json()


def refs(value):
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for inner in value.values():
            yield from refs(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from refs(inner)


def test_it_is_openapi_3_1_with_every_tool(described):
    assert described["openapi"].startswith("3.1")
    paths = {path for path in described["paths"] if path.startswith("/api/tools/")}
    assert paths == {f"/api/tools/{tool.name}" for tool in REGISTRY}


def test_every_reference_leads_somewhere(described):
    parts = described["components"]["schemas"]
    for ref in refs(described):
        assert ref.startswith("#/components/schemas/")
        assert ref.rpartition("/")[2] in parts
    for schema in parts.values():
        Draft202012Validator.check_schema(schema)


def test_a_tool_has_its_schemas_example_and_errors(described):
    post = described["paths"]["/api/tools/send_reply"]["post"]
    content = post["requestBody"]["content"]["application/json"]
    assert content["schema"]["$ref"].endswith("/send_reply.input")
    assert content["examples"]["send_reply"]["value"]["idempotency_key"]
    assert {"200", "400", "401", "403", "404", "409", "413", "415", "422", "500"} <= set(
        post["responses"]
    )
    closed = described["components"]["schemas"]["send_reply.output"]
    assert closed["additionalProperties"] is False
    assert closed["properties"]["status"]["enum"] == ["queued", "sent"]


def test_what_needs_no_scope_is_described_as_it_answers(described, api, inbox):
    for path, name in (("tools", "list_tools"), ("v1/me", "read_me")):
        assert described["paths"][f"/api/{path}"]["get"]["operationId"] == name
        schema = {**described["components"]["schemas"][f"{name}.output"]}
        whole = {**schema, "components": described["components"]}
        Draft202012Validator(whole).validate(api.get(path).json())


def test_every_operation_has_its_own_name(described):
    names = [op["operationId"] for path in described["paths"].values() for op in path.values()]
    assert len(names) == len(set(names))


def test_the_page_loads_nothing_inline_and_nothing_from_elsewhere(client):
    page = client.get("/api/docs")
    html = page.content.decode()
    assert page.status_code == 200
    assert "unsafe" not in page["Content-Security-Policy"]
    assert "<style" not in html
    assert "://" not in html
    assert "onload" not in html
