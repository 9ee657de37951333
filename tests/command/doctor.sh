#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter doctor: what it shows of the processes of a command.
# shellcheck disable=SC1091,SC2016,SC2154
. "$(dirname "$0")/../fixtures/images.sh"
need_files
need_drivers 535.261.03 555.58.02
may_lack jq
doctor="$files/cuarbiter doctor"
old=$drivers/535.261.03 new=$drivers/555.58.02

sees() { # FOLDERS COMMAND...: the report; the command's own output goes to $tmp/out
    folders=$1
    shift
    # shellcheck disable=SC2086
    { LD_LIBRARY_PATH=$folders standin 535.261.03 -- $doctor -- "$@" >"$tmp/out"; } 2>&1
}

if [ "$(getconf GNU_LIBC_VERSION | cut -d. -f2)" -ge 35 ]; then
    for p in dlopen linked default getproc plugin; do
        got=$(sees "$old" "$programs/init-$p")
        like "$got" "*process *: $programs/init-$p
*libcuda *$old/libcuda.so*cuInit *100 CUDA_ERROR_NO_DEVICE*" "init-$p: its libcuda, what it answered"
        got=$(CUARBITER_POLICY=off sees "$new" "$programs/init-$p")
        like "$got" "*libcuda *$new/libcuda.so*cuInit *803 CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:*" \
            "init-$p: a driver that does not fit"
    done
    that 'what a code means: once' "$(CUARBITER_POLICY=off sees "$new" \
        sh -c "$programs/init-dlopen; echo 'Error 803' >&2" | grep -c '803 CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:')" 1
    got=$(CUARBITER_POLICY=off sees "$new" "$programs/init-dlopen" | tr -s '\n ' '  ')
    like "$got" '*why *cuarbiter changed nothing. CUARBITER_POLICY is off*What to do: Unset CUARBITER_POLICY*' \
        'switched off: it says so'
    if [ -e /proc/driver/nvidia ] || [ -e /dev/nvidiactl ] || [ -e /dev/dxg ]; then
        ok 'no driver: it says so # SKIP this machine has one'
    else
        got=$(LD_LIBRARY_PATH=$new $doctor -- "$programs/init-dlopen" 2>&1 | tr -s '\n ' '  ')
        like "$got" '*why *cuarbiter changed nothing. No NVIDIA kernel driver*What to do: Start the container with the GPU*' \
            'no driver: it says so, and what helps'
    fi
    make_root "$tmp/none" --kmd 535.261.03 --gpu 'Tesla T4' >/dev/null
    got=$(CUARBITER_SYSROOT=$tmp/none $doctor -- "$programs/init-dlopen" 2>&1 | tr -s '\n ' '  ')
    like "$got" '*libcuda none was loaded why *no-umd: *Mount the compute libraries*' 'no libcuda: it says so, and what helps'
    that 'nothing about a cuInit that no file has' "$(echo "$got" | grep -c 'could not be watched')" 0
    got=$(sees "$old" sh -c "$programs/init-dlopen; $programs/init-linked; true")
    LD_LIBRARY_PATH=$old standin 535.261.03 -- $doctor --json --output "$tmp/json" -- "$programs/init-dlopen" >/dev/null 2>"$tmp/err"
    that 'as JSON' "$(jq -c '[.schema, .exit, (.processes[0]|[.shim, .cuInit[0].code, .cuInit[0].name])]' "$tmp/json")" \
        '[1,0,[true,100,"CUDA_ERROR_NO_DEVICE"]]'
    that 'and nothing else' "$(cat "$tmp/err")" ''
    that 'as JSON, behind what the command printed' \
        "$(LD_LIBRARY_PATH=$old standin 535.261.03 -- $doctor --json -- sh -c 'echo first; exit 7' | sed 1d | jq .exit)" 7
    that 'each process of a command' "$(printf '%s\n' "$got" | grep -c '^process ')" 2
    like "$got" '*opened no libcuda*' 'those without a libcuda are counted'
else
    like "$(sees "$old" "$programs/init-dlopen")" '*can be seen with glibc 2.35 or later*' \
        'an old glibc: says that it cannot see'
fi

