# Every target works as the first command on a fresh machine with Python 3.11+ and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

export PYTHONHASHSEED := 0
export OPENBLAS_NUM_THREADS := 1
export OMP_NUM_THREADS := 1
export MKL_NUM_THREADS := 1

.PHONY: install check second-kernel second-kernel-sample test test-kernels test-all lint bench notebooks lab docs picture \
	score lock clean

install: $(STAMP)

check: $(STAMP)
	$(BIN)/rateproof check

# All proofs by certificate once more, by Rocq; Debian has its compiler coqc in the package coq.
second-kernel: $(STAMP)
	$(BIN)/rateproof check --resume --second-kernel

# Lemmas, and ten claims of each paper, some seconds each; nothing where there is no coqc.
SAMPLE := $(addprefix lemmas.,young split jensen spread client_sampling mean_noise independent_sum descent projection \
	proximal gradient_step sarah sarah_drift sarah_round storm federated_storm federated_storm_rounds zero_step \
	moving_target) \
	$(addprefix textbook.,subgradient sgd_quadratic moreau_smooth young prox_gradient gradient_bound descent_lemma) \
	$(addprefix strfedavg.,lem1.corrected prop2.iii-3.corrected prop5.i-2 prop5.iii-2.corrected step.5.average \
	step.5.telescoping step.6 step.7.variational step.8.smoothness step.9.curvature.corrected) \
	$(addprefix mefbo.,I-sc II-sum PhiPos R0 eq2.corrected eq4-5 eq6 lemD.2-grad lemD.4 nonneg) \
	$(addprefix fedmsa.,eq43.a eq43.b.corrected eq45.corrected eqW.corrected id.eq3 id.eq8 id.sec2.2.corrected lemB3.z \
	lemB5.h.corrected lemC.1.A2.dw) \
	$(addprefix fedweight.,appB.i ps-12.f id-euler lem1.ii.corrected lem2.b.corrected lem2.c prop3.drift prop3.refresh \
	ps-01.b ps-02.d)
second-kernel-sample: $(STAMP)
	if command -v coqc; then $(BIN)/rateproof check --resume --second-kernel $(SAMPLE); fi

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

# To read and change them in a browser; JupyterLab is not among the locked dependencies. LAB="--no-browser --allow-root"
# passes options on.
lab: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'jupyterlab>=4'
	$(BIN)/jupyter lab --notebook-dir=notebooks $(LAB)

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

# Refresh the lock from the open ranges in pyproject.toml; with the oldest Python there is (Debian 12 has 3.11.2), as a
# release may ask for a later one.
lock:
	rm -rf .lock-venv && $(PYTHON) -m venv .lock-venv
	.lock-venv/bin/python -m pip install --quiet --disable-pip-version-check 'setuptools>=77' '.[dev]'
	.lock-venv/bin/python -m pip freeze --all --exclude rateproof --exclude pip > requirements.lock
	rm -rf .lock-venv

clean:
	rm -rf $(VENV) notebooks/docs/made .rateproof .pytest_cache .mypy_cache .ruff_cache .hypothesis build *.egg-info
