#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A library that is bound to the kernel driver stays what ld.so takes where that works: it has the
# kernel driver's version, wherever it lies, or is of another maker. Only what is sure to fail is
# replaced, by what loads, under every policy. Fake drivers, but for NVML's own judgement.
# shellcheck source=tests/ways/lib.sh
. "$(dirname "$0")/lib.sh"
need_tool "${CC:-cc}"
place fake
kmd=580.95.05 other=590.48.01 machine=$tmp/machine
host=$machine/usr/lib/$(uname -m)-linux-gnu
make_root "$machine" --kmd "$kmd" --gpu 'NVIDIA GeForce RTX 4090' --host-umd "$kmd" >/dev/null
path=$host

# Which file the name gets, or ld.so's words.
gets() { # bare|shimmed NAME
    "$1" "${policy:+env CUARBITER_POLICY=$policy }names $2" | while read -r _ file rest; do
        case $file in
        /*) readlink -f "$file" ;;
        *) echo "$file $rest" ;;
        esac
    done
}

# As bare, and that is FILE: by name, by its path, under each policy.
stays() { # NAME FILE WHY
    for policy in '' host newest; do
        is "$(gets bare "$1")" "$2" "$3${policy:+, $policy}: without"
        is "$(gets shimmed "$1")" "$2" "$3${policy:+, $policy}: by name"
        is "$(gets shimmed "$2")" "$2" "$3${policy:+, $policy}: by path"
    done
    policy=''
}

# The host's own instead.
goes() { # NAME FILE WHY
    for policy in '' host; do
        is "$(gets shimmed "$1")" "$4" "$3${policy:+, $policy}: by name"
        is "$(gets shimmed "$2")" "$4" "$3${policy:+, $policy}: by path"
    done
    policy=''
}

same_as_bare() { # NAME WHY
    for policy in '' host; do
        is "$(gets shimmed "$1")" "$(gets bare "$1")" "$2${policy:+, $policy}: as without"
    done
    policy=''
}

# A copy of the same version in a folder of its own, as patches of NVENC's session limit are put
# there; and one of another version.
mkdir "$tmp/patched" "$tmp/old"
encode=libnvidia-encode.so ml=libnvidia-ml.so
cp "$host/$encode.$kmd" "$host/$ml.$kmd" "$tmp/patched/"
cp "$host/$encode.$kmd" "$tmp/old/$encode.$other"
cp "$host/$ml.$kmd" "$tmp/old/$ml.$other"
for folder in patched old; do
    for stem in $encode $ml; do
        ln -s "$(basename "$tmp/$folder/$stem".*)" "$tmp/$folder/$stem.1"
        ln -s "$stem.1" "$tmp/$folder/$stem"
    done
done
path=$tmp/patched:$host
stays $encode.1 "$tmp/patched/$encode.$kmd" 'a patched encoder of the same version'
stays $encode "$tmp/patched/$encode.$kmd" 'the same by its development name'
stays $ml.1 "$tmp/patched/$ml.$kmd" 'an NVML of the same version'
path=$tmp/old:$host
goes $encode.1 "$tmp/old/$encode.1" 'an encoder of another version' "$host/$encode.$kmd"
goes $ml.1 "$tmp/old/$ml.1" 'an NVML of another version' "$host/$ml.$kmd"
is "$(gets shimmed "/nowhere/$encode.1")" "$(gets bare "/nowhere/$encode.1")" \
    'a path that leads nowhere fails'

# Another maker's: no version of a driver in name or content.
mkdir "$tmp/mock"
cp "$app/mock/libnvcuvid.so.1" "$tmp/mock/"
path=$tmp/mock:$host
stays libnvcuvid.so.1 "$tmp/mock/libnvcuvid.so.1" 'a decoder of another maker'
mv "$tmp/mock/libnvcuvid.so.1" "$tmp/mock/libnvcuvid.so.1.0.0"
ln -s libnvcuvid.so.1.0.0 "$tmp/mock/libnvcuvid.so.1"
stays libnvcuvid.so.1 "$tmp/mock/libnvcuvid.so.1.0.0" 'one with a number of its own in its name'
mkdir "$tmp/number" "$tmp/stubs"
cat >"$tmp/number.c" <<'C'
const char *angle(void);
const char *angle(void) { return "360.0"; }
C
cat >"$tmp/opener.c" <<'C'
#include <dlfcn.h>
void *next(void);
void *next(void) { return dlopen("/usr/lib/libnvcuvid.so.1", RTLD_NOW); }
C
${CC:-cc} -shared -fPIC -o "$tmp/number/libnvcuvid.so.1" "$tmp/number.c"
path=$tmp/number:$host
stays libnvcuvid.so.1 "$tmp/number/libnvcuvid.so.1" 'one with a number that looks like a version'
${CC:-cc} -shared -fPIC -o "$tmp/stubs/libnvcuvid.so.1" "$tmp/opener.c"
path=$tmp/stubs:$host
stays libnvcuvid.so.1 "$tmp/stubs/libnvcuvid.so.1" 'one that opens the real one, in a folder of stubs'
cp "$app/mock/libnvcuvid.so.1" "$tmp/stubs/"
goes libnvcuvid.so.1 "$tmp/stubs/libnvcuvid.so.1" 'a link stub' "$host/libnvcuvid.so.$kmd"

# What a library needs is found by its own RUNPATH, and not by the host's of the same name; then one
# of another version, which nothing that loads can replace.
cat >"$tmp/one.c" <<'C'
int one(void);
int one(void) { return 1; }
C
cat >"$tmp/two.c" <<'C'
int one(void), two(void);
int two(void) { return one(); }
C
make_lib() { ${CC:-cc} -shared -fPIC -o "$@"; }
own_runpath() { # FOLDER VERSION
    mkdir -p "$1/own"
    make_lib "$1/own/libnvidia-glcore.so.$2" "-Wl,-soname,libnvidia-glcore.so.$2" "$tmp/one.c"
    make_lib "$1/libGLX_nvidia.so.$2" -Wl,-soname,libGLX_nvidia.so.0 "$tmp/two.c" \
        "$1/own/libnvidia-glcore.so.$2" -Wl,--enable-new-dtags "-Wl,-rpath,$1/own"
    ln -s "libGLX_nvidia.so.$2" "$1/libGLX_nvidia.so.0"
}
glx=libGLX_nvidia.so
own_runpath "$tmp/nix" "$kmd"
own_runpath "$tmp/older" "$other"
rm -f "$host/$glx".* "$host/libnvidia-glcore.so".*
make_lib "$host/$glx.$kmd" -Wl,-soname,$glx.0 "$tmp/two.c" "$tmp/nix/own/libnvidia-glcore.so.$kmd"
path=$tmp/nix:$host
stays $glx.0 "$tmp/nix/$glx.$kmd" 'a library with a RUNPATH of its own'
path=$tmp/older:$host
stays $glx.0 "$tmp/older/$glx.$other" 'of another version, and the host lacks what its own needs'
cp "$tmp/nix/own/libnvidia-glcore.so.$kmd" "$host/"
goes $glx.0 "$tmp/older/$glx.0" 'of another version, and the host has it all' "$host/$glx.$kmd"

# Leftovers beside good copies: of a folder that is searched first, and beside the native driver.
mkdir "$tmp/left" "$tmp/good"
cp -P "$tmp/patched/$ml"* "$tmp/good/"
size=$(stat -c %s "$tmp/good/$ml.$kmd")
for cut in 0 40 $((size / 2)); do
    rm -f "$tmp/left/"*
    head -c "$cut" "$tmp/good/$ml.$kmd" >"$tmp/left/$ml.$kmd"
    ln -s $ml.$kmd "$tmp/left/$ml.1"
    path=$tmp/left:$host
    goes $ml.1 "$tmp/left/$ml.$kmd" "cut to $cut bytes" "$host/$ml.$kmd"
    mv "$host/$ml.$kmd" "$tmp/whole"
    cp "$tmp/left/$ml.$kmd" "$host/"
    path=$tmp/good:$host
    stays $ml.1 "$tmp/good/$ml.$kmd" "the host's cut to $cut bytes, a whole one before it"
    path=$tmp/old:$host:$tmp/good
    goes $ml.1 "$tmp/old/$ml.1" "another version first, the host's cut to $cut bytes" \
        "$tmp/good/$ml.$kmd"
    path=$tmp/old:$host
    stays $ml.1 "$tmp/old/$ml.$other" "another version, and the host's is cut to $cut bytes"
    if [ "$cut" -lt 64 ]; then
        path=$tmp/left:$host
        same_as_bare $ml.1 "both cut to $cut bytes"
    fi
    rm "$host/$ml.$kmd"
    mv "$tmp/whole" "$host/$ml.$kmd"
done

# A real NVML that has the kernel driver's version in its content alone.
place real
mkdir "$tmp/plain"
cp "$right/libnvidia-ml.so.1" "$tmp/plain/"
path=$tmp/plain:$wrong:$right
stays $ml.1 "$tmp/plain/$ml.1" 'a real NVML of the same version without a name'
cp "$wrong/libnvidia-ml.so.1" "$tmp/plain/"
goes $ml.1 "$tmp/plain/$ml.1" 'a real NVML of another version without a name' \
    "$(readlink -f "$right/$ml.1")"
finish
