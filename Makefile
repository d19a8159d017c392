# Everything that a contributor runs. `make` alone lists the targets.

GO         ?= go
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME   ?= 60s
# The number of generated files on which the reference is compared with the
# oracle.
ORACLE     ?= 400000
# Inputs of the page about the parsers: how long the fuzzer runs, the collection
# of real files (none by default) and how many of them are scanned.
TIME       ?= 10m
CORPUS     ?=
LIMIT      ?= 2000

.DEFAULT_GOAL := help
.PHONY: help run adapters test race lint check oracle bench fuzz golden state

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## run the suite on all built-in parsers
	$(GO) run .

adapters: ## install the parsers of other languages, each with its own package manager
	$(GO) run . adapters install

test: ## run all tests
	$(GO) test ./...

race: ## run all tests under the race detector
	$(GO) test -race ./...

lint: ## gofmt, vet, staticcheck, and the specification's own lint
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "these files are not gofmt'ed: run gofmt -w ."; exit 1; }
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...
	$(GO) run . lint spec
	$(GO) run . coverage >/dev/null

oracle: ## compare the reference with the oracle on millions of queries
	$(GO) test ./fuzz -run 'TestOracle$$' -v -oracle.inputs=$(ORACLE)

check: lint test race oracle ## everything that CI runs

bench: ## benchmark the reference, all Go parsers, complexity, the adapter pipe and start-up
	$(GO) test ./impl/subjects/... ./impl/reference ./impl/process ./spec -run '^$$' -bench . -benchmem

# The targets are searched for, so that none is forgotten. FuzzDifferential never
# fails, so there is nothing to minimize. Before Go 1.27 a target may fail only
# because its time ends (go.dev/issue/75804): then the message is on a line by
# itself, and there is no failing input.
fuzz: ## run each native fuzz target for FUZZTIME
	@log=$$(mktemp); trap 'rm -f "$$log"' EXIT; \
	grep -rn --include='*_test.go' '^func Fuzz[A-Za-z0-9]*(' . | sed 's/^\(.*\)\/[^/]*_test\.go:[0-9]*:func \(Fuzz[A-Za-z0-9]*\)(.*/\1 \2/' | sort | \
	while read -r dir target; do \
		echo "$$dir $$target"; minimize=10s; test $$target != FuzzDifferential || minimize=0; \
		{ $(GO) test $$dir -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime $$minimize </dev/null 2>&1 || echo failed >"$$log.rc"; } | tee "$$log"; \
		test -e "$$log.rc" || continue; rm "$$log.rc"; \
		grep -qx '    context deadline exceeded' "$$log" && ! grep -q 'Failing input' "$$log" || exit 1; \
		echo "$$target met no failing input: its time ended (go.dev/issue/75804)"; \
	done

golden: ## rewrite the expected reports after an intended change
	$(GO) test ./reports -update

# Each run uses a new folder, which keeps all inputs of the page, and
# findings.html with every finding. The suite and the scan exit with a nonzero
# code if a parser fails; here it only matters that they write a result.
state: ## write reports/parsers.md: suite, fuzzing for TIME=10m, CORPUS=path if given
	@set -e; dir=.state/$$(date -u +%Y-%m-%dT%H%M%SZ); mkdir -p $$dir; $(GO) build -o $$dir/repcheck .; \
	echo "run --all"; $$dir/repcheck run --all --format json -o $$dir/run.json || test -s $$dir/run.json; \
	scan=; if [ -n "$(CORPUS)" ]; then \
		echo "scan $(CORPUS)"; $$dir/repcheck scan "$(CORPUS)" --all --choices --limit $(LIMIT) --format json -o $$dir/scan.json || test -s $$dir/scan.json; \
		scan="--scan $$dir/scan.json"; fi; \
	echo "fuzz --all --time $(TIME)"; $$dir/repcheck fuzz --all --time $(TIME) --dir $$dir/findings >$$dir/fuzz.txt; \
	echo "findings prune --all, to drop timeouts caused by a busy machine"; $$dir/repcheck findings prune --all --dir $$dir/findings >$$dir/prune.txt; \
	$$dir/repcheck report $$dir/findings $$scan --run $$dir/run.json --format html -o $$dir/findings.html; \
	$$dir/repcheck report $$dir/findings $$scan --run $$dir/run.json --top 20 --format markdown -o reports/parsers.md; \
	echo "reports/parsers.md is a summary of $$dir/findings.html"
