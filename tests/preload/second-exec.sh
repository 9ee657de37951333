#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program linked with the wrong libcuda is executed again with the right one, and neither it nor
# its children can tell.
#
#   second-exec.sh BEHAVIOUR
#
# Built for it: the programs, the wrong libcuda.so.1 and libcuda-right.so.
# shellcheck disable=SC2317 # the functions are called by the behaviour's name
# shellcheck source=tests/fixtures/lib.sh
. "$(dirname "$0")/../fixtures/lib.sh"
unset MALLOC_PERTURB_ # meson's own

behaviour=${1:?behaviour}
linked=$built/program-linked
mkdir "$tmp/home" "$tmp/other" "$tmp/right" "$tmp/place"
ln -s "$shim" "$tmp/home/libcuarbiter.so"
ln -s "$built/fake-answerer" "$tmp/home/cuarbiter-answer"
cp "$built/libcuda-right.so" "$tmp/right/libcuda.so.1"
cp "$built/libleaf.so" "$tmp/other/libcuarbiter.so"
s=$tmp/home/libcuarbiter.so
right=$tmp/right/libcuda.so.1
cd "$tmp/place" || exit 99
export CUARBITER_SYSROOT=/nonexistent CUA_FAKE_LOG="$tmp/asked"
export CUA_FAKE_TABLE="linked * exec $right"

# The two runs differ in the preloaded file's name, and in who.
plain() {
    sed -e "s,$tmp/other,HOME,g; s,$tmp/home,HOME,g" -e 's/^who [12]/who N/' \
        -e '/^\(proc\|environ\) \(_\|FAKETIME_SHARED\)=/d'
}

asked() {
    [ ! -e "$tmp/asked" ] || wc -l <"$tmp/asked"
}

# A command with the preloaded file in the place of SHIM in its words; functions go by $preload.
one_run() { # PRELOAD COMMAND...
    export preload="$1"
    shift
    for word; do
        shift
        case $word in *SHIM*) word=${word%%SHIM*}$preload${word#*SHIM} ;; esac
        set -- "$@" "$word"
    done
    "$@" 2>&1
    echo "status $?"
}

run_both() { # COMMAND...
    (one_run "$tmp/other/libcuarbiter.so" "$@") >"$tmp/bare"
    rm -f "$tmp/asked"
    (one_run "$s" "$@") >"$tmp/shimmed"
    plain <"$tmp/bare" >"$tmp/bare.plain"
    plain <"$tmp/shimmed" >"$tmp/shimmed.plain"
    difference=$(diff "$tmp/bare.plain" "$tmp/shimmed.plain")
}

# $most runs, for what is not the same in any two bare runs either.
same() { # NAME COMMAND...
    tries=${most:-1} name=$1
    shift
    until run_both "$@" || [ "$((tries -= 1))" = 0 ]; do :; done
    if [ -z "$difference" ]; then
        ok "$name: as bare"
    else
        not_ok "$name: as bare" "$difference"
    fi
    is "$(grep '^who' "$tmp/bare" | sort -u)" 'who 2, constructed 1' "$name: bare, the wrong one"
    is "$(grep '^who' "$tmp/shimmed" | sort -u)" 'who 1, constructed 1' "$name: shimmed, the right one"
}

inside() { # FOLDER COMMAND...
    cd "$1" && shift && "$@"
}

relative() {
    inside "${preload%/*}" env LD_PRELOAD=./libcuarbiter.so "$linked" child
}

behave_directly() { # ASSIGNMENT...
    same 'by path' env LD_PRELOAD=SHIM "$linked" 'a b' '' c
    same 'with a child' env LD_PRELOAD=SHIM "$linked" child
    same 'empty environment' env -i LD_PRELOAD=SHIM "$@" "$linked" child
    same 'by PATH' env LD_PRELOAD=SHIM PATH="$built" program-linked child
    same 'from a folder' inside "$built" env LD_PRELOAD=SHIM ./program-linked child
    same 'preloaded by a relative path' relative
    same 'beside another' env LD_PRELOAD="$built/libdefiner1.so:SHIM" "$linked" child
    same 'separators at the end' env LD_PRELOAD='SHIM: :' "$linked" child
    same 'colons in a row' env LD_PRELOAD="$built/libdefiner1.so::SHIM" "$linked" child
    same 'LD_LIBRARY_PATH' env LD_PRELOAD=SHIM LD_LIBRARY_PATH=/usr/lib "$linked" child
}

