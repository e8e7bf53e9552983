#!/usr/bin/env bash
# Installs Slurm, with which some tests make a small cluster on this machine, where the system's packages have it.
# It is optional: whatever goes wrong is one line of message, and success. No service is started; the tests start
# what they need themselves, in folders and on ports of their own.
set -euo pipefail

say() { printf 'slurm: %s\n' "$*" >&2; }
skip() { say "skipped: $*"; exit 0; }
have() { command -v "$1" >/dev/null 2>&1 || [ -x "/usr/sbin/$1" ]; }

! { have slurmctld && have slurmd && have sbatch && have munged; } || exit 0
have apt-get || skip "no apt-get here"
[ "$(id -u)" -eq 0 ] || skip "only root can install it"

# Services that packages would start stay off: this answers their question.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
    trap 'rm -rf "$scratch" "$policy"' EXIT
fi
install() {
    DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends slurm-wlm munge >"$scratch/log" 2>&1
}
if ! install; then
    apt-get -q update >"$scratch/log" 2>&1 && install || skip "apt could not install it: $(tail -n 1 "$scratch/log")"
fi
say "$(dpkg-query -W -f='${Version}' slurm-wlm) is installed"
