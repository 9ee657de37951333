#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter driver export and import: the same driver in another store, and what is no such file.

# shellcheck source=tests/command/driver-lib.sh
. "$(dirname "$0")/driver-lib.sh"
need_tool jq python3 xz zstd

layout 590.48.01 "$tmp/in"
tar -C "$tmp" -cJf "$tmp/archive.tar.xz" in
sum=$(sum "$tmp/archive.tar.xz")
run driver --store "$store" add "$tmp/archive.tar.xz"
is "$rc" 0 'a driver'
first=$store second=$tmp/second

# Whole and equal, in each packing.
for end in tar tar.gz tar.xz tar.zst; do
    run driver --store "$first" export 590.48.01 "$tmp/file.$end"
    is "$rc:$err:$out" "0::$tmp/file.$end was written" "export to .$end"
    is "$(find "$tmp" -maxdepth 1 -name '*.part')" '' "nothing half is left"
    run driver --store "$second" import "$tmp/file.$end"
    is "$rc:$err:$out" "0::from     $tmp/file.$end
into     $second
590.48.01 was added
$second/590.48.01/libcuda.so.1" "import of .$end"
    is "$(diff -r "$first/590.48.01" "$second/590.48.01" 2>&1)" '' 'the same files, links and manifest'
    run driver --store "$second" check
    is "$rc" 0 'check finds no damage'
    run driver --store "$second" import "$tmp/file.$end"
    like "$rc:$out" '0:*590.48.01 is already there*' 'again'
    run driver --store "$second" remove --now 590.48.01
done
is "$(jq -r '.source + " " + .sha256' "$first/590.48.01/manifest.json")" "$tmp/archive.tar.xz $sum" 'the first source is kept'
run driver --store "$first" export 590.48.01 "$tmp/again.tar.zst"
is "$(cmp "$tmp/file.tar.zst" "$tmp/again.tar.zst" 2>&1)" '' 'the same driver makes the same file'
(cd "$tmp" && "$cuarbiter" driver --store "$first" --json export 590.48.01) >"$tmp/out"
is "$(jq -r .file "$tmp/out")" "cuarbiter-driver-590.48.01-$(uname -m | sed s/aarch64/sbsa/).tar.zst" 'a name of its own'
mkdir "$tmp/third"
tar -C "$tmp/third" -xf "$tmp/file.tar"
run driver --store "$tmp/third" check
is "$rc" 0 'tar unpacks it as well'

# Export: what it refuses.
refused() { # NAME MESSAGE WORD...
    name=$1 message=$2
    shift 2
    run driver --store "$first" export "$@"
    like "$rc:$err" "1:cuarbiter: $1: $message" "$name"
}
refused 'a file that is there' "$tmp/file.tar is already there" 590.48.01 "$tmp/file.tar"
if command -v gcc >/dev/null; then
    gcc -shared -fPIC -x c -o "$tmp/appears.so" - <<'END'
#include <fcntl.h>
#include <stdlib.h>
int fsync(int fd)
{
    (void)fd;
    return open(getenv("APPEARS"), O_CREAT | O_WRONLY, 0600) < 0;
}
END
    LD_PRELOAD=$tmp/appears.so APPEARS=$tmp/appears.tar \
        refused 'a file that appears meanwhile' "$tmp/appears.tar is already there" 590.48.01 "$tmp/appears.tar"
    is "$(wc -c <"$tmp/appears.tar"):$(find "$tmp" -name '*.part')" 0: 'it stays as it is'
else
    skip 'a file that appears meanwhile' 'no gcc here'
fi
refused 'another ending' "$tmp/x.zip: its name must end in .tar, .tar.gz, .tar.xz or .tar.zst" 590.48.01 "$tmp/x.zip"
refused 'a driver that is not there' "$first does not have it" 595.45.04
refused 'no version' 'not a driver version like 595.45.04' 13.2x
refused 'no such folder' "$tmp/none/x.tar*: No such file or directory" 590.48.01 "$tmp/none/x.tar"
is "$(find "$tmp" -name '*.part' -o -name 'x.*')" '' 'nothing is left'
run driver --store "$tmp/nowhere" export 595.45.04
is "$rc:$err" "1:cuarbiter: 595.45.04: $tmp/nowhere does not have it" 'no store'
run driver --store "$first" export
is "$rc" 2 'nothing named is usage'
cp -a "$first" "$tmp/damaged"
printf x >>"$tmp/damaged/590.48.01/libcuda.so.590.48.01"
run driver --store "$tmp/damaged" export 590.48.01 "$tmp/x.tar"
like "$rc:$err" '1:cuarbiter: 590.48.01: damaged: libcuda.so.590.48.01 has the wrong size' 'a damaged driver'
chmod o+w "$tmp/damaged/590.48.01/libnvidia-nvvm.so.590.48.01"
run driver --store "$tmp/damaged" export 590.48.01 "$tmp/x.tar"
is "$rc:$err" "1:cuarbiter: 590.48.01: libnvidia-nvvm.so.590.48.01: users other than root, you and the store's owner could change it" 'one that others could have changed'
rm "$tmp/damaged/590.48.01/manifest.json"
chmod o-w "$tmp/damaged/590.48.01/libnvidia-nvvm.so.590.48.01"
run driver --store "$tmp/damaged" export 590.48.01 "$tmp/x.tar"
is "$rc:$err" '1:cuarbiter: 590.48.01: incomplete: its manifest is missing or cannot be read' 'one without a manifest'
mkdir "$tmp/small"
if unshare -m sh -c 'mount -t tmpfs -o size=64k none "$1"' sh "$tmp/small" 2>/dev/null; then
    # shellcheck disable=SC2016
    like "$(unshare -m sh -c 'mount -t tmpfs -o size=64k none "$1" && "$2" driver --store "$3" export 590.48.01 "$1/x.tar" 2>&1
        echo "$?:$(ls "$1")"' sh "$tmp/small" "$cuarbiter" "$first")" "cuarbiter: 590.48.01: $tmp/small/x.tar: No space left on device
