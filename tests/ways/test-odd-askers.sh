#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs of an unusual environment, command line or name ask as all others do. On fake drivers: a
# compat package, which answers 804 on the machine's GeForce, before the host's driver.
# shellcheck source=tests/ways/lib.sh
. "$(dirname "$0")/lib.sh"
place fake

# asks.py NAME...: what cuInit of each answers; x: it cannot be opened.
cat >"$tmp/asks.py" <<'PYTHON'
import ctypes
import os
import sys
def ask(name):
    try:
        return str(ctypes.CDLL(name.replace('LONG', '/' * 20000)).cuInit(0))
    except OSError:
        return 'x'
    except AttributeError:
        return '-'
print(*map(ask, sys.argv[1:]))
PYTHON
# with.py WHICH COMMAND...: the command with a megabyte of other variables.
cat >"$tmp/with.py" <<'PYTHON'
import os
import sys
more = {'A%03d' % i: 'x' * 5000 for i in range(200)}
one = {'A': 'x' * 10000}
env = {'before': {**more, **os.environ}, 'after': {**os.environ, **more}, 'one': {**one, **os.environ}}
os.execvpe(sys.argv[2], sys.argv[2:], env[sys.argv[1]])
PYTHON

asks() { # COMMAND: the codes of warnings, and its last line
    rm -rf "$tmp/run" && mkdir "$tmp/run"
    shimmed "env XDG_RUNTIME_DIR=$tmp/run $*" |
        sed -n 's/^cuarbiter[^:]*: \(error\|warn\): \([a-z-]*\):.*/\2/p; /^[x0-9-][x0-9 -]*$/p' | tr '\n' ' '
}
interpreter=$(python3 -c 'import sys; print(sys.executable)') # not a wrapper that is a script
python="$interpreter $tmp/asks.py"

is "$(asks "$python" libcuda.so.1)" '0 ' 'a name'
is "$(asks "$python LONG$wrong/libcuda.so.1" libcuda.so.1)" 'x 0 ' \
    'a name that no file can have is no reason to ask no more'
for where in before after one; do
    is "$(asks "$interpreter $tmp/with.py $where $python" libcuda.so.1)" '0 ' "a megabyte of variables, $where"
    is "$(asks "CUARBITER_POLICY=compat CUARBITER_TRIAL=never $interpreter $tmp/with.py $where $python" libcuda.so.1)" \
        'policy-compat 804 ' "and a setting, $where"
done
long=$(printf '%09000d' 0)
for argument in short "$long"; do
    is "$(asks "env -u LD_LIBRARY_PATH $ldso --library-path $path $interpreter" -X "a=$argument" \
        "$tmp/asks.py" libcuda.so.1)" '0 ' "started by ld.so, an argument of ${#argument} characters"
done
if command -v "${CC:-cc}" >/dev/null; then
    folders=$(seq -s ' ' 1 300 | sed 's,[0-9][0-9]*,/opt/a-folder-with-libraries-of-one-package/&/lib,g; s/ /:/g')
    echo 'int one;' | ${CC:-cc} -shared -o "$tmp/long.so" -x c - "-Wl,-rpath,$folders"
    is "$(asks "$python $tmp/long.so" libcuda.so.1)" '- 0 ' "a library with a search path of ${#folders} characters"
    : >"$tmp/tried"
    # The answerer may end by itself, or be ended, where the question has no end.
    first=$(seq -s ' ' 10000 14000 | sed 's,[0-9][0-9]*,/opt/a-folder/&/lib,g; s/ /:/g')
    second=$(seq -s ' ' 20000 24000 | sed 's,[0-9][0-9]*,/opt/a-folder/&/lib,g; s/ /:/g')
    echo 'int one;' | ${CC:-cc} -shared -o "$tmp/endless.so" -x c - "-Wl,-rpath,$first" "-Wl,-rpath,$second"
    while [ "$(wc -l <"$tmp/tried")" -lt 10 ]; do
        echo >>"$tmp/tried"
        shimmed "env LD_PRELOAD=\$LD_PRELOAD:$tmp/endless.so XDG_RUNTIME_DIR=$tmp/run init-dlopen"
    done >"$tmp/tries"
    is "$(sed -n 's/.*: \(no-[a-z]*\): .*/\1/p' "$tmp/tries" | sort | uniq -c | tr -s ' ')" ' 10 no-answer' \
        'a question that cannot be put is not held against the answerer'
