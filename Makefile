# Every target makes the .venv that it needs and installs again only when pyproject.toml or constraints.txt changed.
#   make PYTHON=python3.12 test     another interpreter, for a .venv that is not there yet

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
PIP_INSTALL := $(PY) -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo serve test test-all lint docs reproduce screenshots bench kill-rounds mutation neo4j neo4j-stop clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

demo: $(VENV)/.base ## install the base (no torch, no tools) and answer two questions on the bundled sample, offline
	$(VENV)/bin/trivium ask "which films did the director of Written on the Wind also direct, and who starred in them?"
	$(VENV)/bin/trivium ask "Where are both The Call of the Wild and White Fang set?"

serve: $(VENV)/.base ## a LangGraph server on port 2024, offline; Studio, chat clients and langgraph-sdk talk to it
	$(VENV)/bin/trivium serve

# The tests start many processes: each would compile all it imports where the environment forbids to keep that.
test test-all: export PYTHONDONTWRITEBYTECODE :=

test: $(VENV)/.dev ## every test but the slow ones
	$(PY) -m pytest -m "not slow"

test-all: $(VENV)/.dev ## every test
	$(PY) -m pytest

lint: $(VENV)/.dev ## style, format, types, import directions
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	$(PY) -m mypy
	$(VENV)/bin/lint-imports

docs: $(VENV)/.docs ## the documentation as a site in build/site; every warning is an error
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --quiet

screenshots: $(VENV)/.dev ## ten tasks on the web page in Chromium, each with its screenshot, into build/page and docs/images/page
	$(PY) -m tests.page

reproduce: $(VENV)/.dev ## every measurement that needs no language model, resumably, into docs/results.md (TRIVIUM_DATA)
	$(PY) -m trivium eval reproduce

bench: $(VENV)/.base ## speed, each figure beside its yardstick from the same run
	$(PY) -m tests.neo4j_server run $(PY) -m trivium.evals.bench

kill-rounds: $(VENV)/.base ## 100 rounds of kill -9 over everything that writes: lost, half, doubled, not opened
	$(PY) -m tests.kill_rounds --rounds 100

mutation: $(VENV)/.mutation ## change the code in 150 places, one at a time, and see whether a test notices; run again, it goes on
	$(PY) -m tests.mutation --mutants 150

neo4j: $(VENV)/.base ## start a Neo4j server on loopback without Docker (Java 17, Maven); prints what to export
	@$(PY) -m tests.neo4j_server start

neo4j-stop: $(VENV)/.base ## stop it; its databases stay
	@$(PY) -m tests.neo4j_server stop

clean: ## remove .venv, caches and build products; a KG of yours is never touched
	rm -rf $(VENV) build dist *.egg-info .langgraph_api .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage
	find . -name .git -prune -o -type d -name __pycache__ -prune -exec rm -rf {} +

# Stamps. The base is the product alone; dev adds the tools and holds the base, so it answers for both.
$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit("Trivium needs Python 3.11 or newer, this is " + sys.version.split()[0] + "; name another: make PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.base: pyproject.toml constraints.txt | $(VENV)/.created
	$(PIP_INSTALL) .
	@touch $@

$(VENV)/.docs: pyproject.toml constraints.txt | $(VENV)/.created
	$(PIP_INSTALL) ".[docs]"
	@touch $(VENV)/.base $@

$(VENV)/.mutation: $(VENV)/.dev
	$(PIP_INSTALL) ".[mutation]"
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(VENV)/.created
	$(PIP_INSTALL) ".[dev]"
	@touch $(VENV)/.base $@
