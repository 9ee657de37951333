#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A plugin that needs libcuda and a runtime: what the runtime says of the program's CUDA counts when
# the driver is chosen, though it is not mapped yet. Beside it, what the image says is a hint.

# shellcheck source=tests/command/lib.sh
. "$(dirname "$0")/lib.sh"
need_tool cc

make_root "$tmp/root" --kmd 535.161.07 --host-umd 535.161.07 --compat 580.82.07 --note none \
    --gpu 'NVIDIA A100-SXM4-80GB' --cc 8.0 >/dev/null
lib=$tmp/root/usr/lib/$(uname -m)-linux-gnu
export CUARBITER_SYSROOT="$tmp/root" FAKE_ROOT="$tmp/root" CUARBITER_LOG=debug
LD_LIBRARY_PATH=$lib:/usr/lib/$(uname -m)-linux-gnu:$tmp/plugin
export LD_LIBRARY_PATH

# MAJOR: a plugin that needs the driver and, before or behind it, this runtime
mkdir "$tmp/plugin"
for major in 12 13; do
    echo 'int cua_runtime;' | cc -shared -fPIC -x c - -x none -Wl,-soname,libcudart.so.$major \
        -o "$tmp/plugin/libcudart.so.$major"
    echo 'int cua_plugin;' | cc -shared -fPIC -x c - -x none -Wl,--no-as-needed "$lib/libcuda.so.1" \
        "$tmp/plugin/libcudart.so.$major" -o "$tmp/plugin/plugin-$major.so"
done
cat >"$tmp/open.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0;
    int (*version)(int *) = plugin ? (int (*)(int *))dlsym(plugin, "cuDriverGetVersion") : 0;
    int cuda = 0;
    if (!version || version(&cuda) != 0)
        printf("%s\n", dlerror());
    else
        printf("%d\n", cuda);
    return 0;
}
END
cc "$tmp/open.c" -o "$tmp/open" -ldl
opens() { LD_PRELOAD=$files/libcuarbiter.so "$tmp/open" "$tmp/plugin/plugin-$1.so" 2>"$tmp/log"; }

is "$("$tmp/open" "$tmp/plugin/plugin-13.so")" 12020 'bare: the host driver, which answers 35 to CUDA 13'
is "$(opens 12)" 12020 'a plugin of CUDA 12: as the loader has it'
is "$(grep -c 'is tried in a child' "$tmp/log")" 0 'and nothing is tried'
is "$(opens 13)" 13000 'a plugin of CUDA 13: the bundled driver, after a trial'
like "$(cat "$tmp/log")" '*newer-tried: *' 'why'
export CUDA_VERSION=12.2.2
is "$(opens 13)" 13000 'whatever CUDA the image speaks of'
unset CUDA_VERSION
export CUARBITER_POLICY=report
is "$(opens 13)" 12020 'policy report: nothing is changed'
like "$(cat "$tmp/log")" '*report: the policy auto would take *libcuda.so.580.82.07 instead of *libcuda.so.535.161.07*' \
    'and what auto would do is logged'
finish
