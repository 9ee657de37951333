# SPDX-License-Identifier: Apache-2.0
"""wheel.py LIBRARY: loads a CUDA library out of NVIDIA's wheels and makes it reach the driver."""
import ctypes
import glob
import os
import sys
import sysconfig

FOLDERS = os.path.join(sysconfig.get_paths()["purelib"], "nvidia")


def load(stem):
    found = [p for p in glob.glob(FOLDERS + "/*/lib/lib*.so*")
             if os.path.basename(p).startswith("lib%s.so" % stem)]
    if not found:
        sys.exit("no lib%s in the wheels" % stem)
    return ctypes.CDLL(sorted(found)[0], mode=ctypes.RTLD_GLOBAL)


def cudart():
    runtime = load("cudart")
    count = ctypes.c_int()
    runtime.cudaGetErrorString.restype = ctypes.c_char_p
    code = runtime.cudaGetDeviceCount(ctypes.byref(count))
    print("cudaGetDeviceCount = %d, %s" % (code, runtime.cudaGetErrorString(code).decode()))


def cublas():
    for needed in ("cudart", "cublasLt"):
        load(needed)
    handle = ctypes.c_void_p()
    print("cublasCreate_v2 = %d" % load("cublas").cublasCreate_v2(ctypes.byref(handle)))


def cudnn():
    load("cudart")
    library = load("cudnn")
    library.cudnnGetErrorString.restype = ctypes.c_char_p
    handle = ctypes.c_void_p()
    code = library.cudnnCreate(ctypes.byref(handle))
    print("cudnnCreate = %d, %s" % (code, library.cudnnGetErrorString(code).decode()))


def cufft():
    plan = ctypes.c_int()
    print("cufftPlan1d = %d" % load("cufft").cufftPlan1d(ctypes.byref(plan), 64, 0x29, 1))


def nccl():
    load("cudart")
    library = load("nccl")
    library.ncclGetErrorString.restype = ctypes.c_char_p
    communicator = ctypes.c_void_p()
    code = library.ncclCommInitAll(ctypes.byref(communicator), 1, None)
    print("ncclCommInitAll = %d, %s" % (code, library.ncclGetErrorString(code).decode()))


def cupti():
    library = load("cupti")
    text = ctypes.c_char_p()
    stamp = ctypes.c_uint64()
    code = library.cuptiActivityEnable(3)
    library.cuptiGetResultString(code, ctypes.byref(text))
    print("cuptiActivityEnable = %d, %s" % (code, (text.value or b"").decode()))
    library.cuptiGetTimestamp(ctypes.byref(stamp))


globals()[sys.argv[1]]()