behave_memfd() {
    same 'without a name' env LD_LIBRARY_PATH="$built" "$built/program-by-memfd" SHIM "$linked" x
}

behave_link() {
    ln -s "$linked" other-name
    same 'through a link' env LD_PRELOAD=SHIM ./other-name child
    same 'through a link by PATH' env LD_PRELOAD=SHIM PATH=. other-name child
}

# shellcheck disable=SC2016
behave_exec_a() {
    need_tool bash
    same 'exec -a' bash -c 'LD_PRELOAD=$preload exec -a other "$1" child' bash "$linked"
    same 'exec -a, nothing' bash -c 'LD_PRELOAD=$preload exec -a "" "$1" x' bash "$linked"
}

behave_loader() {
    loader=$(readelf -lW "$linked" | sed -n 's/.*interpreter: \(.*\)]/\1/p')
    same 'explicit loader' env LD_PRELOAD=SHIM "$loader" "$linked" 'a b' '' c
    same 'explicit loader, relative' inside "$built" env LD_PRELOAD=SHIM "$loader" ./program-linked x
    same 'with its options' "$loader" --preload SHIM --library-path /usr/lib "$linked" x
    same 'with argv[0]' env LD_PRELOAD=SHIM "$loader" --argv0 other "$linked" x
}

unnamed() ( # COMMAND...: what happens to the file between its opening and its execution
    cp "$linked" gone
    exec 9<gone
    "$@"
    LD_PRELOAD=$preload exec /dev/fd/9 x
)

behave_deleted() {
    cp "$built/libcuda.so.1" .
    same 'deleted' unnamed rm gone
    same 'replaced' unnamed cp --remove-destination /bin/false gone
}

behave_script() {
    printf '#!%s -x\nnothing\n' "$linked" >script
    chmod +x script
    same 'script' env LD_PRELOAD=SHIM ./script a b
    mv script a-script-with-a-long-name
    same 'script with a long name' env LD_PRELOAD=SHIM ./a-script-with-a-long-name a b
}

without_input() {
    "$@" <&-
}

with_numbers() {
    # shellcheck disable=SC2046
    env LD_PRELOAD="$preload" "$linked" $(seq -s ' ' 5000)
}

behave_descriptors() {
    same 'descriptors' env LD_PRELOAD=SHIM "$linked" child 5</dev/null 9>"$tmp/x"
    same 'closed ones' without_input env LD_PRELOAD=SHIM "$linked" child
    same 'ignored signals' env --ignore-signal=HUP,USR1 LD_PRELOAD=SHIM "$linked" child
    same 'many arguments' with_numbers
    same 'large environment' env "long=$(seq -s, 20000)" LD_PRELOAD=SHIM "$linked" child
}

behave_refused() {
    LD_PRELOAD=$s "$built/program-no-exec" "$linked" plain >out 2>err
    status=$?
    [ "$status" != 77 ] || cannot 'no seccomp here'
    is "$(cat out)" 'who 2, constructed 1' 'goes on as it is'
    # Nor could the answerer be executed; and what confines a program is asked no more than that.
    is "$(cat err)" constructor 'and nothing is printed'
}

behave_unsayable() {
    for path in 'a folder' 'a:folder' 'a$built'; do
        mkdir "$tmp/$path"
        cp "$right" "$tmp/$path/"
        CUA_FAKE_TABLE="linked * exec $tmp/$path/libcuda.so.1" LD_PRELOAD=$s "$linked" plain \
            >out 2>err
        is "$(cat out)" 'who 2, constructed 1' "$path: goes on as it is"
        is "$(grep -c '^cuarbiter: no-second-exec:' err)" 1 "$path: one line says why"
    done
}

