# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# For the tests of cuarbiter driver: fake drivers in NVIDIA's layouts, and a store, $store.
# shellcheck disable=SC2034,SC2154 # read by lib.sh, set by it

# shellcheck source=tests/command/lib.sh
. "$(dirname "$0")/lib.sh"
store=$tmp/store
# No proxy of this machine, and no store of its user.
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY no_proxy NO_PROXY CUARBITER_DRIVER_MIRROR
export HOME="$tmp/home" XDG_DATA_HOME="$tmp/home/data"
mkdir -p "$tmp/home"

# A folder as NVIDIA's archive of that driver has it.
layout() { # VERSION FOLDER [compat|lib] [MAKE-ROOT-SWITCHES]
    rm -rf "$tmp/made"
    make_root "$tmp/made" --compat "$1${4:+,$4}" >/dev/null
    mkdir -p "$2"
    mv "$tmp/made/usr/local/cuda/compat" "$2/${3:-compat}"
    echo "NVIDIA's licence" >"$2/LICENSE"
}

# Everything in the store but the lock, as paths.
stored() {
    (cd "$store" 2>/dev/null && find . ! -path ./.lock ! -path . | sed 's,^\./,,' | LC_ALL=C sort)
}
sum() { sha256sum "$1" | cut -d ' ' -f 1; }
