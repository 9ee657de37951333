#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a built file must be, read from the file itself. TAP.
#
#   gate.sh exports FILE NAME...     these dynamic symbols and no others
#   gate.sh needs FILE NAME...       these DT_NEEDED and no others
#   gate.sh imports FILE LIST...     no dynamic symbol that is not in the reviewed lists
#   gate.sh versions FILE            no symbol version that glibc 2.17 does not have
#   gate.sh image FILE               no TLS, executable stack, writable code, text relocation, RPATH, page of zeros
#   gate.sh static FILE              no interpreter, need, executable stack, writable code, RPATH, page of zeros
#   gate.sh marks FILE               the note that every indirect branch lands on a marker
#   gate.sh paths FILE FOLDER...     no trace of these folders
#   gate.sh linkage FOLDER LIST      names with linkage in its objects begin with cua_, or stand in
#                                    the list
#
# A list has a name a line; what follows a blank is the reason.
# shellcheck disable=SC2317 # the functions are called by the gate's name
set -eu

what=$1 file=$2 name=${2##*/}
shift 2
tests=0 failed=0

none() { # NAME UNWANTED: nothing unwanted is right
    tests=$((tests + 1))
    if [ -z "$2" ]; then
        echo "ok $tests - $1"
    else
        failed=1
        echo "not ok $tests - $1"
        printf '%s\n' "$2" | sed 's/^/#   /'
    fi
}

same() { # NAME WANTED GOT: lists, in any order
    wanted=$(printf '%s\n' "$2" | sort -u)
    got=$(printf '%s\n' "$3" | sort -u)
    if [ "$wanted" = "$got" ]; then
        none "$1" ''
    else
        none "$1" "$(printf 'got:\n%s\nwanted:\n%s' "$got" "$wanted")"
    fi
}

beyond() { # LIST...: those names of standard input that they have not
    sort -u | while read -r each; do
        grep -q "^$each\([[:space:]]\|\$\)" "$@" || echo "$each"
    done
}

# Name, binding and section of every dynamic symbol.
symbols() {
    readelf --dyn-syms -W "$file" | awk '$1 ~ /^[0-9]+:$/ && NF >= 8 { print $8, $5, $7 }'
}

# A program's copy of libc's stdout is no export of its own.
gate_exports() {
    same "$name exports nothing but: ${*:-none}" "$(printf '%s\n' "$@")" "$(symbols |
        awk '$3 != "UND" && $3 != "ABS" && $2 != "LOCAL" && $1 !~ /[^@]@GLIBC_/ { print $1 }')"
}

gate_needs() {
    same "$name needs nothing but: $*" "$(printf '%s\n' "$@")" \
        "$(readelf -dW "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')"
}

# Where the compiler turns _FORTIFY_SOURCE on by itself, __read_chk stands for read and __open64_2
# for open64.
gate_imports() {
    none "$name imports nothing that is not in ${1##*/}" \
        "$(symbols | awk '$3 == "UND" { print $1 }' |
            sed 's/@.*//; s/^__\(.*\)_chk$/\1/; s/^__\(open.*\)_2$/\1/' | beyond "$@")"
}

gate_versions() {
    none "$name runs with glibc 2.17" "$(readelf -VW "$file" |
        sed -n 's/.*Name: \([^ ]*\) *Flags:.*Version:.*/\1/p' | sort -u |
        while read -r version; do
            highest=$(printf '%s\nGLIBC_2.17\n' "$version" | sort -V | tail -n 1)
            case $version in
            GLIBC_[0-9]*) [ "$highest" = GLIBC_2.17 ] || echo "$version" ;;
            *) echo "$version" ;;
            esac
        done)"
}

gate_image() {
    none "$name has no thread-local memory" "$(readelf -lW "$file" | grep '^ *TLS ')"
    gate_code
}

gate_code() {
    segments=$(readelf -lW "$file")
    dynamic=$(readelf -dW "$file")
    none "$name leaves the stack not executable" "$(echo "$segments" |
        awk '$1 == "GNU_STACK" { seen = 1; if ($7 $8 ~ /E/) print }
             END { if (!seen) print "no GNU_STACK" }')"
    none "$name has no writable code" "$(echo "$segments" |
        awk '$1 == "LOAD" && $7 $8 $9 ~ /W/ && $7 $8 $9 ~ /E/')"
    none "$name has read-only relocations" "$(echo "$segments" |
        awk '$1 == "GNU_RELRO" { seen = 1 } END { if (!seen) print "no GNU_RELRO" }')"
    none "$name has no text relocations" "$(echo "$dynamic" | grep TEXTREL)"
    none "$name has no path to libraries" "$(echo "$dynamic" | grep -E '\((RPATH|RUNPATH)\)')"
    none "$name has no page of zeros that is read-only" "$(zeros)"
}

# The hook takes such a page for one that was lost in a crash (deploy/hook/copy.c). Wherever they begin, 4095 zeros
# fill none.
zeros() {
    python3 - "$file" <<'PY'
import re, struct, sys
data = open(sys.argv[1], "rb").read()
table, count = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<H", data, 56)[0]
for i in range(count):
    kind, flags, offset, _, _, size = struct.unpack_from("<IIQQQQ", data, table + 56 * i)
    if kind == 1 and not flags & 2:
        for run in re.finditer(rb"\0{4096,}", data[offset : offset + size]):
            print(f"{len(run[0])} at {offset + run.start():#x}")
PY
}

# It takes nothing of the container that it runs in.
gate_static() {
    none "$name has no interpreter" "$(readelf -lW "$file" | grep -E '^ *INTERP ')"
    none "$name needs nothing" "$(readelf -dW "$file" | grep -F '(NEEDED)')"
    gate_code
}

gate_marks() {
    case $(readelf -hW "$file") in
    *X86-64*) marks='IBT SHSTK' ;;
    *AArch64*) marks=BTI ;;
    *) marks=unknown ;;
    esac
    notes=$(readelf -nW "$file" | tr ',' ' ')
    for mark in $marks; do
        case " $notes " in
        *" $mark"[[:space:]]*) none "$name carries the $mark note" '' ;;
        *) none "$name carries the $mark note" "$notes" ;;
        esac
    done
}

gate_paths() {
    for folder in "$@"; do
        none "$name keeps no trace of $folder" \
            "$(strings -a "$file" | grep -F "$folder" | head -n 5)"
    done
}

gate_linkage() {
    none "names with linkage in $name begin with cua_" "$(nm --defined-only "$file"/*.o |
        awk '$2 ~ /^[A-Z]$/ && $3 !~ /^cua_/ { print $3 }' | beyond "$1")"
}

[ "$what" = linkage ] || readelf -hW "$file" >/dev/null 2>&1 || what=readable
gate_readable() {
    none "$file can be read" "it is no ELF file"
}
"gate_$what" "$@"
echo "1..$tests"
exit $failed
