# Everything runs in .venv, which the first target that needs it makes. `make help` lists the targets.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help setup serve browser test test-compiled test-uncompiled test-bounds test-reference reference-data check check-page test-page docs bench variants clean

PYTHON ?= python3
JOBS ?= 2
ARGS ?=
REFERENCE ?= ../shared/data

VENV := .venv
BIN := $(VENV)/bin
# One stamp for each set of packages in .venv: what serving needs, then tests and checks, then the benchmarks' peers.
SERVE_READY := $(VENV)/.serve-ready
READY := $(VENV)/.ready
BENCH_READY := $(VENV)/.bench-ready
DOCS_READY := $(VENV)/.docs-ready
# What checks the page (npm), kept apart from the package; the page itself needs no build step.
PAGE := tools/page
PAGE_READY := $(PAGE)/node_modules/.ready
PAGE_FILES := 'src/playout/web/static/**/*.{js,d.ts}' 'src/playout/web/reference/*.js' 'tests/page/*.js' '$(PAGE)/*.js'
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PYTEST := $(BIN)/python -m pytest -n $(JOBS) --dist worksteal
# Comparisons with the readable oracles. Compiling takes most of their time: `make test` runs them uncompiled,
# `make test-reference` bounds-checked, and compiled at full size.
ORACLES := any_settings or oracle
# Tests of the built-in games.
RULES := games
# Tests on a Ray cluster, which one process starts once; a test that hangs ends the run with a traceback.
RAY := tests/workers/test_cluster.py
RAY_TESTS := -n 0 --durations=5 -o faulthandler_timeout=600 -o faulthandler_exit_on_timeout=true $(dir $(RAY)) -k test_cluster
UNCOMPILED := NUMBA_DISABLE_JIT=1 $(PYTEST) --durations=5 -m "not slow and not compiled_only"
CHECKED := NUMBA_BOUNDSCHECK=1 $(PYTEST) --durations=5 -m "not slow and not compiled_only and not guarded"
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))

# Each test run sets these for itself; one left over in the caller's shell would quietly change what is tested.
unexport NUMBA_DISABLE_JIT NUMBA_BOUNDSCHECK
# Tests start many processes; without bytecode on disk, each would compile the package's Python again.
unexport PYTHONDONTWRITEBYTECODE

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY) ## make .venv and install playout, its tests and its checks into it

serve: $(SERVE_READY) ## start the workbench and open it in a browser (ARGS='--port 8000' passes options on)
	@$(BIN)/playout serve $(ARGS)

test: browser test-compiled test-uncompiled test-bounds ## run the tests: everything compiled; oracles and rules uncompiled, rules bounds-checked

browser: ## install Chromium for the tests of the page, where that may be done
	@if command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null; then \
	    :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "== Installing Chromium with apt-get, for the tests of the page"; \
	    (apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null) \
	        || echo "Chromium could not be installed; the tests of the page will be skipped (with CI set: fail)."; \
	else \
	    echo "There is no Chromium here, and installing it needs root and apt-get:" \
	        "the tests of the page will be skipped (with CI set: fail)."; \
	fi

test-compiled: $(READY) test-page ## the suite and the doctests, compiled; comparisons with the oracles are left to other runs
	@echo "== Tests, compiled: the suite and the doctests"
	@$(BIN)/python -m tests.warm_up $(JOBS)
	@# One process more than the others use: many of these tests wait, for programs, browsers and limits of time.
	$(PYTEST) -n $$(($(JOBS) + 1)) --durations=5 --doctest-modules --ignore=$(RAY) -k "not ($(ORACLES))" tests src/playout
	@echo "== Tests, compiled: a Ray cluster on this machine"
	$(PYTEST) $(RAY_TESTS)

test-uncompiled: $(READY) ## the oracles and the rules of the games as plain Python, with small budgets
	@echo "== Tests, uncompiled: oracles and rules as plain Python (NUMBA_DISABLE_JIT=1)"
	$(UNCOMPILED) -k "$(ORACLES) or $(RULES)"

test-bounds: $(READY) ## the rules of the built-in games compiled with bounds checks, which they otherwise run without
	@echo "== Tests, bounds-checked: a read or write outside an array is an error (NUMBA_BOUNDSCHECK=1)"
	$(CHECKED) -k _rules tests/games

test-reference: reference-data $(READY) ## the rest of the uncompiled and bounds-checked runs, tests at full size, and those against REFERENCE (../shared/data)
	@echo "== Tests against reference data in $(REFERENCE)"
	PLAYOUT_REFERENCE="$(abspath $(REFERENCE))" $(PYTEST) --durations=5 -m reference
	@echo "== Documentation: the Python blocks and commands of its pages"
	$(BIN)/python -m tools.site.run
	@echo "== Tests, uncompiled: what make test left out"
	$(UNCOMPILED) -k "not ($(ORACLES) or $(RULES))"
	@echo "== Tests, bounds-checked: the core and the built-in games"
	@NUMBA_BOUNDSCHECK=1 $(BIN)/python -m tests.warm_up $(JOBS)
	$(CHECKED)
	@echo "== Tests at full size: settings chosen by Hypothesis, against the oracles"
	PLAYOUT_FULL_SIZE=1 $(PYTEST) --durations=5 -k "$(ORACLES)"
	@echo "== Tests at full size: all cases of those of which make test runs a sample"
	PLAYOUT_FULL_SIZE=1 $(PYTEST) -n $$(($(JOBS) + 1)) --durations=5 -m full_size --ignore=$(RAY) -k "not ($(ORACLES))"
	PLAYOUT_FULL_SIZE=1 $(PYTEST) -m full_size $(RAY_TESTS)

