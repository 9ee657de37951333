#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# scripts/gpu-check without a GPU: it looks for one before it builds, names what is missing, works after a failure,
# and on a machine with a kernel driver goes as far as it can: each row of its table, with cuInit 100 (no device).
# shellcheck source=tests/fixtures/lib.sh disable=SC2154
. "$(dirname "$0")/../fixtures/lib.sh"
need_tool bash

check() { # ARGUMENT...: $out, $err and $rc
    out=$("$tree/scripts/gpu-check" "$@" 2>"$tmp/err")
    rc=$?
    err=$(cat "$tmp/err")
}

# A meson that fails while $tmp/broken is there, and leaves its folder; it installs what is built here.
mkdir "$tmp/bin" "$tmp/none"
cat >"$tmp/bin/meson" <<END
#!/bin/sh
echo "\$1" >>"$tmp/asked"
case \$1 in
setup)
    mkdir -p "\$2"
    [ ! -e "$tmp/broken" ] || { echo 'ERROR: the compiler cannot compile'; exit 1; }
    ;;
install)
    mkdir -p "\$DESTDIR/usr/lib/cuarbiter"
    cp "$shim" "$answerer" "$command" "\$DESTDIR/usr/lib/cuarbiter/"
    ;;
esac
END
printf '#!/bin/sh\n' >"$tmp/bin/ninja"
chmod +x "$tmp"/bin/*
PATH=$tmp/bin:$PATH

if [ -e /dev/nvidiactl ] || [ -e /dev/dxg ]; then
    ok 'no GPU # SKIP this machine has an NVIDIA driver'
else
    check
    is "$rc:$out:$err" '2::gpu-check: no NVIDIA driver on this machine: neither /dev/nvidiactl nor /dev/dxg' 'no GPU: says so'
    is "$(cat "$tmp/asked" 2>/dev/null)" '' 'before anything is built'
fi
: >"$tmp/broken"
check --drivers "$tmp/none" --pack "$tmp/pack"
is "$rc:$out" 2: 'a build that fails: exit status'
like "$err" '*ERROR: the compiler cannot compile
gpu-check: meson setup failed; the lines above have the reason' 'a build that fails: why'
rm "$tmp/broken"
check --drivers "$tmp/none" --pack "$tmp/pack"
is "$rc:$out:$err" "0:gpu-check: packed into $tmp/pack:" 'the next time it works'
is "$(cd "$tmp/pack" && echo *)" 'cuarbiter cuarbiter-answer drivers gpu-list gpu-work libcuarbiter.so' 'all files'
mkdir "$tmp/few"
for tool in bash dirname mktemp rm mkdir; do
    ln -s "$(command -v $tool)" "$tmp/few/"
done
is "$(PATH=$tmp/few "$tree/scripts/gpu-check" --pack "$tmp/more" 2>&1 | sed 's/; or.*//')" \
    'gpu-check: no meson here: scripts/deps installs what building needs' 'no tool to build with: which'

reason=$("$tree/scripts/machine" --check) || cannot "$reason"
need_drivers 535.261.03 555.58.02
mkdir "$tmp/bundled"
cp -a "$drivers/555.58.02" "$tmp/bundled/"
machine() {
    "$tree/scripts/machine" --files "$tmp/pack" right -- "$tree/scripts/gpu-check" --files "$tmp/pack" "$@" 2>"$tmp/err"
}
out=$(machine --drivers "$tmp/bundled")
is "$?:$(cat "$tmp/err")" 0: 'with a kernel driver: exit status'
like "$out" '*Kernel driver: `NVRM version: *535.261.03*
nvml=*
*Kernel driver   535.261.03*' 'driver, NVML, status'
like "$(echo "$out" | grep '^| nothing')" '| nothing | cuInit=100 *535.261.03* | cuInit=100 *' "the host's own"
like "$(echo "$out" | grep '^| 555')" '| 555.58.02 | cuInit=803 * | cuInit=100 *535.261.03*' 'a newer one: bare, with cuarbiter'
out=$(machine --drivers "$tmp/none")
like "$?:$(cat "$tmp/err")" "0:gpu-check: no drivers to bundle in $tmp/none: *" 'no drivers to bundle: says so'
rm "$tmp/pack/gpu-work"
machine >"$tmp/out"
is "$?:$(cat "$tmp/err")" "2:gpu-check: no gpu-work in $tmp/pack: scripts/gpu-check --pack DIR fills such a folder" 'a file is missing: which'
finish