1:" 'a full disk'
else
    skip 'a full disk' 'no mount namespace'
fi
if unshare -m true 2>/dev/null; then
    library=$(ldconfig -p | sed -n 's/.*libarchive.so.13 .*x86-64.* => //p; s/.*libarchive.so.13 .*AArch64.* => //p' | head -n 1)
    # shellcheck disable=SC2016
    like "$(unshare -m sh -c 'mount --bind /dev/null "$1" && shift && "$@" 2>&1' sh "${library:-/nonexistent}" "$cuarbiter" \
        driver --store "$first" export 590.48.01 "$tmp/x.tar")" '*x.tar: libarchive.so.13 *RHEL)' 'without libarchive'
else
    skip 'without libarchive' 'no mount namespace'
fi
: >"$tmp/killed.tar.part" # as a killed export leaves it
run driver --store "$first" export 590.48.01 "$tmp/killed.tar"
is "$rc:$(cmp "$tmp/file.tar" "$tmp/killed.tar" 2>&1)" '0:' 'what a killed one left is no obstacle'

# Import: what it refuses. Nothing of it stays.
import() { # NAME MESSAGE FILE
    run driver --store "$second" import "$3"
    like "$rc:$err" "1:cuarbiter: $3: $2" "$1"
    is "$(stored)" '' "$1: nothing is left"
}
store=$second
import 'an archive that export did not write' "it has no manifest, so 'cuarbiter driver export' did not write it; try 'cuarbiter driver add'" "$tmp/archive.tar.xz"
import 'a folder' "a folder: import takes a file that 'cuarbiter driver export' wrote; add takes folders" "$tmp/in"
run driver --store "$second" import --auto "$tmp/file.tar"
like "$rc:$err" "2:cuarbiter: driver: import takes only a file that 'cuarbiter driver export' wrote*" 'import of more than a file'
import 'no file' 'No such file or directory' "$tmp/nothing"
head -c 40000 "$tmp/file.tar" >"$tmp/cut.tar"
import 'a cut one' '*' "$tmp/cut.tar"
alter() { # FILE COMMAND: file.tar with the command run in its folder
    rm -rf "$tmp/altered"
    mkdir "$tmp/altered"
    tar -C "$tmp/altered" -xf "$tmp/file.tar"
    (cd "$tmp/altered/590.48.01" && eval "$2")
    tar -C "$tmp/altered" -cf "$1" .
}
wrong="differs from the file's manifest: damaged, or not written by 'cuarbiter driver export'"
alter "$tmp/changed.tar" 'printf x >>libnvidia-nvvm.so.590.48.01'
import 'a changed library' "libnvidia-nvvm.so.590.48.01 $wrong" "$tmp/changed.tar"
alter "$tmp/changed.tar" 'echo x >LICENSE'
import 'a changed licence' "LICENSE $wrong" "$tmp/changed.tar"
alter "$tmp/changed.tar" 'rm libcudadebugger.so.*'
import 'a missing library' "libcudadebugger.so.* $wrong" "$tmp/changed.tar"
alter "$tmp/changed.tar" 'cp libnvidia-nvvm.so.590.48.01 libnvidia-nvvm70.so.5; printf x >>libnvidia-nvvm70.so.5'
import 'one more library' "libnvidia-nvvm70.so.5 $wrong" "$tmp/changed.tar"
alter "$tmp/changed.tar" 'sed -i s/590.48.01/590.48.02/ manifest.json'
import 'another version' "its manifest names driver '590.48.02', but it contains 590.48.01" "$tmp/changed.tar"
alter "$tmp/changed.tar" 'echo "{" >manifest.json'
import 'a manifest that is none' 'its manifest: damaged' "$tmp/changed.tar"
alter "$tmp/changed.tar" 'mkdir x; cp manifest.json x'
import 'two manifests' 'it contains two manifests' "$tmp/changed.tar"
alter "$tmp/changed.tar" 'head -c 2000000 /dev/zero >manifest.json'
import 'a manifest without end' '*it has no manifest*' "$tmp/changed.tar"
alter "$tmp/changed.tar" 'jq ".files[0].name = \"../../evil.so\"" manifest.json >x; mv x manifest.json'
import 'a name that leads out' 'its manifest: damaged' "$tmp/changed.tar"
alter "$tmp/changed.tar" 'rm manifest.json; ln -s /etc/passwd manifest.json'
import 'a link for a manifest' '*it has no manifest*' "$tmp/changed.tar"
run driver --store "$second" add "$tmp/file.tar"
is "$rc" 0 'add takes an exported file, too'
run driver --store "$second" import --url https://x/ "$tmp/file.tar"
like "$rc:$err" "2:cuarbiter: driver: --url is for 'add'; import takes only the file*" 'nor an address'
run driver --store "$second" import "$tmp/file.tar" "$tmp/file.tar"
is "$rc" 2 'two files are usage'
finish
