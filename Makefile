# The two commands of the README are `make demo` and `make test`; each does all its own set-up.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: setup demo test coverage lint types clean

setup: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "samehand needs Python 3.11 or newer; set PYTHON=/path/to/python3.11" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

demo: setup
	$(BIN)/samehand resolve examples/messy -o demo-output
	@echo "Open demo-output/report.html in a browser."

test: $(VENV)/.installed-dev
	scripts/postgres install
	scripts/browser install
	scripts/postgres run $(BIN)/python -m pytest -n 2 --dist loadgroup

# Kernels take twice as long to compile under coverage, so that it has a command of its own.
coverage: $(VENV)/.installed-dev
	scripts/postgres install
	scripts/browser install
	scripts/postgres run $(BIN)/python -m pytest -n 2 --dist loadgroup --cov --cov-report=term

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check src tests
	$(BIN)/ruff format --check src tests

types: $(VENV)/.installed-dev
	$(BIN)/mypy

clean:
	rm -rf $(VENV) demo-output .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests -name '*.nb[ic]' -delete
