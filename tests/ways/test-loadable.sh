#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What takes the place of the loader's choice has to load: with every function that the program binds
# at once, with all that it needs, from a mount that allows it. Else what answers 803 bare, and then
# computes without CUDA, would end. A program that binds at the first call gets the right driver.
# shellcheck source=tests/ways/lib.sh
. "$(dirname "$0")/lib.sh"

# As bare, whatever that is.
as_bare() { # COMMAND WANTED
    without=$(bare "$1")
    with=$(shimmed "$1")
    is "$with" "$without" "$1: as bare"
    like "$with" "$2" "$1: $2"
}

better() { # COMMAND
    without=$(bare "$1")
    with=$(shimmed "$1")
    like "$without $with" "*cuInit=$bad*cuInit=$good*" "$1: $bad becomes $good"
}

export CUARBITER_LOG=error
mkdir -m 700 "$tmp/log" # so that what is logged once a container is logged here
export XDG_RUNTIME_DIR="$tmp/log"
place real
# As bare or better, in every binding and order.
bindings() {
    for program in newer newer-fixed; do
        better $program-lazy
        as_bare $program-now "*cuInit=$bad*"
        as_bare "env LD_BIND_NOW=1 $program-lazy" "*cuInit=$bad*"
    done
    for how in lazy now; do
        better newer-weak-$how
        better newer-own-$how
        better "opened $how lib/newer-weak-now.so"
        as_bare "opened $how lib/newer-now.so" "*cuInit=$bad*"
        as_bare "opened $how lib/newer-pointer.so" "*cuInit=$bad*"
        as_bare "opened $how \$PWD/lib/newer-deep.so lib/newer-now.so" "*cuInit=$bad*"
        # A library that nothing is missing for gets the right one, whatever was asked before it.
        as_bare "opened $how lib/newer-now.so lib/needs.so" "*cuInit=$bad*"
    done
    as_bare newer-pointer "*cuInit=$bad*"
    better 'opened lazy lib/newer-lazy.so'
    as_bare 'opened now lib/newer-lazy.so' "*cuInit=$bad*"
    as_bare 'env LD_BIND_NOW=1 opened lazy lib/newer-lazy.so' "*cuInit=$bad*"
    # By its version: NVIDIA's libcudas have none, and offer the function by its name or not at all.
    better newer-version-lazy
    as_bare newer-version-now "*cuInit=$bad*"
    better 'opened lazy lib/newer-version-lazy.so'
    as_bare 'opened now lib/newer-version-now.so' "*cuInit=$bad*"
    # Another object brings the function, a library or a preload: in doubt the loader's choice stays.
    better newer-beside-lazy
    as_bare newer-beside-now "*cuInit=$bad*"
    better 'opened-beside lazy lib/newer-now.so'
    better 'opened-beside now lib/newer-now.so'
    preload=$app/lib/newer-own.so
    better newer-lazy
    as_bare newer-now "*cuInit=$bad*"
    as_bare newer-pointer "*cuInit=$bad*"
    better 'opened now lib/newer-now.so'
    preload=''
}
bindings
if [ -e "$drivers/470.256.02/libcuda.so.470.256.02" ]; then
    kmd=470.256.02
    path=$wrong:$drivers/$kmd
    bindings
    path=$drivers/$kmd:$wrong
    as_bare newer-now '*cuGreenCtxCreate*'
    as_bare newer-lazy "*cuInit=$good*"
    place real
else
    missing 'every binding on 470' 'no real driver 470.256.02: scripts/fetch-drivers'
fi
# One that is opened after libcuda was chosen cannot be provided for: it is refused.
like "$(shimmed 'opened lazy lib/needs.so lib/newer-now.so')" \
    "cuInit=$good*undefined symbol: cuGreenCtxCreate*" 'opened later: refused, as the limits say'

# The other order: the loader's choice is right, and stays, also where it ends the program.
path=$right:$wrong
as_bare newer-lazy "*cuInit=$good*"
as_bare newer-now '*cuGreenCtxCreate*'
as_bare 'opened now lib/newer-lazy.so' '*cuGreenCtxCreate*'
path=$wrong:$right

# One warning, once.
line=$(CUARBITER_LOG=warn shimmed newer-now)
like "$line" '*warn: not-loadable: *535.261.03*lacks functions that newer-now needs: cuGreenCtxCreate.*' \
    'one warning with the name'
line=$(CUARBITER_LOG=warn CUARBITER_POLICY=host shimmed newer-now)
like "$line" '*not-loadable: *CUARBITER_POLICY*cuGreenCtxCreate*symbol lookup error*' \
    'policy host is obeyed, with a warning'
line=$(CUARBITER_LOG=info CUARBITER_POLICY=host shimmed newer-now)
like "$line" '*: policy-host: 535.261.03 cannot be used here: it lacks functions that newer-now needs: cuGreenCtxCreate.*' \
    'and is not said to work'

# Who looks at the program beforehand, and afterwards, is given the names.
status=$(bare "env CUARBITER_TRIAL=never $files/cuarbiter status --program newer-now")
like "$status" '*lacks*functions*that*newer-now*needs:*cuGreenCtxCreate.*(not-loadable)*' \
    'status --program: a program that would not load'
