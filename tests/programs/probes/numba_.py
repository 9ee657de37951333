# SPDX-License-Identifier: Apache-2.0
from numba import cuda

print("available", cuda.is_available())
print("devices", len(cuda.gpus))
