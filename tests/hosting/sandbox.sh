#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs that lock themselves in, and open libraries then: as bare. The list of system calls that
# docs/sandboxes.md names is the one that is tested here.
# shellcheck source=tests/fixtures/private.sh
. "$(dirname "$0")/../fixtures/private.sh"

"$built/sandbox" none -- libm.so.6 >/dev/null || exit 99
"$built/sandbox" kill -- >/dev/null || cannot 'no seccomp here'
known_machine "$tmp/machine"
cp "$built/libneed.so" "$built/libplain.so" "$tmp/"
export XDG_RUNTIME_DIR="$tmp/run"
LD_LIBRARY_PATH="$tmp/machine/usr/local/cuda/compat:$tmp"
export LD_LIBRARY_PATH

both() { # NAME KIND WORD...
    name=$1
    shift
    bare=$("$@" 2>&1 || echo "status $?")
    # shellcheck disable=SC2097,SC2098 # the program's, not this shell's
    is "$(CUARBITER_SYSROOT=$tmp/machine LD_PRELOAD=$tmp/home/libcuarbiter.so "$@" 2>&1 ||
        echo "status $?")" "$bare" "$name"
}

s=$built/sandbox
z=$(ldconfig -p 2>/dev/null | sed -n 's/.*libz.so.1 (.*64).* => //p' | head -n 1)
for before in '' libz.so.1 libcuda.so.1; do
    # Of a file that was chosen the shim asks whether it is still the same, which strict mode kills.
    again=${before#libcuda.so.1}
    # shellcheck disable=SC2086
    both "strict, ${before:-nothing} before: what is mapped" "$s" strict libm.so.6 "$tmp/libplain.so" $before -- \
        libc.so.6 libm.so.6 ?libm.so.6 '?libc.so.6' "$tmp/libplain.so" \
        "?$tmp/libplain.so" $again ${again:+"?$again"}
    for kind in kill EPERM ENOSYS; do
        # shellcheck disable=SC2086
        both "$kind, ${before:-nothing} before: as allowed bare" "$s" "$kind" $before -- libm.so.6 libz.so.1 \
            "$tmp/libplain.so" libplain.so libnone.so "$tmp/none.so" ${z:+"$z"} ?libcuda.so.1 '?libnone.so'
        # Its needs are not mapped: the shim looks for them.
        both "$kind, ${before:-nothing} before: what brings something" "$s" "$kind" $before -- libplain.so
    done
done
c=$(ldd "$s" | sed -n "s,.*libc.so.6 => \\([^ ]*\\).*,\\1,p")
both 'strict, libcuda before: what is mapped, by a path that was never looked for' "$s" strict libcuda.so.1 -- "$c"
both 'kill: libcuda, which was chosen before' "$s" kill libcuda.so.1 -- libcuda.so.1 ?libcuda.so.1
# No process is started under a filter of the program's own: libcuda as bare, and no end.
for kind in kill EPERM ENOSYS; do
    both "$kind: libcuda" "$s" "$kind" -- libcuda.so.1 libcuda.so.1
    like "$(CUARBITER_SYSROOT=$tmp/machine LD_PRELOAD=$tmp/home/libcuarbiter.so "$s" "$kind" -- \
        libnvidia-ml.so.1 2>&1 || echo "status $?")" '*, libnvidia-ml.so.1 *opened, ' \
        "$kind: a kernel-bound library"
done

# Where nobody can be asked, nothing is reported: neither as missing, nor that it was not asked.
is "$(CUARBITER_LOG=info CUARBITER_SYSROOT=$tmp/machine LD_PRELOAD=$tmp/home/libcuarbiter.so \
    "$s" log -- libcuda.so.1 2>&1)" '?libnone.so not opened, libcuda.so.1 opened, ' \
    'a sandbox in which log lines could be written: none is'

# With a driver's device, which the shim looks for by itself.
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    with_device() {
        # shellcheck disable=SC2016
        unshare -m sh -c 'mount -t tmpfs -o mode=755 none /dev && : >/dev/nvidiactl && exec "$@"' sh "$@"
    }
    for kind in kill EPERM ENOSYS; do
        bare=$("$s" "$kind" -- libz.so.1 libplain.so "$tmp/libplain.so" libnone.so)
        is "$(with_device env LD_PRELOAD="$tmp/home/libcuarbiter.so" "$s" "$kind" -- libz.so.1 \
            libplain.so "$tmp/libplain.so" libnone.so 2>&1)" "$bare" "$kind, a device"
    done
    is "$(with_device env LD_PRELOAD="$tmp/home/libcuarbiter.so" "$s" few -- "${z:-libm.so.6}" 2>&1)" \
        "$("$s" few -- "${z:-libm.so.6}")" 'few, a device: by path'
    is "$(with_device env LD_PRELOAD="$tmp/home/libcuarbiter.so" "$s" strict libz.so.1 libm.so.6 -- libz.so.1 \
        libm.so.6 2>&1)" '?libnone.so not opened, libz.so.1 opened, libm.so.6 opened, ' 'strict, a device'
fi
# What docs/sandboxes.md says to allow: the first list is the one that was tested above, both together are
# all that a decision with a trial takes, and nothing that usual lists forbid.
need_tool python3
python3 -c '
import json, re, sys
for block in re.findall("```json\n(.*?)```", open(sys.argv[1]).read(), re.S):
    print(*sorted(json.loads(block)["names"]))' "$tree/docs/sandboxes.md" >"$tmp/json"
is "$(head -n 1 "$tmp/json" | tr ' ' '\n')" "$("$s" PRINT | sort)" 'the first list is the tested one'
tr ' ' '\n' <"$tmp/json" | sort >"$tmp/allowed"
if tracing "a decision's calls"; then
    rm -rf "$tmp/machine"
    make_root "$tmp/machine" --kmd 535.161.07 --gpu 'NVIDIA Unknown 9999' --host-umd 535.161.07 \
        --compat 550.54.15 >/dev/null
    : >"$tmp/made"
    # What traces the program does not see the answerer, which gets a tracer of its own.
    mkdir "$tmp/answers"
    mv "$tmp/home/cuarbiter-answer" "$tmp/home/untraced"
    printf '#!/bin/sh\nexec %s -f -qq -o %s/$$ %s\n' "$(command -v strace)" "$tmp/answers" "$tmp/home/untraced" \
        >"$tmp/home/cuarbiter-answer"
    chmod 755 "$tmp/home/cuarbiter-answer"
    calls_of() { # FILE...: the calls made
        cat "$@" | sed 's/^[0-9]* *//; /^[-+<]/d; s/(.*//'
    }
    for setting in TRIAL=always TRIAL=never LOG=debug "LOG_FILE=$tmp/log" POLICY=host POLICY=compat; do
        rm -rf "$tmp/run/cuarbiter"
        strace -f -qq -o "$tmp/trace" -E "CUARBITER_$setting" -E CUARBITER_SYSROOT="$tmp/machine" \
            -E FAKE_ROOT="$tmp/machine" -E LD_PRELOAD="$tmp/home/libcuarbiter.so" \
            "$s" none -- libcuda.so.1 libplain.so libnvidia-ml.so.1 >/dev/null 2>&1
        calls_of "$tmp/trace" "$tmp/answers/"* >>"$tmp/made"
    done
    like "$(sort -u "$tmp/made" | tr '\n' ' ')" '*clone*execve*getdents64*wait4*' 'an answerer was traced'
    like "$(cat "$tmp/answers/"*)" '*execve("*/home/cuarbiter"*' 'a driver was tried'
    is "$(sort -u "$tmp/made" | comm -23 - "$tmp/allowed")" '' 'a decision makes no other call than the page names'
    # In a thread, whose own calls the bare run shows.
    in_thread() { # LD_PRELOAD: the calls made
        strace -f -qq -o "$tmp/trace" -E CUARBITER_SYSROOT="$tmp/machine" -E LD_PRELOAD="$1" \
            "$built/lent-stack" thread libcuda.so.1 >/dev/null 2>&1
        calls_of "$tmp/trace" | sort -u
    }
    in_thread '' | sort -u - "$tmp/allowed" >"$tmp/allowed-thread"
    in_thread "$tmp/home/libcuarbiter.so" >"$tmp/made"
    like "$(tr '\n' ' ' <"$tmp/made")" '*waitid*' 'a question in a thread'
    is "$(comm -23 "$tmp/made" "$tmp/allowed-thread")" '' 'nor does one in a thread'
fi
profile=/usr/share/containers/seccomp.json
if [ -e "$profile" ]; then
    is "$(python3 -c '
import json, sys
for rule in json.load(open(sys.argv[1]))["syscalls"]:
    if rule["action"] == "SCMP_ACT_ALLOW":
        print(*rule["names"], sep="\n")' "$profile" | sort -u | comm -13 - "$tmp/allowed")" '' \
        "all of it is allowed by $profile"
fi
if command -v systemd-analyze >/dev/null; then
    names() { # SET: what is in it, and in the sets that are in it
        systemd-analyze syscall-filter "$1" | sed -n 's/^    \([@a-z]\)/\1/p' | while read -r name; do
            case $name in
            @*) names "$name" ;;
            *) echo "$name" ;;
            esac
        done
    }
    # Every list of systemd's has @default in it.
    is "$({ names @system-service && names @default; } | sort -u | comm -13 - "$tmp/allowed")" '' \
        "all of it is in systemd's @system-service"
fi
finish
