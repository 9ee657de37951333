/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUresult numbers: cuda.h of CUDA 13.0; 35 is the runtime's own, driver_types.h. The meanings are
 * for somebody who asks which driver was loaded; those without one have nothing to do with that.
 * What to do about one is in cuda_help.h.
 *
 * X(code, name, meaning)
 */
#ifndef CUA_CUDA_ERRORS_H
#define CUA_CUDA_ERRORS_H

#define CUA_CUDA_ERRORS(X)                                                                         \
    X(0, "CUDA_SUCCESS", "It worked.")                                                             \
    X(1, "CUDA_ERROR_INVALID_VALUE", "")                                                           \
    X(2, "CUDA_ERROR_OUT_OF_MEMORY", "")                                                           \
    X(3, "CUDA_ERROR_NOT_INITIALIZED",                                                             \
      "cuInit was not called, or failed before, or the process was forked after it. A "            \
      "process that failed cuInit once cannot try another driver.")                                \
    X(4, "CUDA_ERROR_DEINITIALIZED", "")                                                           \
    X(5, "CUDA_ERROR_PROFILER_DISABLED", "")                                                       \
    X(6, "CUDA_ERROR_PROFILER_NOT_INITIALIZED", "")                                                \
    X(7, "CUDA_ERROR_PROFILER_ALREADY_STARTED", "")                                                \
    X(8, "CUDA_ERROR_PROFILER_ALREADY_STOPPED", "")                                                \
    X(34, "CUDA_ERROR_STUB_LIBRARY",                                                               \
      "This libcuda is the toolkit's link stub, no driver. A stubs folder is in "                  \
      "LD_LIBRARY_PATH or in an RPATH; the driver's libcuda is not found before it.")              \
    X(35, "cudaErrorInsufficientDriver",                                                           \
      "Only the runtime answers it: the driver is older than the CUDA major version "              \
      "that the program was built with.")                                                          \
    X(36, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER",                                                 \
      "The call needs a newer driver than the one that was loaded: minor-version "                 \
      "compatibility does not cover it.")                                                          \
    X(46, "CUDA_ERROR_DEVICE_UNAVAILABLE",                                                         \
      "The GPU is busy or in exclusive mode. Not a matter of which driver is loaded.")             \
    X(100, "CUDA_ERROR_NO_DEVICE",                                                                 \
      "The driver was loaded and accepted, but no GPU is visible: no /dev/nvidia* in "             \
      "the container, CUDA_VISIBLE_DEVICES is empty or hides all, or no GPU is there. "            \
      "Some driver pairs that do not match answer it too.")                                        \
    X(101, "CUDA_ERROR_INVALID_DEVICE",                                                            \
      "No GPU of that number: CUDA_VISIBLE_DEVICES names one that is not there.")                  \
    X(102, "CUDA_ERROR_DEVICE_NOT_LICENSED", "")                                                   \
    X(200, "CUDA_ERROR_INVALID_IMAGE", "")                                                         \
    X(201, "CUDA_ERROR_INVALID_CONTEXT", "")                                                       \
    X(202, "CUDA_ERROR_CONTEXT_ALREADY_CURRENT", "")                                               \
    X(205, "CUDA_ERROR_MAP_FAILED", "")                                                            \
    X(206, "CUDA_ERROR_UNMAP_FAILED", "")                                                          \
    X(207, "CUDA_ERROR_ARRAY_IS_MAPPED", "")                                                       \
    X(208, "CUDA_ERROR_ALREADY_MAPPED", "")                                                        \
    X(209, "CUDA_ERROR_NO_BINARY_FOR_GPU",                                                         \
      "The program has no code for this GPU: it was built for other compute "                      \
      "capabilities.")                                                                             \
    X(210, "CUDA_ERROR_ALREADY_ACQUIRED", "")                                                      \
    X(211, "CUDA_ERROR_NOT_MAPPED", "")                                                            \
    X(212, "CUDA_ERROR_NOT_MAPPED_AS_ARRAY", "")                                                   \
    X(213, "CUDA_ERROR_NOT_MAPPED_AS_POINTER", "")                                                 \
    X(214, "CUDA_ERROR_ECC_UNCORRECTABLE", "")                                                     \
    X(215, "CUDA_ERROR_UNSUPPORTED_LIMIT", "")                                                     \
    X(216, "CUDA_ERROR_CONTEXT_ALREADY_IN_USE", "")                                                \
    X(217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "")                                               \
    X(218, "CUDA_ERROR_INVALID_PTX",                                                               \
      "The PTX cannot be compiled, for instance because it is for another architecture.")          \
    X(219, "CUDA_ERROR_INVALID_GRAPHICS_CONTEXT", "")                                              \
    X(220, "CUDA_ERROR_NVLINK_UNCORRECTABLE", "")                                                  \
    X(221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND",                                                    \
      "libnvidia-ptxjitcompiler was not found beside the driver, or is of another "                \
      "version.")                                                                                  \
    X(222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",                                                   \
      "The program's PTX is newer than the driver: a newer driver, or compiled code for "          \
      "this GPU, is needed. This is the limit of minor-version compatibility.")                    \
    X(223, "CUDA_ERROR_JIT_COMPILATION_DISABLED",                                                  \
      "Compilation of PTX is disabled (CUDA_DISABLE_PTX_JIT).")                                    \
    X(224, "CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY", "")                                             \
    X(225, "CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC", "")                                              \
    X(226, "CUDA_ERROR_CONTAINED", "")                                                             \
    X(300, "CUDA_ERROR_INVALID_SOURCE", "")                                                        \
    X(301, "CUDA_ERROR_FILE_NOT_FOUND", "")                                                        \
    X(302, "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND", "")                                        \
    X(303, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED", "")                                             \
    X(304, "CUDA_ERROR_OPERATING_SYSTEM",                                                          \
      "A system call failed inside the driver, often for want of rights on "                       \
      "/dev/nvidia*.")                                                                             \
    X(400, "CUDA_ERROR_INVALID_HANDLE", "")                                                        \
    X(401, "CUDA_ERROR_ILLEGAL_STATE", "")                                                         \
    X(402, "CUDA_ERROR_LOSSY_QUERY", "")                                                           \
    X(500, "CUDA_ERROR_NOT_FOUND", "")                                                             \
    X(600, "CUDA_ERROR_NOT_READY", "")                                                             \
    X(700, "CUDA_ERROR_ILLEGAL_ADDRESS", "")                                                       \
    X(701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "")                                               \
    X(702, "CUDA_ERROR_LAUNCH_TIMEOUT", "")                                                        \
    X(703, "CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING", "")                                         \
    X(704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "")                                           \
    X(705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "")                                               \
    X(708, "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", "")                                                \
    X(709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "")                                                  \
    X(710, "CUDA_ERROR_ASSERT", "")                                                                \
    X(711, "CUDA_ERROR_TOO_MANY_PEERS", "")                                                        \
    X(712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "")                                        \
    X(713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "")                                            \
    X(714, "CUDA_ERROR_HARDWARE_STACK_ERROR", "")                                                  \
    X(715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "")                                                   \
    X(716, "CUDA_ERROR_MISALIGNED_ADDRESS", "")                                                    \
    X(717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", "")                                                 \
    X(718, "CUDA_ERROR_INVALID_PC", "")                                                            \
    X(719, "CUDA_ERROR_LAUNCH_FAILED", "")                                                         \
    X(720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "")                                          \
    X(721, "CUDA_ERROR_TENSOR_MEMORY_LEAK", "")                                                    \
    X(800, "CUDA_ERROR_NOT_PERMITTED",                                                             \
      "Not permitted, often a device node or an MPS server of another user.")                      \
    X(801, "CUDA_ERROR_NOT_SUPPORTED", "")                                                         \
    X(802, "CUDA_ERROR_SYSTEM_NOT_READY",                                                          \
      "The system is not ready: on machines with NVSwitch the fabric manager is not "              \
      "running. Not a matter of which libcuda is loaded.")                                         \
    X(803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",                                                    \
      "libcuda and the kernel driver do not go together: libcuda is older than the "               \
      "kernel driver, or newer and the kernel driver's branch is not in its list. "                \
      "Decided before 804.")                                                                       \
    X(804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",                                            \
      "libcuda is newer than the kernel driver and supports its branch, but a visible "            \
      "GPU is of a brand without forward compatibility, such as GeForce. Also after an "           \
      "upgrade of the host's libraries while the old kernel module is still loaded.")              \
    X(805, "CUDA_ERROR_MPS_CONNECTION_FAILED",                                                     \
      "The MPS daemon cannot be reached; its driver must be the same as the program's.")           \
    X(806, "CUDA_ERROR_MPS_RPC_FAILURE",                                                           \
      "The MPS server did not understand: its driver must be the same as the program's.")          \
    X(807, "CUDA_ERROR_MPS_SERVER_NOT_READY", "The MPS server is not ready yet.")                  \
    X(808, "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED", "")                                               \
    X(809, "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED", "")                                           \
    X(810, "CUDA_ERROR_MPS_CLIENT_TERMINATED", "")                                                 \
    X(811, "CUDA_ERROR_CDP_NOT_SUPPORTED", "")                                                     \
    X(812, "CUDA_ERROR_CDP_VERSION_MISMATCH", "")                                                  \
    X(900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "")                                            \
    X(901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "")                                            \
    X(902, "CUDA_ERROR_STREAM_CAPTURE_MERGE", "")                                                  \
    X(903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "")                                              \
    X(904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "")                                               \
    X(905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION", "")                                              \
    X(906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", "")                                               \
    X(907, "CUDA_ERROR_CAPTURED_EVENT", "")                                                        \
    X(908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", "")                                           \
    X(909, "CUDA_ERROR_TIMEOUT", "")                                                               \
    X(910, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE", "")                                             \
    X(911, "CUDA_ERROR_EXTERNAL_DEVICE", "")                                                       \
    X(912, "CUDA_ERROR_INVALID_CLUSTER_SIZE", "")                                                  \
    X(913, "CUDA_ERROR_FUNCTION_NOT_LOADED", "")                                                   \
    X(914, "CUDA_ERROR_INVALID_RESOURCE_TYPE", "")                                                 \
    X(915, "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION", "")                                        \
    X(916, "CUDA_ERROR_KEY_ROTATION", "")                                                          \
    X(999, "CUDA_ERROR_UNKNOWN",                                                                   \
      "Unknown to the driver itself: often nvidia_uvm is not loaded or its device node "           \
      "is missing; also a GPU that a newer driver no longer supports, when its first "             \
      "context is made.")

#endif
