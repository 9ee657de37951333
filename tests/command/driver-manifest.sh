#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter driver add --trust-manifest: what the table lacks, by NVIDIA's manifest, over https from a
# server on loopback; what is not believed of it.

# shellcheck source=tests/command/driver-lib.sh
. "$(dirname "$0")/driver-lib.sh"
need_tool jq python3 curl xz openssl
chmod 755 "$tmp" # curl, which is nobody, reads the certificate

arch=$(uname -m | sed s/aarch64/sbsa/)
path=cuda_compat/linux-$arch/cuda_compat-linux-$arch-690.10.01_cuda19.3-archive.tar.xz
layout 690.10.01 "$tmp/in/cuda_compat"
mkdir -p "$tmp/www/cuda_compat/linux-$arch"
tar -C "$tmp/in" -cJf "$tmp/www/$path" .
sum=$(sum "$tmp/www/$path") size=$(stat -c %s "$tmp/www/$path")
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 \
    -keyout "$tmp/key.pem" -out "$tmp/cert.pem" 2>"$tmp/openssl" || cat "$tmp/openssl"
cat >"$tmp/server.py" <<'PY'
import functools, http.server, ssl, sys
folder, cert, key, port = sys.argv[1:]
class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), functools.partial(Handler, directory=folder))
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(cert, key)
server.socket = context.wrap_socket(server.socket, server_side=True)
with open(port + '.new', 'w') as file:
    file.write(str(server.server_port))
import os
os.rename(port + '.new', port)
server.serve_forever()
PY
python3 -B "$tmp/server.py" "$tmp/www" "$tmp/cert.pem" "$tmp/key.pem" "$tmp/port" &
server=$!
# shellcheck disable=SC2154 # set in the trap
trap 'code=$?; kill $server; wait $server 2>/dev/null; (exit $code); cua_cleanup' EXIT
for _ in $(seq 100); do [ -e "$tmp/port" ] || sleep 0.1; done
at=https://127.0.0.1:$(cat "$tmp/port")
export CUARBITER_DRIVER_MIRROR="$at" CURL_CA_BUNDLE="$tmp/cert.pem" NO_PROXY='*'

manifest() { # [JQ-FILTER] >FILE
    jq -n --arg path "$path" --arg sum "$sum" --arg size "$size" --arg arch "linux-$arch" '{release_label: "19.3.0",
        cuda_cudart: {version: "19.3.1", "linux-x86_64": {relative_path: "x"}},
        cuda_compat: {name: "x", version: "690.10.01", ($arch): {relative_path: $path, sha256: $sum, size: $size}},
        nvidia_driver: {version: "690.10.02", ($arch): {relative_path: "y", sha256: $sum, size: "1"}}}' |
        jq "${1:-.}"
}
put() { manifest "$@" >"$tmp/www/redistrib_19.3.0.json"; }

put
run driver --store "$store" add 19.3 --trust-manifest --dry-run
is "$rc:$err:$out" "0::driver   690.10.01
from     $at/$path
size     $(((size + 999999) / 1000000)) MB
sha256   $sum, by NVIDIA's manifest
licence  NVIDIA's: https://docs.nvidia.com/cuda/eula/
into     $store" 'the plan'
is "$(stored)" '' 'a plan adds nothing'
run driver --store "$store" add 19.3 --trust-manifest
like "$rc:$err" '1:*not fetched: there is no terminal to confirm on; pass --yes to fetch without asking' 'it is asked about'
for what in "19.3" "19.3.0" "690.10.01 --url $at/redistrib_19.3.0.json"; do
    # shellcheck disable=SC2086
    run driver --store "$store" add $what --trust-manifest --yes
    like "$rc:$err:$out" '0::*690.10.01 was added*' "$(echo "$what" | sed 's, --url.*, by the address,'): added"
    is "$(jq -r '[.source, .sha256, .kind, .licence] | join(" ")' "$store/690.10.01/manifest.json")" \
        "$at/$path $sum  https://docs.nvidia.com/cuda/eula/" 'where it came from; its kind is not known'
    run driver --store "$store" remove --now 690.10.01
done
put 'del(.cuda_compat)' # the whole driver, then
run driver --store "$store" add 19.3 --trust-manifest --dry-run
like "$rc:$out" "0:driver   690.10.02
from     $at/y
*" 'without a compat archive the whole driver'

