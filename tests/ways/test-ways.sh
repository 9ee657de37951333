#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every row of the table, without and with cuarbiter. With names, only those rows.
# shellcheck source=tests/ways/lib.sh
. "$(dirname "$0")/lib.sh"

# Fills code and file from one line of a program.
read_line() {
    code=$(word cuInit "$1")
    [ "$code" != no-cuInit ] || code=$(word cudaGetDeviceCount "$1")
    file=$(word file "$1") mapped=$(word libcudas "$1")
    # Links with absolute targets lead nowhere out of the root.
    [ -z "$root" ] || file=$(word maps "$1")
    # A runtime that has closed libcuda again; the loader's own words remain.
    [ "$file" != - ] || {
        file=$(printf '%s\n' "$output" | sed -n 's/.*calling init: \(.*libcuda\.so[^ ]*\).*/\1/p')
        mapped=$(printf '%s\n' "$file" | grep -c .)
    }
}

# Does one line hold what is expected? Says what is wrong.
fits_line() { # LINE EXPECTED
    expected=${2%%,*}
    read_line "$1"
    case $expected in
    wrong | right)
        if [ "$expected" = right ]; then wanted=$good; else wanted=$bad; fi
        [ "$code" = "$wanted" ] || echo "answered $code, not $wanted"
        [ "$mapped" = 1 ] || echo "not exactly one libcuda is mapped"
        ;;
    none) [ "$(word error "$1")" != no-error ] || echo 'it was opened' ;;
    esac
    case $expected in
    wrong | wrong-file) owner=$wrong ;;
    right | right-file) owner=$right ;;
    *) owner='' ;;
    esac
    if [ -n "$owner" ]; then
        [ "$(file_of "$(outside "$file")")" = "$(file_of "$(outside "$owner/libcuda.so.1")")" ] ||
            echo "$file is not $owner's"
    fi
    case $2 in
    *,*)
        for want in $(printf '%s' "${2#*,}" | tr ',' ' '); do
            [ "$(word "${want%%=*}" "$1")" = "${want#*=}" ] || echo "no $want"
        done
        ;;
    esac
}

# Every line that a program printed: a parent and its child print one each.
fits() { # OUTPUT EXPECTED
    output=$1
    lines=$(printf '%s\n' "$1" | grep '^program=') || {
        echo 'no program spoke'
        return
    }
    printf '%s\n' "$lines" | while IFS= read -r line; do
        fits_line "$line" "$2"
    done
}

judge() { # LABEL COMMAND BARE SHIMMED
    before=$(bare "$2")
    after=$(shimmed "$2")
    trouble=$(
        fits "$before" "$3" | sed 's/^/without: /'
        if [ "$4" != same ]; then
            fits "$after" "$4" | sed 's/^/with: /'
        elif [ "$before" != "$after" ]; then
            echo 'with: not the same'
        fi
    )
    if [ -z "$trouble" ]; then
        ok "$1"
    else
        not_ok "$1" "$trouble
without: $(printf '%s\n' "$before" | grep -v '^ *[0-9]*:' | tail -n 3)
with:    $(printf '%s\n' "$after" | grep -v '^ *[0-9]*:' | tail -n 3)"
    fi
}

# What this machine cannot do at all: one row less, and a line says so.
row_misses() {
    case $id in
    static) [ -e "$ways/static" ] || echo 'no static libc here' ;;
    musl) [ -e "$ways/musl" ] || echo 'no musl-gcc here' ;;
    cudart-static) [ -e "$ways/static-cudart" ] || echo 'no libcudart_static.a here' ;;
    esac
    case $1 in
    *-root) root_misses bullseye ;;
    esac
}

row() {
    for p in $places; do
        lacks=$(row_misses "$p")
        if [ -n "$lacks" ]; then
            tests_run=$((tests_run + 1))
            echo "ok $tests_run - $id, $p # SKIP $lacks"
            continue
        fi
        place "$p"
        case $search in
        both) ;;
        right) path=$right ;;
        -) path='' ;;
        *) eval "path=$search" ;;
        esac
        judge "$id, $p: $way" "$command" "$without" "$with"
    done
}

trim() {
    printf '%s' "$1" | sed 's/^ *//; s/ *$//'
}

need_cudart 11.2.152 11.8.89 12.4.127
# shellcheck disable=SC2034 # limit is for make-doc and test-ways-doc.sh
while IFS='|' read -r id way places search command without with limit <&3; do
    case $id in '#'* | '') continue ;; esac
    id=$(trim "$id")
    [ $# = 0 ] || case " $* " in *" $id "*) ;; *) continue ;; esac
    way=$(trim "$way") places=$(trim "$places") search=$(trim "$search")
    command=$(trim "$command") without=$(trim "$without") with=$(trim "$with")
    row
done 3<"$(dirname "$0")/table"
finish
