#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One container, one driver: a program of a later minor CUDA gets what the container's first such process
# decided, whatever its user, its trial, and how many start at once. Each container is a process namespace.
# shellcheck disable=SC2016,SC2154
# shellcheck source=tests/fixtures/private.sh
. "$(dirname "$0")/../fixtures/private.sh"
[ "$(id -u)" = 0 ] || cannot 'not root'
unshare -mp --fork true 2>/dev/null || cannot 'no namespaces'
need_tool setpriv
need_tool cc

# What a trial is started as: a moment later, where the test asks for it; each is counted.
mv "$tmp/home/cuarbiter" "$tmp/home/command"
cat >"$tmp/home/cuarbiter" <<'END'
#!/bin/sh
case "$*" in *libcuda*) echo "$*" >>/mnt/trials ;; esac
[ -z "$SLOW" ] || sleep "$SLOW"
exec /mnt/home/command "$@"
END
cp "$programs/init-dlopen" "$tmp/home/program"
chmod -R a+rX "$tmp/home"
chmod 755 "$tmp" "$tmp/home/cuarbiter" "$tmp/home/command"
machine=$tmp/machine
make_root "$machine" --kmd 570.148.08 --host-umd 570.148.08 --compat 575.57.08 --gpu 'NVIDIA H100 80GB HBM3' --cc 9.0 >/dev/null
mkdir "$machine/tmp"
chmod 1777 "$machine/tmp"
native=$(find "$machine/usr/lib" -name 'libcuda.so.570*')
native=${native#"$tmp"}

# get USER [NAME=VALUE...]: in a container, starts a program that loads libcuda; its driver's version.
cat >"$tmp/get" <<END
run() {
    as=\$1
    shift
    if [ "\$as" = "\$(id -u)" ]; then "\$@"; else setpriv --reuid="\$as" --regid="\$as" --clear-groups "\$@"; fi
}
get() {
    as=\$1
    shift
    cd /
    run "\$as" env FAKE_ROOT=/mnt/machine CUARBITER_SYSROOT=/mnt/machine \\
        CUDA_VERSION=12.9.1 LD_LIBRARY_PATH=/mnt${native%/*} LD_PRELOAD=/mnt/home/libcuarbiter.so "\$@" \\
        \${program:-/mnt/home/program} 2>>/mnt/err | tr ' ' '\\n' | sed -n 's/^file=//p' | xargs -r readlink -f | sed 's/.*libcuda.so.//'
}
END
# USER SCRIPT: the script as the first process of a container, what it printed, how often.
container() {
    unshare -mp --fork --kill-child sh -c 'mount -t proc proc /proc && mount -t tmpfs none /run && mount -t tmpfs none /tmp &&
        chmod 1777 /tmp && mount --bind "$1" /mnt && as=$2 && shift 2 &&
        exec setpriv --reuid="$as" --regid="$as" --clear-groups "$@"' sh "$tmp" "$1" sh -c ". /mnt/get; $2" |
        sort | uniq -c | tr -s ' \n' ' '
}
tried() { # COUNT NAME: how often the container that ended has tried the bundled driver
    is "$(wc -l <"$tmp/trials")" "$1" "$2"
    : >"$tmp/trials"
}
: >"$tmp/err"
: >"$tmp/trials"
chmod 666 "$tmp/err" "$tmp/trials"

is "$(container 0 'get 0')" ' 1 575.57.08 ' 'the first one takes it, for it answers 0'
tried 1 'in a trial'
is "$(container 0 'get 0; get 1000; get 1001')" ' 3 575.57.08 ' 'a launcher of root'"'"'s first: workers of others have the same'
tried 1 'without a trial of their own'
is "$(container 0 'get 0 CUDA_VISIBLE_DEVICES=0; get 0; get 0 CUDA_VISIBLE_DEVICES=GPU-0')" ' 3 575.57.08 ' \
    'processes of one user, which name their GPUs otherwise'
tried 1 'nor have these one'
: >"$tmp/err"
container 0 'get 0' >/dev/null
is "$(cat "$tmp/err")" '' 'of which nothing is said'
container 0 'get 0 CUARBITER_LOG=info' >/dev/null
like "$(cat "$tmp/err")" '*: info: newer-minor: *575.57.08*570.148.08*' 'but in the log at info, with both names'
is "$(container 0 'get 1000; get 0; get 1001')" ' 3 570.148.08 ' 'a worker first: all have the host'"'"'s'
is "$(container 1000 'get 1000; get 1000')" ' 2 575.57.08 ' 'a container of another user than root'
is "$(container 0 'get 0 FAKE_CUINIT=804; get 0; get 1000')" ' 3 570.148.08 ' 'the first trial does not answer 0: none gets it'
is "$(container 0 'get 0; get 0 CUARBITER_TRIAL=never; get 0 FAKE_CUINIT=999')" ' 3 575.57.08 ' \
    'nor does another one'"'"'s trial count later'
is "$(container 0 'get 0 SLURM_JOB_NUM_NODES=2; get 0; get 0 WORLD_SIZE=16 LOCAL_WORLD_SIZE=8; get 0 VLLM_ENABLE_CUDA_COMPATIBILITY=0')" \
    ' 3 570.148.08 1 575.57.08 ' 'a job on several nodes, and who says no'
is "$(container 0 'get 0 CUARBITER_POLICY=report; get 0 CUARBITER_MINOR=no; get 0 CUDA_VERSION=12.8.0; get 0 CUARBITER_MINOR=yes; get 0')" \
    ' 3 570.148.08 2 575.57.08 ' 'report, no, yes and a program of no later CUDA keep nothing'
is "$(container 0 'get 0; get 0 WORLD_SIZE=8; get 0')" ' 3 575.57.08 ' 'a main process, and ranks beside it that it told their number'
is "$(container 0 'get 0 WORLD_SIZE=8; get 0')" ' 2 570.148.08 ' 'such a rank first'
is "$(container 0 'get 1000; get 0 CUARBITER_MINOR=yes')" ' 1 570.148.08 1 575.57.08 ' 'yes is the user'"'"'s own word'

many='i=0; while [ $i -lt 16 ]; do i=$((i + 1)); WHAT & done; wait'
each() { printf '%s' "$many" | sed "s/WHAT/$1/"; }
is "$(container 0 "$(each 'get 0')")" ' 16 575.57.08 ' 'sixteen at once'
: >"$tmp/trials"
is "$(container 0 "$(each 'get 0 SLOW=1')")" ' 16 575.57.08 ' 'sixteen at once, and a slow trial'
tried 1 'once for all'
is "$(container 0 "$(each 'get 0 SLOW=1 CUDA_VISIBLE_DEVICES=0,9$i')")" ' 16 575.57.08 ' 'sixteen that see their GPUs otherwise'
rest=$(wc -l <"$tmp/trials")
[ "$rest" -ge 1 ] && [ "$rest" -le 4 ]
is $? 0 "and do not try one after the other ($rest trials)"
: >"$tmp/trials"
like "$(container 0 "$(each 'get $((i % 2 * 1000)) SLOW=1')")" ' 16 5*' 'sixteen of two users, whoever is first'
like "$(container 0 "$(each 'get 0 SLOW=3 CUARBITER_TRIAL_TIMEOUT=1')")" ' 16 570.148.08 ' 'a trial that never answers'
like "$(container 0 'get 0 SLOW=2 & sleep 1; kill -9 $(pgrep -f /mnt/home/program); wait
    '"$(each 'get 0')")" '* 16 5*' 'one that is killed while it tries: the others have the same'
chmod 777 "$machine/tmp"
is "$(container 0 'get 0; get 1000')" ' 2 570.148.08 ' 'no place that only root can change: the host'"'"'s'
chmod 1777 "$machine/tmp"
cp -r "$machine/usr/lib" "$machine/usr/lib2"
copy=$(find "$machine/usr/lib2" -name 'libcuda.so.570*')
copy=LD_LIBRARY_PATH=/mnt${copy#"$tmp"}
is "$(container 0 "get 0; get 1000 ${copy%/*}; get 0 ${copy%/*}")" ' 3 575.57.08 ' "another copy of the host's driver"
is "$(container 0 'mount -t tmpfs -o ro,mode=1777 none /mnt/machine/tmp; get 0; get 0')" ' 2 570.148.08 ' 'a read-only place'
mkdir -p "$machine/dev/infiniband"
: >"$machine/dev/infiniband/uverbs0"
is "$(container 0 'get 0; get 1000; get 0 CUARBITER_MINOR=yes')" ' 2 570.148.08 1 575.57.08 ' 'an RDMA device'
is "$(find "$machine/tmp" -name '*.*')" '' 'nothing half written is left'
rm -r "$machine/dev/infiniband"

# Libraries that bring libcuda, one of them with what decodes video, which opens the host's codecs.
cat >"$tmp/open.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    void *plugin = dlopen(argv[argc - 1], RTLD_NOW), *symbol = plugin ? dlsym(plugin, "cuInit") : NULL;
    Dl_info info = {0};

    printf("file=%s\n", symbol && dladdr(symbol, &info) ? info.dli_fname : dlerror());
    return 0;
}
END
cc "$tmp/open.c" -o "$tmp/home/open" -ldl
codec=$tmp/home/libavcodec.so.59
echo 'int cua_codec;' | cc -shared -fPIC -x c - -x none -Wl,-soname,libavcodec.so.59 -o "$codec"
for name in plain decodes; do
    [ $name = plain ] && other='' || other=$codec
    # shellcheck disable=SC2086
    echo 'int cua_plugin;' | cc -shared -fPIC -x c - -x none -Wl,--no-as-needed "$tmp${native%/*}/libcuda.so.1" $other \
        -Wl,-rpath,/mnt/home -o "$tmp/home/$name.so"
done
is "$(container 0 'program="/mnt/home/open /mnt/home/plain.so"; get 0')" ' 1 575.57.08 ' 'a library that needs libcuda'
is "$(container 0 'program="/mnt/home/open /mnt/home/decodes.so"; get 0')" ' 1 570.148.08 ' 'one that needs libavcodec, too'
finish
