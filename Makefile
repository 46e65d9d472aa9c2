# Each target does all its own set-up in .venv; only Python 3.11+ and make are assumed.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
ONE = OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
# By groups: tests that share a cluster or a browser run in one worker, which starts it once.
# What the lowest versions are not tested with: optional packages, and tests of the newest forms of frames.
LOWEST_IGNORED = --ignore=tests/bench --ignore=tests/dask --ignore=tests/torch --ignore=tests/docs/test_comparisons.py
PYTEST = $(ONE) SCIPY_ARRAY_API=1 $(BIN)/python -m pytest -n auto --dist loadgroup

# Every target is a name, and no file.
.PHONY: $(shell sed -n "s/^\([a-z][a-z-]*\):.*/\1/p" $(firstword $(MAKEFILE_LIST)))

demo: $(VENV)/demo.stamp  ## fill in the labels of 1,294 handwritten digits
	$(BIN)/surelabel demo --out demo

test: $(VENV)/test.stamp  ## lint, types, import directions, then every test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(PYTEST) --durations=15

test-quick: $(VENV)/test.stamp  ## lint and the quick tests: no cluster, no networks, no browser, no benchmark
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(PYTEST) -m "not slow" tests --ignore=tests/bench --ignore=tests/dask --ignore=tests/torch

coverage: $(VENV)/test.stamp  ## the share of lines that the tests run; apart, since it nearly doubles their time
	$(PYTEST) --cov --cov-report=
	$(BIN)/coverage report --skip-covered --sort=cover

test-newest:  ## the tests alone, on the newest releases of everything
	$(PYTHON) -m venv --clear .venv-newest
	.venv-newest/bin/python -m pip install -q --upgrade pip
	.venv-newest/bin/python -m pip install -q --upgrade -e . -r requirements/test.txt
	SCIPY_ARRAY_API=1 .venv-newest/bin/python -m pytest -n auto --dist loadgroup

test-lowest:  ## the quick tests alone, on the lowest versions that pyproject.toml declares
	$(PYTHON) -m venv --clear .venv-lowest
	.venv-lowest/bin/python -m pip install -q --upgrade pip
	.venv-lowest/bin/python -m pip install -q -e . -r requirements/test-lowest.txt -c requirements/lowest.txt
	$(ONE) SCIPY_ARRAY_API=1 .venv-lowest/bin/python -m pytest -n auto --dist loadgroup -m "not slow" tests $(LOWEST_IGNORED)

test-gallery: $(VENV)/docs.stamp  ## every page of the gallery, as a script
	for page in docs/gallery/plot_*.py; do echo $$page; MPLBACKEND=agg $(ONE) $(BIN)/python -W error::UserWarning:surelabel $$page > /dev/null || exit 1; done

docs: $(VENV)/docs.stamp  ## the site, into docs/_build/html; a warning is an error
	MPLBACKEND=agg $(ONE) $(BIN)/python -m sphinx -b html -W --keep-going docs docs/_build/html

docs-pictures: $(VENV)/docs.stamp  ## the pictures of the pages on concepts
	MPLBACKEND=agg $(ONE) $(BIN)/python docs/pictures.py

docs-screenshots: $(VENV)/docs.stamp $(VENV)/test.stamp  ## pictures of the report and of the review page, from a run of the demo
	$(ONE) $(BIN)/python docs/screenshots.py

docs-comparisons: $(VENV)/docs.stamp  ## the page of comparisons, from the stored runs
	$(ONE) $(BIN)/python docs/comparisons.py

docs-promise: $(VENV)/docs.stamp  ## the tables of the page on the promise, from the stored runs
	$(BIN)/python docs/promise_tables.py

docs-check: $(VENV)/docs.stamp $(VENV)/test.stamp  ## every page of the site in Chromium: links, console, requests; after make docs
	$(BIN)/python benchmarks/site.py $(ARGS)

