#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The environment and the site file, as a program under the shim feels them. On fake drivers: a
# compat package, which answers 804 on the machine's GeForce, before the host's driver.
# shellcheck source=tests/ways/lib.sh
. "$(dirname "$0")/lib.sh"
may_lack jq
place fake
opens=init-dlopen

# One program with these settings: "CODE warnings: the codes of its warnings". Each has a cache
# folder of its own, so that each warns for the first time.
with_settings() {
    rm -rf "$tmp/run"
    mkdir "$tmp/run"
    said=$(shimmed "env XDG_RUNTIME_DIR=$tmp/run $* $opens 2>$tmp/err")
    codes=$(sed -n 's/^cuarbiter\[[0-9]*\]: warn: \([a-z-]*\): .*/\1/p' "$tmp/err" | tr '\n' ' ')
    lines=$(wc -l <"$tmp/err")
    [ "$(printf '%s\n' "$said" | wc -l)" = 1 ] || echo 'more than one line on stdout'
    # shellcheck disable=SC2086
    set -- $codes
    [ $# = "$lines" ] || echo "lines that are no warnings: $(cat "$tmp/err")"
    echo "$(word cuInit "$said")${codes:+ ${codes% }}"
}

# --- CUARBITER_POLICY
is "$(with_settings)" '0' 'no settings: the right one, and not a word'
is "$(with_settings CUARBITER_POLICY=auto)" '0' 'auto'
is "$(with_settings CUARBITER_POLICY=)" '0' 'an empty policy is none'
is "$(with_settings CUARBITER_POLICY=host)" '0' 'host'
is "$(with_settings CUARBITER_POLICY=newest)" '0' 'newest: a GeForce runs no newer one'
is "$(with_settings CUARBITER_POLICY=off)" '804' 'off: as without, and not a word'
is "$(with_settings CUARBITER_POLICY=compat)" '804 policy-compat' \
    'compat: even against the rules, with one warning'
is "$(with_settings CUARBITER_POLICY=nonsense)" '804 bad-value' 'nonsense: one warning, then as off'
{
    shimmed "env XDG_RUNTIME_DIR=$tmp/run CUARBITER_POLICY=nonsense $opens 2>&1"
    shimmed "env XDG_RUNTIME_DIR=$tmp/run CUARBITER_POLICY=nonsense $opens 2>&1"
} >"$tmp/both"
is "$(grep -c 'warn: bad-value: CUARBITER_POLICY=nonsense is not one of .*: off is used' "$tmp/both")" 2 \
    'nonsense: in each process, not once a container'
is "$(with_settings CUARBITER_POLICY=AUTO)" '804 bad-value' 'values are as they are written'
is "$(with_settings CUARBITER_POLICI=off)" '0' 'a name that is misspelt: as unset, and not a word'
for command in linked 'open-plain lib/needs.so' 'python3 init.py'; do
    opens=$command
    is "$(with_settings CUARBITER_POLICY=off)" '804' "off: $command"
    is "$(with_settings CUARBITER_POLICY=host)" '0' "host: $command"
    is "$(with_settings CUARBITER_POLICY=compat)" '804 policy-compat' "compat: $command"
done
mkdir "$tmp/some"
${CC:-cc} -shared -nostdlib -o "$tmp/some/libnothing.so" -x c /dev/null
# A daemon that has closed its standard descriptors, and opens its own under these numbers later.
cat >"$tmp/closed.py" <<'END'
import ctypes, os, sys
for fd in range(3):
    os.close(fd)
ctypes.CDLL(sys.argv[1])
left = os.open('/dev/null', os.O_WRONLY)
print('the next descriptor is', left, file=open(sys.argv[2], 'w'))
END
for library in libneeds.so libcuda.so.1 libnothing.so; do
    shimmed "env LD_LIBRARY_PATH=$wrong:$right:$app/lib:$tmp/some python3 $tmp/closed.py $library $tmp/said"
    is "$(cat "$tmp/said")" 'the next descriptor is 0' "closed descriptors stay closed: $library"
done
opens=init-dlopen
path=$right
is "$(with_settings CUARBITER_POLICY=compat)" '0' 'compat, where there is none: as auto'
path=$wrong
like "$(with_settings CUARBITER_POLICY=host)" '804 *' 'host, where there is none: as auto, with a warning'
case $codes in *' '*' '*) not_ok 'with one warning' "$codes" ;; esac
path=$wrong:$right