behave_once() {
    LD_PRELOAD=$s CUA_FAKE_TABLE="linked * exec $tmp/none/libcuda.so.1" "$linked" plain >out 2>err
    is "$(cat out)" 'who 2, constructed 1' 'a file that is not there: goes on'
    is "$(asked)" 1 'and is not executed a third time'
    rm -f "$tmp/asked"
    LD_PRELOAD=$s CUA_FAKE_TABLE="linked * leave" "$linked" plain >out 2>err
    is "$(cat out)" 'who 2, constructed 1' 'left alone'
    if tracing 'how often'; then
        strace -f -e trace=execve -o trace env LD_PRELOAD="$s" "$linked" plain >out 2>err
        is "$(grep -c 'execve(.*= 0' trace)" 3 'env, the program, the program again'
    fi
}

behave_opened() {
    got=$("$built/program-open-shim" "$s")
    is "$got" 'who 2, shim opened, arguments 2
closed 0' 'a shim that was opened executes nothing'
    is "$(asked)" '' 'and asks nothing'
}

behave_other_preload() {
    for list in "$s:$built/needs-libcuda.so" "$built/needs-libcuda.so:$s"; do
        rm -f "$tmp/asked"
        is "$(LD_PRELOAD=$list /bin/cat /proc/self/maps |
            sed -n 's/.* //; /libcuda.so.1/p' | uniq), $(asked)" "$right, 1" \
            'libcuda that only another preload needs'
        LD_PRELOAD=$list "$linked" plain >out 2>err
        is "$(cat out)" 'who 1, constructed 1' 'one that the program needs too'
    done
    rm -f "$tmp/asked"
    LD_PRELOAD=$s:$built/libcuda.so.1 /bin/true
    is "$?, $(asked)" '0, ' 'libcuda that is itself preloaded, and that nobody needs, starts nothing'
}

behave_through_library() {
    LD_PRELOAD=$s "$built/program-through-library" >out
    is "$(cat out)" 1 'libcuda that a linked library needs'
}

# The shim first and last beside other preloads.
behave_beside() {
    for other in "$built/needs-libcuda.so" libjemalloc.so.2 libtcmalloc_minimal.so.4 \
        faketime/libfaketime.so.1 libeatmydata.so.1; do
        case $other in
        /*) ;;
        *) other=/usr/lib/$(uname -m)-linux-gnu/$other ;;
        esac
        [ -e "$other" ] || {
            echo "# not here: ${other##*/}"
            continue
        }
        # libfaketime names its shared memory by process ids and leaves it behind: a bare run that
        # meets another's, one in fifty here, has other descriptors.
        most=1
        [ "${other##*/}" != libfaketime.so.1 ] || most=5
        same "before ${other##*/}" env LD_PRELOAD="SHIM:$other" "$linked" child
        same "behind ${other##*/}" env LD_PRELOAD="$other:SHIM" "$linked" child
    done
}

# What a constructor before the shim's has begun: exec ends its thread and closes what it can.
behave_early() {
    first=$built/early-start.so
    LD_PRELOAD=$tmp/other/libcuarbiter.so:$first "$linked" x >bare 2>&1
    LD_PRELOAD=$s:$first "$linked" x >shimmed 2>&1
    is "$(grep -c '^early' bare) $(grep -c '^early' shimmed)" '1 2' 'it runs before the second exec'
    is "$(grep '^who' shimmed | sort -u)" 'who 1, constructed 1' 'the right one'
    is "$(grep '^Threads' shimmed)" "$(grep '^Threads' bare)" 'as many threads as bare'
    is "$(grep -c '^fd .* 1$' shimmed)" "$(grep -c '^fd .* 1$' bare)" \
        'as many descriptors that exec closes'
    is "$(($(grep -c '^fd .* 0$' shimmed) - $(grep -c '^fd .* 0$' bare)))" 1 \
        'one that exec keeps is there twice'
}

