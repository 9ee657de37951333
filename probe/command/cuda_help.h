/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUDA errors as programs meet them: the runtime's name (driver_types.h of CUDA 13.0), what
 * cudaGetErrorString says of it, and what to do. The numbers are CUresult's too.
 *
 * X(code, name, said, help): said is "" where no message is known to be told apart.
 */
#ifndef CUA_CUDA_HELP_H
#define CUA_CUDA_HELP_H

#define CUA_CUDA_HELP(X)                                                                           \
    X(3, "cudaErrorInitializationError", "initialization error",                                   \
      "Look for the first error: 'cuarbiter doctor -- COMMAND' tells what cuInit answered.")       \
    X(34, "cudaErrorStubLibrary", "CUDA driver is a stub library",                                 \
      "Take the stubs folder out of LD_LIBRARY_PATH, or run the program under cuarbiter, which "   \
      "passes stubs over.")                                                                        \
    X(35, "cudaErrorInsufficientDriver",                                                           \
      "CUDA driver version is insufficient for CUDA runtime version",                              \
      "Update the host's driver, or take an image with an older CUDA; on a data-centre GPU an "    \
      "image with cuda-compat. 'cuarbiter status' names the driver that would do.")                \
    X(36, "cudaErrorCallRequiresNewerDriver",                                                      \
      "API call is not supported in the installed CUDA driver",                                    \
      "Update the host's driver, or take an image with an older CUDA.")                            \
    X(46, "cudaErrorDevicesUnavailable", "CUDA-capable device(s) is/are busy or unavailable",      \
      "See who uses the GPU with nvidia-smi.")                                                     \
    X(100, "cudaErrorNoDevice", "no CUDA-capable device is detected",                              \
      "Start the container with --gpus all or a CDI device, and look at CUDA_VISIBLE_DEVICES.")    \
    X(101, "cudaErrorInvalidDevice", "invalid device ordinal",                                     \
      "Compare CUDA_VISIBLE_DEVICES with nvidia-smi -L.")                                          \
    X(209, "cudaErrorNoKernelImageForDevice",                                                      \
      "no kernel image is available for execution on the device",                                  \
      "Take a build of the program for this GPU's compute capability.")                            \
    X(218, "cudaErrorInvalidPtx", "a PTX JIT compilation failed",                                  \
      "Take a build of the program for this GPU's compute capability.")                            \
    X(221, "cudaErrorJitCompilerNotFound", "PTX JIT compiler library not found",                   \
      "Mount or install the whole driver: libnvidia-ptxjitcompiler belongs beside libcuda.")       \
    X(222, "cudaErrorUnsupportedPtxVersion",                                                       \
      "the provided PTX was compiled with an unsupported toolchain",                               \
      "Update the host's driver, or take a build with compiled code for this GPU.")                \
    X(223, "cudaErrorJitCompilationDisabled", "PTX JIT compilation was disabled",                  \
      "Unset CUDA_DISABLE_PTX_JIT.")                                                               \
    X(304, "cudaErrorOperatingSystem", "OS call failed or operation not supported on this OS",     \
      "Look at the owner and mode of /dev/nvidia*.")                                               \
    X(800, "cudaErrorNotPermitted", "operation not permitted",                                     \
      "Look at the owner and mode of /dev/nvidia*, and at who started the MPS server.")            \
    X(802, "cudaErrorSystemNotReady", "system not yet initialized",                                \
      "Start the fabric manager on the host: systemctl start nvidia-fabricmanager.")               \
    X(803, "cudaErrorSystemDriverMismatch",                                                        \
      "system has unsupported display driver / cuda driver combination",                           \
      "Run the program under cuarbiter with the host's libcuda mounted (--gpus all or CDI): "      \
      "'cuarbiter run -- COMMAND', or LD_PRELOAD=/opt/cuarbiter/libcuarbiter.so in a container. "  \
      "'cuarbiter status' tells whether that will do. Without a container: reboot after an "       \
      "upgrade of the driver.")                                                                    \
    X(804, "cudaErrorCompatNotSupportedOnDevice",                                                  \
      "forward compatibility was attempted on non supported HW",                                   \
      "Run the program under cuarbiter with the host's libcuda mounted (--gpus all or CDI): "      \
      "'cuarbiter run -- COMMAND', or LD_PRELOAD=/opt/cuarbiter/libcuarbiter.so in a container. "  \
      "'cuarbiter status' tells whether that will do. Without a container: reboot after an "       \
      "upgrade of the driver.")                                                                    \
    X(805, "cudaErrorMpsConnectionFailed", "MPS client failed to connect to the MPS control",      \
      "Start the MPS daemon, with the host's driver; CUARBITER_POLICY=host keeps programs to the " \
      "same one.")                                                                                 \
    X(806, "cudaErrorMpsRpcFailure", "Failed to establish connection between the MPS server",      \
      "Set CUARBITER_POLICY=host, so that programs have the MPS server's driver.")                 \
    X(807, "cudaErrorMpsServerNotReady", "the MPS server is not ready to accept new MPS client",   \
      "Try again; then look at the log of the MPS daemon.")                                        \
    X(999, "cudaErrorUnknown", "",                                                                 \
      "modprobe nvidia_uvm on the host, and see dmesg there for lines of NVRM.")

#endif
