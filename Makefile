# make demo     install what is missing, build, and find a bug in an example
# make test     all tests
# make soak     the comparisons on generated programs, with new seeds for five minutes
# make fuzz     the readers of text under libFuzzer for a minute
# make lint     formatting and clippy, no warnings allowed
# make bench    the measurements, and all engines and peers side by side (bench-quick: a few of these)
# make install  the command, into cargo's bin folder, and its library for SPIN

SHELL := /bin/bash
export PATH := $(PATH):$(HOME)/.cargo/bin

TARGET := $(or $(CARGO_TARGET_DIR),target)
SELVEDGE := $(TARGET)/release/selvedge

.PHONY: demo build test soak fuzz lint bench bench-quick pictures install setup

demo: build
	@scripts/demo.sh $(SELVEDGE) examples/bank_transfer.c

setup:
	@scripts/setup.sh

build: setup
	cargo build --release --locked -p selvedge -p selvedge-pan

# Tests that need CBMC, SPIN, Slurm or z3 are skipped where they cannot be had, and counted at the end.
test: setup
	@scripts/test-tools.sh
	@scripts/test.sh

soak: setup
	@scripts/soak.sh

fuzz: setup
	@scripts/fuzz.sh 60

lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --profile quick -- -D warnings

bench: build
	@bench/run.sh $(SELVEDGE)
	@bench/peers.py $(SELVEDGE) -o $(TARGET)/bench

bench-quick: build
	@bench/peers.py $(SELVEDGE) -o $(TARGET)/bench --quick

# The pictures of the book, by a browser without a screen.
pictures: build
	@docs/pictures.sh $(SELVEDGE)

install: build
	cargo install --locked --path crates/cli
	install -D -m 644 -t $(or $(CARGO_HOME),$(HOME)/.cargo)/lib/selvedge $(TARGET)/release/libselvedge_pan.a
