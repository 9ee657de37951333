# SPDX-License-Identifier: Apache-2.0
"""jax_.py [unchecked]: without JAX's own check of versions it is XLA that meets the driver."""
import logging
import os
import sys

logging.basicConfig(level=logging.INFO)
if sys.argv[1:] == ["unchecked"]:
    os.environ["JAX_SKIP_CUDA_CONSTRAINTS_CHECK"] = "1"
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "0"  # where XLA prints its diagnosis
import jax

print("devices", jax.devices("cuda"))
