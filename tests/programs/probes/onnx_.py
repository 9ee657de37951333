# SPDX-License-Identifier: Apache-2.0
import sys

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper

if hasattr(onnxruntime, "preload_dlls"):
    onnxruntime.preload_dlls()
shape = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2]) for n in "xy"]
graph = helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "g", shape[:1], shape[1:])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
session = onnxruntime.InferenceSession(model.SerializeToString(),
                                       providers=["CUDAExecutionProvider"])
print("providers", session.get_providers())