reference-data:
	@if [ ! -d "$(REFERENCE)" ]; then \
	    echo "There is no folder '$(REFERENCE)'; name the one with the reference data:" \
	        "make test-reference REFERENCE=/path/to/data" >&2; \
	    exit 1; \
	fi

check: $(READY) check-page ## lint, formatting, types, layers and stray files, of the package and of its page
	@echo "== Lint, formatting, types, layers and stray files"
	.ci/stray-files
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo --no-cache

# Node runs the checks and the unit tests of the page. Without it they are left out; with CI set that is an error.
WITHOUT_NODE = echo "There is no $(1) here, so $(2) left out (with CI set: an error). Install Node.js 20.19 or newer." >&2; [ -z "$${CI:-}" ]

check-page: ## lint, formatting and types of the page (npm tools, installed into tools/page)
	@echo "== Lint, formatting and types of the page"
	@if ! command -v npm >/dev/null; then \
	    $(call WITHOUT_NODE,npm,the checks of the page are); \
	else \
	    $(MAKE) --silent --no-print-directory $(PAGE_READY); \
	    $(PAGE)/node_modules/.bin/eslint --config $(PAGE)/eslint.config.js --max-warnings 0 src/playout/web tests/page; \
	    $(PAGE)/node_modules/.bin/prettier --config $(PAGE)/prettier.json --log-level warn --check $(PAGE_FILES) '!**/vendor/*.js'; \
	    $(PAGE)/node_modules/.bin/tsc --project $(PAGE)/tsconfig.json; \
	fi

test-page: ## the unit tests of the page's modules
	@echo "== Tests of the page's modules"
	@if ! command -v node >/dev/null; then \
	    $(call WITHOUT_NODE,node,the unit tests of the page are); \
	else \
	    node --test --test-reporter=dot tests/page/*.test.js; \
	fi

docs: $(DOCS_READY) ## execute the code of the documentation and build its site into build/site (ARGS=docs/games.md: that page's code only)
	@echo "== Documentation: its Python blocks and commands"
	@$(BIN)/python -m tools.site.run $(ARGS)
	@echo "== Documentation: the site, in build/site/index.html"
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@$(BIN)/python -m tools.site.links

bench: $(BENCH_READY) ## measure speed against other libraries and a C program
	@echo "== Benchmarks"
	$(BIN)/python -m benchmarks

variants: $(READY) ## compare the variants of the search and write docs/variants.md (20 minutes; ARGS='--only chess' does a part)
	@echo "== Variants"
	$(BIN)/python -m benchmarks.variants $(ARGS)

clean: ## remove .venv, caches and build output
	rm -rf $(VENV) $(PAGE)/node_modules build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +

$(SERVE_READY): pyproject.toml constraints.txt
	@if ! $(BIN)/python -c '$(NEW_ENOUGH)' 2>/dev/null; then \
	    for python in $(PYTHON) python3.13 python3.12 python3.11; do \
	        if "$$python" -c '$(NEW_ENOUGH)' 2>/dev/null; then found=$$python; break; fi; \
	    done; \
	    if [ -z "$${found:-}" ]; then \
	        version=$$($(PYTHON) --version 2>/dev/null) || version="not on the PATH"; \
	        echo "Playout needs Python 3.11 or newer: $(PYTHON) is $$version," \
	            "and neither python3.13, python3.12 nor python3.11 runs here." >&2; \
	        echo "Install one, or name it: make PYTHON=/path/to/python3.12 setup" >&2; \
	        exit 1; \
	    fi; \
	    echo "== Making $(VENV) with $$("$$found" --version)"; \
	    "$$found" -m venv --clear $(VENV); \
	fi
	@echo "== Installing playout and what serving needs into $(VENV)"
	@$(PIP) install -c constraints.txt -e '.[web,nets]'
	@touch $@

$(PAGE_READY): $(PAGE)/package.json $(PAGE)/package-lock.json
	@echo "== Installing what checks the page into $(PAGE)/node_modules"
	@npm --prefix $(PAGE) ci --no-progress --loglevel=error >/dev/null
	@touch $@

$(READY): $(SERVE_READY)
	@echo "== Installing what tests and checks need into $(VENV)"
	@$(PIP) install -c constraints.txt -e '.[test,check]'
	@touch $@

$(DOCS_READY): $(READY)
	@echo "== Installing what builds the site into $(VENV)"
	@$(PIP) install -c constraints.txt -e '.[docs]'
	@touch $@

$(BENCH_READY): $(READY) benchmarks/requirements.txt
	@echo "== Installing what the benchmarks compare with into $(VENV)"
	@$(PIP) install -c constraints.txt -r benchmarks/requirements.txt
	@touch $@
