#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter matrix: images on machines.

# shellcheck source=tests/command/lib.sh
. "$(dirname "$0")/lib.sh"
may_lack jq

make_root "$tmp/new" --host-umd 535.161.07 --compat 550.54.15 >/dev/null
make_root "$tmp/old" --host-umd 535.161.07 >/dev/null
mkdir -p "$tmp/a/very/long"
cat >"$tmp/machines.csv" <<'EOF'
name,kmd,gpus,cc,toolkit
# a comment

a100,535.161.07,NVIDIA A100-SXM4-80GB;NVIDIA A100-SXM4-80GB,8.0;8.0,12.4
gaming , 535.161.07 , NVIDIA GeForce RTX 4090 , 8.9
"with ""quotes"", and a comma",580.95.05,,
EOF

# A line a pair, whatever the names, where no terminal is.
cd "$tmp" || exit
run matrix --unmounted --images new old --machines "$tmp/machines.csv" \
    --env LD_LIBRARY_PATH=/usr/local/cuda/compat
is "$rc" 1 'the same as a table'
like "$out" "MACHINE *IMAGE WORKS *
a100 *new *yes *550.54.15 compat *kept
a100 *old *yes *535.161.07 native *native
*
with \"quotes\", and a comma old *no *" 'long names'
is "$(echo "$out" | wc -l)" 7 'a line a pair in a pipe or file'
run matrix --unmounted --images new old --machines "$tmp/machines.csv" --output table \
    --env LD_LIBRARY_PATH=/usr/local/cuda/compat
is "$rc $(grep -c ' no ' table) $(wc -l <table)" '1 2 7' 'and by --output'
sed -i '/quotes/d' "$tmp/machines.csv"
run matrix --images new old --machines "$tmp/machines.csv" --env LD_LIBRARY_PATH=/usr/local/cuda/compat
like "$out" "MACHINE IMAGE WORKS *
a100 *new *yes *550.54.15 compat *kept
a100 *old *yes *535.161.07 native *native
*" 'the table'
is "$(printf '%s\n' "$out" | awk 'length > most { most = length } END { print NR, most <= 80 }')" '5 1' 'a line a pair, of 80 columns'
on_terminal() { # COLUMNS IMAGE...: how many lines, and whether they fit
    columns=$1
    shift
    script -qec "stty cols $columns; NO_COLOR=1 '$cuarbiter' matrix --images $* --machines '$tmp/machines.csv'" /dev/null </dev/null 2>&1 |
        tr -d '\r' | awk 'length > most { most = length } END { print NR, most <= '"$columns"' }'
}
mkdir -p "$tmp/an-image-with-a-name" && cp -r "$tmp/new/." "$tmp/an-image-with-a-name"
if command -v script >/dev/null; then
    # There names that leave no room have lines of their own, whole.
    is "$(on_terminal 90 an-image-with-a-name), $(on_terminal 80 an-image-with-a-name)" '3 1, 6 1' \
        'as wide as the terminal'
fi

run matrix --machines "$tmp/machines.csv" --images "$tmp/new"
is "$rc" 0 'all work'
run matrix --machines "$tmp/machines.csv" --images "$tmp/new" --policy compat
is "$rc" 1 'under policy compat the GeForce does not'
make_root "$tmp/stock" --compat 555.58.02 >/dev/null
printf 'desk,550.163.01,RTX 4090\n' >"$tmp/desk.csv"
run matrix --machines "$tmp/desk.csv" --images "$tmp/stock"
like "$out" "MACHINE IMAGE *WITHOUT HOOK *REASON
desk *yes *550.163.01 native *0 *804 *native" "what NVIDIA's hook makes of it"
printf 'x,535.161.07,A GPU That Nobody Knows,,\n' >"$tmp/unknown.csv"
run matrix --machines "$tmp/unknown.csv" --images "$tmp/new" --json
is "$(json '.[0].reason')" native 'what is not certain is not taken'

make_root "$tmp/bundles" --compat 550.54.15 >/dev/null
mkdir "$tmp/plain"
run matrix --machines "$tmp/machines.csv" --images "$tmp/bundles" "$tmp/plain" --json
is "$rc:$(json 'map([.works, .chosen.version, .chosen.kind, .without.version]|join(" "))|join("\n")')" \
    '0:yes 535.161.07 native 535.161.07
yes 535.161.07 native 535.161.07
yes 535.161.07 native 535.161.07
yes 535.161.07 native 535.161.07' "images as they are unpacked, with each machine's own driver"

# The caller's environment is not the image's.
export CUARBITER_POLICY=off CUDA_VISIBLE_DEVICES='' LD_LIBRARY_PATH=/usr/local/cuda/compat
run matrix --machines "$tmp/machines.csv" --images "$tmp/new" --json
is "$rc:$(json '.[0]|[.policy.kind, .gpus[0].visible, .without.version]|join(" ")')" \
    '0:auto true 535.161.07' "not the caller's environment"
unset CUARBITER_POLICY CUDA_VISIBLE_DEVICES LD_LIBRARY_PATH
run matrix --machines "$tmp/machines.csv" --images "$tmp/new" --json --env LD_LIBRARY_PATH=/usr/local/cuda/compat
is "$(json '.[1].without|[.version, .code]|join(" ")')" '550.54.15 804' "the image's"

bad() { # LINE WHY
    printf 'ok,535.1,,,\n%s\n' "$1" >"$tmp/bad.csv"
    run matrix --images "$tmp/new" --machines "$tmp/bad.csv"
    is "$rc:$out:$err" "2::cuarbiter: $tmp/bad.csv: line 2: $2" "refused: $1"
}
bad 'x' 'the second field is not a driver version'
bad ',535.1' "the first field, the machine's name, is empty"
bad 'x,535' 'the second field is not a driver version'
bad 'x,535.1,A,B' 'the fourth field is not a compute capability'
bad 'x,535.1,A,8.10' 'the fourth field is not a compute capability'
bad 'x,535.1,A,8.0;8.0' 'more compute capabilities than GPUs'
bad 'x,535.1,A,8.0,new' 'the fifth field is not a CUDA version'
bad 'x,535.1,A,8.0,12.4,more' 'more than five fields'
bad '"x,535.1' 'a quoted field is not closed, or text follows its last quote'
bad '"x"y,535.1' 'a quoted field is not closed, or text follows its last quote'
printf 'a\0b' >"$tmp/nul.csv"
run matrix --images "$tmp/new" --machines "$tmp/nul.csv"
is "$rc:$err" "2:cuarbiter: $tmp/nul.csv: not a text file" 'a file that is no text'

finish
