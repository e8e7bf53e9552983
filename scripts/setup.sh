#!/usr/bin/env bash
# Installs the missing tools for building and running Selvedge: clang, make, compilers for C and C++,
# Rust. Uses the system's packages. Does nothing, and calls no package manager, if everything is
# installed.
set -euo pipefail

say() { printf 'setup: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# The oldest Rust that builds the workspace, according to Cargo.toml.
needed_rust=$(sed -n 's/^rust-version *= *"\(.*\)"/\1/p' "$(dirname "$0")/../Cargo.toml" | head -n 1)

# Whether version $1 is at least version $2.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

have_clang() {
    local name
    for name in clang-19 clang clang-{14..25}; do
        have "$name" && return 0
    done
    return 1
}

have_rust() {
    have cargo && have rustc || return 1
    local version
    version=$(rustc --version 2>/dev/null | cut -d' ' -f2) || return 1
    [ -n "$version" ] && at_least "$version" "${needed_rust:-1.88}"
}

have_headers() { printf '#include <pthread.h>\n' | cc -E - >/dev/null 2>&1; }

# rustup's own folder is not always on the path.
if ! have cargo && [ -x "${HOME:-}/.cargo/bin/cargo" ]; then
    PATH="$HOME/.cargo/bin:$PATH"
fi

missing=()
have_clang || missing+=(clang)
have make || missing+=(make)
{ have cc && have_headers; } || missing+=(cc)
have c++ || missing+=(c++)
have_rust || missing+=(rust)
[ ${#missing[@]} -eq 0 ] && exit 0

say "missing: ${missing[*]}"
have apt-get || die "no apt-get here: please install ${missing[*]} with your system's package manager"

as_root=()
become_root() {
    [ "$(id -u)" -ne 0 ] || return 0
    have sudo || die "please install as root: ${missing[*]}"
    if sudo -n true 2>/dev/null; then
        as_root=(sudo -n)
    elif [ -t 0 ]; then
        as_root=(sudo)
    else
        die "sudo wants a password: please install as root: ${missing[*]}"
    fi
}

# An older Rust of rustup's is brought up to date by rustup itself, which needs no root.
if [ "${missing[*]}" = rust ] && have rustup; then
    rustup update stable >&2 || die "rustup could not update: is there a network?"
    have_rust || die "please choose Rust ${needed_rust:-1.88} or newer: rustup default stable"
    exit 0
fi

become_root
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" >&2; }
get() { apt install --no-install-recommends "$@" || die "could not install $*: is there a network?"; }
# The version of package $1 that would be installed; 0 if there is none.
candidate() { apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: \([0-9.]*\).*/\1/p' | grep . || echo 0; }
# Whether package $1 can be installed. A name that other packages merely refer to has no candidate.
offered() { [ "$(candidate "$1")" != 0 ]; }

say "updating the package lists"
apt update || say "the package lists could not be updated; trying with those there are"

for what in "${missing[@]}"; do
    case $what in
        clang)
            if offered clang-19; then get clang-19; else get clang; fi ;;
        make) get make ;;
        cc) get gcc libc6-dev ;;
        c++) get g++ ;;
        rust)
            if have rustup; then
                rustup update stable >&2 || die "rustup could not update: is there a network?"
            elif at_least "$(candidate rustc-web)" "${needed_rust:-1.88}"; then
                # Debian keeps a newer Rust beside its own, for what browsers need.
                get rustc-web cargo-web
            elif at_least "$(candidate rustc)" "${needed_rust:-1.88}"; then
                get rustc cargo
            elif offered rustup; then
                get rustup
                hash -r
                rustup default stable >&2 || die "rustup could not install Rust: is there a network?"
            fi
            hash -r
            have_rust || die "this system's packages have no Rust that is new enough: please install Rust ${needed_rust:-1.88} or newer with rustup" ;;
    esac
done

# Only for -m32 on C that includes system headers.
if ! dpkg -s libc6-dev-i386 >/dev/null 2>&1; then
    apt install --no-install-recommends libc6-dev-i386 ||
        say "libc6-dev-i386 could not be installed: -m32 will not find the system's headers"
fi
