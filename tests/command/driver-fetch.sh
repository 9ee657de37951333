#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter driver add fetches: what it asks for, through which proxy, and what it takes for an
# answer. From a server on loopback; the addresses of NVIDIA's archives are looked at, not asked.

# shellcheck source=tests/command/driver-lib.sh
. "$(dirname "$0")/driver-lib.sh"
need_tool python3 curl xz

layout 690.10.01 "$tmp/in/nvidia_driver-linux-x86_64-690.10.01-archive" lib
tar -C "$tmp/in" -cJf "$tmp/file.tar.xz" .
sum=$(sum "$tmp/file.tar.xz")
python3 -B "$(dirname "$0")/serve.py" "$tmp/file.tar.xz" "$tmp/port" "$tmp/asked" &
server=$!
stop() {
    kill $server 2>/dev/null
    wait $server 2>/dev/null
}
# shellcheck disable=SC2154 # set in the trap
trap 'code=$?; stop; (exit $code); cua_cleanup' EXIT
for _ in $(seq 100); do [ -e "$tmp/port" ] || sleep 0.1; done
at=http://127.0.0.1:$(cat "$tmp/port")

get() { # NAME [OPTION...]: 690.10.01 from there
    : >"$tmp/asked"
    name=$1
    shift
    run driver --store "$store" add 690.10.01 --url "$at/$name" --sha256 "$sum" --yes "$@"
    asked=$(cut -d ' ' -f 2- "$tmp/asked" | tr '\n' ' ')
}
came() { # NAME ASKED
    like "$rc:$err:$out" "0::*690.10.01 was added*" "$1"
    is "$asked" "$2 " "$1: what was asked"
    is "$(jq -r '[.source, .sha256, .licence] | join(" ")' "$store/690.10.01/manifest.json")" \
        "$at/$name $sum https://docs.nvidia.com/cuda/eula/" "$1: the manifest"
    run driver --store "$store" remove --now 690.10.01
}
refused() { # NAME PATTERN
    like "$rc:$err" "1:cuarbiter: 690.10.01: $2" "$1"
    is "$(stored)" '' "$1: nothing is left"
}

get whole
came 'a whole one' '/whole -'
get broken
came 'one that breaks off is taken up there' "/broken - /broken bytes=$(($(wc -c <"$tmp/file.tar.xz") / 2))-"
get whole-only
is "$rc:$asked" "0:/whole-only - /whole-only bytes=$(($(wc -c <"$tmp/file.tar.xz") / 2))- /whole-only - " \
    'without ranges it is fetched anew'
run driver --store "$store" remove --now 690.10.01
get slow
came 'a slow one' '/slow -'
get to
came 'a redirect' '/to - /whole -'
get round
refused 'one that goes round' "$at/round: Maximum (10) redirects followed"
get none
refused '404' "$at/none: The requested URL returned error: 404"
get other
refused 'another file' "$at/other: its checksum is *, but it should be $sum: nothing was unpacked"
get short
refused 'shorter by its length' "$at/short: its checksum is *, but it should be $sum: nothing was unpacked"
get long
refused 'longer by its length' "$at/long: *"
get always-broken
refused 'one that always breaks off' "$at/always-broken: *"
at_none=http://127.0.0.1:1
run driver --store "$store" add 690.10.01 --url $at_none/x --sha256 "$sum" --yes
like "$rc:$err" "1:cuarbiter: 690.10.01: $at_none/x: *onnect*" 'no server'
run driver --store "$store" add 690.10.02 --url "$at/whole" --sha256 "$sum" --yes
like "$rc:$err" '1:cuarbiter: 690.10.02: the archive should contain 690.10.02, but it contains 690.10.01' 'another version than asked for'
is "$(stored)" '' 'nothing is left'

# A CUDA or a driver of the table has a sum that nothing replaces.
: >"$tmp/asked"
run driver --store "$store" add 13.1 --url "$at/whole" --yes
like "$rc:$err" "1:cuarbiter: 13.1: $at/whole: its checksum is $sum, but it should be 0e8c1ec14c2abbce76943cb32907b39237a41bf267ec6665f04d48b240ae539f: *" \
    'a known one is held to its sum, whatever the address'
run driver --store "$store" add 13.1 --url "$at/whole" --sha256 "$sum" --yes
like "$rc:$err" '1:cuarbiter: 13.1: --sha256 differs from the checksum that cuarbiter knows for 590.48.01, which is 0e8c*' 'also against --sha256'
: >"$tmp/asked"
CUARBITER_DRIVER_MIRROR=$at/mirror run driver --store "$store" add 13.1 --yes
is "$rc:$(cat "$tmp/asked")" "1:GET /mirror/cuda_compat/linux-$(uname -m | sed s/aarch64/sbsa/)/cuda_compat-linux-$(uname -m | sed s/aarch64/sbsa/)-590.48.01_cuda13.1-archive.tar.xz -" \
    'a mirror is asked for the same path'
