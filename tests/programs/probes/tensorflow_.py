# SPDX-License-Identifier: Apache-2.0
import tensorflow

print("devices", tensorflow.config.list_physical_devices("GPU"))
