# SPDX-License-Identifier: Apache-2.0
import ctypes

import ray


@ray.remote
def ask():
    try:
        return "cuInit = %d" % ctypes.CDLL("libcuda.so.1").cuInit(0)
    except OSError as error:
        return str(error)


# Ray would ask NVML for its GPUs' names, and there are none behind the kernel driver's stand-in.
ray.init(num_cpus=2, num_gpus=0, include_dashboard=False, logging_level="error", configure_logging=False)
for answer in ray.get([ask.remote() for _ in range(2)]):
    print("worker:", answer)
ray.shutdown()
print(ask._function())
