# Names of the tasks; each sets up what it needs. Only Python 3.11+ and make are required.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TOOLS := $(addsuffix /node_modules/.installed,tests/openapi tests/receivers tests/collections tests/api/agents sdk/typescript ui)
CLIENT := sdk/typescript/dist/index.js
SERVE ?= 1
SCALE ?= default
# Test processes: one more than cores, for a third of its time a test waits for disks, sockets and clocks.
JOBS ?= $(shell n=$$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2); echo $$((n < 8 ? n + 1 : 8)))
# Compiled modules are kept: `firm` starts hundreds of times in the tests, and half a second sooner with them.
unexport PYTHONDONTWRITEBYTECODE

# Of a rule whose first prerequisite is a lock file.
INSTALL = $(INTO)/bin/python -m pip install --quiet --quiet --disable-pip-version-check --no-compile --require-hashes -r $< || { echo "Installing failed. If an earlier installation was interrupted: rm -rf $(INTO) and try again."; exit 1; }
INTO = $(VENV)
LOCK = pip-compile -q --generate-hashes --allow-unsafe --no-annotate --no-header --no-strip-extras --no-emit-index-url --no-emit-find-links --no-emit-trusted-host
as_in = -c <(sed -nE 's/^([a-z0-9.-]+)(\[[a-z]+\])?(==[^ ;]+).*/\1\3/p' $(1))

.DEFAULT_GOAL := help
.PHONY: help setup tools run test test-all coverage mutants fuzz audit check format bench generate docs reference screenshots lock clean

help: ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

# Stamps hold the lock's contents, so that a changed lock installs again and an unchanged one costs nothing. Of what is
# installed only the modules in use are compiled, when they are first imported.
$(VENV)/.run: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Firmdata needs Python 3.11 or later; $(PYTHON) is older. Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing what the service needs (once) ..."
	@$(INSTALL)
	@PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.run
	@echo "Installing what tests and checks need (once) ..."
	@$(INSTALL)
	@touch $@

$(VENV)/.bench: requirements-bench.lock $(VENV)/.dev
	@echo "Installing what benchmarks measure against (once) ..."
	@$(INSTALL)
	@touch $@

# Each in an environment of its own: they want other editions of what the service runs with.
$(VENV)/.audit $(VENV)/.docs: INTO = $(VENV)/$*
$(VENV)/.audit $(VENV)/.docs: $(VENV)/.%: requirements-%.lock
	@echo "Installing what make $* needs (once) ..."
	@test -x $(INTO)/bin/python || $(PYTHON) -m venv $(INTO)
	@$(INSTALL)
	@touch $@

# Readers of the OpenAPI document, verifiers of deliveries, runners of the collections, the TypeScript client, the React
# components: where there is npm, else their tests are skipped.
$(TOOLS): %/node_modules/.installed: %/package-lock.json
	@command -v npm >/dev/null || { echo "npm is not there: the tests of $* are skipped"; exit 0; }; \
	echo "Installing what $* takes from npm (once) ..." && \
	cd $* && npm ci --ignore-scripts --no-audit --no-fund --silent && touch node_modules/.installed

# The React components use the client as it is published.
$(CLIENT): sdk/typescript/node_modules/.installed $(wildcard sdk/typescript/src/*.ts sdk/typescript/src/*/*.ts)
	@test ! -d sdk/typescript/node_modules || npm --prefix sdk/typescript run --silent build

tools: $(TOOLS) $(CLIENT)

setup: $(VENV)/.dev ## the environment alone, in .venv

# What /docs and /docs/api serve; without npm the page of the latter says how to get it.
REFERENCE = api/public_pages/renderer
site/index.html: $(VENV)/.docs mkdocs.yml docs/site_pages.py $(wildcard docs/theme/* api/*/assets/*.css *.md docs/*.md docs/*/*.md)
	@$(VENV)/docs/bin/mkdocs build --strict --quiet

$(REFERENCE)/dist/swagger-ui-bundle.js: $(REFERENCE)/package-lock.json
	@command -v npm >/dev/null || { echo "npm is not there: /docs/api is not built"; exit 0; }; \
	echo "Fetching the renderer of /docs/api (once) ..." && cd $(REFERENCE) && \
	npm ci --ignore-scripts --no-audit --no-fund --silent && mkdir -p dist && \
	for one in swagger-ui-bundle.js swagger-ui.css LICENSE NOTICE; do install -m 644 node_modules/swagger-ui-dist/$$one dist/; done

