#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter report: what a bug report needs, and nothing private.

# shellcheck source=tests/command/lib.sh
. "$(dirname "$0")/lib.sh"
may_lack jq

make_root "$tmp/root" --kmd 535.161.07 --host-umd 535.161.07 --compat 550.54.15 \
    --gpu 'NVIDIA GeForce RTX 4090' --cc 8.9 >/dev/null
export CUARBITER_SYSROOT="$tmp/root" NVIDIA_API_KEY=geheim CUDA_SECRET=geheim \
    CUDA_VERSION='12.2
## hello' LD_LIBRARY_PATH=/usr/local/cuda/compat
run report
is "$rc:$err" 0: 'exit code, nothing on stderr'
like "$out" '# cuarbiter *## Status*Now *535.161.07*## What each driver answered on 20*## System*glibc *## Environment*' 'its parts'
like "$out" '*
- NVIDIA GeForce RTX 4090, compute capability 8.9
*
| `/usr/local/cuda/compat/libcuda.so.550.54.15` | 550.54.15 | the loader | none: *
| `/usr/lib/*/libcuda.so.535.161.07` | 535.161.07 | cuarbiter | none: *' 'an entry for docs/hardware.md'
like "$out" '*    LD_LIBRARY_PATH=/usr/local/cuda/compat*' 'the environment that matters'
is "$(printf '%s\n' "$out" | grep -c geheim)" 0 'and no other'
is "$(printf '%s\n' "$out" | grep -c '^## hello')" 0 'a value cannot pretend to be a part'
is "$(printf '%s\n' "$out" | sed -n '/^```json/,/^```$/p' | sed '1d;$d' | jq -r .chosen.version)" 535.161.07 'the JSON is JSON'
run report --output "$tmp/report.md"
is "$rc:$out:$(head -n 1 "$tmp/report.md" | cut -c 1-11)" '0::# cuarbiter' 'into a file'
finish
