"""What is checked before a commit and at the forge is what `make lint` and `.ci/run` check."""

import re

import yaml

from project.settings import BASE_DIR

HOOKS = yaml.safe_load((BASE_DIR / ".pre-commit-config.yaml").read_text())
WORKFLOW = yaml.safe_load((BASE_DIR / ".github" / "workflows" / "ci.yml").read_text())
MAKEFILE = (BASE_DIR / "Makefile").read_text()


def test_before_a_commit_everything_is_checked_that_lint_checks():
    [lint] = re.findall(r"^lint:.*\n((?:\t.+\n)+)", MAKEFILE, re.MULTILINE)
    commands = [line.strip().removeprefix("@") for line in lint.splitlines()]
    [repo] = HOOKS["repos"]
    entries = [hook["entry"] for hook in repo["hooks"]]
    assert entries == [line.replace("$(PY)", ".venv/bin/python") for line in commands]


def test_hooks_are_ours_run_from_the_environment_that_is_there_and_look_at_everything():
    assert [repo["repo"] for repo in HOOKS["repos"]] == ["local"]
    for hook in HOOKS["repos"][0]["hooks"]:
        assert hook["language"] == "system"
        assert hook["pass_filenames"] is False


def test_the_forge_runs_what_anybody_can_run_and_may_only_read():
    assert WORKFLOW["permissions"] == {"contents": "read"}
    [job] = WORKFLOW["jobs"].values()
    ran = [step["run"] for step in job["steps"] if "run" in step]
    assert ran == ["bash .ci/run"]
    assert (BASE_DIR / ".ci" / "run").exists()


def test_the_forge_has_the_python_that_the_image_has():
    [job] = WORKFLOW["jobs"].values()
    image = job["container"]
    assert image.removesuffix("-bookworm") in (BASE_DIR / "Dockerfile").read_text()