make_root "$tmp/a100" --kmd "$kmd" --gpu 'NVIDIA A100-SXM4-80GB' --host-umd "$kmd" \
    --compat 550.54.15 >/dev/null
geforce=$machine machine=$tmp/a100
newer=$machine/usr/local/cuda/compat native=$machine/usr/lib/$(uname -m)-linux-gnu
path=$native:$newer
file_given() { # SETTINGS...
    shimmed "env XDG_RUNTIME_DIR=$tmp/run $* $opens" 2>/dev/null | tail -n 1 >"$tmp/line"
    file=$(file_of "$(word file "$(cat "$tmp/line")")")
    case $file in
    "$(file_of "$newer/libcuda.so.1")") echo newer ;;
    "$(file_of "$native/libcuda.so.1")") echo native ;;
    *) cat "$tmp/line" ;;
    esac
}
is "$(file_given) $(with_settings)" 'native 0' 'a data-centre GPU, auto: as the loader has it'
is "$(file_given CUARBITER_POLICY=host) $(with_settings CUARBITER_POLICY=host)" 'native 0' \
    'a data-centre GPU, host: the native one'
is "$(file_given CUARBITER_POLICY=newest) $(with_settings CUARBITER_POLICY=newest)" 'newer 0' \
    'a data-centre GPU, newest: the later CUDA, tried'
is "$(file_given CUARBITER_POLICY=newest CUARBITER_TRIAL=never)" native 'newest, nothing may be tried: as auto'
# shellcheck disable=SC2016
printf '#!/bin/sh\nx=$(printf %%0120000d 0) && a=$x b=$x c=$x exec "$@"\n' >"$tmp/large"
chmod +x "$tmp/large"
rm -rf "$tmp/run" && mkdir "$tmp/run"
like "$(shimmed "env XDG_RUNTIME_DIR=$tmp/run CUARBITER_POLICY=newest CUARBITER_LOG=info $tmp/large $opens 2>&1")" \
    "*: the program's environment is too large to try a driver with it*" 'newest, and an environment too large for it'
like "$(bare "env CUARBITER_TRIAL=auto $files/cuarbiter status")" \
    '*CUARBITER_POLICY=newest would try 550.54.15, CUDA 12.4.*' 'status under auto names it'
like "$(bare "env CUARBITER_POLICY=newest $files/cuarbiter status --json")" '*"reason": "policy-newest"*' \
    'status under newest'
path=$newer
like "$(with_settings CUARBITER_POLICY=host)" '0 *' \
    'a data-centre GPU, host, where there is none: the newer one, with a warning'
