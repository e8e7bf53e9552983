# make demo     install what is missing, build, and find a bug in an example
# make test     all tests
# make lint     formatting and clippy, no warnings allowed
# make bench    the measurements
# make install  the command, into cargo's bin folder, and its library for SPIN

SHELL := /bin/bash
export PATH := $(PATH):$(HOME)/.cargo/bin

TARGET := $(or $(CARGO_TARGET_DIR),target)
SELVEDGE := $(TARGET)/release/selvedge

.PHONY: demo build test lint bench install setup

demo: build
	@scripts/demo.sh $(SELVEDGE) examples/bank_transfer.c

setup:
	@scripts/setup.sh

build: setup
	cargo build --release --locked -p selvedge -p selvedge-pan

# nextest runs every test in a process of its own and ends with one summary; cargo test will do.
# Tests that need CBMC, SPIN or Slurm are skipped where they cannot be had.
test: setup
	@scripts/cbmc.sh
	@scripts/spin.sh
	@scripts/slurm.sh
	@if command -v cargo-nextest >/dev/null; then \
	    cargo nextest run --workspace --cargo-profile quick --no-fail-fast; \
	else \
	    cargo test --workspace --profile quick --no-fail-fast; \
	fi

lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings

bench: build
	@bench/run.sh $(SELVEDGE)

install: build
	cargo install --locked --path crates/cli
	install -D -m 644 -t $(or $(CARGO_HOME),$(HOME)/.cargo)/lib/selvedge $(TARGET)/release/libselvedge_pan.a