fi

many=$(python3 -c 'print(*("CUARBITER_OTHERS%d=%s" % (i, "x" * n) for i, n in enumerate([8000, 8000, 8000, 300, 100, 30])))')
is "$(asks "$many $python" libcuda.so.1)" '0 ' 'settings that are none take no room from the answer'

# The log: a name that leads to a descriptor means the program's.
ln -s /dev/stderr "$tmp/link.log"
logged() { # FILE: what cuInit answers, and whether the redirection is in the log
    rm -f "$tmp/nine"
    out=$(shimmed "env CUARBITER_LOG=info CUARBITER_LOG_FILE=$1 $python libcuda.so.1 9>$tmp/nine")
    echo "$(printf '%s\n' "$out" | tail -n 1) $(printf '%s\n' "$out" | grep -c ': redirect:') $(grep -c ': redirect:' "$tmp/nine")"
}
for file in /dev/stderr /proc/self/fd/2 //dev//stderr "$tmp/link.log"; do
    is "$(logged "$file")" '0 1 0' "the log is ${file##*/cuarbiter-test.}"
done
for file in /dev/fd/9 /proc/self/fd/9 /proc/thread-self/fd/9; do
    is "$(logged "$file")" '0 0 1' "the log is $file"
done
for file in /dev/fd/3 /dev/fd/4 /proc/self/fd/4 /proc/self/task/../fd/4 /proc/./self/fd/4; do
    like "$(logged "$file")" '0 [01] 0' "no line gets into the answer: $file"
done

# In a folder that everybody may write to.
if [ "$(id -u)" = 0 ]; then
    chmod 1777 "$files"
    chown 1234 "$files/cuarbiter-answer"
    is "$(asks "$python" libcuda.so.1)" 'no-answerer 804 ' "a stranger's answerer beside the shim is not executed"
    like "$(shimmed "$files/cuarbiter status" | tr -s '\n ' ' ')" '*cuarbiter-answer and libcuarbiter.so belong to different users*' 'status names it'
    chown 1234 "$files/libcuarbiter.so"
    is "$(asks "$python" libcuda.so.1)" '0 ' "that of the shim's owner is"
    chown 0 "$files/cuarbiter-answer" "$files/libcuarbiter.so"
    chmod 755 "$files"
fi

# Rights that execve would change: nobody is asked, for the answerer would see other files.
cat >"$tmp/rights.py" <<'PYTHON'
import ctypes
import os
import sys
libc = ctypes.CDLL(None)
line = [l for l in open('/proc/self/status') if l.startswith('CapPrm')][0]
permitted = int(line.split()[1], 16)
def set_capabilities(effective, inherited=0):
    low = [word & 0xffffffff for word in (effective, permitted, inherited)]
    high = [word >> 32 for word in (effective, permitted, inherited)]
    words = (ctypes.c_uint32 * 6)(*low, *high)
    if libc.capset((ctypes.c_uint32 * 2)(0x20080522, 0), words):
        sys.exit('capset')
if sys.argv[1] == 'effective':
    set_capabilities(0)
elif sys.argv[1] == 'noroot' and libc.prctl(28, 1, 0, 0, 0):
    sys.exit('securebits')
elif sys.argv[1] in ('kept', 'ambient'):
    libc.prctl(8, 1, 0, 0, 0)
    os.setresuid(1234, 1234, 1234)
    set_capabilities(permitted, permitted)
    for number in range(64) if sys.argv[1] == 'ambient' else ():
        libc.prctl(47, 2, number, 0, 0)
