#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the engine expects of ld.so, and what ld.so does: libraries built here, with every kind of
# search path, loaded by the ld.so of this machine.
#
#   test-loader.sh [ROOT]
#
# With ROOT the ld.so of that old or new root file system is the one that is compared with.
# shellcheck disable=SC1091,SC2016,SC2086,SC2154
set -u
. "$(dirname "$0")/../fixtures/lib.sh"
# A driver in this machine's library folder would be found where nothing else is.
if [ -z "${1:-}" ] && ldconfig -p 2>/dev/null | grep -q '^[[:space:]]*libcuda\.so'; then
    [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null ||
        cannot 'this machine has an NVIDIA driver, and only root can hide it'
    [ -z "${CUARBITER_HIDDEN:-}" ] || { not_ok 'the driver of this machine is hidden' && finish; }
    CUARBITER_HIDDEN=1 unshare -m sh -c 'mount -t tmpfs none /mnt || exit 125
        for folder in usr etc; do
            mkdir /mnt/$folder /mnt/$folder.work && mount -t overlay none /$folder \
                -o lowerdir=/$folder,upperdir=/mnt/$folder,workdir=/mnt/$folder.work || exit 125
        done
        ldconfig -p | sed -n "s/.*libcuda\.so.* => //p" | while read -r file; do
            rm -f "$file" "$(readlink -f "$file")" "${file%/*}"/libcuda.so.*
        done
        ldconfig && exec "$@"' sh "$0" "$@"
    exit
fi
CC=${CC:-cc}
need_tool "${CC%% *}"
root=${1:-}
[ -z "$root" ] || need_root "$root"

w=$tmp/w
mkdir "$w"
cd "$w" || exit 1
cp "$built/plain" "$built/with-rpath" "$built/with-runpath" \
    "$built/linked" .

echo 'int cuInit(unsigned f){return (int)f;}' >cuda.c
echo 'int cuInit(unsigned); int mid(void){return cuInit(0);}' >mid.c
echo 'int mid(void); int plugin(void){return mid();}' >over.c
echo 'int nothing(void){return 0;}' >nothing.c
cat >caller.c <<'end'
#include "floor.h"
#include <dlfcn.h>
void *open_for_me(const char *name);
void *open_for_me(const char *name)
{
    void *handle = dlopen(name, RTLD_LAZY);
    __asm__ volatile("" ::: "memory"); /* no tail call: the caller is this library */
    return handle;
}
end
libdl="-I $tree/tests/fixtures/programs -l:libdl.so.2"
rpath=-Wl,--disable-new-dtags,-rpath
runpath=-Wl,--enable-new-dtags,-rpath

# On this machine, or in the root with the same path for what was built.
run() {
    if [ -z "$root" ]; then
        "$@"
        return
    fi
    unshare -m sh -c 'in=$1 w=$2 cwd=$3 && shift 3
        mount -t tmpfs none "$in/tmp" && mkdir -p "$in$w" && mount --bind "$w" "$in$w" && mount --rbind /proc "$in/proc" || exit 125
        exec chroot "$in" sh -c "cd \"\$0\" && exec \"\$@\"" "$cwd" "$@"' \
        sh "$roots/$root" "$w" "$PWD" "$@"
}

# cuda FOLDER...: a libcuda in each
cuda() {
    for d; do
        mkdir -p "$d"
        $CC -shared -fPIC -o "$d/libcuda.so.1" cuda.c -Wl,-soname,libcuda.so.1 || exit 1
    done
}
# lib FILE SOURCE LINK-ARGUMENT...
lib() {
    file=$1 source=$2
    shift 2
    mkdir -p "$(dirname "$file")"
    $CC -shared -fPIC -Wl,--no-as-needed -Wl,--allow-shlib-undefined -o "$file" "$source" \
        -Wl,-soname,"$(basename "$file")" "$@" || exit 1
}
# same NAME WHERE COMMAND...: both agree, and it is WHERE ("" for none)
same() {
    name=$1 where=$2
    shift 2
    got=$(run "$@" 2>&1)
    status=$?
    actual=${got##*actual=}
    actual=${actual#"$w"/}
    if [ $status = 0 ] && [ "$actual" = "${where:+$where}" ]; then
        ok "$name"
    else
        not_ok "$name" "status $status, wanted $where: $got"
    fi
}

cuda a b c m
lib p/plain.so mid.c a/libcuda.so.1
lib p/rpath.so mid.c a/libcuda.so.1 "$rpath,$w/b"
lib p/runpath.so mid.c a/libcuda.so.1 "$runpath,$w/b"

same 'nothing anywhere' '' ./plain brings "$w/p/plain.so"
same 'no libcuda among the needs' '' ./plain brings libm.so.6
same 'LD_LIBRARY_PATH' a/libcuda.so.1 env LD_LIBRARY_PATH="$w/a" ./plain brings "$w/p/plain.so"
same 'the first of LD_LIBRARY_PATH' c/libcuda.so.1 env LD_LIBRARY_PATH="$w/none:$w/c:$w/a" ./plain brings "$w/p/plain.so"
same 'a semicolon in LD_LIBRARY_PATH' c/libcuda.so.1 env LD_LIBRARY_PATH="$w/none;$w/c" ./plain brings "$w/p/plain.so"
same 'slashes at the end' c/libcuda.so.1 env LD_LIBRARY_PATH="$w/c//" ./plain brings "$w/p/plain.so"
same 'RPATH before LD_LIBRARY_PATH' b/libcuda.so.1 env LD_LIBRARY_PATH="$w/a" ./plain brings "$w/p/rpath.so"
same 'RUNPATH after LD_LIBRARY_PATH' a/libcuda.so.1 env LD_LIBRARY_PATH="$w/a" ./plain brings "$w/p/runpath.so"
same 'RUNPATH alone' b/libcuda.so.1 ./plain brings "$w/p/runpath.so"
same 'RPATH of the program' m/libcuda.so.1 env LD_LIBRARY_PATH="$w/a" ./with-rpath brings "$w/p/plain.so"
same 'RPATH of the library before that of the program' b/libcuda.so.1 ./with-rpath brings "$w/p/rpath.so"
same 'RUNPATH of the library keeps the RPATH of the program out' a/libcuda.so.1 env LD_LIBRARY_PATH="$w/a" ./with-rpath brings "$w/p/runpath.so"
same 'RUNPATH of the program is not for others' '' ./with-runpath brings "$w/p/plain.so"
same 'the name itself, RPATH of the program' m/libcuda.so.1 env LD_LIBRARY_PATH="$w/a" ./with-rpath finds libcuda.so.1
same 'the name itself, RUNPATH of the program' m/libcuda.so.1 ./with-runpath finds libcuda.so.1
same 'the name itself, LD_LIBRARY_PATH before RUNPATH' a/libcuda.so.1 env LD_LIBRARY_PATH="$w/a" ./with-runpath finds libcuda.so.1

# An empty entry and a relative one are the working directory, wherever that is then.
got=$(cd c && run env LD_LIBRARY_PATH="$w/none:" ../plain brings "$w/p/plain.so")
is "$? ${got##*=}" "0 libcuda.so.1" "an empty entry of LD_LIBRARY_PATH"
got=$(cd c && run env LD_LIBRARY_PATH="$w/none;;$w/a" ../plain finds libcuda.so.1)
is "$? ${got##*=}" "0 libcuda.so.1" "an empty entry in the middle of LD_LIBRARY_PATH"
same 'an entry that is longer than a path can be' a/libcuda.so.1 env LD_LIBRARY_PATH="/$(printf %05000d 0):$w/a" ./plain finds libcuda.so.1
same 'a list that is longer than four paths' a/libcuda.so.1 env LD_LIBRARY_PATH="$(seq 4000 | sed "s,.*,/none&:," | tr -d "\n")$w/a" ./plain finds libcuda.so.1
got=$(run env LD_LIBRARY_PATH=c ./plain brings "$w/p/plain.so")
is "$? $(printf %s "${got##*actual=}")" '0 c/libcuda.so.1' 'a relative entry of LD_LIBRARY_PATH'

# Needs of needs.
cuda x
lib x/libmid.so mid.c a/libcuda.so.1
lib p/chain-rpath.so over.c x/libmid.so "$rpath,$w/x"
lib p/chain-runpath.so over.c x/libmid.so "$runpath,$w/x"
same 'RPATH counts for needs of needs' x/libcuda.so.1 env LD_LIBRARY_PATH="$w/a" ./plain brings "$w/p/chain-rpath.so"
same 'RUNPATH does not' a/libcuda.so.1 env LD_LIBRARY_PATH="$w/a" ./plain brings "$w/p/chain-runpath.so"
lib y/libmid.so mid.c a/libcuda.so.1 "$runpath,$w/c"
lib p/cut.so over.c y/libmid.so "$rpath,$w/y:$w/b"
same 'RUNPATH below cuts off the RPATH above' c/libcuda.so.1 ./plain brings "$w/p/cut.so"
lib z/libmid.so mid.c a/libcuda.so.1 "$rpath,$w/nowhere"
lib p/both.so over.c z/libmid.so "$rpath,$w/z:$w/b"
same 'RPATH after RPATH, upwards' b/libcuda.so.1 ./plain brings "$w/p/both.so"
same 'the program last' b/libcuda.so.1 ./with-rpath brings "$w/p/both.so"
lib p/middle.so over.c z/libmid.so "$rpath,$w/z"
same 'the program at the end of the chain' m/libcuda.so.1 ./with-rpath brings "$w/p/middle.so"

# What could not be opened because descriptors ran out says nothing; what is damaged does.
eagain=11
is "$(run ./plain busy "$w/p/chain-rpath.so" "$w/x/libmid.so")" "said=-$eagain" 'a need that cannot be read now: nothing is known'
is "$(run ./plain busy "$w/p/chain-rpath.so" "$w/none")" 'said=1' 'and where it can'
lib v/libmid.so mid.c a/libcuda.so.1
lib p/damaged.so over.c v/libmid.so "$rpath,$w/v"
head -c 1000 x/libmid.so >v/libmid.so
is "$(run ./plain busy "$w/p/damaged.so" "$w/none")" 'said=0' 'a need that is damaged brings nothing'
# A disk whose error stays: ld.so looks further, too.
is "$(run env LD_LIBRARY_PATH="$w/a" ./with-rpath fails libcuda.so.1 "$w/m/libcuda.so.1")" \
    "said=0 expected=$w/a/libcuda.so.1" 'a search path that cannot be read'

# Breadth first: the need of a sibling comes before that of a child.
lib q/libdeep.so mid.c a/libcuda.so.1 "$runpath,$w/b"
lib q/libone.so nothing.c q/libdeep.so "$runpath,$w/q"
lib q/libtwo.so mid.c a/libcuda.so.1 "$runpath,$w/c"
lib p/wide.so nothing.c q/libone.so q/libtwo.so "$runpath,$w/q"
same 'breadth first' c/libcuda.so.1 ./plain brings "$w/p/wide.so"
lib q/libelse.so nothing.c
lib p/renamed.so nothing.c q/libelse.so q/libtwo.so "$runpath,$w/q"
lib q/libelse.so nothing.c -Wl,-soname,libtwo.so
same 'the name that a library gives itself meets the next need' '' env LD_LIBRARY_PATH="$w/a" ./plain brings "$w/p/renamed.so"
lib q/libround.so nothing.c "$runpath,$w/q"
lib q/libcircle.so nothing.c q/libround.so "$runpath,$w/q"
lib q/libround.so nothing.c q/libcircle.so "$runpath,$w/q"
same 'a circle of needs' '' ./plain brings "$w/q/libround.so"

# Depth: a chain of forty.
lib deep/40.so mid.c a/libcuda.so.1 "$rpath,$w/deep"
for level in $(seq 39 -1 1); do
    lib "deep/$level.so" nothing.c "deep/$((level + 1)).so" "$rpath,$w/deep"
done
same 'forty libraries away' a/libcuda.so.1 env LD_LIBRARY_PATH="$w/a" ./plain brings "$w/deep/1.so"

# More than is looked at.
mkdir many
cd many || exit 1
$CC -shared -nostdlib -fPIC -o 1 ../nothing.c || exit 1
for number in $(seq 2 600); do cp 1 "$number"; done
# shellcheck disable=SC2046
lib all.so ../mid.c -nostdlib $(seq 1 600) ../a/libcuda.so.1
cd "$w" || exit 1
got=$(run env LD_LIBRARY_PATH="$w/many:$w/a" ./plain brings "$w/many/all.so" 2>&1)
like "$got" '*all.so needs more than 512 libraries*' 'what is not looked at is logged'

# Tokens.
mkdir -p t/lib
multi=$(uname -m)-linux-gnu # of a Debian: clang 21 cannot be asked for it
cuda t/origin "t/lib/$multi" t/lib t/lib64 t/x86_64 t/haswell t/aarch64 t/xeon_phi
lib t/o1.so mid.c a/libcuda.so.1 "$runpath,\$ORIGIN/origin"
lib t/o2.so mid.c a/libcuda.so.1 "$rpath,\${ORIGIN}/origin"
lib t/o3.so mid.c a/libcuda.so.1 "$rpath,\$ORIGINAL/origin:\${ORIGIN/origin:$w/b"
lib t/l.so mid.c a/libcuda.so.1 "$runpath,\$ORIGIN/\$LIB"
lib t/lb.so mid.c a/libcuda.so.1 "$runpath,\$ORIGIN/\${LIB}"
lib t/p.so mid.c a/libcuda.so.1 "$runpath,\$ORIGIN/\$PLATFORM"
same '$ORIGIN' t/origin/libcuda.so.1 ./plain brings "$w/t/o1.so"
same '${ORIGIN}' t/origin/libcuda.so.1 ./plain brings "$w/t/o2.so"
same 'what only looks like a token' b/libcuda.so.1 ./plain brings "$w/t/o3.so"
ln -s ../t p/linked
same '$ORIGIN is the folder by the name that was used' p/linked/origin/libcuda.so.1 ./plain brings "$w/p/linked/o1.so"
for token in l lb p; do
    got=$(run ./plain brings "$w/t/$token.so")
    is "$? ${got##*/}" '0 libcuda.so.1' "token: $token.so, ${got##*"$w"/}"
done
same '$ORIGIN in LD_LIBRARY_PATH is the program' c/libcuda.so.1 env LD_LIBRARY_PATH='$ORIGIN/c' ./plain brings "$w/p/plain.so"
ldso=$(echo "${root:+$roots/$root}"/usr/lib*/ld-linux-"$(uname -m | tr _ -)".so.? | sed "s|^.*/usr/|/usr/|;s| .*||")
same '$ORIGIN where ld.so is called to start the program' c/libcuda.so.1 env LD_LIBRARY_PATH='$ORIGIN/c' "$ldso" "$w/plain" brings "$w/p/plain.so"

# Subfolders for the processor.
cuda h/glibc-hwcaps/x86-64-v2 h/glibc-hwcaps/x86-64-v3 h/glibc-hwcaps/x86-64-v4 h h2/tls h2 \
    h3/x86_64 h3/haswell h3/tls/x86_64 h3/tls/haswell/x86_64 h3/aarch64 h3/atomics h3 h4/tls/tls h4
for i in $(seq 40); do
    mkdir "e$i"
done
for h in h h2 h3 h4; do
    got=$(run env LD_LIBRARY_PATH="$w/$h" ./plain brings "$w/p/plain.so")
    is "$? ${got##*/}" '0 libcuda.so.1' "subfolders: ${got##*"$w"/}"
    got=$(run env LD_LIBRARY_PATH="$(seq 40 | sed "s,.*,$w/e&:," | tr -d "\n")$w/$h" ./plain brings "$w/p/plain.so")
    is "$? ${got##*/}" '0 libcuda.so.1' "subfolders behind 40 folders: ${got##*"$w"/}"
done

# What is passed over, and what is not.
cuda w32 wm
printf '\001' | dd of=w32/libcuda.so.1 bs=1 seek=4 conv=notrunc 2>/dev/null
printf '\002' | dd of=wm/libcuda.so.1 bs=1 seek=18 conv=notrunc 2>/dev/null
mkdir -p dangling loop file
ln -s nowhere dangling/libcuda.so.1
ln -s libcuda.so.1 loop/libcuda.so.1
: >file/folder
same 'another class is passed over' a/libcuda.so.1 env LD_LIBRARY_PATH="$w/w32:$w/a" ./plain brings "$w/p/plain.so"
same 'another machine is passed over' a/libcuda.so.1 env LD_LIBRARY_PATH="$w/wm:$w/a" ./plain brings "$w/p/plain.so"
same 'a link to nothing is passed over' a/libcuda.so.1 env LD_LIBRARY_PATH="$w/dangling:$w/a" ./plain brings "$w/p/plain.so"
same 'a link to itself ends the list' b/libcuda.so.1 env LD_LIBRARY_PATH="$w/loop:$w/a" ./plain brings "$w/p/runpath.so"
same 'a file in the place of a folder is passed over' a/libcuda.so.1 env LD_LIBRARY_PATH="$w/file/folder:$w/a" ./plain brings "$w/p/plain.so"

# Names.
same 'a library by its bare name' a/libcuda.so.1 env LD_LIBRARY_PATH="$w/a:$w/p" ./plain brings plain.so
same 'a relative name' a/libcuda.so.1 env LD_LIBRARY_PATH="$w/a" ./plain brings p/plain.so
same 'a name with a token' a/libcuda.so.1 env LD_LIBRARY_PATH="$w/a" ./plain brings '$ORIGIN/p/plain.so'
same 'a library that is not there' '' env LD_LIBRARY_PATH="$w/a" ./plain brings none.so
lib s/libslash.so mid.c a/libcuda.so.1
$CC -shared -fPIC -o s/libslash.so mid.c -Wl,-soname,"$w/s/libslash.so" -Wl,--no-as-needed a/libcuda.so.1
lib p/slash.so over.c "$w/s/libslash.so"
same 'a need with slashes' a/libcuda.so.1 env LD_LIBRARY_PATH="$w/a" ./plain brings "$w/p/slash.so"

# What is mapped already is not looked for.
lib x2/libmid.so mid.c b/libcuda.so.1 "$rpath,$w/b"
got=$(run env LD_PRELOAD="$w/c/libcuda.so.1" LD_LIBRARY_PATH="$w/a" ./plain brings "$w/p/plain.so")
is "${got%% *}" 'expected=' 'nothing is brought in where libcuda is mapped'
lib n/libmid.so nothing.c
lib p/quiet.so nothing.c x/libmid.so "$rpath,$w/x"
got=$(run env LD_PRELOAD="$w/n/libmid.so" LD_LIBRARY_PATH="$w/a" ./plain brings "$w/p/quiet.so")
is "$?" 0 'a need that is mapped from elsewhere is not followed'

# Which libcudas are mapped.
lib k/hook.so mid.c a/libcuda.so.1
is "$(run ./plain mapped)" 'mapped=0' 'no libcuda is mapped'
is "$(run env LD_LIBRARY_PATH="$w/a" ./linked mapped)" 'mapped=1' 'a linked program'
is "$(run env LD_LIBRARY_PATH="$w/a" LD_PRELOAD="$w/k/hook.so" ./plain mapped)" \
    'mapped=1' 'a preloaded library alone needs it'
is "$(run env LD_PRELOAD="$w/a/libcuda.so.1" ./plain mapped)" 'mapped=1' 'it is preloaded itself'
is "$(run env LD_LIBRARY_PATH="$w/a" LD_PRELOAD="$w/k/hook.so" ./linked mapped)" \
    'mapped=1' 'a preloaded library and the program'
is "$(run env LD_LIBRARY_PATH="$w/a" LD_PRELOAD="$w/b/libcuda.so.1" ./linked mapped)" \
    'mapped=1' 'a linked program whose libcuda is preloaded'

# On behalf of a library.
lib r/caller.so caller.c "$runpath,\$ORIGIN/sub" $libdl
lib r/sub/libplug.so mid.c a/libcuda.so.1
cuda r/sub
lib r2/caller.so caller.c "$rpath,\$ORIGIN/sub" $libdl
lib r2/sub/libplug.so mid.c a/libcuda.so.1
cuda r2/sub
same 'RUNPATH of the caller, for the name' r/sub/libcuda.so.1 ./plain finds libcuda.so.1 "$w/r/caller.so"
same 'RPATH of the caller, for the name' r2/sub/libcuda.so.1 env LD_LIBRARY_PATH="$w/a" ./plain finds libcuda.so.1 "$w/r2/caller.so"
same 'LD_LIBRARY_PATH before the RUNPATH of the caller' a/libcuda.so.1 env LD_LIBRARY_PATH="$w/a" ./plain finds libcuda.so.1 "$w/r/caller.so"
same 'RUNPATH of the caller is not for needs of what it loads' a/libcuda.so.1 env LD_LIBRARY_PATH="$w/a" ./plain brings libplug.so "$w/r/caller.so"
same 'RPATH of the caller is not either' a/libcuda.so.1 env LD_LIBRARY_PATH="$w/a" ./plain brings libplug.so "$w/r2/caller.so"
lib r/emptied.so caller.c "$runpath,$w/emptied" $libdl
LC_ALL=C sed -i "s,$w/emptied,\x00${w#?}/emptied," r/emptied.so
same 'an empty RUNPATH of the caller keeps the RPATH of the program out' a/libcuda.so.1 env LD_LIBRARY_PATH="$w/a" ./with-rpath finds libcuda.so.1 "$w/r/emptied.so"
same 'RPATH of caller and program' r2/sub/libcuda.so.1 ./with-rpath finds libcuda.so.1 "$w/r2/caller.so"
lib r3/libneeded.so caller.c $libdl
lib r3/over.so nothing.c r3/libneeded.so "$rpath,$w/r3:$w/b"
same 'RPATH of who loaded the caller' b/libcuda.so.1 ./plain finds libcuda.so.1 "$w/r3/over.so"

same 'RPATH of who needs the caller, and came later' a/libcuda.so.1 env LD_PRELOAD="$w/r3/libneeded.so:$w/r3/over.so" LD_LIBRARY_PATH="$w/a" ./plain finds libcuda.so.1 "$w/r3/libneeded.so"

# An ld.so that was built for a prefix, as Nix's: other folders, and a cache that is not there.
if [ -z "$root" ] && [ "$(uname -m)" = x86_64 ] && [ -e /lib/x86_64-linux-gnu/libz.so.1 ]; then
    prefix=$(mktemp -d /tmp/cuarbiter.XXXXXXXXXX) # as long as what it replaces
    mkdir own && cp /lib/x86_64-linux-gnu/libc.so.6 /lib/x86_64-linux-gnu/libdl.so.2 own/ && cp a/libcuda.so.1 "$prefix/"
    LC_ALL=C sed "s,/usr/lib/x86_64-linux-gnu/,$prefix/,g; s,/lib/x86_64-linux-gnu/,/lib/x86_64-linux-gnX/,g
        s,/etc/ld.so.cache,/opt/ld.so.cache,g" /lib64/ld-linux-x86-64.so.2 >own/ld-linux-x86-64.so.2
    chmod +x own/ld-linux-x86-64.so.2
    for interpreter in "$w/own/ld-linux-x86-64.so.2" own/ld-linux-x86-64.so.2; do
        same "an ld.so of a prefix: no cache, $interpreter" '' \
            env LD_LIBRARY_PATH="$w/own" "$interpreter" ./plain finds libz.so.1
        same "an ld.so of a prefix: its own folder, $interpreter" "$prefix/libcuda.so.1" \
            env LD_LIBRARY_PATH="$w/own" "$interpreter" ./plain finds libcuda.so.1
    done
    rm -r "$prefix"
else
    ok 'an ld.so of a prefix # SKIP of x86_64 alone, on a Debian'
fi

# The cache of this machine, the default folders, other libraries.
for name in libelf.so.1 libz.so.1 libm.so.6 libc.so.6 libstdc++.so.6 libnone.so.1; do
    got=$(run ./plain finds $name)
    is "$?" 0 "the machine's $name: $got"
done
finish
