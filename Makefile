# The only command surface of the repository; `make` prints what there is.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules
# Hundreds of tests start a program each; where nothing compiled is written, each would compile all again.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
SOURCES := refimpl proofs tools tests docs benchmarks
# mkdocs is pinned; what may become of its next major release is no concern of a build.
QUIET_MKDOCS := NO_MKDOCS_2_WARNING=1 DISABLE_MKDOCS_2_WARNING=true
# Of `make lint`: what no file has, what no text says, and what only tenure.disk does.
ABSENT := git grep --untracked -nI
MACHINES := (^|[^[:alnum:]_.~/-])/(wor[k]|roo[t])/|(pyp[i]|file[s][.]pythonhosted|prox[y][.]golang)[.]org|registr[y][.]npmjs
WORDS := nobody|everybody|somebody|anybody|anew|in its turn|to the letter|own queue
WORDED := README.md CONTRIBUTING.md 'docs/*.md' docs/gen spec/README.md spec/glossary.md 'spec/*.toml' spec/vectors/scenarios 'refimpl/*.py' 'proofs/*.py' examples ':!*/trusted/*'
WRITTEN := [.](write_(text|bytes)|touch|(sym|hard)link_to)[(]|open[(][^)]*\W[rbt]*[wax][bt+]*\W[,)]
# Of `make peers`: how many scenarios, which, and how often the scheduler is asked about each.
N ?= 20000
SEED ?= 1
SCOPE ?= consistent
REPEAT ?= 3
# Of `make peers`: on how many clusters a whole scheduling cycle is compared.
CYCLES ?= 500
# Of `make peers`: of how many cells of `tenure analyze matrix` that can be Kueue decides the examples.
CELLS ?= 60
# Of `make peers`: which release; `current` is that of go.mod, `previous` the newest of the minor before it.
KUEUE ?= current
KUEUE_PEER = build/kueue-peer$(if $(filter previous,$(KUEUE)),-previous)
KUEUE_BUILD_previous = -tags kueue018 -modfile=v0.18/go.mod
# Of `make peers-kai`: where KAI-Scheduler is checked out, and what that is.
KAI_CHECKOUT ?=
# As which KAI-Scheduler Tenure answers: march_2026 or v0_17; the module of v0.17.0 has another path.
KAI ?= march_2026
KAI_GO_march_2026 = go
KAI_GO_v0_17 = go.v0.17.0
KAI_PATH_march_2026 = github.com/NVIDIA/KAI-scheduler
KAI_PATH_v0_17 = github.com/kai-scheduler/KAI-scheduler
KAI_VERSION = $(shell test -e "$(KAI_CHECKOUT)/.git" && git -C "$(KAI_CHECKOUT)" describe --tags --always || echo unknown)
KAI_PEER = "env TENURE_KAI_PEER=1 build/kai-peer -test.run ^TestServe\$$ -test.timeout 0"
# Of `make test-python`: the newest of tools/pythons.py.
VERSION ?= 3.14
EXAMPLE ?= --example two-teams --workload team-b/job-eval-suite-d739e --now 2026-03-02T14:00:00Z

.PHONY: help
help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Tenure needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12" >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[proofs,docs,dev]'
	touch $@

.PHONY: check
check: $(STAMP) ## decide the example, run the vectors, prove everything and print the matrix
	$(BIN)/tenure decide $(EXAMPLE) --verbose
	$(BIN)/tenure vectors check
	$(BIN)/tenure vectors run
	$(BIN)/tenure prove --seeds 6

.PHONY: test
test: $(STAMP) lint ## lints, types, import contracts, doctests and all quick tests: three minutes
	@$(MAKE) --no-print-directory --jobs=3 --keep-going types contracts test-quick

.PHONY: test-quick
test-quick: $(STAMP)
	$(BIN)/python -m tools.stages run test

.PHONY: analyze-campaign
analyze-campaign: N = 1000
analyze-campaign: $(STAMP) ## random configurations and states against what tenure analyze matrix proves (N=1000 SEED=1 SCOPE=edited HEROES=yes CONFIGS=yes); stopped, it goes on
	mkdir -p build
	$(BIN)/python -m tenure_check.analysis.campaign --configurations $(N) --seed $(SEED) --states 350 --queues 4 --scope $(SCOPE) $(if $(HEROES),--heroes) $(if $(CONFIGS),--configs) --kept build/analyze-campaign

