# make run   builds everything and starts Quaywatch on the traffic of two simulated harbours: http://localhost:8080
# make test  installs what the tests need and passes them
SHELL      := /bin/bash
GO         ?= go
TAGS       := -tags nomsgpack
VERSION    ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT     := $(shell git rev-parse --short HEAD 2>/dev/null || echo unknown)
DATE       := $(shell git show -s --format=%cs HEAD 2>/dev/null || echo unknown)
LDFLAGS    := -s -w -X quaywatch/app/command.version=$(VERSION) -X quaywatch/app/command.commit=$(COMMIT) \
              -X quaywatch/app/command.date=$(DATE)
FUZZTIME   ?= 60s
# how many requests with faults make fuzz sends to the server in process, and over the wire to the binary
MUTATIONS  ?= 9000000
WIRED      ?= 1000000
BENCHTIME  ?= 1s
WEB_SOURCE := $(shell find web -path web/node_modules -prune -o -path web/dist -prune -o -path web/packed -prune -o -path web/pack -prune -o -path web/contract -prune -o -type f -print)
export CGO_ENABLED = 0
# the binary that tests drive
export QUAYWATCH_BIN := $(CURDIR)/quaywatch

.PHONY: all build run test test-all test-often test-go test-web test-browser tested faults whole postgis siege gate bench bench-system figures bench-ingest bench-peers fuzz lint release clean web contract deps

all: build

build: quaywatch

quaywatch: web $(shell find . -name '*.go' -not -path './web/node_modules/*' -not -path './web/contract/*' -not -path './e2e/*') go.mod
	$(GO) build -trimpath $(TAGS) -ldflags '$(LDFLAGS)' -o $@ .

run: build
	./quaywatch demo

# --- the web client -------------------------------------------------------------------------------------------------

web: web/packed/client.zip

web/node_modules/.installed: web/package.json web/package-lock.json
	cd web && npm ci --no-audit --no-fund
	touch $@

web/dist/index.html: web/node_modules/.installed $(WEB_SOURCE)
	cd web && npm run build
	touch $@

# The client's types of the JSON of the API are made from the contract. It takes a TypeScript of its own, which neither the client nor its tests need.
web/contract/node_modules/.installed: web/contract/package.json web/contract/package-lock.json
	cd web/contract && npm ci --no-audit --no-fund
	touch $@

contract: web/contract/node_modules/.installed
	cd web/contract && npm run make

web/packed/client.zip: web/dist/index.html web/pack/main.go
	$(GO) run ./web/pack web/dist $@

e2e/node_modules/.installed: e2e/package.json e2e/package-lock.json
	cd e2e && npm ci --no-audit --no-fund
	touch $@

# --- tests ----------------------------------------------------------------------------------------------------------

# All stages once: lint, and each test under the detector that can find something. docs/testing.md says what belongs where.
test: tested
	$(SUITE)

# What the stages need, and nothing of it is a test.
tested: deps quaywatch e2e/node_modules/.installed
SUITE := $(GO) run ./internal/suite

# The same N times beside BUSY busy loops, in any order, with a ledger of what was red or flaky; STAGES takes some of them.
N      ?= 20
BUSY   ?= 2
STAGES ?= client,pure,sequential,race,acceptance,browser
test-often: tested
	$(SUITE) -n $(N) -busy $(BUSY) -stages $(STAGES)

# All that is known, with no limit of time: every damage, mutation, attack and kill, whole days of the simulator.
test-all: test faults postgis siege whole fuzz gate

# Ingest beside the commit of the last row of the table in docs/performance.md: a median of the processor's time above 1.10 fails.
RELEASED := 9d58138
gate:
	@if git cat-file -e $(RELEASED)^{commit} 2>/dev/null; then $(MAKE) bench-ingest OLDER=$(RELEASED) GATE=1.10; \
	else echo "commit $(RELEASED) is not here: ingest was not set beside it"; fi

# What make test takes a small part of, whole: days of the simulator, kills by the hundred, millions of invented numbers.
whole: export ALARM_DAYS := 7
whole: export ETA_DAYS := 7
whole: export STATS_DAYS := 7
whole: export QUAYWATCH_KILLS := 200
whole: export QUAYWATCH_INVENTED := 2000000
whole: export QUAYWATCH_CROWD := 1000
whole: export QUAYWATCH_EVENTS := 1000
whole: export QUAYWATCH_STATISTICS := 2000
whole: export QUAYWATCH_LOOKS := whole
whole: tested
	$(GO) test $(TAGS) -count 1 -timeout 0 -v -run '^(TestETAOfSimulatedVoyages|TestFalseAlarms|TestNuisanceOfADay|TestPairsOfASimulatedHarbour|TestStatisticsOfSimulatedHarbours)$$' ./engine/tracking ./engine/watchdogs ./engine/alert ./ship/watchdog ./engine/stats
	$(GO) test $(TAGS) -count 1 -timeout 0 -v -run '^TestRandomStatistics$$' ./handlers
	$(GO) test $(TAGS) -count 1 -timeout 0 -v -run 'Kill|Invented|HeardThreeTimes|OneOwnerDelaysNobody' ./e2e/acceptance
	cd e2e && CHROMIUM=/usr/bin/chromium npm test