arch=$(uname -m | sed s/aarch64/sbsa/)
base=https://developer.download.nvidia.com/compute/cuda/redist
planned() { # WHAT VERSION CUDA PATH
    run driver --store "$store" add "$1" --dry-run
    like "$rc:$out" "0:driver   $2, CUDA $3
from     $base/$4
sha256   ????????????????????????????????????????????????????????????????
licence  NVIDIA's: https://docs.nvidia.com/cuda/eula/
into     $store" "$1: $2"
}
planned 13.2 595.45.04 13.2 "cuda_compat/linux-$arch/cuda_compat-linux-$arch-595.45.04_cuda13.2-archive.tar.xz"
planned 13.1 590.48.01 13.1 "cuda_compat/linux-$arch/cuda_compat-linux-$arch-590.48.01_cuda13.1-archive.tar.xz"
planned 13.0 580.95.05 13.0 "nvidia_driver/linux-$arch/nvidia_driver-linux-$arch-580.95.05-archive.tar.xz"
planned 580.65.06 580.65.06 13.0 "nvidia_driver/linux-$arch/nvidia_driver-linux-$arch-580.65.06-archive.tar.xz"
planned 12.0 525.60.13 12.0 "nvidia_driver/linux-$arch/nvidia_driver-linux-$arch-525.60.13-archive.tar.xz"
is "$(stored)" '' 'a plan changes nothing'
for cuda in 12.7 13.3 13.4; do
    run driver --store "$store" add $cuda
    like "$rc:$err" "1:cuarbiter: $cuda: *cuarbiter does not know the checksum of this archive: pass --url and --sha256, or a CUDA version with --trust-manifest, or download the archive and add the file" \
        "CUDA $cuda: what to do"
done
run driver --store "$store" add 610.43.02 --sha256 "$sum" --dry-run
like "$rc:$out" "0:driver   610.43.02
from     $base/nvidia_driver/linux-$arch/nvidia_driver-linux-$arch-610.43.02-archive.tar.xz
sha256   $sum*" 'a newer one, by its sum alone'

# Nobody is taken to have agreed, and nothing comes without a sum.
: >"$tmp/asked"
run driver --store "$store" add 690.10.01 --url "$at/whole" --sha256 "$sum" </dev/null
is "$rc:$err" '1:cuarbiter: 690.10.01: not fetched: there is no terminal to confirm on; pass --yes to fetch without asking' 'without a terminal and --yes'
run driver --store "$store" add 690.10.01 --url "$at/whole" --yes
like "$rc:$err" '1:cuarbiter: 690.10.01: *cuarbiter does not know the checksum of this archive: *' 'without a sum'
run driver --store "$store" add 690.10.01 --url "ftp://127.0.0.1/x" --sha256 "$sum" --yes
like "$rc:$err" '1:cuarbiter: 690.10.01: ftp://127.0.0.1/x: the address must begin with https://, or with http:// if the checksum is known' 'no other protocol'
run driver --store "$store" add 690.10.01 --url "$at/whole" --sha256 "${sum%?}X" --yes
like "$rc:$err" '1:cuarbiter: 690.10.01: --sha256 needs 64 hexadecimal digits in lower case' 'a sum that is none'
is "$(cat "$tmp/asked")" '' 'the server was not asked'

# curl's own environment counts, its files do not.
: >"$tmp/asked"
printf 'proxy = http://127.0.0.1:1\n' >"$tmp/home/.curlrc"
http_proxy=$at no_proxy='' run driver --store "$store" add 690.10.01 --url http://drivers.invalid/whole --sha256 "$sum" --yes
is "$rc:$(cat "$tmp/asked")" '0:GET http://drivers.invalid/whole -' 'a proxy by the environment; ~/.curlrc is not read'
run driver --store "$store" add 690.10.01 --url "$at/whole" --sha256 "$sum" --yes
like "$rc:$out" '0:*690.10.01 is already there*' 'what is there is not fetched again'
is "$(wc -l <"$tmp/asked")" 1 'the server was not asked'
run driver --store "$store" remove --now 690.10.01

# Without curl, and without its rights.
mkdir "$tmp/bin"
rc=0
err=$(PATH=$tmp/bin "$cuarbiter" driver --store "$store" add 690.10.01 --url "$at/whole" --sha256 "$sum" --yes 2>&1 >"$tmp/out") || rc=$?
like "$rc:$err" '1:*/whole: curl cannot be executed: install curl, or download the driver?s archive elsewhere and add that file' 'no curl'
: >"$tmp/bin/curl"
chmod 755 "$tmp"
rc=0
err=$(PATH=$tmp/bin "$cuarbiter" driver --store "$store" add 690.10.01 --url "$at/whole" --sha256 "$sum" --yes 2>&1 >"$tmp/out") || rc=$?
like "$rc:$err" '1:*/whole: curl cannot be executed: install curl, *' 'a curl that is no program'
printf '#!/bin/sh\nexit 6\n' >"$tmp/bin/curl"
chmod +x "$tmp/bin/curl"
rc=0
err=$(PATH=$tmp/bin:$PATH "$cuarbiter" driver --store "$store" add 690.10.01 --url "$at/whole" --sha256 "$sum" --yes 2>&1 >"$tmp/out") || rc=$?
like "$rc:$err" '1:*/whole: on a machine without access to this address, download the driver?s archive elsewhere and add that file' 'no name server'
# shellcheck disable=SC2016
printf '#!/bin/sh\n%s\nexec %s "$@"\n' "/usr/bin/id -u >'$tmp/who'; grep NoNewPrivs /proc/self/status >>'$tmp/who'" "$(command -v curl)" >"$tmp/bin/curl"
chmod +x "$tmp/bin/curl"
: >"$tmp/who"
chmod 666 "$tmp/who"
PATH=$tmp/bin:$PATH get whole
is "$rc:$(tr '\n\t' '  ' <"$tmp/who")" "0:$([ "$(id -u)" = 0 ] && echo 65534 || id -u) NoNewPrivs: 1 " 'curl is nobody where the command is root'
finish