# A libcuda that ld.so cannot load: one complaint, and the program goes on with the one it has.
behave_unloadable() {
    ln -s loop loop
    : >empty
    mkdir folder
    cp "$right" class
    printf '\001' | dd of=class bs=1 seek=4 conv=notrunc 2>/dev/null
    for target in loop empty folder class; do
        rm -f "$tmp/asked"
        CUA_FAKE_TABLE="linked * exec $tmp/place/$target" LD_PRELOAD=$s "$linked" plain >out 2>err
        is "$?, $(cat out)" '0, who 2, constructed 1' "$target: goes on as it is"
        is "$(asked) $(grep -c "$target.*ignored\|^cuarbiter: no-second-exec:.*$target" err)" '1 1' \
            "$target: logged, once"
    done
    [ "$(id -u)" = 0 ] || return 0
    chmod 755 "$tmp" "$tmp/place" "$tmp/home" "$tmp/right"
    cp "$right" unreadable
    chmod 600 unreadable
    cp "$linked" "$built/libcuda.so.1" "$shim" "$built/fake-answerer" .
    mkdir user
    cp "$shim" user/libcuarbiter.so
    cp "$built/fake-answerer" user/cuarbiter-answer
    CUA_FAKE_TABLE="linked * exec $tmp/place/unreadable" CUA_FAKE_LOG='' setpriv --reuid 65534 \
        --regid 65534 --clear-groups env LD_PRELOAD="$tmp/place/user/libcuarbiter.so" \
        "$tmp/place/${linked##*/}" plain >out 2>err
    is "$?, $(cat out)" '0, who 2, constructed 1' 'unreadable: goes on as it is'
    is "$(grep -c '^cuarbiter: no-second-exec:.*unreadable' err)" 1 'unreadable: logged, once'
}

behave_apart() {
    got=$("$built/program-shim-apart" "$s" "$built/libleaf.so")
    is "$got" 'who 2, shim opened, arguments 3
called there: opened
called here: opened' 'a shim in a namespace of its own executes nothing'
    is "$(asked)" '' 'and asks nothing'
}

behave_debugger() {
    need_tool gdb
    set -- -ex 'break main' -ex run -ex 'print (int)who()' -ex continue "$linked"
    bare=$(gdb -nx -batch "$@" 2>&1 </dev/null)
    got=$(gdb -nx -batch -ex "set environment LD_PRELOAD $s" "$@" 2>&1 </dev/null)
    like "$got" '*Breakpoint 1, *main*' 'a breakpoint in main is hit'
    case $bare in
    *'$1 = 2'*) like "$got" '*$1 = 1*' 'in the second run' ;;
    *) ok 'in the second run # SKIP gdb cannot call a function here' ;;
    esac
    like "$got" '*who 1, constructed 1*exited normally*' 'and the program ends'
}

behave_tracer() {
    need_tool strace
    got=$(LD_PRELOAD=$s strace -f -o "$tmp/trace" -E LD_PRELOAD="$s" "$linked" child 2>/dev/null |
        grep '^who' | sort -u)
    is "$got" 'who 1, constructed 1' 'strace -f'
    need_tool valgrind
    got=$(LD_PRELOAD=$s valgrind --error-exitcode=9 -q "$linked" plain 2>err)
    is "$?, $got" '0, who 2, constructed 1' 'valgrind keeps its program'
    is "$(grep -c '^cuarbiter: no-second-exec:' err)" 1 'one line says why'
}

behave_pid_one() {
    unshare -pf --mount-proc true 2>/dev/null || cannot 'no namespaces of processes and mounts here'
    same 'process 1' unshare -pf --mount-proc env LD_PRELOAD=SHIM "$linked" child
}

