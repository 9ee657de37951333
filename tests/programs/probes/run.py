# SPDX-License-Identifier: Apache-2.0
"""Runs a program for scripts/programs and says at its end what it came to.

    run.py PROGRAM [ARGUMENT...]

What the program prints stays as it is; an exception is shown by its last line and makes 1 of the exit
status. Then one line says what cuInit answers in this process. With CUA_TRUTH=FILE the CUDA runtimes
that are mapped, and what cuarbiter takes for the program's CUDA, go into that file as JSON.
"""
import ctypes
import json
import os
import re
import runpy
import subprocess
import sys
import traceback

COMMAND = "/opt/cuarbiter/cuarbiter"


def mapped(pattern):
    with open("/proc/self/maps") as maps:
        paths = {line.split(None, 5)[5].strip() for line in maps if line.count("/")}
    return sorted(p for p in paths if re.fullmatch(pattern, os.path.basename(p)))


def initialise():
    found = mapped(r"libcuda\.so.*")
    if not found:
        return "no libcuda is mapped"
    # The file that is mapped already; a driver that has refused keeps to its answer.
    return "cuInit = %d" % ctypes.CDLL(found[0]).cuInit(0)


def runtimes():
    found = {}
    for path in mapped(r"libcudart(-[0-9a-f]+)?\.so.*"):
        version = ctypes.c_int()
        if ctypes.CDLL(path).cudaRuntimeGetVersion(ctypes.byref(version)) == 0:
            found[path] = version.value
    return found


def wheels():
    """What pip calls the runtimes that are installed here."""
    from importlib.metadata import distributions
    names = re.compile(r"nvidia-cuda-runtime(-cu1\d)?")
    return {d.metadata["Name"]: d.version for d in distributions()
            if names.fullmatch(d.metadata["Name"] or "")}


def truth(path):
    said = subprocess.run([COMMAND, "status", "--json", "--pid", str(os.getpid())],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env={k: v for k, v in os.environ.items() if not k.startswith("LD_DEBUG")})
    try:
        toolkit = json.loads(said.stdout)["toolkit"]
    except (ValueError, KeyError):
        toolkit = {"trouble": "status ended with %d" % said.returncode}
    with open(path, "w") as file:
        json.dump({"taken": toolkit, "runtimes": runtimes(), "wheels": wheels()}, file)


def main():
    status = 0
    sys.argv = sys.argv[1:]
    sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException as error:
        print("".join(traceback.format_exception_only(type(error), error)).strip())
        status = 1
    print(initialise())
    sys.stdout.flush()
    if os.environ.get("CUA_TRUTH"):
        truth(os.environ["CUA_TRUTH"])
    sys.exit(status)


if __name__ == "__main__":
    main()
