#!/usr/bin/env bash
# Installs what building and running Selvedge needs and this machine lacks: clang, make, a C
# linker, Rust. Through the system's packages, by name, without questions. Does nothing, and calls
# no package manager, when all is there.
set -euo pipefail

say() { printf 'setup: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# The oldest Rust that builds the workspace, as Cargo.toml says.
needed_rust=$(sed -n 's/^rust-version *= *"\(.*\)"/\1/p' "$(dirname "$0")/../Cargo.toml" | head -n 1)

# Is version $1 at least version $2?
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
    [ -n "$version" ] && at_least "$version" "${needed_rust:-1.85}"
}

have_headers() { printf '#include <pthread.h>\n' | cc -E - >/dev/null 2>&1; }

# rustup's own folder is not always on the path.
if ! have cargo && [ -x "$HOME/.cargo/bin/cargo" ]; then
    PATH="$HOME/.cargo/bin:$PATH"
fi

missing=()
have_clang || missing+=(clang)
have make || missing+=(make)
{ have cc && have_headers; } || missing+=(cc)
have_rust || missing+=(rust)
[ ${#missing[@]} -eq 0 ] && exit 0

say "missing: ${missing[*]}"
have apt-get || die "no apt-get here: please install ${missing[*]} with your system's package manager"

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    have sudo || die "please install as root: ${missing[*]}"
    as_root=(sudo -n)
fi

apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" >&2; }
# Does the package lists' view of the world include package $1?
offered() { apt-cache show --no-all-versions "$1" >/dev/null 2>&1; }

say "updating the package lists"
apt update || say "the package lists could not be updated; trying with those there are"

for what in "${missing[@]}"; do
    case $what in
        clang)
            if offered clang-19; then apt install --no-install-recommends clang-19
            else apt install --no-install-recommends clang; fi ;;
        make) apt install --no-install-recommends make ;;
        cc) apt install --no-install-recommends gcc libc6-dev ;;
        rust)
            if offered rustup; then
                apt install --no-install-recommends rustup
                rustup default stable >&2
            else
                apt install --no-install-recommends cargo || true
            fi
            have_rust || die "this system's Rust is too old: please install Rust ${needed_rust:-1.85} or newer (rustup does)" ;;
    esac
done

# Only for -m32 on C that includes system headers.
if ! dpkg -s libc6-dev-i386 >/dev/null 2>&1; then
    apt install --no-install-recommends libc6-dev-i386 ||
        say "libc6-dev-i386 could not be installed: -m32 will not find the system's headers"
fi
