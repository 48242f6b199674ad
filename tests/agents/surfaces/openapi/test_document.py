"""The description of the API, and the page to browse it."""

import re

import pytest
from jsonschema import Draft202012Validator

from agents.contracts import REGISTRY
from agents.surfaces.urls import urlpatterns


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


def routes():
    """Every address under /api/, as the document writes it."""
    for pattern in urlpatterns:
        route = re.sub(r"<\w+:(\w+)>", r"{\1}", str(pattern.pattern))
        yield f"/api/{route}"


# Public and no operations, or there to say that there is nothing.
UNDESCRIBED = {
    "/api/openapi.json", "/api/docs", "/api/", "/api/{rest}", "/api/tools/{name}",
    "/api/schemas/{schema_id}", "/api/v1/resource",
}  # fmt: skip


def test_every_address_is_described(described):
    assert set(routes()) - UNDESCRIBED == set(described["paths"])


def test_every_method_of_an_address_is_described(described, api):
    for path, operations in described["paths"].items():
        answer = api.client.generic("PUT", re.sub(r"{\w+}", "x", path), headers=api.headers())
        if answer.status_code == 405:
            allowed = {method.lower() for method in answer["Allow"].split(", ")} - {"head"}
            assert allowed == set(operations), path


def test_a_family_s_errors_are_described_in_its_own_shape(described):
    def shape(name, status):
        answer = described["paths"][f"/api/tools/{name}"]["post"]["responses"][status]
        return answer["content"]["application/json"]["schema"]

    by_family = {tool.family: tool.name for tool in REGISTRY}
    for family, wanted in (
        ("mesh", "mesh.error"),
        ("services", "services.error"),
        ("mail", "errors"),
    ):
        assert shape(by_family[family], "404") == {"$ref": f"#/components/schemas/{wanted}"}
    assert len(shape(by_family["mesh"], "400")["anyOf"]) == 2


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("get_context", {"agent_name": "Clerk", "key": "none"}), ("google_tasks_service", {"action": "delete", "task_id": "x"}),
     ("get_thread", {"thread_id": "x"})],
)  # fmt: skip
def test_an_error_is_as_it_is_described(described, api, name, arguments):
    answer = api.call(name, arguments)
    responses = described["paths"][f"/api/tools/{name}"]["post"]["responses"]
    schema = responses[str(answer.status_code)]["content"]["application/json"]["schema"]
    assert answer.status_code >= 400
    Draft202012Validator({**schema, "components": described["components"]}).validate(answer.json())


def test_headers_of_reading_and_writing_are_described(described):
    read = described["paths"]["/api/v1/drafts/{draft_id}"]["get"]
    assert {"ETag", "Cache-Control", "Chancery-Receipt"} <= set(read["responses"]["200"]["headers"])
    assert "304" in read["responses"]
    patch = described["paths"]["/api/v1/drafts/{draft_id}"]["patch"]
    names = {one["name"]: one["required"] for one in patch["parameters"]}
    assert names == {"draft_id": True, "If-Match": True, "Idempotency-Key": False}
    assert {"412", "428"} <= set(patch["responses"])
    made = described["paths"]["/api/v1/drafts"]["post"]["responses"]["201"]
    assert "Location" in made["headers"]


def test_a_decision_is_described_as_a_session_s(described):
    post = described["paths"]["/api/v1/approvals/{approval_id}/decision"]["post"]
    assert post["security"] == [{"session": []}]
    assert "X-CSRFToken" in {one["name"] for one in post["parameters"]}
    assert described["components"]["securitySchemes"]["session"]["in"] == "cookie"


def test_a_list_s_parameters_are_those_that_it_takes(described):
    get = described["paths"]["/api/v1/threads"]["get"]
    names = {one["name"] for one in get["parameters"] if one["in"] == "query"}
    assert {"inbox_id", "status", "label", "search", "ordering", "limit", "cursor"} <= names
    assert get["operationId"] == "browse_threads"


def test_it_says_what_linters_ask_for(described):
    """`make clients` has two of them look at all of it."""
    assert described["servers"] == [{"url": "/"}]
    assert described["info"]["license"] == {"name": "MIT", "identifier": "MIT"}
    assert described["info"]["contact"]["url"].startswith("http")
    named = {tag["name"] for tag in described["tags"] if tag["description"]}
    operations = [one for path in described["paths"].values() for one in path.values()]
    assert {tag for one in operations for tag in one["tags"]} == named
    assert [one["operationId"] for one in operations if not one.get("description")] == []


def test_a_discriminator_chooses_by_name(described):
    """Generators make a class of each branch, and one of the union."""
    parts = described["components"]["schemas"]
    unions = {name: one for name, one in parts.items() if "discriminator" in one}
    assert len(unions) == len(
        [one for one in REGISTRY if len(one.exact_schemas[0].get("oneOf", []))]
    )
    for union in unions.values():
        chosen = union["discriminator"]
        assert [branch["$ref"] for branch in union["oneOf"]] == list(chosen["mapping"].values())
        for value, ref in chosen["mapping"].items():
            branch = parts[ref.rpartition("/")[2]]
            assert branch["properties"][chosen["propertyName"]] == {"const": value}


def test_no_two_schemas_are_of_one_name_once_they_are_classes(described):
    """`search.files` and `search_files` would both be `SearchFiles`."""
    classes = [
        re.sub(r"[^a-z0-9]", "", name.lower()) for name in described["components"]["schemas"]
    ]
    assert sorted(classes) == sorted(set(classes))