mkdir "$tmp/open"
chmod 777 "$tmp/open"
cp -L "$native"/*.so.* "$tmp/open/"
path=$newer:$tmp/open
is "$(with_settings CUARBITER_POLICY=host)" '0 policy-host' 'host, and other users can change its driver'
like "$(cat "$tmp/err")" '*because no trusted libcuda here has the kernel driver*' 'the warning is true'
path=$native:$newer
is "$(file_given CUARBITER_POLICY=compat) $(with_settings CUARBITER_POLICY=compat)" 'newer 0' \
    'a data-centre GPU, compat: no warning'

# --- CUARBITER_LIBCUDA
make_root "$tmp/third" --kmd "$kmd" --host-umd "$kmd:/third,cuinit=77" >/dev/null
third=$tmp/third/third/libcuda.so.$kmd
is "$(with_settings CUARBITER_LIBCUDA="$third")" '77' 'this file'
is "$(with_settings CUARBITER_LIBCUDA="$third" CUARBITER_POLICY=host)" '77' 'before the policy'
is "$(with_settings CUARBITER_LIBCUDA="$third" CUARBITER_POLICY=compat)" '77' 'before any policy'
is "$(with_settings CUDA_VERSION=13.0.1 CUARBITER_LIBCUDA="$third")" '77' \
    'one of an earlier CUDA than the image: no warning that it is ignored'
is "$(with_settings CUDA_VERSION=13.0.1 CUARBITER_LIBCUDA="$newer/libcuda.so.1" CUARBITER_POLICY=host)" '0' \
    'before host: no warning that host cannot be followed'
is "$(with_settings CUARBITER_LIBCUDA="$third" CUARBITER_POLICY=off)" '0' 'but not before off'
is "$(with_settings CUARBITER_LIBCUDA="$tmp/nowhere.so")" '0 bad-libcuda' \
    'a file that is not there: one warning, as if unset'
is "$(with_settings CUARBITER_LIBCUDA="$tmp/nowhere.so" CUARBITER_POLICY=off)" '0' \
    'not there, and off: nothing is looked at'
is "$(with_settings CUARBITER_LIBCUDA=libcuda.so.1)" '0 bad-libcuda' 'no absolute path'
is "$(with_settings CUARBITER_LIBCUDA=)" '0' 'an empty one is none'
echo nonsense >"$tmp/nonsense.so"
is "$(with_settings CUARBITER_LIBCUDA="$tmp/nonsense.so")" '0 bad-libcuda' 'no library'
like "$(cat "$tmp/err")" "*CUARBITER_LIBCUDA=$tmp/nonsense.so is ignored: too short for an ELF file*" 'and why'
is "$(with_settings CUARBITER_LIBCUDA="$tmp")" '0 bad-libcuda' 'a folder'
mkfifo "$tmp/fifo"
is "$(with_settings CUARBITER_LIBCUDA="$tmp/fifo")" '0 bad-libcuda' 'a FIFO'
for command in linked 'open-plain lib/needs.so'; do
    opens=$command
    is "$(with_settings CUARBITER_LIBCUDA="$third")" '77' "this file: $command"
done
mkdir "$tmp/a folder"
cp "$third" "$tmp/a folder/"
opens=linked
is "$(with_settings CUARBITER_LIBCUDA="'$tmp/a folder/${third##*/}'")" '0 no-second-exec' 'what LD_PRELOAD cannot hold'
like "$(cat "$tmp/err")" "*: the program is linked with libcuda, and keeps the one that it has instead of getting *: \
LD_PRELOAD cannot hold *" 'where the one that it has works'
with_settings CUARBITER_LOG=info CUARBITER_LIBCUDA="'$tmp/a folder/${third##*/}'" >/dev/null
like "$(cat "$tmp/err")" '*: exec: the program is linked with libcuda, so cuarbiter tries to start it again with *: no-second-exec: *' \
    'the log does not claim before that it was started again'
opens=init-dlopen
machine=$geforce path=$wrong:$right

# --- CUARBITER_LOG, _LOG_FILE, _LOG_FORMAT
log() { # SETTINGS...: what is on stderr; stdout is kept in $tmp/out
    rm -rf "$tmp/run"
    mkdir "$tmp/run"
    shimmed "env XDG_RUNTIME_DIR=$tmp/run $* $opens 2>$tmp/err" >"$tmp/out"
    cat "$tmp/err"
}
is "$(log CUARBITER_LOG=error CUARBITER_POLICY=nonsense)" '' 'error: no warnings'
is "$(log CUARBITER_LOG=warn)" '' 'warn: nothing to warn of'
info=$(log CUARBITER_LOG=info)
is "$(printf '%s\n' "$info" | grep -vc '^cuarbiter\[[0-9][0-9]*\]: info: [a-z-]*: [^ ]')" 0 \
    'info: lines of one form'
