#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter inspect: who a file is.

# shellcheck source=tests/command/lib.sh
. "$(dirname "$0")/lib.sh"
may_lack jq

make_root "$tmp/root" --kmd 535.161.07 --host-umd 535.161.07 \
    --compat 575.57.08,branches=535+550+575,devices=2+14 --stub /usr/local/cuda/lib64/stubs --stub /opt/lib \
    --host-umd 525.85.12:/opt/renamed,file=libcuda.so.1 \
    --host-umd 550.54.15:/opt/stub,stub,nocompanions >/dev/null
host=$tmp/root/usr/lib/$(uname -m)-linux-gnu
compat=$tmp/root/usr/local/cuda/compat

run inspect "$host/libcuda.so.1"
is "$rc" 0 'a driver'
like "$out" "$host/libcuda.so.535.161.07
  state         usable
  version       535.161.07
  CUDA          12.2
  SONAME        libcuda.so.1
  build-id      *
  note          none
  companions    beside it" 'by its link'
run inspect --json "$compat/libcuda.so.575.57.08"
is "$(json '.[0]|[.version, .cuda, .soname, .state, .companions]|@csv')" \
    '"575.57.08","12.9","libcuda.so.1","usable",true' 'as JSON'
like "$(json '.[0].note|tojson')" '{*"branches":[[]535,*"brands":[[]*' 'its note'

rm "$compat"/libnvidia-ptxjitcompiler.so.575.57.08
run inspect "$compat/libcuda.so.575.57.08"
is "$rc" 0 'without a companion: still usable'
like "$out" '*companions    not beside it: libnvidia-ptxjitcompiler.so.575.57.08*' 'it is named'

run inspect "$tmp/root/usr/local/cuda/lib64/stubs/libcuda.so"
is "$rc" 1 'a link stub'
like "$out" '*state         stub*' 'is called one'
for stub in "$tmp/root/opt/lib/libcuda.so" "$tmp/root/opt/stub/libcuda.so.1" \
    /usr/local/cuda/lib64/stubs/libcuda.so; do
    [ -e "$stub" ] || continue
    cp "$stub" "$tmp/elsewhere.so"
    run inspect --json "$tmp/elsewhere.so"
    is "$rc:$(json '.[0].state')" 1:stub "a stub, by what is in it: ${stub#"$tmp"}"
done
run inspect --json "$tmp/root/opt/renamed/libcuda.so.1"
is "$rc:$(json '.[0]|[.version, .version_from_content]|@csv')" '0:"525.85.12",true' \
    'the version of a file whose name does not tell it'
run inspect /etc/passwd
is "$rc" 1 'no library'
like "$out" '*state         damaged: *' 'damaged'
run inspect "$tmp"
is "$rc" 1 'a folder'
run inspect /nonexistent
is "$rc:$err" '2:cuarbiter: /nonexistent: No such file or directory' 'no file'
run inspect "$host/libcuda.so.1" /etc/passwd
is "$rc" 1 'one of two'
run inspect --json "$host/libcuda.so.1" /etc/passwd /nonexistent
is "$rc:$(json 'map(.state)|join(" ")')" '2:usable damaged' 'JSON of those that are there'
if command -v "${CC:-cc}" >/dev/null; then
    echo 'int cuInit(unsigned flags) { return (int)flags; }' |
        ${CC:-cc} -shared -nostdlib -Wl,-soname,libmock.so.1 -o "$tmp/mock.so" -x c -
    run inspect --json "$tmp/mock.so"
    is "$(json '.[0].trouble')" "exports cuInit, but is not NVIDIA's libcuda" 'a library that passes nothing on'
fi
head -c 4096 "$host/libcuda.so.1" >"$tmp/cut"
run inspect "$tmp/cut"
is "$rc" 1 'a file that was cut'
mkfifo "$tmp/fifo"
run inspect "$tmp/fifo"
is "$rc" 1 'a FIFO does not block it'
printf 'x' >"$tmp/libcuda.so.
	"
run inspect --json "$tmp/libcuda.so.
	"
is "$(json '.[0].path')" "$tmp/libcuda.so.
	" 'a name with a newline is JSON'
name=$tmp/$(printf 'bad\377utf8')
printf x >"$name"
run inspect --json "$name"
is "$(json '.[0].path')" "$tmp/$(printf 'bad\357\277\275utf8')" 'a name that is no UTF-8 is JSON'

for v in 450.248.02 535.261.03 555.58.02; do
    [ -e "$drivers/$v/libcuda.so.1" ] || continue
    run inspect --json "$drivers/$v/libcuda.so.1"
    is "$rc:$(json '.[0].version')" "0:$v" "the real $v"
done

finish
