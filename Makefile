# `make run` shows a hall that plays; `make test` checks the code, `make deny` what it is linked with.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DEFAULT_GOAL := help

LISTEN ?= 127.0.0.1:7960
DATA ?= ./data
SPEED ?= 20
# How long `make soak` simulates days, how many at most, and how many with the whole network stack.
SOAK_SECONDS ?= 3600
SEEDS ?= 1000000
NETWORK_SEEDS ?= 200
DENY_VERSION := 0.20.2
DENY := .tools/bin/cargo-deny
# How often the daemon is killed and loses its power, in how large a hall, and what fixes the moments.
CRASH_KILLS ?= 500
CRASH_CUTS ?= 200
CRASH_CONTROLS ?= 10
CRASH_BOARDS ?= 200
CRASH_SEED ?= $(shell date +%s)
# How long each target of `make fuzz` gets.
FUZZ_SECONDS ?= 20
# Where cargo puts what it builds.
TARGET := $(or $(CARGO_TARGET_DIR),target)

.PHONY: help run release test fmt clippy unit doc deny fuzz bench crash soak clean-data

help:
	@echo 'make run     build, start a daemon on $(LISTEN) with its log in $(DATA), and clocks that play'
	@echo 'make test    format, lints, tests, documentation'
	@echo 'make fuzz    inputs that are nearly right, for every parser and the wire: FUZZ_SECONDS=$(FUZZ_SECONDS) each'
	@echo 'make bench   the measurements'
	@echo 'make crash   $(CRASH_KILLS) kills and $(CRASH_CUTS) power cuts under load of $(CRASH_BOARDS) boards (power cuts as root)'
	@echo 'make soak    simulated days for an hour (SOAK_SECONDS, SEEDS), the whole stack over a network that fails, five hundred boards'
	@echo 'make deny    licences, sources and advisories of what is linked'

release:
	@cargo build --release --locked

# The daemon and the clocks in one terminal; ctrl-C ends both, the clocks first.
run: release
	@zeitnot='$(TARGET)/release/zeitnot'
	daemon='' fleet=''
	finish() {
		trap - INT TERM EXIT
		for each in $$fleet $$daemon; do kill -TERM $$each 2>/dev/null || true; wait $$each 2>/dev/null || true; done
		echo; echo 'stopped; the log is in $(DATA): make run goes on with it, make clean-data forgets it'
	}
	trap 'finish; exit 0' INT TERM
	trap finish EXIT
	# In sessions of their own, so that ctrl-C reaches this shell alone and the order is ours.
	setsid "$$zeitnot" serve --data '$(DATA)' --listen '$(LISTEN)' & daemon=$$!
	export ZEITNOT_SERVER='http://$(LISTEN)'
	until "$$zeitnot" digest >/dev/null 2>&1; do kill -0 $$daemon || exit 1; sleep 0.2; done
	echo
	echo 'A hall plays. In another terminal:'
	echo "    export ZEITNOT_SERVER=http://$(LISTEN) PATH=\$$PATH:$$(cd '$(TARGET)/release' && pwd)"
	echo '    zeitnot watch'
	echo '    zeitnot rule 1 stop "silence, please"      zeitnot rule 1 resume'
	echo '    zeitnot game show 1                        zeitnot game pgn 1'
	echo 'ctrl-C here stops both.'
	echo
	setsid "$$zeitnot" fleet --demo --server "http://$(LISTEN)" --speed $(SPEED) & fleet=$$!
	wait $$fleet && echo 'every game is over; the daemon goes on until ctrl-C' || echo "the clocks ended with $$?; the daemon goes on until ctrl-C"
	fleet=''
	wait $$daemon

test: fmt clippy unit doc

fmt:
	@cargo fmt --check

clippy:
	@cargo clippy --locked --all-targets -- -D warnings

unit:
	@cargo test --locked

doc:
	@RUSTDOCFLAGS='-D warnings' cargo doc --locked --no-deps

# Advisories need a database from the network; without it everything else is still checked.
deny: $(DENY)
	@$(DENY) --log-level error check bans licenses sources
	if ! $(DENY) --log-level error fetch db 2>/dev/null; then
		echo 'advisories were not checked: their database cannot be fetched from here'
	else
		$(DENY) --log-level error check --disable-fetch advisories
	fi

$(DENY):
	@cargo install --debug --locked cargo-deny --version $(DENY_VERSION) --root .tools

# bolero's random driver, since those that see which code is reached need nightly. What breaks is told with its seed.
fuzz:
	@cargo test --locked --test fuzz --no-run
	fuzz=(cargo test --quiet --locked --test fuzz --)
	mapfile -t targets < <("$${fuzz[@]}" --list --format terse | sed -n 's/: test$$//p' | grep -Ev '^(engine|numbers)::')
	export BOLERO_RANDOM_ITERATIONS=1000000000000 BOLERO_RANDOM_TEST_TIME_MS=$$(($(FUZZ_SECONDS) * 1000))
	said=$$(mktemp) broken=() inputs=0
	trap 'rm -f "$$said"' EXIT
	for target in "$${targets[@]}"; do
		if "$${fuzz[@]}" --exact "$$target" --nocapture >"$$said" 2>&1; then
			n=$$(sed -n 's/.*rng inputs: \([0-9]*\).*/\1/p' "$$said")
			inputs=$$((inputs + n))
			printf '%-42s %10d inputs\n' "$$target" "$$n"
		else
			broken+=("$$target")
			printf '%-42s does not hold\n' "$$target"
			cat "$$said"
		fi
	done
	echo "$${#targets[@]} targets, $(FUZZ_SECONDS) s each: $$inputs inputs, $${#broken[@]} that do not hold: $${broken[*]:-none}"
	test $${#broken[@]} = 0

bench:
	@cargo bench --locked

# Power cuts take root and loop devices; without them they are skipped, with the reason.
crash:
	@export CRASH_KILLS=$(CRASH_KILLS) CRASH_CUTS=$(CRASH_CUTS) CRASH_CONTROLS=$(CRASH_CONTROLS)
	export CRASH_BOARDS=$(CRASH_BOARDS) CRASH_SEED=$(CRASH_SEED)
	cargo test --locked --test crash -- --nocapture --test-threads 1

# Days from a seed that nobody has tried, unless SEED says which: a failure prints the command that repeats it.
soak: release
	@seed="$${SEED:-$$(date +%s)}"
	'$(TARGET)/release/zeitnot' simulate --seed "$$seed" --seeds $(SEEDS) --seconds $(SOAK_SECONDS) --boards 6 --hours 0.5
	ZEITNOT_NETWORK_SEEDS=$(NETWORK_SEEDS) cargo test --release --locked --test sim network -- --nocapture
	ZEITNOT_SOAK=1 cargo test --release --locked --test sim soak -- --nocapture

clean-data:
	@rm -rf '$(DATA)'
