# SPDX-License-Identifier: Apache-2.0
import ctypes
import glob
import sysconfig

# PyCUDA is built with this machine's toolkit, which is not there where it runs: wheels have its libraries.
for library in ("cudart", "curand"):
    for name in glob.glob(sysconfig.get_paths()["purelib"] + "/nvidia/*/lib/lib%s.so*" % library):
        ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
import pycuda.driver

pycuda.driver.init()
print("devices", pycuda.driver.Device.count())