print(ctypes.CDLL('libcuda.so.1').cuInit(0))
PYTHON
if [ "$(id -u)" = 0 ]; then
    is "$(asks "$interpreter" "$tmp/rights.py" none)" '0 ' 'root'
    is "$(asks "$interpreter" "$tmp/rights.py" effective)" '804 ' 'root that put its capabilities aside'
    is "$(asks "$interpreter" "$tmp/rights.py" noroot)" 'no-process 804 ' 'root whose user gives it none'
    is "$(asks "$interpreter" "$tmp/rights.py" kept)" '804 ' 'another user who kept capabilities'
    is "$(asks "$interpreter" "$tmp/rights.py" ambient)" '0 ' 'one who keeps them over execve too'
fi

# Of an environment that is not whole no trial is made: newest takes what the loader has.
make_root "$tmp/a100" --kmd "$kmd" --gpu 'NVIDIA A100-SXM4-80GB' --host-umd "$kmd" --compat 550.54.15 >/dev/null
machine=$tmp/a100
newer=$machine/usr/local/cuda/compat native=$machine/usr/lib/$(uname -m)-linux-gnu
path=$native:$newer
given() { # COMMAND
    rm -rf "$tmp/run" && mkdir "$tmp/run"
    line=$(shimmed "env XDG_RUNTIME_DIR=$tmp/run CUARBITER_POLICY=newest $* init-dlopen" | grep '^program=')
    dirname "$(word file "$line")"
}
is "$(given)" "$newer" 'a trial'
if [ "$(id -u)" = 0 ]; then
    chmod 1777 "$files"
    chown 1234 "$files/cuarbiter"
    is "$(given)" "$native" "none with a stranger's command"
    rm -rf "$tmp/run" && mkdir "$tmp/run"
    like "$(shimmed "env XDG_RUNTIME_DIR=$tmp/run CUARBITER_POLICY=newest CUARBITER_LOG=info init-dlopen 2>&1")" \
        "*info: trial: *: the command cuarbiter belongs to another user*" 'and why'
    mv "$files/cuarbiter" "$files/cuarbiter.away"
    rm -rf "$tmp/run" && mkdir "$tmp/run"
    like "$(shimmed "env XDG_RUNTIME_DIR=$tmp/run CUARBITER_POLICY=newest CUARBITER_LOG=info init-dlopen 2>&1")" \
        "*info: trial: *: the command cuarbiter is missing, or cannot run here*" 'none without the command, and why'
    mv "$files/cuarbiter.away" "$files/cuarbiter"
    chown 0 "$files/cuarbiter"
    chmod 755 "$files"
fi
is "$(given "$interpreter $tmp/with.py one")" "$newer" 'with a long variable'
is "$(given "$interpreter $tmp/with.py after")" "$native" 'none with more variables than are sent'
# One that opens a hundred libcudas, one after the other: for the last ones nothing is decided.
make_root "$tmp/geforce" --kmd "$kmd" --gpu 'NVIDIA GeForce RTX 4090' --host-umd "$kmd" --compat 550.54.15 >/dev/null
machine=$tmp/geforce
for n in $(seq 100); do
    mkdir "$tmp/n$n"
    cp "$machine/usr/local/cuda/compat/libcuda.so.1" "$tmp/n$n/"
done
cat >"$tmp/many.py" <<'EOF'
import ctypes, _ctypes, sys
for n in range(1, 101):
    _ctypes.dlclose(ctypes.CDLL(f'{sys.argv[1]}/n{n}/libcuda.so.1')._handle)
EOF
like "$(CUARBITER_SYSROOT=$machine CUARBITER_LOG=info LD_PRELOAD=$shim "$interpreter" "$tmp/many.py" "$tmp" 2>&1)" \
    '*info: unsure: cuarbiter changes nothing for */n100/libcuda.so.1: it could not find out which libcuda is right*' \
    'one that opens too many says so'
finish