like "$info" '*: info: native: *535.161.07*' 'info: the verdict and why'
like "$info" '*: info: redirect: *' 'info: each file that is given out'
is "$(log CUARBITER_LOG=info CUARBITER_POLICI=off | grep -c ': info: unknown-variable: CUARBITER_POLICI ')" \
    1 'info: a name that is misspelt'
is "$(word cuInit "$(cat "$tmp/out")") $(wc -l <"$tmp/out")" '0 1' \
    'info: stdout is the program'"'"'s own'
like "$(log CUARBITER_LOG=debug)" '*: debug: candidate: *550.54.15*newer-brand*' \
    'debug: every candidate'
is "$(log CUARBITER_LOG=loud | grep -c 'warn: bad-value: CUARBITER_LOG=loud ')" 1 'nonsense: one warning'
is "$(log CUARBITER_LOG_FORMAT=xml | grep -c 'warn: bad-value: CUARBITER_LOG_FORMAT=xml ')" 1 \
    'a format that is none: one warning'
is "$(log CUARBITER_LOG=debug CUARBITER_LOG_FORMAT=json | jq -r 'select((.time | type) == "string"
    and (.pid | type) == "number" and .code == "native") | .level')" info 'json: lines that jq reads'
is "$(log CUARBITER_LOG=info CUARBITER_LOG_FILE="$tmp/log")" '' 'a log file: stderr is empty'
is "$(grep -c ': info: native: ' "$tmp/log")" 1 'and the lines are in it'
is "$(stat -c %a "$tmp/log")" 644 'which nobody else may write'
log CUARBITER_LOG=info CUARBITER_LOG_FILE="$tmp/log" >/dev/null
is "$(grep -c ': info: native: ' "$tmp/log")" 2 'a second process adds to it'
like "$(log CUARBITER_LOG=info CUARBITER_LOG_FILE=/nowhere/log)" '*: info: native: *' \
    'a log file that cannot be written: stderr'
log CUARBITER_LOG=info CUARBITER_LOG_FILE="$tmp/fifo" >/dev/null
is "$(word cuInit "$(cat "$tmp/out")")" 0 'a FIFO that nobody reads: the program goes on'
shimmed "env CUARBITER_LOG=info $opens 2>&-" >"$tmp/out"
is "$(word cuInit "$(cat "$tmp/out")") $(grep -c cuarbiter: "$tmp/out")" '0 0' 'stderr closed'
rm -rf "$tmp/run"
mkdir "$tmp/run"
shimmed "env XDG_RUNTIME_DIR=$tmp/run CUARBITER_POLICY=compat $opens" >"$tmp/out"
shimmed "env XDG_RUNTIME_DIR=$tmp/run CUARBITER_POLICY=compat $opens" >>"$tmp/out"
is "$(grep -c ': warn: ' "$tmp/out")" 1 'a warning comes once a container'

# --- CUARBITER_TRIAL, _TRIAL_TIMEOUT: a driver of which nothing is known that works
make_root "$tmp/unknown" --kmd "$kmd" --gpu 'NVIDIA A100-SXM4-80GB' --host-umd "$kmd" \
    --compat 900.10.01,nonote,cuda=20000,branches=535,devices=14 >/dev/null
machine=$tmp/unknown
newer=$machine/usr/local/cuda/compat native=$machine/usr/lib/$(uname -m)-linux-gnu
path=$native:$newer
mkdir -p "$tmp/run"
is "$(file_given CUARBITER_TRIAL=never)" native 'never: nothing is tried'
path=$newer:$native
is "$(file_given CUARBITER_TRIAL=auto)" newer 'auto: tried, and it works'
is "$(with_settings CUARBITER_TRIAL=sometimes)" '0 bad-value' 'nonsense: one warning'
is "$(with_settings CUARBITER_TRIAL_TIMEOUT=soon)" '0 bad-value' 'a time that is none: one warning'
rm -rf "$tmp/unknown"
make_root "$tmp/unknown" --kmd "$kmd" --gpu 'NVIDIA A100-SXM4-80GB' --host-umd "$kmd" \
    --compat 900.10.01,nonote,cuda=20000,branches=535,devices=14,hang >/dev/null
