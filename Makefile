# Every target works as the first command on a fresh machine with Python 3.11+ and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

export PYTHONHASHSEED := 0
export OPENBLAS_NUM_THREADS := 1
export OMP_NUM_THREADS := 1
export MKL_NUM_THREADS := 1

.PHONY: check second-kernel test test-kernels test-all lint bench notebooks lab docs picture score lock clean

check: $(STAMP)
	$(BIN)/rateproof check

# All proofs by certificate once more, by Rocq; Debian has its compiler coqc in the package coq.
second-kernel: $(STAMP)
	$(BIN)/rateproof check --second-kernel

# On all cores; sweeps of mutants on a sample fixed by seed, SWEEPS times the usual size.
SWEEPS ?= 1
test: $(STAMP)
	$(BIN)/pytest -n auto --dist loadfile --sweeps $(SWEEPS)

# What computes in floats, with the kernels of an old processor: no test may hang on the last digits of a BLAS.
FLOATS := tests/algos tests/theory/test_design.py tests/theory/test_gram.py \
	$(addprefix tests/verify/test_,bilevel_truth.py experiment*.py fedrzo_bilevel_engine.py ground_truth.py \
	rates.py stationarity.py worstcase_*.py)
test-kernels: $(STAMP)
	OPENBLAS_CORETYPE=Nehalem NPY_DISABLE_CPU_FEATURES="X86_V3 X86_V4" $(BIN)/pytest -n auto --dist loadfile $(FLOATS)

test-all: $(STAMP)
	$(BIN)/pytest -n auto --dist loadfile --full

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

bench: $(STAMP)
	$(BIN)/python -m benchmarks

notebooks: $(STAMP)
	$(BIN)/python -m notebooks

# To read and change them in a browser; JupyterLab is not among the locked dependencies.
lab: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'jupyterlab>=4'
	$(BIN)/jupyter lab --notebook-dir=notebooks

# The documentation, without a network; its first page is build/docs/index.html.
docs: $(STAMP)
	$(BIN)/python -m sphinx -q -W --keep-going -b html -c notebooks/docs notebooks build/docs

picture: $(STAMP)
	$(BIN)/python -m notebooks.docs.picture

score: $(STAMP)
	$(BIN)/rateproof score

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "rateproof needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) -V 2>&1). Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@echo "installing the locked dependencies into $(VENV) (a few minutes, once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

# Refresh the lock from the open ranges in pyproject.toml.
lock:
	rm -rf .lock-venv && $(PYTHON) -m venv .lock-venv
	.lock-venv/bin/python -m pip install --quiet --disable-pip-version-check 'setuptools>=77' '.[dev]'
	.lock-venv/bin/python -m pip freeze --all --exclude rateproof --exclude pip > requirements.lock
	rm -rf .lock-venv

clean:
	rm -rf $(VENV) notebooks/docs/made .rateproof .pytest_cache .mypy_cache .ruff_cache .hypothesis build *.egg-info
