# SPDX-License-Identifier: Apache-2.0
"""bindings.py driver|runtime"""
import sys

if sys.argv[1] == "driver":
    try:
        from cuda.bindings import driver
    except ImportError:
        from cuda import cuda as driver
    print("cuInit:", driver.cuInit(0)[0].name)
else:
    try:
        from cuda.bindings import runtime
    except ImportError:
        from cuda import cudart as runtime
    print("cudaGetDeviceCount:", runtime.cudaGetDeviceCount()[0].name)
