#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Debian's newest compilers and libraries build it without a warning, and what they built passes:
# unit, gates, preload, command and ways, in a root of sid.
#
#   newest.sh COMPILER [crowded]
#
# crowded: the sources lie below /tmp, as many a clone does, and the library folder has an NVIDIA
# driver. unit and command pass there, too.
# shellcheck source=tests/fixtures/lib.sh
CUARBITER_MKNOD=kept # those that it starts in there drop it themselves
. "$(dirname "$0")/../fixtures/lib.sh"

need_root newest
"$tree/tests/fixtures/cdi-schema" >/dev/null || : # for command-cdi: apt in there has no sources
CC=${1:-gcc} src=/src suites='unit gates preload command ways' driver=none build=/newest-build
mkdir "$tmp/build" "$tmp/tmp"
if [ "${2:-}" = crowded ]; then
    need_drivers 535.261.03
    src=/tmp/src build=/tmp/build suites='unit command' driver=$drivers/535.261.03
fi

# sid over a tmpfs, with the sources, the cache and a build folder in it. Nothing lies below /tmp,
# which everybody may write to, and the build folder has a name that no file keeps by chance.
cat >"$tmp/enter" <<'END'
set -eu
root=$1 tree=$2 cache=$3 tmp=$4 src=$5 build=$6 driver=$7
shift 7
mount -t tmpfs -o mode=755 newest /run
mkdir /run/upper /run/work /run/root
mount -t overlay newest /run/root -o "lowerdir=$root,upperdir=/run/upper,workdir=/run/work"
cd /run/root
for folder in proc sys dev; do
    mount --rbind /$folder ./$folder
done
mount --bind "$tmp/tmp" tmp
chmod 1777 tmp
mkdir -p "./$src" "./$build" cache
mount --bind "$tree" "./$src"
mount --bind "$cache" cache
mount --bind "$tmp/build" "./$build"
if [ "$driver" != none ]; then
    cp -a "$driver"/lib*.so* "usr/lib/$(uname -m)-linux-gnu/"
    chroot . ldconfig
fi
mkdir old
pivot_root . old
cd /
umount -l /old
exec "$@"
END
inside() {
    unshare -m sh "$tmp/enter" "$roots/newest" "$tree" "$cua_cache" "$tmp" "$src" "$build" "$driver" env -i \
        PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 CC="$CC" \
        CUARBITER_CACHE=/cache CUARBITER_ENGINES=no PYTHONDONTWRITEBYTECODE=1 \
        ${CUARBITER_MUST_RUN:+CUARBITER_MUST_RUN="$CUARBITER_MUST_RUN"} "$@"
}

libc=$(inside ldd --version 2>&1 | sed -n '1s/.* //p')
name="$(inside "$CC" --version | head -n 1), glibc $libc${2:+, $2}"
if inside meson setup "$build" "$src" -Dwerror=true >"$tmp/log" 2>&1 &&
    inside meson compile -C "$build" >>"$tmp/log" 2>&1; then
    is "$(grep -c 'warning:' "$tmp/log")" 0 "$name: builds without a warning"
else
    not_ok "$name: builds without a warning" "$(grep -E 'error:|ERROR|FAILED' "$tmp/log" | head -n 20)
$(tail -n 3 "$tmp/log")"
    finish
fi
# What needs real drivers is in the group real, but for the ways.
for suite in $suites; do
    inside meson test -C "$build" --no-rebuild --no-suite real --no-suite long --suite $suite \
        --timeout-multiplier 3 >"$tmp/log" 2>&1 || :
    log=$tmp/build/meson-logs/testlog.json
    said=$(python3 "$tree/tests/summary.py" "native=$log" 2>&1) && code=0 || code=$?
    printf '%s\n' "$said" | sed -n 's/^skipped: /# skipped in there: /p'
    if [ $code = 0 ]; then
        ok "$name: $suite: ${said##*
}"
    else
        not_ok "$name: $suite" "$(printf '%s\n' "$said" | tail -n 30)"
    fi
done
finish
