# Everything that a contributor runs. `make` alone shows what there is.

GO         ?= go
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME   ?= 60s
# How many generated files the reference is held against the oracle on.
ORACLE     ?= 400000

.DEFAULT_GOAL := help
.PHONY: help run adapters test race lint check oracle bench fuzz golden

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## run the suite on all parsers that come with it
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

oracle: ## hold the reference against the oracle on millions of queries
	$(GO) test ./fuzz -run 'TestOracle$$' -v -oracle.inputs=$(ORACLE)

check: lint test race oracle ## everything that CI runs

bench: ## the reference beside every Go parser on the same real files; growth; the adapter pipe; start-up
	$(GO) test ./impl ./impl/adapters ./impl/reference ./impl/process ./spec -run '^$$' -bench . -benchmem

fuzz: ## run each native fuzz target for FUZZTIME
	$(GO) test ./fuzz -run '^$$' -fuzz FuzzDifferential -fuzztime $(FUZZTIME) -fuzzminimizetime 0
	$(GO) test ./fuzz -run '^$$' -fuzz FuzzProperties -fuzztime $(FUZZTIME)
	$(GO) test ./spec -run '^$$' -fuzz FuzzOctets -fuzztime $(FUZZTIME)
	$(GO) test ./spec -run '^$$' -fuzz FuzzLoad -fuzztime $(FUZZTIME)
	$(GO) test ./conformance -run '^$$' -fuzz FuzzTransforms -fuzztime $(FUZZTIME)
	$(GO) test ./impl/process -run '^$$' -fuzz FuzzDecodeAnswer -fuzztime $(FUZZTIME)
	$(GO) test ./corpus -run '^$$' -fuzz FuzzDecode -fuzztime $(FUZZTIME)

golden: ## rewrite the expected reports after a change that is meant
	$(GO) test ./reports -update
