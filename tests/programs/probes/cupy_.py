# SPDX-License-Identifier: Apache-2.0
import cupy

print("cupy", cupy.__version__)
try:
    print("runtime", cupy.cuda.runtime.runtimeGetVersion())
except Exception as error:
    print("runtimeGetVersion:", error)
print("devices", cupy.cuda.runtime.getDeviceCount())