# A library whose GPU code the driver is too old for, and one that it takes.
if [ "$(getconf GNU_LIBC_VERSION | cut -d. -f2)" -ge 35 ] && command -v gcc >/dev/null; then
    for ptx in 7 2; do
        python3 -c 'import sys; sys.path.insert(1, sys.argv[1])
from made import *
sys.stdout.buffer.write(fatbin(entry(PTX, 80, (8, int(sys.argv[2])))))' "$tree/tests/code" $ptx >"$tmp/fatbin"
        echo ".section .nv_fatbin, \"a\"; .align 8; .incbin \"$tmp/fatbin\"" | gcc -shared -nostdlib -x assembler -o "$tmp/ptx8$ptx.so" -
        got=$(preload=$tmp/ptx8$ptx.so sees "$old" "$programs/init-dlopen" | tr -s '\n ' '  ')
        that "what was found against the code of what it had mapped: PTX 8.$ptx" \
            "$(echo "$got" | grep -c "GPU code of 1 GPU code modules 1 fail with error 222 and 0 with 200, 0 can run: $tmp/ptx8$ptx.so")" \
            "$([ $ptx = 7 ] && echo 1 || echo 0)"
    done
    preload=$tmp/ptx87.so LD_LIBRARY_PATH=$old standin 535.261.03 -- $doctor --json --output "$tmp/json" -- "$programs/init-dlopen" >/dev/null 2>&1
    that 'as JSON' "$(jq -r '.processes[0].code[0].path' "$tmp/json")" "$tmp/ptx87.so"
else
    missing 'what was found against GPU code' 'needs glibc 2.35 and gcc'
fi

# A runtime that loads libcuda again and again, as one does that first looks which driver there is.
if [ "$(getconf GNU_LIBC_VERSION | cut -d. -f2)" -ge 35 ] && command -v gcc >/dev/null; then
    cat >"$tmp/thrice.c" <<'END'
#include <dlfcn.h>
#include <stddef.h>
int main(void)
{
    int (*get)(const char *name, void **out, int version, unsigned long long flags);
    int (*init)(unsigned flags) = NULL;
    void *handle = NULL;
    for (int i = 0; i < 3; i++) {
        if (handle)
            dlclose(handle);
        if (!(handle = dlopen("libcuda.so.1", RTLD_NOW)))
            return 1;
    }
    *(void **)&get = dlsym(handle, "cuGetProcAddress");
    if (get("cuInit", (void **)&init, 11030, 0))
        return 1;
    init(0);
    return 0;
}
END
    gcc "$tmp/thrice.c" -o "$tmp/thrice" -ldl
    # By itself: under the stand-in for a machine libcuda is not unloaded.
    like "$(CUARBITER_POLICY=off LD_LIBRARY_PATH=$old $doctor -- "$tmp/thrice" 2>&1)" '*cuInit *[0-9] *ended with exit code 0*' \
        'cuInit by cuGetProcAddress of a libcuda that is loaded for the third time'
else
    missing 'a libcuda that is loaded for the third time' 'needs glibc 2.35 and gcc'
fi

# A folder that a user may not read.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    cp -r "$files" "$tmp/closed" && chmod 700 "$tmp/closed"
    for folder in closed files; do
        got=$("$tmp/$folder/cuarbiter" doctor -- setpriv --reuid 65534 --clear-groups /bin/true 2>&1)
        that "a program whose user may not read the shim's folder: $folder" "$?, $(echo "$got" | grep -c "chmod -R a+rX $tmp/$folder")" \
            "0, $(echo $folder | grep -c closed)"
    done
else
    missing 'a program whose user may not read the shim' 'not root, or no setpriv here'
fi

# A reason that is a warning comes once a container by itself, and each time that doctor is asked.
kmd_is() {
    # shellcheck disable=SC2086
    { LD_LIBRARY_PATH=$old XDG_RUNTIME_DIR=$tmp/run standin 555.58.02 -- "$@" >"$tmp/out"; } 2>&1
}
mkdir -m 700 "$tmp/run"
for time in first second; do
    like "$(kmd_is $doctor -- "$programs/init-dlopen")" '* why *535.261.03 is older than the kernel driver*' \
        "doctor shows the reason: the $time time"