# The packages that tests against real parts need: a browser, WMS and vector readers, pseudo-terminals, fault injection,
# a second AIS decoder, a checker of XML, a list of what a browser trusts, an ACME authority, networks of two machines, and a broker of MQTT.
# The browser without its desktop is quicker, and not everywhere to be had.
SHELLBROWSER := chromium-headless-shell
DEBIAN := chromium gdal-bin python3-owslib socat strace gcc libc6-dev gpsd gpsd-clients libxml2-utils curl openssl libnss3-tools pebble iproute2 mosquitto
SUDO := $(if $(filter 0,$(shell id -u)),,sudo)
INSTALL := DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -y -q
deps:
	@missing=""; for p in $(DEBIAN); do dpkg -s $$p >/dev/null 2>&1 || missing="$$missing $$p"; done; \
	if [ -n "$$missing" ]; then echo "installing$$missing"; $(SUDO) apt-get update -q && $(INSTALL) $$missing; fi
	@dpkg -s $(SHELLBROWSER) >/dev/null 2>&1 || $(INSTALL) --no-install-recommends $(SHELLBROWSER) || \
	  { $(SUDO) apt-get update -q && $(INSTALL) --no-install-recommends $(SHELLBROWSER); } || \
	  echo "no $(SHELLBROWSER) here: the browser tests run in chromium, which costs a fifth more"

test-go: quaywatch
	$(SUITE) -stages pure,sequential,race,acceptance

# Damages of every kind, each of which must be told, and images of a power cut: half an hour on a quiet machine. make test makes some of them.
faults: export QUAYWATCH_FAULTS := all
faults: quaywatch
	$(GO) test $(TAGS) -timeout 120m -v -run 'Damage|Large' ./store/pages ./store/salvage ./store
	$(GO) test $(TAGS) -timeout 60m -v -run '^(TestPowerCut|TestRestartWithManyRegistrations)$$' ./e2e/acceptance

# Crossings and entries of lines and polygons, compared with those that PostGIS finds on the same legs: about a minute.
postgis:
	@command -v pg_virtualenv >/dev/null && dpkg -s postgis >/dev/null 2>&1 || $(MAKE) deps DEBIAN="postgresql postgis postgresql-postgis"
	QUAYWATCH_POSTGIS=1 $(GO) test $(TAGS) -p 1 -count 1 -run '^Test(Passages|NearMisses)OfPostGIS$$' -v ./engine/watchdogs ./ship/statistic

# All attacks that are known, four at a time, against the binary in 512 MiB; ATTACKS is a regular expression that chooses some by name.
SIEGE      ?= 10m
siege: export QUAYWATCH_SIEGE := $(SIEGE)
siege: export QUAYWATCH_ATTACKS := $(ATTACKS)
siege: quaywatch
	$(GO) test $(TAGS) -run '^TestSiege$$' -timeout 24h -v ./e2e/acceptance

test-web: web/node_modules/.installed
	cd web && npm test

test-browser: quaywatch e2e/node_modules/.installed
	cd e2e && npm test

GOVULNCHECK     := v1.8.0
VULNERABILITIES := https://vuln.go.dev/index/db.json
# vet and staticcheck have the flags of the build, so that each package is compiled once for all three.
lint: web/node_modules/.installed web/contract/node_modules/.installed
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); echo "gofmt would change these"; exit 1; }
	$(GO) vet -trimpath $(TAGS) ./...
	GOFLAGS=-trimpath $(GO) tool staticcheck $(TAGS) ./...
	$(GO) mod tidy -diff
	@if curl -fsS -m 5 -o /dev/null $(VULNERABILITIES) 2>/dev/null; then $(GO) run golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK) $(TAGS) ./...; \
	else echo "$(VULNERABILITIES) cannot be reached: known vulnerabilities of the libraries were not looked for"; fi
	cd web && npm run check
	cd web/contract && npm run check

# --- figures --------------------------------------------------------------------------------------------------------

bench:
	$(GO) test $(TAGS) -run '^$$' -bench . -skip '^BenchmarkSystem' -benchmem -benchtime $(BENCHTIME) ./...

# Whole-process figures over the real binary: load by UDP, restart, memory, bytes to the device. See docs/performance.md.
bench-system: quaywatch
	$(GO) test $(TAGS) -run '^$$' -bench '^BenchmarkSystem' -benchtime 1x -timeout 60m ./e2e/acceptance

