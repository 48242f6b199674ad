.DEFAULT_GOAL := help
SHELL := /bin/sh
PY := .venv/bin/python
PIP := .venv/bin/pip --disable-pip-version-check -q
# A lock names every package, so none is looked for; all are compiled at once, on every processor.
INSTALL := $(PIP) install --require-hashes --no-deps --no-compile
COMPILE := $(PY) -m compileall -q -j 0 .venv/lib >/dev/null || true
export PYTHONDONTWRITEBYTECODE ?=

.PHONY: help run wheel client-wheel test quick test-services conformance clients lint bench fuzz faults mime attacks seeds letters migration squash release messages mutants scheduler-kills lock screenshots clean

help: ## Show what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 18

.venv/run.stamp: requirements/run.txt
	@test -x $(PY) || python3 -m venv .venv
	@echo "Installing what is locked in $< …"
	@$(INSTALL) -r $<
	@$(COMPILE)
	@touch $@

.venv/dev.stamp: requirements/dev.txt .venv/run.stamp
	@echo "Installing what is locked in $< …"
	@$(INSTALL) -r $<
	@$(COMPILE)
	@touch $@

run: .venv/run.stamp ## Serve Chancery on http://127.0.0.1:8000 (PORT=8001; DEMO=1 or MAIL=PATH sets it up at once)
	@$(PY) manage.py up $(if $(DEMO),--demo,) $(if $(MAIL),--mail "$(MAIL)",) $(if $(PORT),--port $(PORT),)

wheel: ## Build the wheel into dist/, for an installation without the source tree
	@set -e; build=$$(mktemp -d); trap 'rm -rf "$$build"' EXIT; \
	python3 -m venv "$$build"; \
	"$$build/bin/pip" --disable-pip-version-check -q install --require-hashes -r requirements/build.txt; \
	"$$build/bin/hatchling" build -t wheel -d "$(or $(DIST),dist)"

client-wheel: ## Build the wheel of the Python client into dist/
	@set -e; build=$$(mktemp -d); trap 'rm -rf "$$build"' EXIT; \
	python3 -m venv "$$build"; \
	"$$build/bin/pip" --disable-pip-version-check -q install --require-hashes -r requirements/build.txt; \
	cd client; "$$build/bin/hatchling" build -t wheel -d "$(abspath $(or $(DIST),dist))"

# A third worker for two processors: tests wait a third of their time.
test: .venv/dev.stamp ## The whole suite on SQLite, with nothing else needed
	@$(PY) -m pytest -n 3 --dist worksteal -m "not services" $(ARGS)

quick: .venv/dev.stamp ## The tests that your change is near to, for about 90 seconds (needs git)
	@$(PY) -m tests.quick

test-services: .venv/dev.stamp ## What needs PostgreSQL (with pgvector too), Redis, RabbitMQ, Dovecot, Apache, DAViCal, Cyrus or Chromium, and PostgreSQL under the rest
	@sh .ci/test-services $(ARGS)

conformance: .venv/dev.stamp ## The official MCP conformance runner, by every revision (needs npm)
	@$(PY) -m tests.conformance

clients: .venv/dev.stamp ## Frameworks of agents, each in an environment of its own, at our server (ARGS="CrewAI"; needs npm)
	@$(PY) -m tests.clients $(ARGS)

lint: .venv/dev.stamp ## ruff, mypy, import contracts
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy
	@.venv/bin/lint-imports --no-cache

bench: .venv/dev.stamp ## Measure against the anchors (MAIL_CORPUS=Maildir)
	@$(PY) -m bench $(ARGS)

fuzz: .venv/dev.stamp ## Calls made up from the OpenAPI document against a server (CALLS=50000)
	@$(PY) -m tests.fuzz $(CALLS)

faults: .venv/dev.stamp ## Kill and disturb what sends, and see that every promise holds (KILLS=2000 APPROVALS=5000 PLANTED=10000)
	@$(PY) -m tests.faults $(or $(KILLS),2000) $(or $(APPROVALS),5000) $(or $(PLANTED),10000)

mime: .venv/dev.stamp ## Messages made up, each shown as a second reader reads it or flagged (MESSAGES=10000)
	@$(PY) -m tests.mime $(MESSAGES)

