# SPDX-License-Identifier: Apache-2.0
import pynvml

pynvml.nvmlInit()
print("driver", pynvml.nvmlSystemGetDriverVersion())
print("CUDA", pynvml.nvmlSystemGetCudaDriverVersion_v2())
