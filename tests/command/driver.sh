#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter driver: from a folder and from each kind of file into the store, under the names that
# ld.so and libcuda ask for; list, check, remove; where the store is, and whose.

# shellcheck source=tests/command/driver-lib.sh
. "$(dirname "$0")/driver-lib.sh"
need_tool jq python3 zstd rpmbuild # nearly every check packs or reads with them

# A folder.
layout 590.48.01 "$tmp/cuda_compat-linux-x86_64-590.48.01_cuda13.1-archive"
folder=$tmp/cuda_compat-linux-x86_64-590.48.01_cuda13.1-archive
rm "$folder/compat/libcuda.so"
cp "$folder/compat/libcuda.so.1" "$folder/compat/libcuda.so" # no number: none of a driver's own
ln -sf /etc/passwd "$folder/compat/libnvidia-nvvm70.so.9"
cp "$folder/compat/libcuda.so" "$folder/compat/libnvidia-ml.so.590.48.01"
cp "$folder/compat/libcuda.so" "$folder/compat/evil.so"
run driver --store "$store" add "$folder"
is "$rc:$err:$out" "0::from     $folder
into     $store
590.48.01 was added
$store/590.48.01/libcuda.so.1" 'a folder'
is "$(stored)" "590.48.01
590.48.01/LICENSE
590.48.01/libcuda.so.1
590.48.01/libcuda.so.590.48.01
590.48.01/libcudadebugger.so.1
590.48.01/libcudadebugger.so.590.48.01
590.48.01/libnvidia-gpucomp.so.590.48.01
590.48.01/libnvidia-nvvm.so.4
590.48.01/libnvidia-nvvm.so.590.48.01
590.48.01/libnvidia-nvvm70.so.4
590.48.01/libnvidia-ptxjitcompiler.so.1
590.48.01/libnvidia-ptxjitcompiler.so.590.48.01
590.48.01/libnvidia-tileiras.so.590.48.01
590.48.01/manifest.json" 'libcuda, its companions, the links, the licence, a manifest, and nothing else'
is "$(readlink "$store/590.48.01/libcuda.so.1"):$(cmp "$store/590.48.01/libcuda.so.590.48.01" "$folder/compat/libcuda.so.590.48.01" 2>&1)" \
    libcuda.so.590.48.01: 'the same bytes'
is "$(find "$store/590.48.01" -type f ! -perm 644; find "$store" -type d ! -perm 755)" '' 'modes whatever the umask'
is "$(jq -r '[.version, .cuda, .source, .sha256, (.files | length)] | join(" ")' "$store/590.48.01/manifest.json")" \
    "590.48.01 13.1 $folder  12" 'the manifest'
is "$(jq -r '.files[] | select(.sha256) | .sha256 + "  " + .name' "$store/590.48.01/manifest.json" |
    (cd "$store/590.48.01" && sha256sum -c --quiet 2>&1))" '' 'whose sums are those of coreutils'
run driver --store "$store" add "$folder"
is "$rc:$(echo "$out" | sed -n 3p)" '0:590.48.01 is already there' 'again'

