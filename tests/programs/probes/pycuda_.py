# SPDX-License-Identifier: Apache-2.0
import pycuda.driver

pycuda.driver.init()
print("devices", pycuda.driver.Device.count())
