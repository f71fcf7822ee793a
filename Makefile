# `make` lists the targets. Everything is installed into .venv, and again only when pyproject.toml or constraints.txt
# changes.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MADE := $(VENV)/.made
INSTALLED := $(VENV)/.installed
INSTALLED_DEV := $(VENV)/.installed-dev

.DEFAULT_GOAL := help
.PHONY: help demo test test-agents test-docs test-lowest test-quick coverage check format audit docs pictures build fingerprints image image-push lock

# One worker more than there are cores (tests/conftest.py). Session fixtures are built once and shared through a lock file
# (tests/shared.py), so that idle workers may take over any test. Workers and the processes of tests share bytecode.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --numprocesses logical --dist worksteal

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(INSTALLED) ## Run the demo task with the offline models: no key, network or Docker
	$(BIN)/inspect eval discoverybench/demo --model discoverybench/baseline
	@echo
	@echo "These scores check the installation. Neither the model nor the judge is a language model."
	@echo "To make a report of the logs, run: $(BIN)/discoverybench report logs"

test: $(INSTALLED_DEV) ## Run all tests but those of documented commands and other agents; those that this machine cannot run are listed
	$(PYTEST) -m "not documented and not agents"

test-docs: $(INSTALLED_DEV) ## Run the commands of the README and the documentation, with the offline models
	$(PYTEST) -m documented

test-agents: $(INSTALLED_DEV) ## Build the images of docs/other_agents.md and run its commands; needs Docker and the npm registry
	$(BIN)/python -m pytest -m agents

test-quick: $(INSTALLED_DEV) ## Run the tests without containers, browsers, wheels and command lines, and without those that take seconds
	$(PYTEST) -m "not docker and not browser and not wheel and not slow and not process"

# Extras and development tools may need newer versions, so tests of extras are left out.
LOWEST := .venv-lowest

test-lowest: $(INSTALLED_DEV) ## Run the quick tests with the lowest versions that the package supports
	$(BIN)/uv venv --quiet --clear $(LOWEST)
	$(BIN)/uv pip compile --quiet --resolution lowest-direct --no-emit-index-url pyproject.toml --output-file $(LOWEST)/versions.txt
	$(BIN)/uv pip install --quiet --python $(LOWEST)/bin/python --constraint $(LOWEST)/versions.txt --editable . \
	  hypothesis playwright pytest pytest-asyncio pytest-timeout pytest-xdist
	$(LOWEST)/bin/python -m pytest --numprocesses logical --dist worksteal \
	  -m "not docker and not browser and not wheel and not slow and not process" --ignore tests/scanners \
	  --ignore tests/test_kubernetes.py --ignore tests/test_tasks.py

coverage: $(INSTALLED_DEV) ## Run all tests and print line and branch coverage
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest --numprocesses logical --dist worksteal
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

# The package as the wheel lays it out: Inspect's rules for sandboxes look for compose.yaml and sandbox/ inside it.
PACKAGED := build/packaged

check: $(INSTALLED_DEV) ## Check format, style, types, spelling, dependencies, layers and Inspect's rules for evaluations
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/typos
	$(BIN)/deptry src
	$(BIN)/lint-imports
	$(BIN)/inspect-evals-lint --all
	@rm -rf $(PACKAGED) && mkdir -p $(PACKAGED)/src
	@cp -r src/inspect_discoverybench $(PACKAGED)/src && mkdir $(PACKAGED)/src/inspect_discoverybench/_shipped
	@cp -r compose.yaml sandbox $(PACKAGED)/src/inspect_discoverybench/_shipped && cp pyproject.toml $(PACKAGED)
	$(BIN)/inspect-evals-lint --all --root $(PACKAGED) --select IEBP005,IEBP007,IESC001

format: $(INSTALLED_DEV) ## Format the code and apply safe fixes
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

# The site carries the report of the demo experiment, which is made anew each time and not committed.
DEMO_LOGS := build/demo_logs
DEMO_REPORT := docs/demo_report

docs: $(INSTALLED_DEV) ## Build the documentation site with a report of the demo into site/; warnings are errors
	rm -rf $(DEMO_LOGS) $(DEMO_REPORT)
	$(BIN)/discoverybench run demo --set log_dir=$(DEMO_LOGS)
	$(BIN)/discoverybench report $(DEMO_LOGS) --out $(DEMO_REPORT)
	$(BIN)/zensical build --strict --clean

# Without --strict, a package that the vulnerability service does not answer for counts as clean.
AUDIT := $(BIN)/uv tool run --quiet pip-audit==2.10.1 --strict --disable-pip --progress-spinner off

audit: $(INSTALLED_DEV) ## Look up known vulnerabilities of all locked packages; needs the vulnerability service
	$(AUDIT) --require-hashes --requirement sandbox/requirements.txt
	$(AUDIT) --no-deps --requirement constraints.txt

pictures: $(INSTALLED_DEV) ## Retake the screenshots of the README and the documentation; needs Chromium
	DISCOVERYBENCH_SCREENSHOTS="$(CURDIR)"/docs/images $(BIN)/python -m pytest tests/documentation/test_pictures.py

build: $(INSTALLED_DEV) ## Build the wheel into dist/
	$(BIN)/python -m build --wheel

fingerprints: $(INSTALLED) ## Record what sets scores, after a change of the task version (docs/versions.md)
	$(BIN)/python scripts/fingerprints.py

image: $(INSTALLED) ## Build the sandbox image (otherwise built on first use)
	docker build --tag "$$($(BIN)/python -c 'from inspect_discoverybench.sandbox.image import image; print(image())')" sandbox

image-push: $(INSTALLED) ## Build the sandbox image for amd64 and arm64 and push it: make image-push REGISTRY=HOST/NAME
	@.ci/image-push "$(REGISTRY)" "$$($(BIN)/python -c 'from inspect_discoverybench.sandbox.image import image; print(image())')"

$(MADE):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "PYTHON=$(PYTHON) is not Python 3.11 or newer: $$($(PYTHON) --version 2>&1 | head -n 1)." \
	    "Choose another: make PYTHON=python3.13 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "Creating $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@# uv installs in a sixth of pip's time. Some machines have no wheel of it.
	@$(BIN)/pip install --quiet --disable-pip-version-check --only-binary uv --constraint constraints.txt uv || true
	@touch $@

# uv trusts the certificates that the system trusts, as pip does. It does not know a package index that pip is set to use.
export UV_SYSTEM_CERTS ?= true

define install
{ [ -x $(BIN)/uv ] && $(BIN)/uv pip install --quiet --python $(BIN)/python --constraint constraints.txt $(1); } || { \
  echo "uv is missing or has failed. Installing with pip, which takes about a minute."; \
  $(BIN)/pip install --quiet --upgrade 'pip>=25.1' && $(BIN)/pip install --quiet --constraint constraints.txt $(1); }
endef

$(INSTALLED): $(MADE) pyproject.toml constraints.txt
	@echo "Installing the package and its dependencies into $(VENV)"
	@$(call install,--editable .)
	@touch $@

$(INSTALLED_DEV): $(INSTALLED)
	@echo "Installing the development tools into $(VENV)"
	@$(call install,--editable . --group dev)
	@touch $@

UV_COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate --no-emit-index-url

lock: $(INSTALLED_DEV) ## Update the versions that development, CI and requirements.lock use
	$(UV_COMPILE) --upgrade --group dev pyproject.toml --output-file constraints.txt
	$(UV_COMPILE) --generate-hashes --constraint constraints.txt pyproject.toml --output-file requirements.lock
