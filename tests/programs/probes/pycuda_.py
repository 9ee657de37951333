# SPDX-License-Identifier: Apache-2.0
import ctypes
import glob
import sysconfig

# PyCUDA finds its runtime in a toolkit; here a wheel has it.
ctypes.CDLL(glob.glob(sysconfig.get_paths()["purelib"] + "/nvidia/*/lib/libcudart.so*")[0], mode=ctypes.RTLD_GLOBAL)
import pycuda.driver

pycuda.driver.init()
print("devices", pycuda.driver.Device.count())
