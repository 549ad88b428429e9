# Everything from a fresh machine that has Python 3.11 or later and make.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo test test-long test-quick coverage mutants fuzz check check-js bench panel panel-page format clean browser java

demo: $(READY)
	$(BIN)/microgauge demo

# Files of tests share what is costly to make, such as a Spark session. One process more than there
# are processors: some wait for a browser, or for a command that works.
JOBS ?= $(shell expr $$(nproc 2>/dev/null || echo 2) + 1)
TEST := $(BIN)/python -m pytest -n $(JOBS) --dist loadfile

test: $(READY) browser java
	$(TEST) -m "not long"

# Further seeds and settings of what takes long: before a release, no part of CI.
test-long: $(READY) browser java
	$(TEST) -m long

# Under two minutes: what takes long, Spark and the browser are left to `make test`.
QUICK := not slow and not long and not spark and not browser

test-quick: $(READY)
	$(BIN)/python -m pytest -n $(JOBS) -m "$(QUICK)" tests src

# How much of each folder the quick tests run through.
coverage: $(READY)
	$(BIN)/python -m pytest -n $(JOBS) -m "$(QUICK)" --cov --cov-report=json:.coverage.json
	$(BIN)/python tools/coverage_by_folder.py .coverage.json

# Changes of single places in the measures that no test notices; takes minutes, no part of CI.
COUNT ?= 20
SEED ?= 1

mutants: $(READY)
	$(BIN)/python tools/mutants.py --known
	$(BIN)/python tools/mutants.py --count $(COUNT) --seed $(SEED)

# Hostile inputs by families, from a seed: minutes for 1,000 cases. A failure says how to repeat it.
CASES ?= 1000

fuzz: $(READY)
	PYTHONPATH=tests $(BIN)/python -m support.fuzz --cases $(CASES) --seed $(SEED)

# Reports are tested in Chromium, which Debian and its kin have as a package.
browser:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || \
		{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
			apt-get update -qq && apt-get install -qq -y chromium >/dev/null; } || \
		echo "No Chromium: the tests of reports in a browser are skipped. Debian: apt-get install chromium"

# Spark is tested where there is a Java runtime, which Debian and its kin have as a package.
java:
	@command -v java >/dev/null || \
		{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
			apt-get update -qq && apt-get install -qq -y openjdk-17-jre-headless >/dev/null; } || \
		echo "No Java: the tests of Spark are skipped. Debian: apt-get install openjdk-17-jre-headless"

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/check_docs.py
	@$(MAKE) --no-print-directory check-js

# The report's JavaScript is checked where there is npm; the package itself needs none.
check-js:
	@if command -v npm >/dev/null; then \
		{ [ -x node_modules/.bin/eslint ] || npm install --silent --no-audit --no-fund; } && \
		npm run --silent check; \
	else echo "No npm: the report's JavaScript is not checked. Debian: apt-get install npm"; fi

bench: $(READY)
	$(BIN)/python -m benchmarks

# Files whose order is known by construction: which figures see it. What is finished is kept.
SEEDS ?= 5

PANEL := benchmarks/panel/.kept

panel: $(READY)
	@mkdir -p $(PANEL)
	$(BIN)/python -m benchmarks.panel --kind risk --seeds $(SEEDS) --json $(PANEL)/risk.json
	$(BIN)/python -m benchmarks.panel --kind utility --seeds $(SEEDS) --json $(PANEL)/utility.json

# The page "Which figure can be trusted?" from a whole run. Other programs: see benchmarks/panel/README.md.
panel-page: panel
	-$(BIN)/python -m benchmarks.panel --resamples --json $(PANEL)/resamples.json
	$(BIN)/python -m benchmarks.panel.page --risk $(PANEL)/risk.json --utility $(PANEL)/utility.json --resamples $(PANEL)/resamples.json

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	@if [ -x node_modules/.bin/prettier ]; then npm run --silent format; fi

clean:
	rm -rf .venv node_modules .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(READY): pyproject.toml constraints.txt setup.py src/microgauge/kernels/loops.c
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "microgauge needs Python 3.11 or later: make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@
