# Two commands matter: `make demo` shows Branchwise at work, `make test` runs every check.
# After an interrupted demo, `make demo DEMO=--resume` goes on where its training stopped.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

export HF_HUB_OFFLINE ?= 1

.PHONY: demo test lint types tests browser format bench clean

demo: $(INSTALLED)
	$(BIN)/branchwise demo --output demo $(DEMO)

test: lint types tests

lint: $(INSTALLED)
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks

types: $(INSTALLED)
	$(BIN)/mypy

tests: $(INSTALLED) browser
	$(BIN)/pytest -n 2

# Pages are tested in a real browser; where there is none and none can be installed, those tests are skipped.
browser:
	@if command -v chromium && command -v chromedriver; then exit 0; fi >/dev/null; \
	if [ "$$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then \
	  echo "Installing Chromium for the tests of pages."; \
	  APT="apt-get -qq -o Acquire::Retries=1 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20"; \
	  { $$APT update; DEBIAN_FRONTEND=noninteractive $$APT install -y --no-install-recommends chromium chromium-driver; } \
	    >/dev/null 2>&1 || echo "Chromium cannot be installed here: the tests of pages are skipped."; \
	else \
	  echo "Chromium and chromedriver are not here, and only root with apt-get could install them: the tests of pages are skipped."; \
	fi

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
