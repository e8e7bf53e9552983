#!/usr/bin/env bash
# Tests a newcomer's first minute. Makes a clean Debian in a folder, with make and nothing else beyond
# the base system, puts the committed tree into it, and runs `make demo` and `make test` there, or the make
# targets that are given.
#
# Usage: fresh-root.sh [--suite bookworm] [--root FOLDER] [--revision HEAD] [TARGET...]
#
# Needs root and mmdebstrap. Packages come from where this system's own come from. Of this machine's
# settings the root gets only what is needed to reach the network: name servers, proxies, trusted
# certificates. With --root the folder is kept, and a folder that has a root already is used again, which
# tests that a second time works too.
set -euo pipefail

suite=bookworm
root=
revision=HEAD
targets=()
while [ $# -gt 0 ]; do
    case $1 in
        --suite) suite=$2; shift 2 ;;
        --root) root=$2; shift 2 ;;
        --revision) revision=$2; shift 2 ;;
        -*) echo "usage: $0 [--suite NAME] [--root FOLDER] [--revision COMMIT] [TARGET...]" >&2; exit 2 ;;
        *) targets+=("$1"); shift ;;
    esac
done
[ ${#targets[@]} -gt 0 ] || targets=(demo test)

say() { printf 'fresh root: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }
[ "$(id -u)" -eq 0 ] || die "please run as root: a root file system is made and mounted"
command -v mmdebstrap >/dev/null || die "please install mmdebstrap"
cd "$(dirname "$0")/.."

# This system's package sources, as one-line entries, with its suite's name replaced by the one wanted.
sources() {
    local own
    own=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
    [ -n "$own" ] || die "/etc/os-release does not name this system's suite"
    apt-get indextargets --format '$(CREATED_BY) $(REPO_URI) $(RELEASE) $(COMPONENT)' |
        awk -v own="$own" -v suite="$suite" '
            $1 == "Packages" && ($3 == own || index($3, own "-") == 1) {
                print "deb", $2, suite substr($3, length(own) + 1), $4
            }' | sort -u
}

# Settings of apt that say how to reach the network, as options of mmdebstrap.
apt_options() {
    apt-config dump | sed -n 's/^\(Acquire::\(http\|https\|Check-Valid-Until\)[^ ]*\) "\(.\+\)";$/--aptopt=\1 "\3"/p'
}

if [ -z "$root" ]; then
    root=$(mktemp -d --tmpdir selvedge-fresh-root.XXXXXX)
    trap 'rm -rf --one-file-system "$root"' EXIT
fi
if [ ! -x "$root/usr/bin/make" ]; then
    list=$(sources)
    [ -n "$list" ] || die "apt knows no source of this system's own suite"
    mapfile -t options < <(apt_options)
    say "making $suite in $root"
    mmdebstrap --quiet --mode=root --variant=minbase --include=ca-certificates,make "${options[@]}" \
        "$suite" "$root" - <<<"$list"
fi

cp -L /etc/resolv.conf "$root/etc/resolv.conf"
# Every installed system knows its own name.
[ -s "$root/etc/hosts" ] || printf '127.0.0.1 localhost %s\n' "$(hostname)" >"$root/etc/hosts"
[ ! -s /etc/ssl/certs/ca-certificates.crt ] || cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
environment=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8)
for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
    [ -z "${!name:-}" ] || environment+=("$name=${!name}")
done

# Remove files of an older revision, but keep build results.
find "$root/selvedge" -mindepth 1 -maxdepth 1 ! -name target -exec rm -rf {} + 2>/dev/null || true
mkdir -p "$root/selvedge"
# Use the current time as time stamp: cargo rebuilds files that are newer than its last build.
git archive "$revision" | tar -x -m -C "$root/selvedge"

# Run in namespaces of its own: no mount and no process outlives this script.
export root
for target in "${targets[@]}"; do
    say "make $target"
    unshare --mount --pid --fork --kill-child bash -euc '
        mount -t proc proc "$root/proc"
        mount --rbind --make-rslave /dev "$root/dev"
        mount --rbind --make-rslave /sys "$root/sys"
        exec chroot "$root" env -i "$@"' \
        bash "${environment[@]}" make -C /selvedge "$target" </dev/null
done
say "passed in a fresh $suite: ${targets[*]}"
