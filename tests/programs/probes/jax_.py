# SPDX-License-Identifier: Apache-2.0
import logging

logging.basicConfig(level=logging.INFO)
import jax

print("devices", jax.devices("cuda"))