started=$(date +%s)
path=$native:$newer
is "$(with_settings CUARBITER_TRIAL_TIMEOUT=1)" 0 'a driver that hangs in its trial: the native one'
is "$(($(date +%s) - started < 8))" 1 'after the time that was given'

# --- CUARBITER_SYSROOT, without the stand-in: another machine's system facts
machine=$geforce path=$wrong
root_alone() { # SETTINGS...
    (
        cd "$app" || exit 99
        LD_LIBRARY_PATH=$path FAKE_ROOT=$geforce XDG_RUNTIME_DIR=$tmp LD_PRELOAD=$shim \
            exec timeout 20 env "$@" "$app/init-dlopen"
    ) 2>&1
}
line=$(root_alone CUARBITER_SYSROOT="$geforce")
is "$(word cuInit "$line") $(file_of "$(word file "$line")")" \
    "0 $(file_of "$right/libcuda.so.1")" 'a root folder: its driver, kernel and GPU'
if [ ! -e /proc/driver/nvidia ] && [ ! -e /dev/nvidiactl ] && [ ! -e /dev/dxg ]; then
    is "$(word cuInit "$(root_alone)")" 804 'no root folder, no NVIDIA here: nothing is done'
    is "$(word cuInit "$(root_alone CUARBITER_SYSROOT=/nowhere)")" 804 'a root folder that is not there'
    is "$(word cuInit "$(root_alone CUARBITER_SYSROOT=relative)")" 804 'no absolute path'
fi
is "$(word cuInit "$(root_alone CUARBITER_SYSROOT="$geforce" CUARBITER_LIBCUDA="$third")")" 77 \
    'never before CUARBITER_LIBCUDA'
root_alone CUARBITER_SYSROOT="$geforce" CUARBITER_LOG=info CUARBITER_LOG_FILE="$tmp/log2" >/dev/null
is "$(grep -c ': info: native: ' "$tmp/log2")" 1 'nor before the log'

# --- an installed shim: the real /etc, and raised privileges
lacks=$(root_misses bullseye)
if [ -n "$lacks" ]; then
    tests_run=$((tests_run + 1))
    echo "ok $tests_run - in a root file system # SKIP $lacks"
    finish