# Each kind of file, and NVIDIA's other layout.
pack() { # FILE: the folder below $tmp/in
    case $1 in
    *.tar.xz) tar -C "$tmp/in" -cJf "$1" . ;;
    *.tar.gz) (cd "$tmp/in" && tar -czf "$1" ./*) ;;
    *.conda)
        (cd "$tmp/in" && tar -cf - . | zstd -q -o "$tmp/pkg-cuda-compat-impl.tar.zst") &&
            python3 -c 'import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as z:
    z.writestr("metadata.json", "{}")
    z.write(sys.argv[2], "pkg-cuda-compat-impl.tar.zst")' "$1" "$tmp/pkg-cuda-compat-impl.tar.zst"
        ;;
    *.deb)
        mkdir "$tmp/in/DEBIAN" &&
            printf 'Package: cuda-compat\nVersion: 1\nArchitecture: all\nMaintainer: x\nDescription: x\n' \
                >"$tmp/in/DEBIAN/control" && dpkg-deb -Zxz -z0 -b "$tmp/in" "$1" >/dev/null
        ;;
    *.rpm) # of rpm 4's format: libarchive 3.8 does not read rpm 6's
        printf '%s\n' 'Name: cuda-compat' 'Version: 1' 'Release: 1' 'License: x' 'Summary: x' \
            'AutoReqProv: no' '%global __os_install_post %{nil}' '%description' x '%install' \
            "mkdir -p %{buildroot}/usr/local && cp -a $tmp/in/. %{buildroot}/usr/local/" '%files' /usr/local/\* \
            >"$tmp/spec" &&
            rpmbuild --quiet --define "_topdir $tmp/rpm" --define '_rpmformat 4' -bb "$tmp/spec" >"$tmp/rpm.log" 2>&1 &&
            cp "$tmp"/rpm/RPMS/*/*.rpm "$1"
        ;;
    esac
}
wanted=$(stored | sed -n 's,^590.48.01/,,p' | sed 's/590.48.01/VERSION/' | LC_ALL=C sort)
minor=10
for kind in tar.xz tar.gz conda deb rpm; do
    minor=$((minor + 1))
    rm -rf "$tmp/in"
    mkdir "$tmp/in"
    case $kind in
    tar.gz) layout 590.$minor.01 "$tmp/in/nvidia_driver-linux-x86_64-590.$minor.01-archive" lib ;;
    *) layout 590.$minor.01 "$tmp/in/cuda-13.1" ;;
    esac
    if ! command -v rpmbuild >/dev/null && [ $kind = rpm ]; then
        missing '.rpm' 'no rpmbuild here'
        continue
    fi
    pack "$tmp/file.$kind" || not_ok "packing .$kind" "$(cat "$tmp/rpm.log")"
    run driver --store "$store" add "$tmp/file.$kind"
    is "$rc:$err:$(echo "$out" | sed -n 3p)" "0::590.$minor.01 was added" ".$kind"
    is "$(stored | sed -n "s,^590.$minor.01/,,p" | sed "s/590.$minor.01/VERSION/" | LC_ALL=C sort)" "$wanted" "the same files from .$kind"
    is "$(jq -r .sha256 "$store/590.$minor.01/manifest.json")" "$(sum "$tmp/file.$kind")" 'the sum of the archive'
done