done
warns() { preload=$files/libcuarbiter.so kmd_is env "$@" "$programs/init-dlopen" | grep -c 'warn: '; }
is "$(warns) $(warns) $(warns CUARBITER_LOG=info) $(warns CUARBITER_LOG=info)" '1 0 1 1' \
    'a warning: once a container, at info each time'

# With the shim at work: a linked program is executed again, and reported once, as it ended up.
if [ "$(id -u)" = 0 ] && [ -e "$roots/bookworm/.complete" ]; then
    root=$tmp/root
    copy_root bookworm "$root"
    lay_out "$root" 535.261.03 555.58.02
    cp -r "$files" "$root/opt/cuarbiter"
    cp "$programs/init-linked" "$programs/init-dlopen" "$root/opt/"
    for p in linked dlopen; do
        got=$(in_root "$root" 555.58.02 /opt/cuarbiter/cuarbiter doctor "/opt/init-$p" 2>&1)
        that "init-$p with the shim: reported once" "$(printf '%s\n' "$got" | grep -c '^process ')" 1
        like "$got" "*libcuda *libcuda.so.*why *native: *cuInit *100 *" \
            "init-$p with the shim: which it got, why, what it answered"
    done
    that 'init-linked with the shim: not counted as without libcuda' "$(in_root "$root" 555.58.02 \
        /opt/cuarbiter/cuarbiter doctor /opt/init-linked 2>&1 | grep -c 'opened no libcuda')" 0
    that 'init-linked with the shim: executed again' "$(in_root "$root" 555.58.02 \
        /opt/cuarbiter/cuarbiter doctor /opt/init-linked 2>&1 | grep -c ' exec: ')" 1
    # At that time, under an audit module, libc has no tables of characters yet.
    echo ' CUARBITER_TRIAL = never ' >"$root/etc/cuarbiter.conf"
    like "$(in_root "$root" 555.58.02 /opt/cuarbiter/cuarbiter doctor /opt/init-linked 2>&1)" \
        '* exec: *cuInit *100 *' 'init-linked with the shim: a site file is read'
else
    missing 'doctor with the shim at work' 'needs root and scripts/fetch-roots bookworm'
fi

# Without a folder for its temporary files.
writable='for f in /tmp /var/tmp /dev/shm; do mount --bind $f $f && mount -o remount,bind,ro $f || exit; done; unset TMPDIR'
if [ "$(id -u)" = 0 ] && unshare -m sh -c "$writable" 2>/dev/null; then
    like "$(unshare -m sh -c "$writable"'; exec "$@"' sh $doctor true 2>&1)" \
        'cuarbiter: doctor: cannot write temporary files: needs one of $TMPDIR, /tmp, /var/tmp, /dev/shm that is writable, *' \
        'no folder for temporary files'
else
    missing 'no folder for temporary files' 'no mount namespace'
fi

$doctor --json --output "$tmp/nowhere/json" -- true 2>/dev/null
is "$? $($doctor --help | grep -c 'FILE does not exist')" '0 0' 'a FILE that cannot be written: the exit code is the command'\''s'
that "the command's own output" "$(sees "$old" echo hello 2>/dev/null >/dev/null; cat "$tmp/out")" hello
like "$(sees "$old" sh -c 'echo mine >&2')" 'mine
*' "the command's messages come through"
like "$(sees "$old" true)" '*ended with exit code 0*' 'a command without a libcuda'
for code in 0 1 42; do
    sees "$old" sh -c "exit $code" >/dev/null
    that "exit code $code" $? $code
done
sees "$old" /no/such/command >/dev/null
that 'a command that is not there' $? 127
sees "$old" /etc/passwd >/dev/null
that 'a file that is no program' $? 126
$doctor 2>/dev/null
that 'no command is usage' $? 2
sees "$old" sh -c 'kill -9 $$' >/dev/null
that 'killed by a signal' $? 137
like "$(timeout 10 sh -c '. "$0"; '"$doctor"' -- sh -c "sleep 15 & echo \$!" 2>&1' /dev/null)" \
    '*ended with exit code 0*' 'a process left behind is not waited for'