release-check:  ## build sdist and wheel, install the wheel into a new environment, run the demo
	rm -rf dist .venv-release
	$(PYTHON) -m venv .venv-release
	.venv-release/bin/python -m pip install -q --upgrade pip build twine
	.venv-release/bin/python -m build -q
	.venv-release/bin/python -m twine check --strict dist/*
	$(PYTHON) -m venv --clear .venv-release
	.venv-release/bin/python -m pip install -q dist/*.whl
	cd .venv-release && bin/surelabel --version && bin/surelabel demo --out demo && test -s demo/run/labels.csv

bench-transport: $(VENV)/bench.stamp  ## the transport solver against others; ARGS=--full for the large problems
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 $(BIN)/python benchmarks/transport.py $(ARGS)

bench-committee: $(VENV)/bench.stamp  ## the XGBoost committee against a plain loop; ARGS="--data-dir DIR" for segment
	OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/committee.py $(ARGS)

bench-accuracy: $(VENV)/bench.stamp  ## default CSA against what else there is; ARGS="--data-dir DIR --seeds 10"
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/accuracy.py $(ARGS)

bench-defaults: $(VENV)/bench.stamp  ## each default changed at a time; ARGS="--data-dir DIR --seeds 10"
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/defaults.py $(ARGS)

bench-members: $(VENV)/bench.stamp  ## what each model of the default committee is worth; ARGS="--data-dir DIR --draws 2"
	$(ONE) $(BIN)/python benchmarks/members.py $(ARGS)

bench-seeds: $(VENV)/bench.stamp  ## how far csa() hangs on the seed, on one split of a table; ARGS="--data-dir DIR"
	$(ONE) $(BIN)/python benchmarks/seeds.py $(ARGS)

bench-found: $(VENV)/bench.stamp  ## whether labels that were found should train, and whether a run can tell; ARGS="--data-dir DIR"
	$(ONE) $(BIN)/python benchmarks/found.py $(ARGS)

bench-early: $(VENV)/bench.stamp  ## what it would save to stop hopeless models after two folds; ARGS="--data-dir DIR"
	$(ONE) $(BIN)/python benchmarks/early.py $(ARGS)

bench-scale: $(VENV)/bench.stamp  ## 1,000 labelled rows and up to a million others, from a file; ARGS="--rows 10000000"
	$(BIN)/python benchmarks/scale.py $(ARGS)

bench-files: $(VENV)/bench.stamp  ## surelabel label from file to files, part by part; ARGS="--runs parquet:shards:10000000"
	$(BIN)/python benchmarks/files.py $(ARGS)

bench-dask: $(VENV)/bench.stamp  ## many rows on two workers, beside one process; ARGS="--rows 500000,5000000"
	$(ONE) $(BIN)/python benchmarks/many.py $(ARGS)

bench-bounds: $(VENV)/bench.stamp  ## the theorems against simulations and held-out truth; ARGS="--data-dir DIR"
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/bounds.py $(ARGS)

bench-promise: $(VENV)/bench.stamp  ## what is promised of filled labels, and whether it is kept; ARGS="--data-dir DIR --draws 30"; goes on where it was stopped
	$(ONE) $(BIN)/python benchmarks/promise.py $(ARGS)

bench-loop: $(VENV)/bench.stamp  ## a simulated person answers, by who chooses the rows; ARGS="--data-dir DIR --draws 2"; goes on where it was stopped
	$(ONE) $(BIN)/python benchmarks/loop.py $(ARGS)

bench-wrong: $(VENV)/bench.stamp  ## how well wrong labels are found, beside cleanlab; ARGS="--data-dir DIR"; goes on where it was stopped
	$(ONE) $(BIN)/python benchmarks/wrong_labels.py $(ARGS)

bench-clean: $(VENV)/bench.stamp  ## what wrong labels cost csa(), and what clean= wins back; ARGS="--data-dir DIR"; goes on where it was stopped
	$(ONE) $(BIN)/python benchmarks/cleaning.py $(ARGS)

bench-passes: $(VENV)/bench.stamp  ## which rows the t-test trusts as a network is asked more often; ARGS="--seeds 2"
	$(ONE) $(BIN)/python benchmarks/passes.py $(ARGS)

bench-quick: $(VENV)/bench.stamp  ## every table and figure of the paper, cut down, in a few minutes
	$(ONE) $(BIN)/surelabel bench run all --quick --jobs 2 --out results/quick
	$(BIN)/surelabel bench table all --quick --out results/quick
	$(BIN)/surelabel bench page --quick --out results/quick

bench-paper: $(VENV)/bench.stamp  ## every table and figure of the paper; ARGS="--data-dir DIR --seeds 10"; goes on where it was stopped
	$(ONE) $(BIN)/surelabel bench run all --jobs 2 $(ARGS)
	$(BIN)/surelabel bench page

bench-suite: $(VENV)/bench.stamp  ## csa() beside others on the tables of a folder; ARGS="--data-dir DIR --draws 3"; goes on where it was stopped
	$(ONE) $(BIN)/surelabel bench run suite --jobs 2 --out results/suite $(ARGS)
	$(BIN)/surelabel bench page suite --out results/suite

bench-kinds: $(VENV)/bench.stamp  ## what each column of a folder's CSV files is taken for; ARGS="--data-dir DIR"
	$(BIN)/python benchmarks/kinds.py $(ARGS)

bench-levels: $(VENV)/bench.stamp  ## whether codes should be read otherwise; ARGS="--data-dir DIR --draws 3"
	$(ONE) $(BIN)/python benchmarks/levels.py $(ARGS)

bench-texts: $(VENV)/bench.stamp  ## what encoding 100,000 short texts takes; ARGS="--rows 20000"
	$(ONE) $(BIN)/python benchmarks/texts.py $(ARGS)
bench-startup: $(VENV)/test.stamp  ## how long the command line and imports take, beside what they stand on
	$(ONE) $(BIN)/python benchmarks/startup.py $(ARGS)

bench-sizes: $(VENV)/test.stamp  ## megabytes of each dependency and of each extra
	$(BIN)/python benchmarks/sizes.py $(ARGS)

bench-kill: $(VENV)/bench.stamp  ## kill 200 runs at random moments, resume them, compare; ARGS="--kills 30"
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/kill.py $(ARGS)

bench-kill-review: $(VENV)/bench.stamp  ## kill the review page's server 200 times while answers stream in; ARGS="--kills 30"
	$(ONE) $(BIN)/python benchmarks/kill_review.py $(ARGS)

bench-fuzz: $(VENV)/bench.stamp  ## damaged files to every reader; ARGS="--seconds 60"
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/fuzz.py $(ARGS)

bench-hostile: $(VENV)/test.stamp  ## a thousand odd inputs to library and tool; ARGS="--only files --show"
	$(ONE) $(BIN)/python benchmarks/hostile.py $(ARGS)

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/demo.stamp: $(VENV)/bin/python pyproject.toml requirements/constraints.txt
	$(BIN)/python -m pip install -q -e . -c requirements/constraints.txt
	touch $@

$(VENV)/bench.stamp: $(VENV)/bin/python pyproject.toml requirements/bench.txt requirements/constraints.txt
	$(BIN)/python -m pip install -q -e . -r requirements/bench.txt -c requirements/constraints.txt
	touch $@

$(VENV)/test.stamp: $(VENV)/bin/python pyproject.toml requirements/test.txt requirements/constraints.txt
	$(BIN)/python -m pip install -q -e . -r requirements/test.txt -c requirements/constraints.txt
	touch $@

$(VENV)/docs.stamp: $(VENV)/bin/python pyproject.toml requirements/docs.txt requirements/constraints.txt
	$(BIN)/python -m pip install -q -e . -r requirements/docs.txt -c requirements/constraints.txt
	touch $@

clean:
	rm -rf .venv .venv-newest .venv-lowest .venv-release demo docs/_build docs/auto_gallery docs/generated