reference: $(REFERENCE)/dist/swagger-ui-bundle.js ## the renderer of the API reference, from npm

run: $(VENV)/.run site/index.html reference ## the main job on the embedded sandbox, then the service (SERVE=0: end instead)
	@$(BIN)/firm demo $(if $(filter 0,$(SERVE)),--no-serve,)

# Each test process takes a file at a time, so that what a module shares is made once; tests/conftest.py orders files.
TESTS = -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder -q
PYTEST = $(BIN)/python $(TESTS)
COVERED = FIRM_TEST_SECONDS=20 $(BIN)/coverage run $(TESTS)

test: $(VENV)/.dev tools ## the quick tests: whether a change holds, in five minutes
	@$(PYTEST) -m "not slow"

test-all: $(VENV)/.dev tools ## every test, the slow ones too (AFTER=test: without those that make test has just run)
	@$(PYTEST) $(if $(filter test,$(AFTER)),-m slow)

coverage: $(VENV)/.dev tools ## share of the branches that the quick tests reach, then all tests; half an hour and more
	@$(BIN)/coverage erase
	@$(COVERED) -m "not slow" && $(BIN)/coverage combine -q && echo "quick tests: $$($(BIN)/coverage report --format=total) %"
	@$(COVERED) -m slow && $(BIN)/coverage combine -q --append && echo "all tests: $$($(BIN)/coverage report --format=total) %"

mutants: $(VENV)/.dev ## one broken line after another, each with the test that must notice it
	@$(BIN)/python -m tests.mutants

fuzz: $(VENV)/.dev ## every parser against damaged and hostile bodies, an hour in all (FUZZ_SECONDS=60: a minute)
	@$(BIN)/python -m tests.fuzz

audit: $(VENV)/.audit $(VENV)/.dev ## advisories, secrets, bill of materials, container files (exit code 3: a service was out of reach)
	@PATH="$(CURDIR)/$(VENV)/audit/bin:$$PATH" $(BIN)/python -m tests.audit

check: $(VENV)/.dev ## format, lint, types, import contracts
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/basedpyright
	@$(BIN)/lint-imports

format: $(VENV)/.dev ## put every file into the house format
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix-only --quiet .

bench: $(VENV)/.bench ## benchmarks beside their peers, as a table and JSON (SCALE=full for full sizes)
	@$(BIN)/python -m benchmarks --scale $(SCALE)

generate: $(VENV)/.dev sdk/typescript/node_modules/.installed $(CLIENT) ## everything generated: data dictionary, settings, sources, faults, OpenAPI document, collections, types
	@$(BIN)/python -m tests.generate

docs: $(VENV)/.docs ## the documentation as a site in site/; a dead link fails
	@$(VENV)/docs/bin/mkdocs build --strict

screenshots: $(VENV)/.dev ui/node_modules/.installed $(CLIENT) ## docs/images anew, taken by the browser tests (needs npm and Chromium)
	@rm -rf build/screenshots
	@FIRM_SCREENSHOTS=build/screenshots $(BIN)/python -m pytest -q tests/api/dashboard/test_browser.py tests/ui/test_ui_browser.py tests/ui/test_ui_showcase.py
	@cp build/screenshots/dashboard/webhook-window.webp docs/images/dashboard.webp
	@cp build/screenshots/dashboard/operator-window.webp docs/images/operator.webp
	@cp build/screenshots/components/public-window.webp docs/images/company.webp
	@cp build/screenshots/showcase/components.webp build/screenshots/showcase/components-narrow.webp docs/images

lock: ## new lock files from requirements*.in (needs pip-tools; deliberate, never automatic)
	@$(LOCK) -o requirements-audit.lock requirements-audit.in
	@$(LOCK) -o requirements-docs.lock requirements-docs.in
	@$(LOCK) -o requirements-bench.lock requirements-bench.in
	@$(LOCK) $(call as_in,requirements-bench.lock) -o requirements-dev.lock requirements-dev.in
	@$(LOCK) $(call as_in,requirements-dev.lock) -o requirements.lock requirements.in

clean: ## caches and the embedded demo's state; never FIRM_DATA
	@rm -rf .pytest_cache .ruff_cache .hypothesis .import_linter_cache .demo site