# /etc of its own, with this ld.so.preload.
# shellcheck disable=SC2016
with_file() { # CONTENT COMMAND...
    rm -rf "${tmp:?}/etc"
    mkdir "$tmp/etc"
    cp /etc/ld.so.cache /etc/passwd "$tmp/etc"
    printf '%s\n' "$1" >"$tmp/etc/ld.so.preload"
    shift
    unshare -m sh -c 'mount --bind "$1/etc" /etc && shift && exec "$@"' sh "$tmp" "$@"
}

behave_file_list() {
    [ "$(id -u)" = 0 ] || cannot 'not root'
    unshare -m true 2>/dev/null || cannot 'no mount namespaces here'
    file='# a comment: x
SHIM'
    same 'by /etc/ld.so.preload' with_file "$file" "$linked" child
    same 'beside LD_PRELOAD' with_file "$file" env LD_PRELOAD="$built/libdefiner1.so" "$linked" child
    # The hook has a who of its own and must win in both runs.
    got=$(with_file "$built/who-hook.so" env LD_PRELOAD="$s" "$linked" plain 2>/dev/null)
    is "$got" 'who 3, constructed 1' 'a hook in the file keeps its precedence'
    got=$(with_file "$s /none/missing.so" env "$linked" plain 2>&1 | grep -c missing.so)
    # By env, by the first run and by the second one; not twice in that.
    is "$got" 3 'what cannot be loaded is complained of once a run'
    got=$(with_file "$built/libcuda.so.1" env LD_PRELOAD="$s" "$linked" plain 2>err)
    is "$got, $(grep -c '^cuarbiter: no-second-exec:.*: /etc/ld.so.preload names another libcuda already' err)" \
        'who 2, constructed 1, 1' 'a libcuda in the file stays, and one line says why'
}

# The same in a root of its own.
behave_chroot() {
    need_root bookworm
    cp "$linked" "$built/libcuda.so.1" "$built/who-hook.so" "$tmp/place"
    cp "$shim" "$tmp/place/libcuarbiter.so"
    cp "$built/fake-answerer" "$tmp/place/cuarbiter-answer"
    cp "$right" "$tmp/right.so"
    for list in shim 'hook shim' 'shim hook'; do
        rm -rf "${tmp:?}/etc"
        : >"$tmp/list"
        for word in $list; do
            case $word in
            shim) echo /mnt/tmp/place/libcuarbiter.so ;;
            hook) echo /mnt/tmp/place/who-hook.so ;;
            esac >>"$tmp/list"
        done
        # shellcheck disable=SC2016
        got=$(CUA_FAKE_TABLE='linked * exec /mnt/tmp/right.so' CUA_FAKE_LOG='' in_root bookworm sh -c '
            cp -a /etc /mnt/tmp/etc && mount --bind /mnt/tmp/etc /etc &&
            cp /mnt/tmp/list /etc/ld.so.preload && exec "$@"' sh "/mnt/tmp/place/${linked##*/}" plain \
            2>"$tmp/err")
        case $list in
        *hook*) is "$got" 'who 3, constructed 1' "$list: the hook keeps its precedence" ;;
        *) is "$got" 'who 1, constructed 1' "$list: the right one" ;;
        esac
        is "$(grep -c 'constructor' "$tmp/err")" 1 "$list: one run reaches the program"
        [ "$list" = shim ] || continue
        is "$(cat "$tmp/err")" constructor "$list: nothing is printed"
    done
}