seeds: .venv/dev.stamp ## Programs that change accounts at random while we sync, by seeds that nobody tried (COUNT=10)
	@for _number in $$(seq $(or $(COUNT),10)); do \
	  SYNC_SEED=$$($(PY) -c "import random; print(random.randrange(1, 10**6))"); \
	  echo "SYNC_SEED=$$SYNC_SEED"; export SYNC_SEED; export HTTP_FAULTS_SEED=$$SYNC_SEED; export RANDOM_CASES=all; \
	  $(PY) -m pytest -n 2 -m "services or not services" -k "nothing_differs or both_sides" tests/inbox/syncing $(ARGS) || exit 1; \
	done

attacks: .venv/dev.stamp ## Attacks on a fooled agent, and a search for what no flag tells of (VARIANTS=50000)
	@$(PY) -m tests.attacks $(VARIANTS)

letters: .venv/dev.stamp ## Right and wrong letters of made-up offices, and how many are marked (ARGS="FILE -v")
	@$(PY) -m bench.letters $(ARGS)

migration: .venv/dev.stamp ## Write a migration of what is new in models and database rules (NAME=what_it_does)
	@test -n "$(NAME)" || { echo "make migration NAME=what_it_does"; exit 2; }
	@$(PY) -m tests.releases.migrations "$(NAME)"

squash: .venv/dev.stamp ## Write one migration of each app that makes a new database at once (after others were added)
	@$(PY) -m tests.releases.migrations --squash

release: .venv/dev.stamp ## Cut a release and keep what its updates are tried on (VERSION=x.y.z; needs PostgreSQL)
	@$(PY) -m tests.releases "$(VERSION)"

mutants: .venv/dev.stamp ## Change the code that guards, and see that a test notices (ARGS="--share 0.1", a file)
	@$(PY) -m tests.mutants $(ARGS)

scheduler-kills: .venv/dev.stamp ## Kill workers 30 times while 200 schedules come due
	@SCHEDULER_KILLS=30 SCHEDULER_ITEMS=200 $(PY) -m pytest -p no:xdist -s tests/agents/test_killed_scheduler.py

messages: .venv/dev.stamp ## Collect the words of the pages for translation, and compile them (needs gettext)
	@mkdir -p project/locale
	@$(PY) manage.py makemessages -l de --no-location --no-obsolete --no-wrap -i .venv -i var -i tests -i bench -i examples
	@for words in project/locale/*/LC_MESSAGES/django.po; do \
		msgcat --no-wrap --sort-output "$$words" | grep -v '^"POT-Creation-Date: ' > "$$words.sorted" \
		&& mv "$$words.sorted" "$$words"; done
	@$(PY) manage.py compilemessages -l de -l en -v 0 -i .venv

screenshots: .venv/dev.stamp ## The pictures in docs/ (needs Chromium)
	@$(PY) -m docs.screenshots

lock: ## Lock the requirements anew, with hashes
	@python3 -m venv .venv-lock && .venv-lock/bin/pip -q install uv
	@.venv-lock/bin/uv pip compile -q --python-version 3.11 --universal --generate-hashes --no-emit-index-url --no-header requirements/run.in -o requirements/run.txt
	@.venv-lock/bin/uv pip compile -q --python-version 3.11 --universal --generate-hashes --no-emit-index-url --no-header requirements/model.in -o requirements/model.txt
	@.venv-lock/bin/uv pip compile -q --python-version 3.11 --universal --generate-hashes --no-emit-index-url --no-header requirements/otel.in -o requirements/otel.txt
	@.venv-lock/bin/uv pip compile -q --python-version 3.11 --universal --generate-hashes --no-emit-index-url --no-header requirements/semantic.in -o requirements/semantic.txt
	@.venv-lock/bin/uv pip compile -q --python-version 3.11 --universal --generate-hashes --no-emit-index-url --no-header requirements/dev.in -o requirements/dev.txt
	@.venv-lock/bin/uv pip compile -q --python-version 3.11 --universal --generate-hashes --no-emit-index-url --no-header requirements/build.in -o requirements/build.txt
	@.venv-lock/bin/uv pip compile -q --python-version 3.11 --universal --no-deps --generate-hashes --no-emit-index-url --no-header requirements/pgvector.in -o requirements/pgvector.txt
	@rm -rf .venv-lock

clean: ## Remove what was installed and built (your data in var/ stays)
	@rm -rf .venv .venv-clients dist .pytest_cache .mypy_cache .ruff_cache
