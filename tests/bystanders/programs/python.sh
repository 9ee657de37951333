# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# needs: python3
exec python3 -B -c '
import ctypes, ctypes.util, hashlib, importlib, multiprocessing, os, socket, sqlite3, ssl, subprocess
import sysconfig, threading, zlib
folder = sysconfig.get_path("platstdlib") + "/lib-dynload"
for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
    try:
        importlib.import_module(name.split(".")[0])
    except ImportError as error:
        print(error)
print(ctypes.CDLL("libm.so.6").abs(-3), ctypes.CDLL(None).getpid() == os.getpid())
for bad in ("libno-such.so.1", "/no/such.so", "/etc/passwd", ""):
    try:
        print(bad, ctypes.CDLL(bad or "/"))
    except OSError as error:
        print(error)
print(hashlib.sha256(b"x").hexdigest(), zlib.crc32(b"x"), ssl.OPENSSL_VERSION)
print(sqlite3.connect(":memory:").execute("select 6 * 7").fetchone())
print(subprocess.run(["/bin/sh", "-c", "echo out; exit 3"], capture_output=True))
threads = [threading.Thread(target=ctypes.CDLL, args=("libutil.so.1",)) for _ in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]
with multiprocessing.Pool(2) as pool:
    print(pool.map(abs, [-1, -2, -3]))'
