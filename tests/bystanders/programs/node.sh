# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# needs: node
exec node -e '
const crypto = require("crypto"), zlib = require("zlib"), os = require("os");
const {Worker} = require("worker_threads"), {execFileSync, spawnSync} = require("child_process");
console.log(crypto.createHash("sha256").update("x").digest("hex"));
console.log(zlib.gunzipSync(zlib.gzipSync("text")).toString(), os.EOL.length);
console.log(execFileSync("/bin/echo", ["child"]).toString().trim(), spawnSync("/bin/false").status);
try { process.dlopen({exports: {}}, "/no/such/addon.node"); } catch (e) { console.log(e.message); }
const w = new Worker("require(\"worker_threads\").parentPort.postMessage(6 * 7)", {eval: true});
w.on("message", m => console.log("worker", m));
process.on("exit", code => console.log("exit", code));'
