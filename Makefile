# Everything runs in .venv, set up from the pinned list; only Python >= 3.11, git, make and gcc are assumed.
PYTHON ?= python3
BIN = .venv/bin
SET_UP = .venv/.set-up

.PHONY: reproduce test lint forge mutants fuzz coq clean

reproduce: $(SET_UP)
	$(BIN)/certify reproduce --check --report build/report/index.html

test: $(SET_UP)
	$(BIN)/pytest -n 2 -m "not coq"

lint: $(SET_UP)
	$(BIN)/ruff format --check certify proofs_checks tests benchmarks
	$(BIN)/ruff check certify proofs_checks tests benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports

coq: $(SET_UP)
	command -v coqc >/dev/null || { apt-get update && apt-get install -y coq libcoq-interval libcoq-coquelicot; }
	$(BIN)/python -m proofs_checks.coq --require --coqchk --jobs 2 certificates
	$(BIN)/python -m tests.coq.compare --per-kind 10 --jobs 2

forge: $(SET_UP)
	$(BIN)/python -m tests.mutation.forge 10000
	$(BIN)/python -m tests.arithmetic.compare 1000
	$(BIN)/python -m tests.kernel.campaign 1000000

mutants: $(SET_UP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check mutmut==3.8.1
	$(BIN)/python -m tests.mutation.checker_mutants

fuzz: $(SET_UP)
	$(BIN)/python -m tests.hostile.fuzz 600
	$(BIN)/python -m tests.hostile.memory

clean:
	rm -rf .venv build .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(SET_UP): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or later is needed") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $(SET_UP)