# The entry of the environment that a second run goes by, made by somebody else and cut off: nothing is
# read behind it, where the stack ends.
behave_foreign_note() {
    need_tool python3
    ln -s "$linked" l
    for note in '=cuarbiter ' '=cuarbiter B' '=cuarbiter P'; do
        for more in '' x 'as long as a name can be'; do
            got=$(python3 -c 'import os, sys
os.execve("l", ["l", "plain"], {"X": "1", "LD_PRELOAD": sys.argv[1], sys.argv[2]: sys.argv[3]})' \
                "$s" "$note" "$more" 2>err) || got="$got status $?"
            like "$got" 'who [12], constructed 1' "$note=$more"
        done
    done
}

behave_no_proc() {
    [ "$(id -u)" = 0 ] || cannot 'not root'
    unshare -m true 2>/dev/null || cannot 'no mount namespaces here'
    got=$(LD_PRELOAD='' unshare -m sh -c \
        "mount -t tmpfs none /proc && LD_PRELOAD=$s LD_LIBRARY_PATH=$built exec $linked plain" \
        2>/dev/null) # ld.so resolves $ORIGIN by /proc
    is "$got" 'who 1, constructed 1' 'without /proc'
    # As patchelf leaves them, headers in a segment of their own, before which nothing is mapped.
    may_lack python3
    python3 - "$linked" moved <<'EOF'
import struct, sys
data = bytearray(open(sys.argv[1], 'rb').read())
at, count = struct.unpack_from('<Q', data, 32)[0], struct.unpack_from('<H', data, 56)[0]
headers = [list(struct.unpack_from('<IIQQQQQQ', data, at + 56 * n)) for n in range(count)]
data += bytes(-len(data) % 4096)
where = max(h[3] + h[6] for h in headers if h[0] == 1) // 4096 * 4096 + 0x20000
size = 56 * (count + 1)
headers.insert([n for n, h in enumerate(headers) if h[0] == 1][-1] + 1, [1, 4, len(data), where, where, size, size, 4096])
for h in headers:
    if h[0] == 6:
        h[2:7] = [len(data), where, where, size, size]
struct.pack_into('<Q', data, 32, len(data))
struct.pack_into('<H', data, 56, count + 1)
open(sys.argv[2], 'wb').write(data + b''.join(struct.pack('<IIQQQQQQ', *h) for h in headers))
EOF
    chmod 755 moved
    got=$(LD_PRELOAD='' unshare -m sh -c \
        "mount -t tmpfs none /proc && LD_PRELOAD=$s LD_LIBRARY_PATH=$built exec ./moved plain" 2>/dev/null)
    is "$got" "$(LD_LIBRARY_PATH=$built LD_PRELOAD='' ./moved plain 2>/dev/null)" 'nor headers where others have them: as bare'
}

behave_not_first() {
    export CUA_FAKE_TABLE='linked * leave'
    is "$(LD_PRELOAD='' "$built/program-not-first")" 'kept, environment' 'bare'
    is "$(LD_PRELOAD=$s "$built/program-not-first")" 'kept, environment' \
        'what earlier constructors did to the environment stays'
    is "$(asked)" 1 'and the engine was asked'
}

# How often the program is reached, each run of which says "constructor": a hundred are enough. It is
# started through $by_loader.
by_loader=''
runs() { # LD_PRELOAD COMMAND...
    list=$1
    shift
    "$@" timeout 10 env LD_PRELOAD="$list" $by_loader "$linked" plain 2>&1 >"$tmp/out" |
        head -n 100 >"$tmp/err"
    grep -c '^constructor' "$tmp/err"
}

behave_own_list() {
    for kind in cached locked; do
        for now in '' 1; do
            is "$(LD_BIND_NOW=$now LD_PRELOAD=$s timeout 20 "$linked-$kind" plain 2>&1 | tr '\n' ';')" \
                'constructor;who 1, constructed 1;' "$kind${now:+, bound at once}"
        done
    done
}

# Other people's code runs between the shim's look at the environment and the second exec.
# shellcheck disable=SC2086
behave_editing_hook() { # ASSIGNMENT...
    hook=$built/editing-hook.so
    for variables in FIRST=1 'HOOK_PUTS=1 A=1 B=2 C=3'; do
        same "before, $variables" env -i $variables "$@" LD_PRELOAD="$hook:SHIM" "$linked" x
        same "behind, $variables" env -i LD_PRELOAD="SHIM:$hook" $variables "$@" "$linked" x
    done
    [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || return 0
    same 'shim in the file' with_file SHIM env LD_PRELOAD="$hook" "$linked" x
    is "$(runs "$s" with_file "$hook") $(cat "$tmp/out")" '1 who 1, constructed 1' \
        'hook in the file'
    # In the second run, too, the hook edits before the shim has looked, and the file brings both.
    cp "$built/libcuda-right.so" unmappable
    printf '\001' | dd of=unmappable bs=1 seek=4 conv=notrunc 2>/dev/null
    for hook in "$hook" "$built/early-hook.so"; do
        for list in "$s $hook" "$hook $s"; do
            by_loader=$(readelf -lW "$linked" | sed -n 's/.*interpreter: \(.*\)]/\1/p')
            is "$(CUA_FAKE_TABLE="linked * exec $PWD/unmappable" runs '' with_file "$list")" 1 \
                "${hook##*/} and a UMD of another class, by the loader itself"
            by_loader=''
            is "$(CUA_FAKE_TABLE="linked * exec $PWD/unmappable" runs '' with_file "$list")" 1 \
                "${hook##*/} and a UMD of another class"
        done
    done
}

environment_of() {
    "$@" | grep -a '^environ\|^who'
}

behave_profilers() {
    export CPUPROFILE="$tmp/profile" DUMP_HEAPTRACK_OUTPUT="$tmp/heap"
    for profiler in heaptrack/libheaptrack_preload.so "$(uname -m)-linux-gnu/libprofiler.so.0"; do
        profiler=/usr/lib/$profiler
        [ -e "$profiler" ] || {
            missing "beside ${profiler##*/}" 'needs heaptrack and libgoogle-perftools4'
            continue
        }
        same "$profiler:\$preload" environment_of env LD_PRELOAD="$profiler:SHIM" "$linked" x
        same "\$preload:$profiler" environment_of env LD_PRELOAD="SHIM:$profiler" "$linked" x
    done
}

# One by LD_PRELOAD and one by the file; a UMD that ld.so cannot load shows who executes again.
behave_two_shims() {
    [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || cannot 'no mount namespaces here'
    install_files "$tmp/second"
    cp "$built/fake-answerer" "$tmp/second/cuarbiter-answer"
    other=$tmp/second/libcuarbiter.so
    is "$(runs "$s" with_file "$other") $(cat "$tmp/out")" '1 who 1, constructed 1' \
        'the right one, in two runs'
    is "$(asked)" 1 'one of them asks'
    is "$(runs "$s:$other" with_file "$s") $(cat "$tmp/out")" '1 who 1, constructed 1' \
        'the same one twice'
    cp "$built/libcuda-right.so" unmappable
    printf '\001' | dd of=unmappable bs=1 seek=4 conv=notrunc 2>/dev/null
    CUA_FAKE_TABLE="linked * exec $PWD/unmappable"
    for list in "$s" "$s:$other" "$other:$s"; do
        is "$(runs "$list" with_file "$other") $(cat "$tmp/out")" '1 who 2, constructed 1' \
            'one that cannot be loaded is tried once'
    done
}

behave_noexec() {
    [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || cannot 'no mount namespaces here'
    mkdir "$tmp/noexec"
    CUA_FAKE_TABLE="linked * exec $tmp/noexec/libcuda.so.1"
    # shellcheck disable=SC2016
    is "$(runs "$s" unshare -m sh -c 'mount -t tmpfs -o noexec none "$1" && cp "$2" "$1" && shift 2 &&
        exec "$@"' sh "$tmp/noexec" "$right") $(cat "$tmp/out")" '1 who 2, constructed 1' \
        'a file that cannot be code: on with what there is'
    is "$(grep -c '^cuarbiter: no-second-exec:.*noexec' "$tmp/err")" 1 'one line says why'
}

# With what the fake engine and the shim go by, for an environment that is otherwise empty.
"behave_$behaviour" "CUARBITER_SYSROOT=$CUARBITER_SYSROOT" "CUA_FAKE_LOG=$CUA_FAKE_LOG" \
    "CUA_FAKE_TABLE=$CUA_FAKE_TABLE"
finish