# tools/stages.py says which tests these are; CONTRIBUTING.md shows it.
.PHONY: test-kills
test-kills: $(STAMP) ## the tests in which wrong rules and changed sources are found out
	$(BIN)/python -m tools.stages run test-kills

.PHONY: test-site
test-site: $(STAMP) ## the tests of the site, of its pages in a browser and of the commands that they show
	$(BIN)/python -m tools.stages run test-site

.PHONY: test-wheel
test-wheel: $(STAMP) ## the tests of the distribution
	$(BIN)/python -m tools.stages run test-wheel

.PHONY: test-campaigns
test-campaigns: $(STAMP) ## the tests of campaigns, and everything compared at random in full number
	$(BIN)/python -m tools.stages run test-campaigns

.PHONY: test-properties
test-properties: $(STAMP) ## the properties of random inputs in full number
	$(BIN)/python -m tools.stages run test-properties

.PHONY: test-python
test-python: $(STAMP) ## units and vectors on another interpreter (VERSION=3.14)
	$(BIN)/python -m tools.pythons $(VERSION)

.PHONY: test-all
test-all: $(STAMP) ## every stage after the other, and the time of each: what .ci/run does
	$(BIN)/python -m tools.stages all

.PHONY: test-hostile
test-hostile: $(STAMP) ## broken and hostile input, and hostile names, folders, caches, peers and servers (SEED=1)
	$(BIN)/python -m tests.hostile --n $(N) --seed $(SEED)
	$(BIN)/python -m tests.hostile.around --n 2000 --seed $(SEED)

.PHONY: endurance
endurance: $(STAMP) ## 1,000,000 requests to one process of the oracle: answers in order, memory bounded (SEED=1)
	$(BIN)/python benchmarks/endurance.py --seed $(SEED)

.PHONY: prove
prove: $(STAMP) ## prove or refute every obligation and print the matrix
	$(BIN)/tenure prove

.PHONY: vectors
vectors: $(STAMP) ## check the vectors against their schema and run them
	$(BIN)/tenure vectors check
	$(BIN)/tenure vectors run

.PHONY: test-go
test-go: ## the vectors from go test, without Python: the runner, Kueue's own packages, and copies of Kueue with a mistake each
	@if command -v go > /dev/null; then $(MAKE) --no-print-directory test-go-modules; else echo "test-go: skipped: no Go here"; fi

.PHONY: test-go-modules
test-go-modules:
	cd go && go vet ./... && go test ./...
	cd go/kueue && go vet ./... && go test ./...

# The real scheduler's own code, as released; needs Go. Its first build takes minutes.
.PHONY: peers
peers: $(STAMP) ## compare with the real Kueue on N scenarios, CYCLES cycles and CELLS cells (N=20000 CYCLES=500 CELLS=60 SEED=1 REPEAT=3 KUEUE=current|previous)
	@$(MAKE) --no-print-directory test-go kueue-peer
	cd go/kueue && go test -short $(KUEUE_BUILD_$(KUEUE)) .
	$(BIN)/tenure conform --exec $(KUEUE_PEER) --no-vectors --with large --scenarios $(N) --seed $(SEED) --repeat $(REPEAT) --jobs 2 --keep build/peers.jsonl
	$(BIN)/python -m tests.peers.cycles --peer $(KUEUE_PEER) --n $(CYCLES) --seed $(SEED)
	$(BIN)/python -m tests.peers.cycles --peer $(KUEUE_PEER) --plays --n $(CYCLES) --seed $(SEED)
	$(if $(filter current,$(KUEUE)),$(BIN)/python -m tests.peers.cycles --peer $(KUEUE_PEER) --loops)
	$(BIN)/python -m tests.peers.cells --peer $(KUEUE_PEER) --n $(CELLS) --seed $(SEED)
	@$(MAKE) --no-print-directory peers-kai

# The first build takes a quarter of an hour of processor time.
.PHONY: e2e
e2e: $(STAMP) ## the tests with a live control plane: etcd, an API server and Kueue, built from the Go module proxy; needs Go
	@command -v go > /dev/null || { echo "make e2e builds a control plane, and needs Go" >&2; exit 1; }
	$(BIN)/python -m tests.live.programs
	$(BIN)/python -m tools.stages run e2e

