# SPDX-License-Identifier: Apache-2.0
import triton
from triton.runtime import driver

print("triton", triton.__version__)
from triton.backends.nvidia.driver import CudaUtils, library_dirs

print("libcuda in", library_dirs())
print("properties", CudaUtils().get_device_properties(0))
