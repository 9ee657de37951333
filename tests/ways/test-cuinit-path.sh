#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The function that is called as cuInit lies in the verdict's file, that is the only libcuda, and it
# answers what a driver of the kernel's version answers; on real drivers, by each way to cuInit.
# shellcheck source=tests/ways/lib.sh
. "$(dirname "$0")/lib.sh"
need_tool jq
place real

new=555.58.02
# shellcheck disable=SC2086
need_drivers $new 450.248.02 460.106.00 470.256.02 525.147.05 535.261.03 550.163.01
need_cudart 11.2.152 11.8.89 12.4.127

# A driver without cuGetProcAddress came before 11.3; a runtime needs a driver of its major.
ways_of() { # HOST
    echo "dlsym init-dlopen
plt init-linked
RTLD_DEFAULT init-default"
    [ "${1%%.*}" -lt 465 ] || echo 'cuGetProcAddress init-getproc'
    echo "cudart-11.2 init-cudart $cudarts/11.2.152/libcudart.so.11.2.152
cudart-11.8 init-cudart $cudarts/11.8.89/libcudart.so.11.8.89"
    [ "${1%%.*}" -lt 525 ] || echo "cudart-12.4 init-cudart $cudarts/12.4.127/libcudart.so.12.4.127"
}

# The file that cuInit lies in; a runtime closes libcuda when that fails, the loader's words remain.
cuinit_file() { # OUTPUT
    case $(word libcudas "$1") in
    1) word file "$1" ;;
    0) printf '%s\n' "$1" | sed -n 's/.*calling init: \(.*libcuda\.so[^ ]*\).*/\1/p' ;;
    esac
}

for host in 450.248.02 460.106.00 470.256.02 525.147.05 535.261.03 550.163.01; do
    for bundled in $new 450.248.02; do
        [ "$bundled" != "$host" ] || continue
        kmd=$host path=$drivers/$bundled:$drivers/$host
        verdict=$(bare "$files/cuarbiter status --json" | jq -r '.chosen.path // "none"')
        is "$(file_of "$verdict")" "$(file_of "$drivers/$host/libcuda.so.1")" \
            "$bundled before $host: the verdict is the host's"
        ways_of "$host" >"$tmp/list"
        while read -r way command <&3; do
            debug=''
            case $way in cudart*) debug='env LD_DEBUG=files' ;; esac
            said=$(shimmed "$debug $command")
            line=$(printf '%s\n' "$said" | grep '^program=')
            code=$(word cuInit "$line")
            [ "$code" != no-cuInit ] || code=$(word cudaGetDeviceCount "$line")
            file=$(case $way in
                cudart*) cuinit_file "$line
$said" ;;
                *) cuinit_file "$line" ;;
            esac)
            is "$code $(file_of "$file")" "100 $(file_of "$verdict")" \
                "$bundled before $host, $way: the one libcuda, and it initialises"
        done 3<"$tmp/list"
    done
done
finish