# Somebody followed the links.
layout 590.20.01 "$tmp/flat"
mv "$tmp/flat"/compat/* "$tmp/flat"
for name in "$tmp"/flat/*.so.[0-9]; do
    [ -L "$name" ] || continue
    real=$(readlink -f "$name")
    rm "$name"
    cp "$real" "$name"
done
run driver --store "$store" add "$tmp/flat"
is "$rc:$(stored | sed -n 's,^590.20.01/,,p' | sed 's/590.20.01/VERSION/' | LC_ALL=C sort)" "0:$wanted" 'copies in the place of links'
is "$(readlink "$store/590.20.01/libcuda.so.1")" libcuda.so.590.20.01 'become links again'

# list, check.
run driver --store "$store" list 590.48.01 590.20.01
is "$rc:$out" "0:$store
590.20.01   13.1          1 MB  whole
590.48.01   13.1          1 MB  whole" 'list'
run driver --store "$store" list --json
is "$(json '.[0].drivers[] | select(.version == "590.48.01") | [.state, .cuda, .libcuda] | join(" ")')" \
    "whole 13.1 $store/590.48.01/libcuda.so.1" 'as JSON'
run driver --store "$store" check
is "$rc" 0 'check: all are whole'
damaged() { # WHAT: of 590.48.01
    run driver --store "$store" check 590.48.01
    like "$rc:$out" "1:*590.48.01 *damaged: $1" "check: $1"
}
printf x | dd of="$store/590.48.01/libnvidia-nvvm.so.590.48.01" conv=notrunc status=none
damaged 'libnvidia-nvvm.so.590.48.01 has changed'
cp "$folder/compat/libnvidia-nvvm.so.590.48.01" "$store/590.48.01/"
printf x >>"$store/590.48.01/libcuda.so.590.48.01"
damaged 'libcuda.so.590.48.01 has the wrong size'
cp "$folder/compat/libcuda.so.590.48.01" "$store/590.48.01/"
ln -sf /etc/passwd "$store/590.48.01/libnvidia-nvvm.so.4"
run driver --store "$store" check 590.48.01
like "$rc:$out" '1:*590.48.01 *not used: libnvidia-nvvm.so.4, a link out of its folder: users other than root, you and the store?s owner could change it' 'check: a link that leads out'
ln -sf libnvidia-nvvm.so.590.48.01 "$store/590.48.01/libnvidia-nvvm.so.4"
mv "$store/590.48.01/libcudadebugger.so.590.48.01" "$tmp/away"
damaged 'libcudadebugger.so.590.48.01 is missing'
mv "$tmp/away" "$store/590.48.01/libcudadebugger.so.590.48.01"
cp "$tmp/flat/libcuda.so.1" "$store/590.48.01/libcuda.so.2"
damaged 'libcuda.so.2 is not listed in manifest.json'
rm "$store/590.48.01/libcuda.so.2"
run driver --store "$store" check 590.48.01
is "$rc" 0 'whole again'
mv "$store/590.48.01/libnvidia-ptxjitcompiler.so.590.48.01" "$tmp/away"
mkdir "$tmp/many"
(cd "$tmp/many" && mkdir $(seq -f 1.%g 300))
run driver --store "$tmp/many" list
is "$(echo "$out" | grep -c '^1\.')" 300 'list: a store with very many'
for verb in list check; do
    run driver --store "$store" $verb 590.48.01
    like "$rc:$out" '1:*590.48.01 *not used: its libcuda cannot compile PTX, because libnvidia-ptxjitcompiler.so.590.48.01 is not beside it' \
        "$verb: without its PTX compiler"
done
run driver --store "$store" list --json
is "$(json '.[0].drivers[] | select(.version == "590.48.01") | [.state, .trouble[:30]] | join(": ")')" 'not used: its libcuda cannot compile PTX' \
    'list: without its PTX compiler, as JSON'
mv "$tmp/away" "$store/590.48.01/libnvidia-ptxjitcompiler.so.590.48.01"
run driver --store "$store" list 590.48.01
is "$rc" 0 'list: with it again'
run driver --store "$store" check 591.1
is "$rc:$err" '1:cuarbiter: driver: 591.1 was not found' 'one that is not there'
# In two stores, that beside the command and the user's own.
mkdir -p "$tmp/beside" "$tmp/user/.local/share/cuarbiter"
cp "$command" "$shim" "$tmp/beside" && cp -a "$store" "$tmp/beside/drivers"
cp -a "$store" "$tmp/user/.local/share/cuarbiter/drivers"
like "$(HOME=$tmp/user XDG_DATA_HOME='' "$tmp/beside/cuarbiter" driver list 590.48.01 591.1 2>&1; echo $?)" \
    "*590.48.01 *whole*590.48.01 *whole*driver: 591.1 was not found*1" 'one in two stores, and one in none'

# A program gets it by CUARBITER_LIBCUDA; its companions lie beside it.
make_root "$tmp/machine" --kmd 535.161.07 --host-umd 535.161.07 --gpu 'NVIDIA A100-SXM4-80GB' >/dev/null
CUARBITER_LIBCUDA=$store/590.48.01/libcuda.so.1 CUARBITER_SYSROOT=$tmp/machine run status --json
is "$(json '[.reason, .chosen.version] | join(" ")')" 'policy-file 590.48.01' 'CUARBITER_LIBCUDA takes it'
CUARBITER_LIBCUDA=$store/590.48.01/libcuda.so.1 CUARBITER_SYSROOT=$tmp/machine CUARBITER_DRIVER_MIRROR=x run status
like "$out" '*590.48.01 runs on kernel
*driver branch 535*' 'status judges it'
is "${out##*CUARBITER_DRIVER_MIRROR*}" "$out" 'the name of the mirror is no mistake'

# remove: the files stay where a program that runs looks for them.
run driver --store "$store" remove 590.48.01
like "$rc:$out" '0:590.48.01 was removed; its files stay for programs that use it, until the first add or remove after a reboot (--now deletes them at once)' 'remove'
is "$(ls "$store/590.48.01/libnvidia-ptxjitcompiler.so.1")" "$store/590.48.01/libnvidia-ptxjitcompiler.so.1" \
    'what a running program opens late is there'
run driver --store "$store" list 590.48.01
like "$out" '*590.48.01 *removed' 'list says so'
run driver --store "$store" add --yes "$folder"
like "$rc:$out" '0:*590.48.01 had been removed, and is available again*' 'add brings it back'
run driver --store "$store" remove 590.48.01
mark=$(basename "$store"/590.48.01/removed-*)
mv "$store/590.48.01/$mark" "$store/590.48.01/${mark%-????????-????-????-????-????????????.json}-another-boot.json"
run driver --store "$store" remove --now 590.20.01
is "$rc:$out:$(stored | grep -c '^590.48.01\|^590.20.01')" '0:590.20.01 was removed:0' \
    '--now deletes; so does the first command after a boot'
mkdir "$store/590.48.01"
: >"$store/590.48.01/removed-another_machine-boot.json"
run driver --store "$store" remove --now 590.12.01
is "$(stored | grep '^590.48.01')" "590.48.01
590.48.01/removed-another_machine-boot.json" "not one that waits for another machine's boot"
run driver --store "$store" list 590.48.01
like "$rc:$out" '1:*590.48.01 *not whole: its manifest is missing or cannot be read' 'a folder without a manifest is none'
run driver --store "$store" add --yes "$folder"
is "$rc:$err" "1:cuarbiter: $folder: 590.48.01 is already there, but incomplete; remove it first: cuarbiter driver --store $store remove --now 590.48.01" 'nor added to'
rm -r "$store/590.48.01"
run driver --store "$store" remove 590.48.01
is "$rc:$err" "1:cuarbiter: 590.48.01: $store does not have it" 'none to remove'
mkdir "$tmp/odd"
ln -s "$folder/compat" "$tmp/odd/590.48.01"
run driver --store "$tmp/odd" list
is "$rc:$out" "1:$tmp/odd
590.48.01   unknown       0 MB  not used: Not a directory" 'list: a link in the place of a folder'

# Where: beside the files; for a user who cannot write there, in that user's own folder.
layout 590.48.01 "$tmp/nv"
run driver add "$tmp/nv"
is "$rc:$(echo "$out" | sed -n 2p)" "0:into     $files/drivers" 'beside the files'
run driver list
like "$rc:$out" "0:$files/drivers
590.48.01 *whole" 'list finds it there'
rm -r "$files/drivers"
if [ "$(id -u)" = 0 ]; then
    user() { # COMMAND...: as a user who owns $tmp/home alone
        rc=0
        setpriv --reuid 1001 --regid 1001 --clear-groups "$@" >"$tmp/out" 2>"$tmp/err" || rc=$?
        out=$(cat "$tmp/out")
        err=$(cat "$tmp/err")
    }
    chmod 755 "$tmp"
    chown 1001 "$tmp/home"
    user "$cuarbiter" driver add "$tmp/nv"
    is "$rc:$(echo "$out" | sed -n 2p):$(stat -c %u "$tmp/home/data/cuarbiter/drivers/590.48.01/libcuda.so.1")" \
        "0:into     $tmp/home/data/cuarbiter/drivers:1001" "a user's own"
    user "$cuarbiter" driver list
    like "$rc:$out" "0:$tmp/home/data/cuarbiter/drivers
590.48.01 *whole" 'and found there'
    run driver --store "$tmp/home/data/cuarbiter/drivers" list
    is "$rc:$out" "1:$tmp/home/data/cuarbiter/drivers: not used: it belongs to another user" 'not for root'
    run driver --store "$tmp/home/data/cuarbiter/drivers" add "$tmp/nv"
    is "$rc:$err" "1:cuarbiter: $tmp/home/data/cuarbiter/drivers: not used: it belongs to another user" \
        'who adds nothing there'
    # Whoever owns cuarbiter's files can do more than bring a driver.
    install_files "$tmp/theirs"
    chown -R 1001 "$tmp/theirs"
    user "$tmp/theirs/cuarbiter" driver add "$tmp/nv"
    lists() { # [COMMAND...]: as root does
        rc=0
        out=$(XDG_DATA_HOME=$tmp/none "$@" "$tmp/theirs/cuarbiter" driver list 2>&1) || rc=$?
    }
    if unshare -p --fork --mount-proc true 2>/dev/null; then
        lists unshare -p --fork --mount-proc
        like "$rc:$out" "0:$tmp/theirs/drivers
590.48.01 *whole" 'in a container one beside files of the same owner is read'
    else
        ok 'a store of another user in a container # SKIP no pid namespaces here'
    fi
    if [ "$(readlink /proc/self/ns/pid)" = 'pid:[4026531836]' ]; then
        lists
        is "$rc:$out" "1:$tmp/theirs/drivers: not used by root: this folder, or the libcuarbiter.so beside it, belongs to another user" 'outside of one root reads its own alone'
    else
        ok "a store of another user on the host # SKIP this is a container"
    fi
    rc=0
    out=$("$tmp/theirs/cuarbiter" driver remove 590.48.01 2>&1) || rc=$?
    is "$rc:$out" "1:cuarbiter: $tmp/theirs/drivers: it belongs to another user: run this as that user, or pass another folder with --store" 'and not written'
else
    ok 'stores of other users # SKIP not root'
fi
chmod o+w "$store/590.11.01"
run driver --store "$store" list 590.11.01
like "$rc:$out" '1:*590.11.01 *not used: its folder: users other than root, you and the store?s owner could change it' 'a folder that others can write'
layout 590.11.01 "$tmp/same"
run driver --store "$store" add "$tmp/same"
like "$rc:$err" "1:*590.11.01 is already there, but users other than root, you and the store?s owner could change it; remove it first: cuarbiter driver --store $store remove --now 590.11.01" \
    'and added: says why not'
chmod o-w "$store/590.11.01"
chmod g+w "$store/590.11.01/libcuda.so.590.11.01"
run driver --store "$store" list 590.11.01
like "$rc:$out" '1:*not used: libcuda.so.590.11.01: users other than root, you and the store?s owner could change it' 'a file'
chmod o+w "$store"
run driver --store "$store" add "$tmp/nv"
is "$rc:$err:$(stored | grep -c 590.48)" "1:cuarbiter: $store: not used: users other than its owner can change it:0" 'a store'

# Mistakes.
run driver
is "$rc" 2 'nothing to do'
run driver get 13.2
like "$rc:$err" '2:*driver: get: name an action: add, list, check, try, remove, export or import*' 'no such word'
run driver add
is "$rc" 2 'add of nothing'
run driver --store "$tmp/none" add "$tmp/nonexistent"
is "$rc:$err:$(find "$tmp/none" 2>/dev/null)" "1:cuarbiter: $tmp/nonexistent: No such file or directory:" 'no such file'
run driver --store "$(printf '%05000d' 0)" add "$folder"
is "$rc:$err" '1:cuarbiter: driver: the path of --store is too long' 'a path that is too long'
finish
