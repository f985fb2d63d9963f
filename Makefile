# `make help` lists the targets. `make serve` and `make test` set up a virtual environment in .venv the first
# time, from the package index that pip is configured for, and need no network after that.

PYTHON ?= python3
BIN := .venv/bin
RUN := $(BIN)/python -m
# Files in the order of conftest.py; the tests of one file share a worker, and with it what is costly to make.
SPREAD := $(RUN) pytest --numprocesses auto --dist loadfile --no-loadscope-reorder

# Python keeps what it has compiled of its imports: the tests start hundreds of processes.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help serve test test-all test-browsers quick game attack lint docs reference bill bench results ladder constraints clean
.DEFAULT_GOAL := help

help: ## List the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/make \1\t\2/' | expand -t 18

.venv/.web: pyproject.toml constraints.txt tools/environment.sh
	PYTHON=$(PYTHON) sh tools/environment.sh web
	touch $@

.venv/.test: pyproject.toml constraints.txt tools/environment.sh
	PYTHON=$(PYTHON) sh tools/environment.sh test
	touch $@ .venv/.web

.venv/.dev: pyproject.toml constraints.txt tools/environment.sh
	PYTHON=$(PYTHON) sh tools/environment.sh dev
	touch $@ .venv/.test .venv/.web

.venv/.peers: pyproject.toml constraints.txt tools/environment.sh
	PYTHON=$(PYTHON) sh tools/environment.sh dev,peers
	touch $@ .venv/.dev .venv/.test .venv/.web

serve: .venv/.web ## Open the site on this machine (ARGS="--port 8080" and the like)
	$(BIN)/almunia serve $(ARGS)

test: .venv/.test ## Run what must hold for every change (ARGS="tests/cli" and the like)
	@sh tools/browser.sh
	@sh tools/database.sh
	$(SPREAD) --durations=10 -m "not exhaustive" $(ARGS)

# The last two need the cores for themselves: three killed processes with a crowd, and an environment for each extra.
test-all: .venv/.dev ## Run all tests there are, for three quarters of an hour
	@sh tools/browser.sh whole
	@sh tools/database.sh
	$(SPREAD) --durations=10 --thorough --need-postgres --together all --attack-minutes 10 $(ARGS)
	$(RUN) pytest tests/attack/test_kills_under_load.py -k postgres --need-postgres --attack-kills 3
	$(RUN) tools.wheel_smoke

quick: .venv/.test ## Run quick tests that need neither a compiler nor a browser (ARGS="tests/core" and the like)
	$(SPREAD) --no-compiler -m "not (compiled or compiles or browser or slow or exhaustive)" $(ARGS)

game: .venv/.test ## Run one game's tests in the plain build (GAME=caylus)
	$(if $(GAME),,$(error Name a game: make game GAME=caylus))
	$(RUN) pytest --no-compiler -m "not (compiled or compiles or exhaustive)" -k $(GAME) \
		src/almunia/*games/$(GAME)/tests tests/conformance/test_scenarios.py $(ARGS)

# Playwright's own builds: without them, the tests are skipped.
test-browsers: .venv/.test ## Play a game and look at the main pages in Firefox and WebKit
	-$(RUN) playwright install firefox webkit
	for engine in firefox webkit; do \
		$(RUN) pytest tests/browser/test_play.py --engine $$engine -k "by_mouse or by_keyboard or sideways" || exit; \
	done

attack: .venv/.test ## Attack the site for an hour (ARGS="--attack-minutes 5 --attack-seed 7" and the like)
	$(RUN) pytest tests/attack --attack-minutes 60 $(ARGS)

lint: .venv/.test ## Check style, layout and types
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(BIN)/lint-imports
	$(RUN) mypy

docs: .venv/.test ## Build the documentation into site/
	$(RUN) tools.docgen --check
	$(BIN)/zensical build --strict --clean

reference: .venv/.test ## Write anew those pages and pictures of the documentation that are taken from the program
	$(RUN) tools.docgen

bill: .venv/.test ## Write the bill of materials and the third-party notice
	$(RUN) tools.bill --out build/bill

bench: .venv/.dev ## Measure how fast the games run (ARGS="--repeats 9" and the like)
	$(BIN)/almunia bench $(ARGS)

results: .venv/.peers ## Measure, and write docs/results.md anew (PARTS=Search for a part of it)
	$(RUN) tools.results $(PARTS)

ladder: .venv/.dev ## Let the bots play for their places, for docs/results.md: some hours (ARGS="--games oregon --minutes 30")
	$(RUN) tools.ladder $(ARGS)

# Without what says how a version was built, such as +cpu: an index may have another build of it.
constraints: .venv/.peers ## Write constraints.txt anew from what is installed
	sed -n 1p constraints.txt > .venv/constraints.txt
	$(RUN) pip freeze --exclude-editable | grep == | sed 's/+.*//' | LC_ALL=C sort -f >> .venv/constraints.txt
	mv .venv/constraints.txt constraints.txt

clean: ## Remove everything generated except the virtual environment
	rm -rf build dist site .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests docs -name __pycache__ -prune -exec rm -rf {} +