# The same files through this build and through the older one of commit OLDER, ROUNDS times in turn: what a sentence costs, as ratios. The web client
# of the older one is left out, as nothing asks for it. A GATE of 1.10 fails where a ratio's median is above it.
OLDER  ?= 0de7acd
ROUNDS ?= 5
# The pictures of docs/performance.md: where the time of a sentence goes, and how the costs grow. About five minutes.
figures: quaywatch
	@mkdir -p .test
	for n in 1000 100000; do \
	  $(GO) test $(TAGS) -trimpath -run '^$$' -bench "^BenchmarkIngest/ships=$$n$$" -benchtime 5x -cpuprofile .test/ingest.prof -o .test/app.test ./app && \
	  $(GO) tool pprof -traces -unit ms -focus 'WaitGroup..Go' .test/app.test .test/ingest.prof > .test/ingest.txt && \
	  $(GO) run ./docs/figures flame "Where the processor's time goes while sentences of $$n ships are read" < .test/ingest.txt > docs/flame-$$n.svg || exit 1; \
	done
	$(GO) test $(TAGS) -run '^$$' -bench '^BenchmarkSystemGrowth$$' -benchtime 1x -timeout 30m ./e2e/acceptance | tee .test/growth.txt
	for group in ships fixes; do $(GO) run ./docs/figures growth $$group < .test/growth.txt > docs/growth-$$group.svg || exit 1; done

bench-ingest: export QUAYWATCH_OLDER := $(CURDIR)/.test/older/$(OLDER)
bench-ingest: export QUAYWATCH_GATE := $(GATE)
bench-ingest: quaywatch .test/older/$(OLDER)
	$(GO) test $(TAGS) -run '^$$' -bench '^BenchmarkReleases$$' -benchtime $(ROUNDS)x -timeout 2h -v ./e2e/acceptance

# The same questions to the past and the same maps with PostGIS, DuckDB and MapServer, ROUNDS times in turn: how many times as long they take.
DUCKDB := 1.5.6-r.1
bench-peers: export QUAYWATCH_PEERS := $(CURDIR)/.test/peers
bench-peers: quaywatch .test/peers/node_modules/.installed
	@command -v pg_virtualenv >/dev/null && command -v map2img >/dev/null && dpkg -s postgis gpsd-clients >/dev/null 2>&1 || \
	  $(MAKE) deps DEBIAN="postgresql postgis postgresql-postgis mapserver-bin gdal-bin gpsd-clients"
	$(GO) test $(TAGS) -run '^$$' -bench '^BenchmarkDecodeRatio' -benchtime $(ROUNDS)x ./ais
	$(GO) test $(TAGS) -run '^$$' -bench '^BenchmarkPeers' -benchtime $(ROUNDS)x -timeout 2h -v ./e2e/acceptance

.test/peers/node_modules/.installed:
	mkdir -p .test/peers && echo '{"private":true}' > .test/peers/package.json
	cd .test/peers && npm install --no-audit --no-fund @duckdb/node-api@$(DUCKDB)
	touch $@

.test/older/%:
	rm -rf $@.source && mkdir -p $@.source
	git archive $* | tar -x -C $@.source
	mkdir -p $@.source/web/dist $@.source/web/packed && touch $@.source/web/dist/index.html $@.source/web/packed/client.zip
	cd $@.source && $(GO) build -trimpath $(TAGS) -o $(CURDIR)/$@ .
	rm -rf $@.source

# Go's fuzzer now and then fails with "context deadline exceeded" as its time ends, and stores no input. So a target that fails is tried once more. An input that
# was found stands in testdata by then, and fails again.
fuzz: quaywatch
	QUAYWATCH_MUTATIONS=$(MUTATIONS) $(GO) test $(TAGS) -run '^TestMutatedRequests$$' -timeout 24h -v ./handlers
	QUAYWATCH_MUTATIONS=$(WIRED) $(GO) test $(TAGS) -run '^TestMutatedRequestsOverTheWire$$' -timeout 24h -v ./e2e/acceptance
	@set -e; for pkg in $$($(GO) list $(TAGS) ./...); do \
	  for target in $$($(GO) test $(TAGS) -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
	    echo "== $$pkg $$target"; \
	    try() { $(GO) test $(TAGS) -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 100x $$pkg; }; \
	    try || try; \
	  done; done

# --- release --------------------------------------------------------------------------------------------------------

release: web
	@rm -rf dist && mkdir -p dist
	@test -s web/packed/client.zip || { echo "the web client was not built"; exit 1; }
	GOOS=linux GOARCH=amd64 $(GO) build -trimpath $(TAGS) -ldflags '$(LDFLAGS)' -o dist/quaywatch-linux-amd64 .
	GOOS=linux GOARCH=arm64 $(GO) build -trimpath $(TAGS) -ldflags '$(LDFLAGS)' -o dist/quaywatch-linux-arm64 .
	GOOS=linux GOARCH=arm GOARM=7 $(GO) build -trimpath $(TAGS) -ldflags '$(LDFLAGS)' -o dist/quaywatch-linux-armv7 .
	$(GO) run ./docs/licences > dist/THIRD-PARTY-LICENCES.txt
	cp LICENSE config.example.toml dist/
	cd dist && sha256sum * > SHA256SUMS

clean:
	rm -rf quaywatch dist web/node_modules web/contract/node_modules e2e/node_modules
	rm -rf web/dist web/packed/client.zip
