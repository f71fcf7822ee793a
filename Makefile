# `make` lists what there is. Everything is installed into .venv, again only when pyproject.toml changes.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MADE := $(VENV)/.made
INSTALLED := $(VENV)/.installed
INSTALLED_DEV := $(VENV)/.installed-dev

.DEFAULT_GOAL := help
.PHONY: help demo test check format build image

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(INSTALLED) ## Run the demo task with the offline models: no key, network or Docker
	$(BIN)/inspect eval discoverybench/demo --model discoverybench/baseline

test: $(INSTALLED_DEV) ## Run the tests; those that lack Docker, Chromium or the data are skipped and named
	$(BIN)/python -m pytest

check: $(INSTALLED_DEV) ## Check format, style, types, the order of the rooms, and Inspect's rules
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/inspect-evals-lint --all

format: $(INSTALLED_DEV) ## Format the code and mend what can be mended without thinking
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

build: $(INSTALLED_DEV) ## Build the wheel into dist/
	$(BIN)/python -m build --wheel

image: $(INSTALLED) ## Build the sandbox image (Inspect builds it too, at the first run that needs it)
	docker build --tag "$$($(BIN)/python -c 'from inspect_discoverybench.sandbox import image; print(image())')" sandbox

$(MADE):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "PYTHON=$(PYTHON) is no Python 3.11 or newer: $$($(PYTHON) --version 2>&1 | head -n 1)." \
	    "Name one: make PYTHON=python3.13 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@# The pip that venv brings may be too old for dependency groups.
	$(BIN)/pip install --quiet --upgrade 'pip>=25.1'
	@touch $@

$(INSTALLED): $(MADE) pyproject.toml
	$(BIN)/pip install --quiet --editable .
	@touch $@

$(INSTALLED_DEV): $(INSTALLED)
	$(BIN)/pip install --quiet --group dev
	@touch $@