status=$(bare "env CUARBITER_TRIAL=never $files/cuarbiter status --program lib/newer-lazy.so")
like "$status" '*(native)*535.261.03 *lacks*functions that*newer-lazy.so needs:*cuGreenCtxCreate*' \
    'status --program: what is bound at the first call is named, and decides nothing'
path=$right:$wrong
status=$(bare "env CUARBITER_TRIAL=never $files/cuarbiter status --program newer-now")
like "$status" '*(native)*lacks*functions that*newer-now needs:*cuGreenCtxCreate*' \
    'status --program: the loader alone would take what lacks it'
path=$wrong:$right
like "$(bare "$files/cuarbiter doctor -- newer-now")" '*lacks*functions*that*newer-now*needs:*cuGreenCtxCreate*' \
    'doctor names it'
like "$(bare "$files/cuarbiter status --program $app/nowhere")" "cuarbiter: $app/nowhere: No such file*" \
    'status --program: a file that is not there'

# Nothing is looked at where nothing is redirected: of the program's file only what ld.so reads.
if tracing 'where nothing is redirected, nobody looks'; then
    trace_answerers "$tmp/answered" -e trace=%file
    opens() { # PATH PROGRAM
        path=$1
        rm -f "$tmp/answered"/*
        shimmed "strace -f -e trace=open,openat -o $tmp/trace $2" >/dev/null
        cat "$tmp/trace" "$tmp/answered"/* | grep -c "openat.*$3"
    }
    is "$(opens "$wrong:$right" newer-lazy '/newer-lazy"')" 1 'a redirected program is looked at'
    is "$(opens "$right:$wrong" newer-lazy '/newer-lazy"')" 0 'one that is right is not'
    is "$(opens "$right:$wrong" 'opened now lib/needs.so' '/needs.so"')" \
        "$(opens "$right:$wrong" 'env CUARBITER_TRIAL=never opened now lib/needs.so' '/needs.so"')" \
        'a library that is right is not either'
    path=$wrong:$right
fi

# Nor anything else, beside what ld.so looks at bare, but what scripts/bench paths lists: settings, the
# kernel's driver, the toolkit, the chosen file, the folders before it as ld.so would search them. And
# libc.so.6, which shows how ld.so was built: by its name below /lib, where a newer ld.so says /usr/lib.
if tracing 'bare beside shimmed'; then
    looks() { # bare|shimmed COMMAND
        rm -f "$tmp/answered"/*
        $1 "strace -f -e trace=%file -o $tmp/trace $2" >/dev/null
        cat "$tmp/answered"/* >>"$tmp/trace" 2>/dev/null
        sed -n 's/^[0-9]* *[a-z0-9_]*([^"]*"\([^"]*\)".*/\1/p' "$tmp/trace" | sort
    }
    listed="$files/.*|$right(/[^/]*)?|$drivers/$kmd/libcuda[^/]*|/(proc/driver|sys/module)/nvidia.*|/dev/null"
    listed="^($listed|/proc/(self|thread-self|[0-9]+)(/.*)?|/[^ ]*/cuarbiter\.conf|/opt/cuarbiter/site|/usr/local/cuda/version\.(json|txt)|/lib/[^/]*/libc\.so\.6)$"
    beyond() { # COMMAND
        looks bare "$1" >"$tmp/looks.bare"
        looks shimmed "$1" >"$tmp/looks.shimmed"
        comm -13 "$tmp/looks.bare" "$tmp/looks.shimmed" | grep -vE "$listed" | sort -u
    }
    path=$right:$wrong
    for program in newer-lazy newer-own-now linked; do
        is "$(beyond $program)" '' "$program, which is right: no look beyond those listed"
    done
    is "$(beyond 'opened now lib/needs.so' | xargs)" "$app lib/needs.so" \
        'a library that is opened: the file itself, for its needs'
    path=$wrong:$right
    like "$(beyond newer-lazy)" '*newer-lazy*' 'a redirect is seen to look further'
fi

# Libcudas that have versions: the one that would be chosen lacks that of the program, and of others
# this is not compared. In doubt the loader's choice stays; ld.so would end the program.
place fake
for map in later earlier; do
    file=$wrong/libcuda.so.1
    [ $map = later ] || file=$right/libcuda.so.1
    file=$(readlink -f "$file")
    mkdir "$tmp/$map"
    python3 - "$file" "$app/$map/libcuda.so.1" "$tmp/$map/${file##*/}" <<'EOF'
import sys
old, new = (open(name, 'rb').read() for name in sys.argv[1:3])
at, to = (data.index(b'@FAKE-SETTINGS@\n') for data in (old, new))
open(sys.argv[3], 'wb').write(new[:to] + old[at:at + 1040] + new[to + 1040:])
EOF
    ln -s "${file##*/}" "$tmp/$map/libcuda.so.1"
done
path=$tmp/later:$tmp/earlier
for how in lazy now; do
    as_bare later-$how "*cuInit=$bad*"
done
better "$programs/init-dlopen"
place real

