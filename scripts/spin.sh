#!/usr/bin/env bash
# Installs SPIN, which some tests run over our virtual machine, where the system's packages have it. It is
# optional: whatever goes wrong is one line of message, and success.
set -euo pipefail

say() { printf 'spin: %s\n' "$*" >&2; }
skip() { say "skipped: $*"; exit 0; }
have() { command -v "$1" >/dev/null 2>&1; }

! have spin || exit 0
have apt-get || skip "no apt-get here"
[ "$(id -u)" -eq 0 ] || skip "only root can install it"
apt-cache show --no-all-versions spin >/dev/null 2>&1 || skip "this system's packages do not have it"
DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends spin >&2 || skip "apt could not install it"