.PHONY: kueue-peer
kueue-peer:
	@command -v go > /dev/null || { echo "make peers builds a program around Kueue's own packages, and needs Go" >&2; exit 1; }
	@[[ "$(KUEUE)" =~ ^(current|previous)$$ ]] || { echo "KUEUE: found $(KUEUE), expected current or previous" >&2; exit 1; }
	mkdir -p build
	cd go/kueue && go build $(KUEUE_BUILD_$(KUEUE)) -o ../../$(KUEUE_PEER) .

.PHONY: peers-cells
peers-cells: CELLS = 2000
peers-cells: $(STAMP) kueue-peer ## ask the real Kueue about examples of what tenure analyze matrix says can be (CELLS=2000 SEED=1 KUEUE=current|previous)
	$(BIN)/python -m tests.peers.cells --peer $(KUEUE_PEER) --n $(CELLS) --seed $(SEED)

# The plugin's own code, from a checkout: no module proxy serves KAI-Scheduler.
.PHONY: peers-kai
peers-kai: $(STAMP) ## compare with KAI's MinRuntime plugin on N cases, and on those of the findings; KAI_CHECKOUT=folder of KAI-Scheduler, KAI=march_2026|v0_17
	@if [ -n "$(KAI_CHECKOUT)" ]; then $(MAKE) --no-print-directory kai-campaign; else \
	  echo "peers-kai: skipped: KAI_CHECKOUT names no checkout of KAI-Scheduler, see tests/peers/kai/README.md"; fi