# The host's driver needs a library that is not there: 390 to 418 have a sibling in their needs.
if [ -e "$drivers/418.226.00/libcuda.so.418.226.00" ]; then
    mkdir "$tmp/lame"
    cp "$drivers/418.226.00/libcuda.so.418.226.00" "$tmp/lame/"
    ln -s libcuda.so.418.226.00 "$tmp/lame/libcuda.so.1"
    kmd=418.226.00
    path=$wrong:$tmp/lame
    as_bare linked "*cuInit=$bad*"
    as_bare 'opened now lib/needs.so' "*cuInit=$bad*"
    as_bare "$programs/init-dlopen" "*cuInit=$bad*"
    like "$(CUARBITER_LOG=warn shimmed linked)" '*needs libnvidia-fatbinaryloader.so.418.226.00, which*' \
        'and the library is named'
    # Needed as a filter's library (DT_FILTER), without which ld.so does not load the filter either.
    python3 - "$tmp/lame/libcuda.so.418.226.00" <<'EOF'
import struct, sys
data = bytearray(open(sys.argv[1], 'rb').read())
at, count = struct.unpack_from('<Q', data, 32)[0], struct.unpack_from('<H', data, 56)[0]
heads = [struct.unpack_from('<IIQQQQQQ', data, at + 56 * i) for i in range(count)]
entries = next(head[2] for head in heads if head[0] == 2)
table = {}
for place in range(entries, entries + 16 * 64, 16):
    table.setdefault(struct.unpack_from('<Q', data, place)[0], []).append(place)
strings = struct.unpack_from('<Q', data, table[5][0] + 8)[0]
for place in table[1]:
    name = strings + struct.unpack_from('<Q', data, place + 8)[0]
    if data[name:].startswith(b'libnvidia-fatbinaryloader'):
        struct.pack_into('<Q', data, place, 0x7fffffff)
open(sys.argv[1], 'wb').write(data)
EOF
    as_bare linked "*cuInit=$bad*"
    as_bare "$programs/init-dlopen" "*cuInit=$bad*"
    cp "$drivers/418.226.00/libcuda.so.418.226.00" "$tmp/lame/"
    ln -s "$drivers/418.226.00/libnvidia-fatbinaryloader.so.418.226.00" "$tmp/lame/"
    better linked
    place real
else
    missing 'a driver without its sibling' 'no real driver 418.226.00: scripts/fetch-drivers'
fi

# It lies on a mount that forbids execution.
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    noexec() { # MOUNT-OPTIONS SHIM: LOG-LEVEL
        # shellcheck disable=SC2016
        CUARBITER_LOG=$3 LD_LIBRARY_PATH=$wrong:$tmp/noexec STANDIN_KMD=$kmd STANDIN_ROOT=$kernel \
            with_kernel "$(kernel_files "$kmd" "$kernel")" sh -c 'mkdir -p "$1" && mount -t tmpfs -o "$2" none "$1" &&
                cp -L "$3"/lib*.so.* "$1/" && cd "$4" && LD_PRELOAD=$5 exec ./linked' \
            sh "$tmp/noexec" "$1" "$right" "$app" "$2$fixtures/libstandin.so" 2>&1
    }
    like "$(noexec mode=755 "$shim:" error)" "*cuInit=$good*" 'a mount of the right driver'
    like "$(noexec mode=755,noexec "$shim:" error)" "*cuInit=$bad*" 'without exec: as bare'
    like "$(noexec mode=755,noexec "$shim:" warn)" \
        '* 535.261.03 cannot be used here: it cannot be mapped as code (is its mount noexec?).*' 'and why'
    # The image declares CUDA 13, and its compat driver would work by its note.
    hinted=$tmp/hinted
    make_root "$hinted" --kmd 575.57.08 --gpu 'NVIDIA A100-SXM4-80GB' --host-umd 575.57.08 \
        --compat 580.82.07 >/dev/null
    compat=$hinted/usr/local/cuda/compat
    mv "$compat" "$compat.was"
    mkdir "$compat"
    # shellcheck disable=SC2016
    from() { # MOUNT-OPTIONS
        CUDA_VERSION=13.0.1 STANDIN_KMD=575.57.08 STANDIN_ROOT=$hinted FAKE_ROOT=$hinted \
            LD_LIBRARY_PATH=$hinted/usr/lib/$(uname -m)-linux-gnu:$compat \
            with_kernel "$(kernel_files 575.57.08 "$hinted")" sh -c '
                mount -t tmpfs -o "$1" none "$2" && cp -a "$2.was/." "$2/" && LD_PRELOAD=$3 exec "$4"' \
            sh "$1" "$compat" "$shim:$fixtures/libstandin.so" "$programs/init-dlopen" 2>&1
    }
    like "$(from mode=755)" '*cuInit=0*580.82.07*' 'the image speaks of CUDA 13: the compat driver'
    like "$(from mode=755,noexec)" '*cuInit=0*575.57.08*' 'without exec: the native one, which works'
else
    echo "ok $((tests_run += 1)) - a mount without exec # SKIP no mount namespaces here"
fi
finish
