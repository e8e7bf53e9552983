#!/usr/bin/env bash
# Installs the tools with which some tests compare Selvedge, where the system's packages have them: CBMC,
# SPIN, z3, Slurm, the C library's headers for -m32, and a browser that shows reports. Each is optional: whatever goes wrong is one line of
# message, and success; the tests go without, and `make test` says at its end how many did. No service is
# started: tests that need one start it themselves, in folders and on ports of their own.
set -euo pipefail

say() { printf 'test tools: %s\n' "$*" >&2; }
have() { command -v "$1" >/dev/null 2>&1 || [ -x "/usr/sbin/$1" ]; }
have_slurm() { have slurmctld && have slurmd && have sbatch && have munged; }
have_32_bit_headers() { printf '#include <pthread.h>\n' | cc -m32 -E - >/dev/null 2>&1; }
# Whether package $1 can be installed. A name that other packages merely refer to has no candidate.
offered() { [[ $(apt-cache policy "$1" 2>/dev/null) == *"Candidate: "[!\(]* ]]; }

"$(dirname "$0")/cbmc.sh"

missing=()
have spin || missing+=(spin)
have z3 || missing+=(z3)
have_slurm || missing+=(slurm-wlm munge)
have_32_bit_headers || missing+=(libc6-dev-i386)
have chromium || missing+=(chromium)
[ ${#missing[@]} -gt 0 ] || exit 0

cannot() { say "skipped ${missing[*]}: $*"; exit 0; }
have apt-get || cannot "no apt-get here"
[ "$(id -u)" -eq 0 ] || cannot "only root can install"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Keep packages from starting services: this is the policy that they ask for.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
    trap 'rm -rf "$scratch" "$policy"' EXIT
fi

all_offered() { for package in "${missing[@]}"; do offered "$package" || return 1; done; }
all_offered || apt-get -q update >"$scratch/log" 2>&1 || say "the package lists could not be updated"
for package in "${missing[@]}"; do
    if ! offered "$package"; then
        say "skipped $package: this system's packages do not have it"
    elif DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends "$package" >"$scratch/log" 2>&1; then
        say "installed $package"
    else
        say "skipped $package: $(tail -n 1 "$scratch/log")"
    fi
done
