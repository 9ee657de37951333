# SPDX-License-Identifier: Apache-2.0
import ctypes

from mpi4py import MPI

world = MPI.COMM_WORLD
try:
    answer = "cuInit = %d" % ctypes.CDLL("libcuda.so.1").cuInit(0)
except OSError as error:
    answer = str(error)
for rank, each in enumerate(world.gather(answer) or []):
    print("rank %d of %d: %s" % (rank, world.size, each))