fi
place fake-root
# --- the site file
site() { # TEXT SETTINGS...
    printf '%b\n' "$1" >"$tmp/site"
    shift
    site_as_it_is "$@"
}
site_as_it_is() {
    rm -rf "$tmp/run"
    mkdir "$tmp/run"
    line=$(shimmed "env XDG_RUNTIME_DIR=/mnt/tmp/run $* init-dlopen")
    codes=$(printf '%s\n' "$line" | sed -n 's/^cuarbiter\[[0-9]*\]: warn: \([a-z-]*\): .*/\1/p')
    echo "$(word cuInit "$(printf '%s\n' "$line" | grep '^program=')")${codes:+ $codes}"
}
inside=/mnt/tmp${third#"$tmp"}
is "$(site '')" 0 'an empty site file'
is "$(site 'CUARBITER_POLICY=off')" 804 'the site file sets the policy'
is "$(site 'CUARBITER_POLICY=off' CUARBITER_POLICY=auto)" 0 'the environment goes before it'
is "$(site 'CUARBITER_POLICY=off\nlock=CUARBITER_POLICY' CUARBITER_POLICY=auto)" 804 \
    'but not before a locked key'
is "$(site 'lock=CUARBITER_POLICY' CUARBITER_POLICY=off)" 0 'a locked key without a value'
is "$(site 'lock = CUARBITER_LIBCUDA, CUARBITER_POLICY' CUARBITER_LIBCUDA="$inside" \
    CUARBITER_POLICY=off)" 0 'a list of locked keys'
is "$(site 'lock=CUARBITER_POLICY' CUARBITER_LIBCUDA="$inside")" 77 'the others stay open'
is "$(site "CUARBITER_LIBCUDA=$inside")" 77 'the site file names a libcuda'
is "$(site 'disabled')" 804 'disabled'
is "$(site 'disabled=1' CUARBITER_POLICY=host CUARBITER_LIBCUDA="$inside")" 804 \
    'disabled, whatever the environment says'
is "$(site 'disabled=0')" 0 'disabled=0'
is "$(site '# a comment\n\n  CUARBITER_POLICY = off  # another')" 804 'comments and blanks'
is "$(site 'CUARBITER_POLCY=report')" '804 site-file' 'a slip of the pen: one warning, and off'
is "$(site 'nonsense\nCUARBITER_POLICY=off')" '804 site-file' 'nonsense before a good line'
is "$(site 'nonsense\nCUARBITER_POLICY=auto')" '804 site-file' 'which does not help'
is "$(site 'CUARBITER_POLICY=never')" '804 bad-value' 'a value that is none'
echo CUARBITER_POLICY=auto >"$tmp/site"
chmod 666 "$tmp/site"
is "$(site_as_it_is)" '804 site-file' 'a site file that anybody may write is reported, and not obeyed: off'
chmod 644 "$tmp/site"
chown 65534 "$tmp/site"
is "$(site_as_it_is)" '804 site-file' "nor is another user's"
rm "$tmp/site"
mkfifo "$tmp/site"
like "$(site_as_it_is)" '804*' 'a FIFO in its place blocks nobody'
rm "$tmp/site"
mkdir -p "$tmp/fake/machine/etc"
echo disabled >"$tmp/fake/machine/etc/cuarbiter.conf"
is "$(site_as_it_is CUARBITER_SYSROOT="$machine")" 0 'nor is one that a sysroot has'
rm "$tmp/fake/machine/etc/cuarbiter.conf"
is "$(word cuInit "$(shimmed init-dlopen)")" 0 'installed: no site file'
printf 'disabled\n' >"$tmp/site"
is "$(word cuInit "$(shimmed init-dlopen)")" 804 'installed: disabled'
is "$(shimmed env CUARBITER_LOG=debug init-dlopen | grep -c ': warn: ')" 0 'and not a warning'
printf 'CUARBITER_POLICY=off\nlock=CUARBITER_POLICY\n' >"$tmp/site"
is "$(word cuInit "$(shimmed env CUARBITER_POLICY=host init-linked)")" 804 'installed: locked'
is "$(word cuInit "$(shimmed env CUARBITER_SYSROOT="$machine" init-dlopen)")" 804 \
    'installed: and where a key is locked, a sysroot changes nothing'
printf 'CUARBITER_POLICY=off\n' >"$tmp/site"
is "$(word cuInit "$(shimmed env CUARBITER_SYSROOT="$machine" init-dlopen)")" 804 \
    'installed: a sysroot puts no other site file in its place'
rm "$tmp/site"
user='setpriv --reuid 65534 --clear-groups env TMPDIR=/tmp'
is "$(shimmed "$user CUARBITER_LOG=debug CUARBITER_LIBCUDA=/nowhere raised")" \
    "$(bare "$user raised")" 'raised privileges: no word of the environment, none in the log'
is "$(shimmed "$user CUARBITER_LOG=info init-dlopen" | grep -c 'info: native')" 1 \
    'the same user, not raised'

# Which processes cuarbiter is active in, at debug alone.
said() { shimmed "env CUARBITER_LOG=$1 sh -c 'true; /bin/true'" | grep -c 'debug: active: cuarbiter .* is active in this process'; }
is "$(said debug)" 2 'debug: one line in each process'
is "$(said info)" 0 'and none at info'
is "$(shimmed 'env CUARBITER_LOG=debug CUARBITER_POLICY=off /bin/true')" '' 'none where it is off'
finish
