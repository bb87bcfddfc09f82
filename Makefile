# One word per habit. `make demo` and `make test` need no other command before them.
PY := .venv/bin/python
export PYTHONDONTWRITEBYTECODE := 1

.DEFAULT_GOAL := help

.PHONY: audit help demo test coverage check fmt lint types layers bench crash fuzz mutants stateful lab states venv clean
help:  ## this list
	@grep -hE '^[a-z]+:.*##' Makefile | sed 's/:.*##/:'"$$(printf '\t')"'/' | expand -t 12

venv: .venv/.complete
.venv/.complete: .ci/dev.lock .ci/python .ci/venv
	@sh .ci/venv

demo: venv  ## the main job, end to end, on the embedded default
	@$(PY) -m fixtures.demo

test: venv  ## all tests
	@$(PY) -m pytest -n 2

coverage: venv  ## branch coverage of the tests: states/ 100 %, installer/ at least 90 %
	@$(PY) -m pytest -n 2 --cov --cov-report=
	@$(PY) -m coverage report --skip-covered --include='states/*' --fail-under=100
	@$(PY) -m coverage report --skip-covered --include='installer/*' --fail-under=90

check: fmt lint types layers test  ## formatting, lint, types, layers, tests
fmt: venv
	@$(PY) -m ruff format --check .
lint: venv
	@$(PY) -m ruff check .
types: venv
	@$(PY) -m mypy
layers: venv
	@.venv/bin/lint-imports
lab: venv  ## the release on throwaway Debian machines with a real systemd; as root
	@$(PY) -m fixtures.lab
bench: venv  ## ratios, everything side by side in one run
	@$(PY) -m fixtures.bench
crash: venv  ## real power cuts at every point (BUDGET=seconds for a part of them)
	@$(PY) -m fixtures.crash $(if $(BUDGET),--budget $(BUDGET))
	@$(if $(BUDGET),,$(PY) -m fixtures.crash.mutants)
mutants: venv  ## each small change of states/ and of the file adapter must turn a test red (FILES=... for some)
	@$(PY) -m fixtures.mutants $(FILES)
stateful: venv  ## commands, faults, kills and reboots in any order (N=sequences, 5000), new ones each time
	@$(PY) -m tests.any_order $(or $(N),5000)
fuzz: venv  ## what reads strangers' bytes, by coverage (RUNS=inputs for each reader, 200000), new ones each time
	@set -e; for reader in $$($(PY) -m fixtures.fuzz); do echo "$$reader"; $(PY) -m fixtures.fuzz $$reader $(or $(RUNS),200000) $$(date +%s); done
audit: venv  ## the pins of what is shipped against known advisories
	@$(PY) -m fixtures.audit
states: venv  ## the state graph
	@$(PY) -m states
clean:  ## remove what was made here
	rm -rf .venv build
