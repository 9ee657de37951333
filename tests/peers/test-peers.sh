#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Others that choose a libcuda, as they decide, without and with the shim: whatever they say, the
# program works with it. What their banners say then goes into docs/evidence/peers.md.
# shellcheck source=tests/ways/lib.sh
. "$(dirname "$0")/../ways/lib.sh"

# BANNER CODE FILE of a command, the file by whose it is.
outcome() { # bare|shimmed COMMAND
    said=$("$1" "$2")
    line=$(printf '%s\n' "$said" | grep '^program=' | tail -n 1)
    banner=$(printf '%s\n' "$said" | sed -n 's/.*mode \(is \)\{0,1\}\([A-Z]*\).*/\2 /p')
    [ -n "$banner" ] || banner=$(word says "$line")' '
    [ "$banner" != 'no-says ' ] || banner=''
    file=$(file_of "$(word file "$line")")
    case $file in
    "$(file_of "$wrong/libcuda.so.1")") file=bundled ;;
    "$(file_of "$right/libcuda.so.1")") file=host ;;
    esac
    echo "$banner$(word cuInit "$line") $file"
}

both() { # NAME COMMAND WITHOUT WITH
    is "$(outcome bare "$2")" "$3" "$1, without"
    is "$(outcome shimmed "$2")" "$4" "$1, with"
}

entry="$tree/tests/peers/entry-point.sh $built/cuda-check \$wrong"
for p in real fake; do
    place $p
    # The host's driver comes first; to put the bundled one before it is the peer's to do.
    path=$right:$wrong
    # On the stand-in a driver that works answers 100, which these peers take for a failure.
    case $p in
    real) enabled=UNAVAILABLE older=system ;;
    fake) enabled=ENABLED older=forward-compatible ;;
    esac
    for program in init-dlopen linked 'open-plain lib/needs.so'; do
        both "$p: NGC's entry point, $program" "$entry $program" \
            "UNAVAILABLE $good host" "$enabled $good host"
    done
    is "$(outcome shimmed "env CUARBITER_POLICY=off $entry init-dlopen")" "UNAVAILABLE $good host" \
        "$p: NGC's entry point, policy off"
    both "$p: Julia's CUDA_Driver" "$built/pick-driver newer \$wrong/libcuda.so.1" \
        "system $good host" "system $good host"
    both "$p: Julia's CUDA_Driver, older" "$built/pick-driver \$wrong/libcuda.so.1" \
        "system $good host" "$older $good host"
    audit="env AUDIT_HELPER=$built/highest LD_AUDIT=$built/audit.so
        AUDIT_CANDIDATES=\$right/libcuda.so.1:\$wrong/libcuda.so.1"
    audit=$(echo "$audit" | tr -s '\n ' ' ')
    for program in init-dlopen linked 'open-plain lib/needs.so'; do
        both "$p: an LD_AUDIT search, $program" "$audit $program" "$bad bundled" "$good host"
    done
done

# A data-centre GPU, on which the bundled driver works: nobody disagrees about the file.
machine=$tmp/a100 kmd=535.161.07 good=0
make_root "$machine" --kmd "$kmd" --gpu 'NVIDIA A100-SXM4-80GB' --host-umd "$kmd" --compat 550.54.15 \
    >/dev/null
wrong=$machine/usr/local/cuda/compat right=$machine/usr/lib/$(uname -m)-linux-gnu
path=$right:$wrong
both "A100: NGC's entry point" "$entry init-dlopen" 'ENABLED 0 bundled' 'ENABLED 0 bundled'
both "A100: Julia's CUDA_Driver" "$built/pick-driver newer \$wrong/libcuda.so.1" \
    'forward-compatible 0 bundled' 'forward-compatible 0 bundled'
both "A100: Julia's CUDA_Driver, older" "$built/pick-driver \$wrong/libcuda.so.1" \
    'forward-compatible 0 bundled' 'forward-compatible 0 bundled'
# Its helper opens both files in one process, where the first one stays: the search sees one version.
both 'A100: an LD_AUDIT search' "$audit init-dlopen" '0 bundled' '0 host'
finish
