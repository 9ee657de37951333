#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs of a command that cuarbiter never got into: doctor names them and says why, and so does status --pid.
# shellcheck disable=SC1091,SC2016,SC2154
. "$(dirname "$0")/../fixtures/images.sh"
need_files
may_lack jq
doctor="$files/cuarbiter doctor"

[ "$(getconf GNU_LIBC_VERSION | cut -d. -f2)" -ge 35 ] || cannot 'doctor sees what starts with glibc 2.35 or later'

# Each waits, so that it can be looked at.
cat >"$tmp/wait.c" <<'END'
#include <unistd.h>
int main(int argc, char **argv)
{
    (void)argv;
    usleep(argc > 1 ? 30000000 : 200000);
    return 0;
}
END

sees() { # COMMAND...: the report, in one line
    $doctor -- "$@" 2>&1 | tr -s '\n ' '  '
}
as_json() { # COMMAND...: program and reason of each
    $doctor --json -- "$@" 2>/dev/null | jq -r '.without|map(.program + ": " + .why)|join(";")'
}
says() { # NAME REASON PROGRAM COMMAND...
    name=$1 why=$2 program=$3
    shift 3
    like "$(sees "$@")" "*process *: $program*why cuarbiter was not loaded: $why*The command ended with exit code 0*" "$name"
    like "$(as_json "$@")" "*$program: $why*" "$name: as JSON"
}
# The same of a process that runs.
status() { # NAME REASON COMMAND...: started by $starter
    name=$1 why=$2
    shift 2
    $starter "$@" stay &
    pid=$!
    for _ in $(seq 100); do
        [ "$(readlink "/proc/$pid/exe")" != "$(readlink /proc/self/exe)" ] &&
            case $(readlink "/proc/$pid/exe") in */sh | */dash | */bash) false ;; esac && break
        sleep 0.05
    done
    got=$("$files/cuarbiter" status --pid $pid 2>&1 | tr -s '\n ' '  ')
    like "$got" "*Shim not active*cuarbiter $it: $why*" "$name: status --pid"
    is "$("$files/cuarbiter" status --pid $pid --json 2>/dev/null | jq -r '[.shim.active, (.shim.trouble|startswith($why))]|@csv' \
        --arg why "cuarbiter $it: ${why%%\**}")" false,true "$name: status --pid --json"
    kill $pid
    wait $pid 2>/dev/null
}
starter='env LD_PRELOAD='$files/libcuarbiter.so it='is not in this process'

gcc -O1 "$tmp/wait.c" -o "$tmp/plain" 2>/dev/null || {
    missing 'programs' 'no gcc here'
    finish
}
cleaned='neither LD_PRELOAD nor /etc/ld.so.preload names it*cleared*'
says 'env -i' "$cleaned" "$tmp/plain" env -i "$tmp/plain"
starter='env -i' status 'env -i' "$cleaned" "$tmp/plain"
got=$(sees sh -c "env -i '$tmp/plain'; env -i '$tmp/plain'")
like "$got" "*process *: $tmp/plain, and 1 more like it why *" 'one of each kind'
is "$(echo "$got" | grep -o 'was not loaded' | wc -l)" 1 'and once'
case $(sees sh -c "'$tmp/plain' & ('$tmp/plain'); true; wait") in
*'was not loaded'*) not_ok 'programs that have it are not named' "$got" ;;
*) ok 'programs that have it are not named' ;;
esac
if command -v sudo >/dev/null && [ "$(id -u)" = 0 ] && sudo -n true 2>/dev/null; then
    says sudo "$cleaned" "$tmp/plain" sudo -n "$tmp/plain"
else
    missing sudo 'no sudo here that works'
fi

gcc -O1 -static "$tmp/wait.c" -o "$tmp/static"
says 'a static program' 'the program is static*' "$tmp/static" "$tmp/static"
status 'a static program' 'the program is static*' "$tmp/static"
if musl-gcc -O1 "$tmp/wait.c" -o "$tmp/musl" 2>/dev/null; then
    says musl 'the program is built for musl*' "$tmp/musl" "$tmp/musl"
    # It maps what LD_PRELOAD names.
    it='does nothing here' status musl 'the program is built for musl*' "$tmp/musl"
else
    missing musl 'no musl-gcc here'
fi
if gcc -m32 -O1 "$tmp/wait.c" -o "$tmp/small" 2>/dev/null || gcc-12 -m32 -O1 "$tmp/wait.c" -o "$tmp/small" 2>/dev/null; then
    says '32 bits' 'the program is a 32-bit one*' "$tmp/small" "$tmp/small"
    starter="env" status '32 bits' 'the program is a 32-bit one*' "$tmp/small"
else
    missing '32 bits' 'no 32-bit compiler here'
fi

# Raised privileges; looked at by the user who started it, and by root.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    cp "$tmp/plain" "$tmp/raised" && chmod 4755 "$tmp/raised"
    user='setpriv --reuid 65534 --regid 65534 --clear-groups'
    like "$(TMPDIR=/tmp $user $doctor -- "$tmp/raised" 2>&1 | tr -s '\n ' '  ')" \
        "*process *: $tmp/raised why cuarbiter was not loaded: the program has raised privileges*" 'setuid'
    starter="$user env LD_PRELOAD=$files/libcuarbiter.so" status setuid 'the program has raised privileges*' "$tmp/raised"
else
    ok 'setuid # SKIP not root'
fi

# Another root without the files.
if [ "$(id -u)" = 0 ]; then
    gcc -O1 "$tmp/wait.c" -o "$tmp/plain"
    mkdir -p "$tmp/other"
    for library in $(ldd "$tmp/plain" | grep -o '/[^ ]*'); do
        mkdir -p "$tmp/other${library%/*}" && cp -L "$library" "$tmp/other$library"
    done
    cp "$tmp/plain" "$tmp/other/plain"
    says 'a root without the files' 'LD_PRELOAD or * names a file that does not exist*' "$tmp/other/plain" \
        chroot "$tmp/other" /plain
    starter="chroot $tmp/other" LD_PRELOAD=$files/libcuarbiter.so status 'a root without the files' \
        'LD_PRELOAD or /etc/ld.so.preload names a file that does not exist*' /plain
else
    ok 'another root # SKIP not root'
fi
finish
