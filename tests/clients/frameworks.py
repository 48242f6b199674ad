"""The frameworks, how each is run, and what must hold of it."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agents.surfaces.mcp.profile_names import DEFAULT
from agents.surfaces.mcp.profiles import PROFILES
from examples.stand_in import Script, find_name, serve
from tests.clients.environments import ROOT, make_node, make_python, pinned, quiet_environment
from tests.clients.script import STEPS, Round, end_at_once
from tests.clients.service import Service

EXAMPLES = ROOT / "examples" / "frameworks"
# The operations are called individual as well.
OTHERS = [name for name in PROFILES if name not in {DEFAULT, "operations"}]
CASES = ("list", *STEPS)
SECONDS = 300


@dataclass(frozen=True)
class Framework:
    """A framework: its name, its example, and its environment."""

    name: str
    example: str
    environment: str

    @property
    def version(self) -> str:
        """The version that is tried."""
        if not self.is_node:
            return pinned(self.environment)
        package = json.loads((EXAMPLES / "typescript" / "package.json").read_text())
        return str(package["dependencies"]["@modelcontextprotocol/client"])

    @property
    def is_node(self) -> bool:
        """Return True if Node.js runs it."""
        return self.example.endswith(".ts")

    def command(self) -> list[str | Path]:
        """Return how its example is run; makes its environment."""
        if self.is_node:
            folder = make_node(EXAMPLES / "typescript", self.environment)
            return ["node", folder / "dist" / "mcp_client.js"]
        return [make_python(self.environment), EXAMPLES / self.example]


FRAMEWORKS = [
    Framework("mcp (Python)", "mcp_sdk.py", "mcp"),
    Framework("mcp (TypeScript)", "typescript/mcp_client.ts", "typescript"),
    Framework("fastmcp", "fastmcp_client.py", "fastmcp"),
    Framework("pydantic-ai", "pydantic_ai_agent.py", "pydantic-ai"),
    Framework("openai-agents", "openai_agent.py", "openai-agents"),
    Framework("LangChain, LangGraph", "langchain_agent.py", "langchain"),
    Framework("LlamaIndex", "llama_index_agent.py", "llama-index"),
    Framework("google-adk", "google_adk_agent.py", "google-adk"),
    Framework("CrewAI", "crewai_agent.py", "crewai"),
    Framework("AutoGen", "autogen_agent.py", "autogen"),
    Framework("smolagents", "smolagents_agent.py", "smolagents"),
]


@dataclass
class Outcome:
    """What holds of a framework, what does not and why, and what its converter leaves out."""

    framework: Framework
    passed: list[str] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    left_out: int = 0
    fields: int = 0


def try_framework(framework: Framework, service: Service, home: Path) -> Outcome:
    """Run its example with every profile, and through all the steps with the unified one."""
    outcome = Outcome(framework)
    worked, listed = Round(service, framework.name), Round(service, framework.name)

    def run(script: Script, round_: Round, profiles: list[str]) -> None:
        with serve(script, round_.watch) as model_url:
            trouble = _run_example(framework, service, model_url, profiles, home)
        if trouble := round_.trouble or trouble:
            outcome.troubles.append(trouble)

    run(worked.work, worked, [DEFAULT])
    run(end_at_once, listed, OTHERS)
    handed = [one.tools for one in (worked.asked[:1] + listed.asked)]
    _compare(outcome, handed, [service.tools(name) for name in (DEFAULT, *OTHERS)])
    outcome.passed += worked.reached
    return outcome


def _run_example(
    framework: Framework, service: Service, model_url: str, profiles: list[str], home: Path
) -> str:
    """Return why it failed, in its last words; nothing where it went well."""
    named = [word for name in profiles for word in ("--profile", name)]
    done = subprocess.run(
        [*framework.command(), "--url", service.url, "--token", service.token,
         "--model-url", model_url, *named],
        env=quiet_environment(home), cwd=home,
        capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["?"])[-1]


def _compare(outcome: Outcome, handed: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> None:
    """Compare the tools that the model was handed with ours, profile by profile."""
    if len(handed) != len(wanted):
        outcome.troubles.append(f"listed {len(handed)} of {len(wanted)} profiles")
        return
    lacking = []
    for theirs, ours in zip(handed, wanted, strict=True):
        for name, schema in ours.items():
            told = theirs.get(find_name(name, theirs))
            missing = names_in(schema) - names_in(told or {})
            outcome.fields += len(names_in(schema))
            outcome.left_out += sum(1 for one in missing if "/" in one)
            # Deeper ones stand in the descriptions as well.
            lacking += [f"{name}: {one}" for one in missing if "/" not in one]
            lacking += [] if told is not None else [name]
    if lacking:
        outcome.troubles.append(f"without {', '.join(lacking[:3])}")
    else:
        outcome.passed.append("list")


def names_in(schema: dict[str, Any]) -> set[str]:
    """Return the names of all fields of a schema, as paths."""
    return set(_walk(schema, "", lambda ref: schema.get("$defs", {}).get(ref, {})))


def _walk(
    schema: dict[str, Any], path: str, find: Callable[[str], Any], depth: int = 0
) -> list[str]:
    if depth > 12:
        return []
    found = []
    for name, one in schema.get("properties", {}).items():
        found += [f"{path}{name}", *_walk(one, f"{path}{name}/", find, depth + 1)]
    inner = [*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())]
    inner += [schema["items"]] if isinstance(schema.get("items"), dict) else []
    inner += [find(schema["$ref"].rpartition("/")[2])] if "$ref" in schema else []
    return found + [name for one in inner for name in _walk(one, path, find, depth + 1)]
