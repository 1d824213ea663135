# The commands of this project. `make demo` and `make test` work on a fresh clone; both set up `.venv` first.
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.orange-installed

.DEFAULT_GOAL := help
.PHONY: help setup demo test check bench soak docs

help:
	@echo "make demo    ask the sample notes one question, then open JupyterLab on the tour"
	@echo "make test    all checks and tests (at most 18 minutes on two cores)"
	@echo "make check   linters, types, import rules, architecture"
	@echo "make bench   performance goals; writes benchmarks/last.json"
	@echo "make soak    the long counts (at most 60 minutes); writes benchmarks/soak.json"
	@echo "make docs    write the generated pages and the picture again"

setup: $(STAMP)

# Quick the second time: installs only when pyproject.toml changed since. The package is editable, so code needs no install.
$(STAMP): pyproject.toml notebooks/setup.sh
	@sh notebooks/setup.sh $(VENV)
	@touch $@

demo: $(STAMP)
	@$(BIN)/python notebooks/demo.py

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q tests/test_architecture.py

test: check
	$(BIN)/python -m pytest -n 3 --dist loadfile

bench: $(STAMP)
	$(BIN)/python -m benchmarks.run

soak: $(STAMP)
	$(BIN)/python -m benchmarks.soak

docs: $(STAMP)
	$(BIN)/python -m docs.generate
	$(BIN)/python -m pytest -q -p tests.conftest -o python_files=picture.py docs/picture.py
