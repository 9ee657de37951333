#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a built file must be, read from the file itself. TAP.
#
#   gate.sh exports FILE NAME...     these dynamic symbols and no others
#   gate.sh needs FILE NAME...       these DT_NEEDED and no others
#   gate.sh imports FILE LIST...     no dynamic symbol that is not in the reviewed lists
#   gate.sh versions FILE            no symbol version that glibc 2.17 does not have
#   gate.sh image FILE               no TLS, executable stack, writable code, text relocation, RPATH
#   gate.sh written FILE             no gap that the shim would take for what was never written
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
    segments=$(readelf -lW "$file")
    dynamic=$(readelf -dW "$file")
    none "$name has no thread-local memory" "$(echo "$segments" | grep '^ *TLS ')"
    none "$name leaves the stack not executable" "$(echo "$segments" |
        awk '$1 == "GNU_STACK" { seen = 1; if ($7 $8 ~ /E/) print }
             END { if (!seen) print "no GNU_STACK" }')"
    none "$name has no writable code" "$(echo "$segments" |
        awk '$1 == "LOAD" && $7 $8 $9 ~ /W/ && $7 $8 $9 ~ /E/')"
    none "$name has read-only relocations" "$(echo "$segments" |
        awk '$1 == "GNU_RELRO" { seen = 1 } END { if (!seen) print "no GNU_RELRO" }')"
    none "$name has no text relocations" "$(echo "$dynamic" | grep TEXTREL)"
    none "$name has no path to libraries" "$(echo "$dynamic" | grep -E '\((RPATH|RUNPATH)\)')"
}

# Counted from a segment's start, as the shim does.
gate_written() {
    none "$name has no 1024 zeros in what is not written to" "$(readelf -lW "$file" |
        awk '$1 == "LOAD" && $7 !~ /W/ { print $2, $5 }' | while read -r offset size; do
        od -v -An -tx1 -w1024 -j $((offset)) -N $((size - size % 1024)) "$file" | grep -nx '\( 00\)*' || :
    done)"
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