.PHONY: kai-campaign
kai-campaign: $(STAMP)
	@[[ "$(KAI)" =~ ^(march_2026|v0_17)$$ ]] || { echo "KAI: found $(KAI), expected march_2026 or v0_17" >&2; exit 1; }
	rm -rf build/kai-peer-sources && mkdir -p build/kai-peer-sources
	cp tests/peers/kai/*.go tests/peers/kai/*.s build/kai-peer-sources
	sed -i 's#$(KAI_PATH_march_2026)#$(KAI_PATH_$(KAI))#g' build/kai-peer-sources/*.go
	cp tests/peers/kai/$(KAI_GO_$(KAI)).mod build/kai-peer-sources/go.mod
	cp tests/peers/kai/$(KAI_GO_$(KAI)).sum build/kai-peer-sources/go.sum
	go mod edit -replace=$(KAI_PATH_$(KAI))=$(abspath $(KAI_CHECKOUT)) build/kai-peer-sources/go.mod
	cd build/kai-peer-sources && go test -tags kai_$(KAI) . && \
	  go test -tags kai_$(KAI) -c -o ../kai-peer -ldflags "-X tenure/tests/peers/kai.version=$(KAI_VERSION)" .
	$(BIN)/python -m tests.peers.shipped --peer $(KAI_PEER) --as $(KAI)
	$(BIN)/python -m tests.peers.kai_campaign --peer $(KAI_PEER) --as $(KAI) --n $(N) --seed $(SEED) --keep build/peers-kai.jsonl

# The optimized core against the reference; no other program is needed.
.PHONY: differential
differential: $(STAMP) ## compare the optimized core with the reference on N scenarios (N=20000 SEED=1)
	mkdir -p build
	$(BIN)/tenure campaign --scenarios $(N) --seed $(SEED) --jobs 2 --journal build/differential.jsonl --overwrite

.PHONY: exposure
exposure: N = 300
exposure: $(STAMP) ## who could preempt a running workload, against workloads of random sizes (N=300 SEED=1)
	$(BIN)/python -m tests.tenure.exposure.brute_force --n $(N) --seed $(SEED)

# The released scheduler is timed as well where Go is present.
.PHONY: bench
bench: $(STAMP) ## decisions and requests a second, loading, and the core beside Kueue; writes docs/data/bench.json
	$(BIN)/python benchmarks/deciding.py
	$(BIN)/python benchmarks/oracle.py
	$(BIN)/python benchmarks/loading.py
	@$(MAKE) --no-print-directory bench-fast

.PHONY: bench-fast
bench-fast: $(STAMP)
	mkdir -p build docs/data
	@if command -v go > /dev/null; then (cd go/kueue && go build -o ../../build/kueue-peer .); \
	  else echo "no Go here: Kueue is not timed"; fi
	$(BIN)/python -m benchmarks.fast --growth --write docs/data/bench.json \
	  $$(command -v go > /dev/null && echo --peer build/kueue-peer || true)
	$(BIN)/python -m tools.pictures build/pictures

.PHONY: bench-commands
bench-commands: $(STAMP) ## processor time of decide, next and why-not on a dump of 10,000 workloads, as multiples of json.load
	$(BIN)/python -m benchmarks.commands

.PHONY: bench-play
bench-play: $(STAMP) ## seconds and memory of tenure simulate with 1,000 to 10,777 jobs; TRACE=FILE plays those of a trace
	$(BIN)/python -m benchmarks.playing $(if $(TRACE),--trace $(TRACE))

.PHONY: bench-simulate
bench-simulate: $(STAMP) ## seconds and memory of tenure simulate for 1,000 to 300,000 jobs of TRACE=FILE, and of its settings
	@test -n "$(TRACE)" || { echo "TRACE: found nothing, expected the CSV file of a trace such as Philly's" >&2; exit 1; }
	$(BIN)/python -m benchmarks.simulating $(TRACE)

.PHONY: bench-analysis
bench-analysis: $(STAMP) ## time of tenure analyze matrix at 3, 10 and 40 queues and of guarantees at 4, and the share of cells that are not known
	$(BIN)/python -m benchmarks.analysis
	$(BIN)/python -m benchmarks.analysis --question guarantees --queues 4 --only different

.PHONY: repairs
repairs: $(STAMP) ## the repairs of kueue#14543 on random searches, beside every set of victims (N=20000 SEED=1 RESOURCES=2 ONLY=offender_pruning SCENARIO=123)
	@$(BIN)/python -m benchmarks.repairs --n $(N) --seed $(SEED) $(if $(RESOURCES),--resources $(RESOURCES)) \
		$(if $(ONLY),--only $(ONLY)) $(if $(SCENARIO),--scenario $(SCENARIO))

.PHONY: repair-turns
repair-turns: $(STAMP) ## the repairs of kueue#14543 over scheduling cycles, until each scenario settles or loops (N=20000 SEED=1 ONLY=offender_pruning)
	@$(BIN)/python -m benchmarks.repair_turns --n $(N) --seed $(SEED) $(if $(ONLY),--only $(ONLY))

.PHONY: repair-loops
repair-loops: N = 1000
repair-loops: $(STAMP) ## loops that these repairs leave in small clusters, by what closes them (N=1000 SEED=1 NESTED=1 RESOURCES=2 STRATEGIES=final WITHIN=NEVER)
	$(BIN)/python -m benchmarks.repair_loops --n $(N) --seed $(SEED) $(if $(NESTED),--nested) \
		$(if $(RESOURCES),--resources $(RESOURCES)) $(if $(STRATEGIES),--strategies $(STRATEGIES)) $(if $(WITHIN),--within $(WITHIN))

.PHONY: fmt
fmt: $(STAMP) ## format the sources and mend what can be mended by itself
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

.PHONY: lint
lint: $(STAMP) ## formatting (of Go where it is), ruff, the lints of our own, and what each rule lacks
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/ruff check --select C90 --config 'lint.mccabe.max-complexity=8' refimpl/tenure/rules
	@found() { echo "lint: $$1" >&2; exit 1; }; $(ABSENT) -E '$(MACHINES)' && found "a path of one machine, or a package registry"; \
	$(ABSENT) -iwE '$(WORDS)' -- $(WORDED) && found "say it as spec/glossary.md does"; \
	$(ABSENT) -E '$(WRITTEN)' -- 'refimpl/*.py' 'proofs/*.py' ':!refimpl/tenure/disk.py' && found "call write_file of tenure.disk"; true
	@if command -v gofmt > /dev/null; then unformatted=$$(gofmt -l go) && test -z "$$unformatted" || { echo "gofmt -w: $$unformatted" >&2; exit 1; }; fi
	$(BIN)/python -m tools.lints
	$(BIN)/python -m tools.traceability

.PHONY: types
types: $(STAMP) ## mypy, strict
	$(BIN)/mypy

.PHONY: contracts
contracts: $(STAMP) ## who may import whom
	$(BIN)/lint-imports

.PHONY: docs
docs: $(STAMP) ## build the site into site/; a broken link fails (TENURE_REPOSITORY=https://github.com/OWNER/NAME)
	$(QUIET_MKDOCS) $(BIN)/mkdocs build --strict

.PHONY: docs-serve
docs-serve: $(STAMP) ## serve the site and rebuild on change
	$(QUIET_MKDOCS) $(BIN)/mkdocs serve

.PHONY: pictures
pictures: $(STAMP) ## draw the README's pictures again
	$(BIN)/python -m tools.pictures

# Without one the tests that open every page are skipped, with that reason.
.PHONY: browser
browser: ## install the browsers that open the site's pages in tests (Debian, Ubuntu)
	tools/install-browser.sh

# Chromium and Firefox, where both are here; axe-core comes from npm.
.PHONY: every-page
every-page: SITE = build/site
every-page: $(STAMP) ## every page of the site in both browsers, on a desk and on a phone, light and dark, looked at by axe-core, too; the playground in both
	mkdir -p build
	$(QUIET_MKDOCS) $(BIN)/mkdocs build --strict --site-dir $(abspath $(SITE))
	$(BIN)/python -m tests.docs.browser --site $(SITE) --browser chromium --axe
	$(BIN)/python -m tests.docs.browser --site $(SITE) --browser firefox
	TENURE_BUILT_SITE=$(abspath $(SITE)) TENURE_EVERY_BROWSER=1 $(BIN)/python -m pytest tests/docs/browser/test_playground.py

.PHONY: wheel
wheel: $(STAMP) ## build the distribution into dist/
	rm -rf dist
	PIP_CONSTRAINT=$(abspath constraints.txt) $(BIN)/python -m build

.PHONY: krew
krew: wheel ## the kubectl plugin with all that it imports, as krew installs it: dist/kubectl-tenure-*.tar.gz, dist/tenure.yaml
	$(BIN)/python -m tools.krew dist/*.whl

# Of what a user gets, so from an environment with nothing else in it.
.PHONY: sbom
sbom: wheel ## the software bill of materials of the wheel with all extras, CycloneDX: dist/*.cdx.json
	rm -rf build/sbom build/sbom-tool
	$(PYTHON) -m venv build/sbom
	$(PYTHON) -m venv build/sbom-tool
	build/sbom/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt "$$(echo dist/*.whl)[proofs,strategies,fast,campaign,charts,pytest]"
	build/sbom/bin/python -m pip uninstall --quiet --yes pip setuptools
	build/sbom-tool/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt cyclonedx-bom
	build/sbom-tool/bin/cyclonedx-py environment --pyproject pyproject.toml --mc-type library --output-reproducible --of JSON -o "$$(echo dist/*.whl | sed s/-py3-none-any.whl/.cdx.json/)" build/sbom

# Of `make release-check`: run, or a file with what `make test-all` has printed.
STAGES ?= no

.PHONY: release-check
release-check: $(STAMP) ## a dry run of a release; nothing is published (STAGES=run, or what make test-all has printed)
	$(BIN)/python -m tools.release_check --stages $(STAGES)

# A fresh environment, so that nothing of a developer's own gets into the lock.
.PHONY: lock
lock: $(STAMP) ## write constraints.txt and ci/requirements again from the newest releases that pyproject.toml allows
	@fresh=$$(mktemp -d); trap 'rm -rf "$$fresh"' EXIT; \
	$(PYTHON) -m venv "$$fresh"; \
	env -u PIP_CONSTRAINT "$$fresh/bin/python" -m pip install --quiet --disable-pip-version-check -e '.[proofs,fast,docs,dev,release]'; \
	{ echo '# Every release that the build is tested with, all extras included. Made by `make lock`; not edited.'; \
	  "$$fresh/bin/python" -m pip freeze --exclude-editable; } > "$$fresh/constraints.txt"; \
	mv "$$fresh/constraints.txt" constraints.txt
	$(BIN)/python -m tools.locks

.PHONY: clean
clean: ## remove what was built; the environment stays
	rm -rf build dist site .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find $(SOURCES) -name __pycache__ -type d -prune -exec rm -rf {} +
