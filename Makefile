# make solve: install, solve the flagship problem, write its report. make test: install, check, test.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.PHONY: solve test lint format wake examples inverse coverage accuracy compare balance points precision estimate gallery classical docs release bench clean help
.DEFAULT_GOAL := help

help:            ## what there is
	@grep -E '^[a-z]+: .*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

# The stamp names what was installed, so that a change of the pins installs again.
$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "qres needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[test]'
	touch $@

solve: $(VENV)/.installed  ## solve Burgers' equation: progress, error, a report page
	$(BIN)/qres solve burgers

test: lint       ## formatting, types, tests
	$(BIN)/python -m pytest -n 2 --dist worksteal

lint: $(VENV)/.installed-test  ## formatting and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright

format: $(VENV)/.installed-test  ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

wake: $(VENV)/.installed-test  ## compute the cylinder wake again with NGSolve (about 15 minutes)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[wake]'
	OMP_NUM_THREADS=1 $(BIN)/python -m qres.reference.wake

examples: $(VENV)/.installed  ## solve every example whose solution is known, within a minute each; writes results/examples.json
	$(BIN)/python benchmarks/examples.py

inverse: $(VENV)/.installed  ## inverse problems with intervals, a minute each; writes results/inverse.json
	$(BIN)/python benchmarks/inverse.py

coverage: $(VENV)/.installed  ## do the 95 % intervals hold? 100 noisy data sets; writes results/coverage.json
	$(BIN)/python benchmarks/coverage.py

accuracy: $(VENV)/.installed  ## the built-in problems over seeds, hours; ONLY=kdv for some; results/accuracy.json, docs/accuracy.md
	$(BIN)/python benchmarks/accuracy.py $(if $(ONLY),--only $(ONLY)) $(if $(SEEDS),--seeds $(SEEDS))

compare: $(VENV)/.installed  ## QRes against the plain network, under each optimizer, hours; ONLY=kdv for some; results/compare.json
	$(BIN)/python benchmarks/compare.py $(if $(ONLY),--only $(ONLY)) $(if $(SEEDS),--seeds $(SEEDS))

balance: $(VENV)/.installed  ## soft conditions with equal and with balanced weights; results/balance.json
	$(BIN)/python benchmarks/balance.py $(if $(ONLY),--only $(ONLY)) $(if $(SEEDS),--seeds $(SEEDS))

points: $(VENV)/.installed  ## points that adapt, against all from the first; results/points.json
	$(BIN)/python benchmarks/points.py $(if $(ONLY),--only $(ONLY)) $(if $(SEEDS),--seeds $(SEEDS))

precision: $(VENV)/.installed  ## runs of the paper in float32, as its own were; writes results/precision.json
	$(BIN)/python benchmarks/precision.py $(if $(SEEDS),--seeds $(SEEDS))

estimate: $(VENV)/.installed  ## does the estimate follow the true error? writes results/estimate.json, docs/images/estimate.png
	$(BIN)/python benchmarks/estimate.py

gallery: $(VENV)/.installed  ## every example and built-in problem for half a minute, with pictures; results/gallery.json
	PYTHONPATH=benchmarks $(BIN)/python benchmarks/gallery.py

classical: $(VENV)/.installed  ## classical solvers beside qres, and least squares around them; results/classical.json, docs/when-not.md
	PYTHONPATH=benchmarks $(BIN)/python -m classical

$(VENV)/.installed-docs: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[docs]'
	touch $@

docs: $(VENV)/.installed-docs  ## the documentation site, in site/; strict, and all its code is run
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

# Its tools have a place of their own; they are not what qres is tested with.
.venv-release/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-release
	.venv-release/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt build twine
	touch $@

release: .venv-release/.installed  ## wheel and sdist in dist/, checked in fresh environments, with and without a compiler
	.venv-release/bin/python benchmarks/release.py

# Peers have a place of their own; torch first and alone, so that nothing else chooses it.
.venv-bench/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[bench]'
	touch $@

bench: .venv-bench/.installed  ## side by side with the peers; PARTS="loss error" for some, QUICK=1 to try; goes on where it was
	PYTHONPATH=benchmarks .venv-bench/bin/python -m bench $(if $(PARTS),--only $(PARTS)) $(if $(QUICK),--quick) $(if $(AGAIN),--again) $(if $(SEEDS),--seeds $(SEEDS))

.PHONY: reproduce
reproduce: $(VENV)/.installed  ## the paper's tables and figures with short runs, about 20 minutes; in reproduction-short/
	$(BIN)/qres reproduce all --scale short

clean:           ## remove what was installed and built
	rm -rf $(VENV) .venv-bench .venv-release site .cache build dist .pytest_cache .ruff_cache .hypothesis