ignoring() { # COMMAND...: with SIGCHLD ignored, which dash cannot
    python3 -c 'import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execvp(sys.argv[1], sys.argv[1:])' "$@" 2>/dev/null
    echo $?
}
that 'the exit code where SIGCHLD is ignored, as it stays for the command' \
    "$(ignoring $doctor -- python3 -c 'import signal; print(signal.getsignal(signal.SIGCHLD).name); exit(42)' | sed -n '1p;$p')" 'SIG_IGN
42'
if command -v gcc >/dev/null; then
    printf '#include <errno.h>\nint ppoll(void)\n{\n    errno = EPERM;\n    return -1;\n}\n' |
        gcc -shared -fPIC -x c -o "$tmp/noppoll.so" -
    like "$(LD_PRELOAD=$tmp/noppoll.so $doctor -- sh -c 'echo mine >&2; exit 42' 2>&1; echo $?)" \
        'mine
*ended with exit code 42.
42' 'the exit code where ppoll fails, as in a sandbox'
else
    missing 'ppoll that fails' 'no gcc here'
fi

for near in "$files/libcuarbiter.so.old" "$tmp$files/libcuarbiter.so"; do
    that "the shim is added to an LD_PRELOAD that has a name like it: $near" \
        "$(LD_PRELOAD=$near $doctor -- sh -c 'echo "$LD_PRELOAD"' 2>/dev/null | head -n 1)" "$near:$files/libcuarbiter.so"
done
that 'but not twice' "$(LD_PRELOAD="$tmp/none $files/libcuarbiter.so" $doctor -- sh -c 'echo "$LD_PRELOAD"' 2>/dev/null |
    head -n 1)" "$tmp/none $files/libcuarbiter.so"

named() { # MESSAGE...: what doctor says that these lines name
    sees "$old" sh -c 'printf "%s\n" "$@" >&2' sh "$@" | sed -n '/^CUDA errors in the command.s output/,/^The command ended/p'
}
# Every row of the table that has to do with drivers, in each of the ways in which programs name it.
tab=$(printf '\t')
while IFS=$tab read -r code driver runtime message meaning _; do
    case $code:$meaning in '#'*|0:*|*:-) continue ;; esac
    set --
    [ "$driver" = - ] || set -- "$@" "$driver"
    [ "$runtime" = - ] || set -- "$@" "RuntimeError: $runtime"
    [ "$message" = - ] || set -- "$@" "RuntimeError: CUDA error: ${message%.}"
    bad=
    for line in "$@" "app: cuInit: error $code." "cudaGetDeviceCount() returned $code"; do
        case $(named "$line" | tr -s '\n ' '  ') in
        *"output: $code $driver"*|*"output: $code $runtime"*) ;;
        *) bad="$bad; $line" ;;
        esac
    done
    that "$code is found, however a program names it" "$bad" ''
done <"$tree/data/errors.tsv"
for row in '803:Unexpected error from cudaGetDeviceCount(). Error 803: system has unsupported display driver / cuda driver combination' \
    '999:CUDA driver error: unknown error' '803:error 803.' \
    'undefined symbol:x: symbol lookup error: y: undefined symbol: cuStreamBatchMemOp_v2'; do
    like "$(named "${row#*:}")" "*${row%%:*}*" "${row%%:*} is explained: ${row#*:}"
done
for quiet in 'port 803 is open' 'step 100/999' 'undefined symbol: cublasCreate' 'HTTP error 500' \
    'returned 200' 'rm: operation not permitted' 'unknown error' 'error 8.03' 'no error' \
    'CUDA error: operation not permitted when stream is capturing'; do
    that "says nothing about: $quiet" "$(named "$quiet")" ''
done
grep -v '^#' "$tree/data/errors.tsv" | awk -F '\t' '$5 == "-" && $1 != 300 {print "CUDA error: " $4}' >"$tmp/others"
that 'and nothing about errors that have nothing to do with drivers' "$(named "$(cat "$tmp/others")")" ''
that 'leaves nothing behind' "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'cuarbiter-doctor.*' -newer "$files")" ''
finish
