#!/usr/bin/env bash
# Installs CBMC, which some tests compare Selvedge with, where it can be had through the system's
# packages. It is optional: whatever goes wrong is one line of message, and success.
#
# Debian 12 has no cbmc. There the package of a neighbouring suite is fetched with apt from the archive
# that the system's own sources name, under a private apt state, so that the system's sources and
# packages stay as they are. It is unpacked beside that suite's C library, into $CBMC_ROOT/SUITE, and
# started through that suite's loader; compilers that CBMC starts do not notice. $CBMC_SUITES lists the
# suites to try: with CBMC_SUITES=bullseye the older CBMC 5.12 stands in $CBMC_ROOT/bullseye/bin, ready for
# `CBMC=… selvedge check --engine cbmc`.
set -euo pipefail

suites=${CBMC_SUITES:-trixie bullseye}
folder=${CBMC_ROOT:-/opt/cbmc}
bin=/usr/local/bin

say() { printf 'cbmc: %s\n' "$*" >&2; }
skip() { say "skipped: $*"; exit 0; }
have() { command -v "$1" >/dev/null 2>&1; }
# Whether the cbmc at $1 can check a program, preprocessing included.
works() {
    printf '#include <assert.h>\nint main(void) { assert(1); return 0; }\n' >"$scratch/try.c"
    "$1" "$scratch/try.c" 2>/dev/null | grep -q '^VERIFICATION SUCCESSFUL'
}

[ -n "${CBMC_SUITES:-}" ] || ! have cbmc || exit 0
have apt-get || skip "no apt-get here"
[ "$(id -u)" -eq 0 ] || skip "only root can install it"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if [ -z "${CBMC_SUITES:-}" ] && [[ $(apt-cache policy cbmc 2>/dev/null) == *"Candidate: "[!\(]* ]]; then
    DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends cbmc >&2 || skip "apt could not install it"
    exit 0
fi

# The archive of the system's own suite, which has the neighbouring suites, too.
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-none}")
archives=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 2>/dev/null | awk -v own="$codename" '$1 == own { print $2 }' | sort -u) || true
[ -n "$archives" ] || skip "this system's packages do not have it"

# Unpacks cbmc of suite $1, with the libraries that it needs, into $folder/$1.
unpack() {
    local suite=$1 state=$scratch/$1 root=$folder/$1 archive package options loader libraries tool
    mkdir -p "$state"/{lists/partial,cache/archives/partial,packages}
    : >"$state/status"
    for archive in $archives; do printf 'deb %s %s main\n' "$archive" "$suite"; done >"$state/sources.list"
    options=(-q -o APT::Sandbox::User=root -o Dir::State="$state" -o Dir::State::status="$state/status"
        -o Dir::Cache="$state/cache" -o Dir::Etc::SourceList="$state/sources.list" -o Dir::Etc::SourceParts=/dev/null)
    apt-get "${options[@]}" update >"$state/log" 2>&1 || return 1
    (cd "$state/packages" && apt-get "${options[@]}" download cbmc minisat libc6 libgcc-s1 libstdc++6) >>"$state/log" 2>&1 || return 1

    rm -rf "$root"
    mkdir -p "$root/bin"
    for package in "$state"/packages/*.deb; do dpkg-deb -x "$package" "$root" || return 1; done
    # Avoid the link in lib64, which may lead out of the folder.
    loader=$(find "$root" -path '*/lib/*-gnu*/ld-linux*.so.*' -print -quit)
    libraries=$(find "$root" -path '*/lib/*' -name 'lib*.so.*' -not -path '*/share/*' -printf '%h\n' | sort -u | paste -sd:)
    for tool in cbmc goto-cc goto-instrument; do
        # The library path is the loader's argument, not an environment variable: gcc must not inherit it.
        printf '#!/bin/sh\nexec %s --library-path %s %s "$@"\n' "$loader" "$libraries" "$root/usr/bin/$tool" >"$root/bin/$tool"
        chmod +x "$root/bin/$tool"
    done
    works "$root/bin/cbmc"
}

for suite in $suites; do
    say "trying the package of $suite"
    if works "$folder/$suite/bin/cbmc" || unpack "$suite"; then
        have cbmc || ln -sf "$folder/$suite/bin"/* "$bin/" || skip "it cannot be put into $bin"
        say "$("$folder/$suite/bin/cbmc" --version) of $suite is $folder/$suite/bin/cbmc"
        exit 0
    fi
    rm -rf "${folder:?}/$suite"
done
skip "no package of $suites works here"
