# Two commands matter: `make demo` shows Branchwise at work, `make test` runs every check.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

export HF_HUB_OFFLINE ?= 1

.PHONY: demo test lint types tests format bench clean

demo: $(INSTALLED)
	$(BIN)/branchwise demo --output demo

test: lint types tests

lint: $(INSTALLED)
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks

types: $(INSTALLED)
	$(BIN)/mypy

tests: $(INSTALLED)
	$(BIN)/pytest -n 2

format: $(INSTALLED)
	$(BIN)/ruff check --fix src tests benchmarks
	$(BIN)/ruff format src tests benchmarks

bench: $(INSTALLED)
	$(BIN)/python -m benchmarks.ground_floor

# The stamp is written last, so that an installation cut short is begun anew.
$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Branchwise needs Python 3.11 or newer: run make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)." >&2; exit 2; }
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[all,dev]'
	touch $@

clean:
	rm -rf $(VENV) demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