refused() { # NAME MESSAGE [WORD...]
    name=$1 message=$2
    shift 2
    [ $# -gt 0 ] || set -- 19.3
    run driver --store "$store" add "$@" --trust-manifest --yes
    like "$rc:$err" "1:cuarbiter: $1: $message" "$name"
    is "$(stored)" '' "$name: nothing is left"
}
json=$at/redistrib_19.3.0.json
run driver --store "$store" add 19.3 --yes
like "$rc:$err" '1:cuarbiter: 19.3: cuarbiter does not know the checksum of this archive: *' 'without the option'
mkdir "$tmp/nocurl"
err=$(PATH=$tmp/nocurl "$cuarbiter" driver --store "$store" add 19.4 --trust-manifest --yes 2>&1)
is "$err" "cuarbiter: 19.4: $at/redistrib_19.4.0.json: curl cannot be executed: install curl, or download the driver's archive elsewhere and add that file" 'no curl'
refused 'no such manifest' "$at/redistrib_19.4.0.json: The requested URL returned error: 404" 19.4
refused 'a version without an address' "NVIDIA's manifest is found by CUDA version: pass that instead, or the manifest's address with --url" 690.10.01
refused 'another version than asked for' "$json has driver 690.10.02, not 690.10.03" 690.10.03 --url "$json"
put '.cuda_compat[] |= (if type == "object" then .sha256 |= gsub("[0-9]"; "0") else . end)'
refused 'a wrong sum' "$at/$path: its checksum is $sum, but it should be *: nothing was unpacked"
for bad in '.sha256 = "x"' '.relative_path = "../../x.tar.xz"' '.relative_path = "/x.tar.xz"' '.relative_path = "a b"' \
    '.relative_path = "x?y"' '.relative_path = ""' '.size = "-1"'; do
    put ".cuda_compat[\"linux-$arch\"]$bad"
    refused "$bad" "$json: its entry for the driver has an invalid version, path, sum or size"
done
put '.cuda_compat.version = "690.10.01x"'
refused 'a version that is none' "$json: its entry for the driver has an invalid version, path, sum or size"
put '.cuda_compat.version = "590.48.01"'
refused 'a driver of the table' "$json has 590.48.01, whose checksum cuarbiter knows: pass 590.48.01 instead, without --trust-manifest"
put "del(.cuda_compat[\"linux-$arch\"], .nvidia_driver[\"linux-$arch\"].sha256)"
refused 'no driver for this machine' "$json: it names no driver for linux-$arch"
put | :
head -c 300 "$tmp/www/redistrib_19.3.0.json" >"$tmp/cut" && cp "$tmp/cut" "$tmp/www/redistrib_19.3.0.json"
refused 'a cut one' "$json: not a manifest"
echo '<html>' >"$tmp/www/redistrib_19.3.0.json"
refused 'another page' "$json: not a manifest"
head -c 5000000 /dev/zero | tr '\0' ' ' >"$tmp/www/redistrib_19.3.0.json"
refused 'a huge one' "$json: File too large"
put '.cuda_compat.version = "690.10.09"'
refused 'the archive of another version' 'the archive should contain 690.10.09, but it contains 690.10.01'
CUARBITER_DRIVER_MIRROR=http://127.0.0.1:1
refused 'http' 'http://127.0.0.1:1/redistrib_19.3.0.json: a manifest is trusted only if it comes by https'
CUARBITER_DRIVER_MIRROR=$at
put
CURL_CA_BUNDLE=/etc/ssl/certs/ca-certificates.crt
refused 'a certificate of nobody' "$json: *ertificate*"
CURL_CA_BUNDLE=$tmp/cert.pem

# Never in place of a sum that is known.
manifest | sed s/19.3/13.1/ >"$tmp/www/redistrib_13.1.0.json"
run driver --store "$store" add 13.1 --trust-manifest --dry-run
like "$rc:$out" '0:driver   590.48.01, CUDA 13.1
*sha256   0e8c1ec14c2abbce76943cb32907b39237a41bf267ec6665f04d48b240ae539f
*' 'a CUDA of the table keeps its sum'
finish
