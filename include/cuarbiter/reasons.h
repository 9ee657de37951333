/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reason codes: each gives the reason for a verdict (which libcuda a process gets), or for the
 * rating of a candidate (one libcuda that could be taken). The code strings are stable: scripts and
 * alerts may match on them. `cuarbiter explain CODE` prints meaning and help.
 *
 * X(name, code, meaning, help): help says what the user can do; "": there is no advice.
 */
#ifndef CUARBITER_REASONS_H
#define CUARBITER_REASONS_H

/* Codes for verdicts that choose a driver: one that works, or the one that the policy asks for. */
#define CUA_REASONS_WORKS(X)                                                                       \
    X(NATIVE, "native", "The host's own driver: it has the version of the kernel driver.", "")     \
    X(KEPT, "kept",                                                                                \
      "What the loader takes by itself is newer than the kernel driver and works here.", "")       \
    X(KEPT_TRIED, "kept-tried",                                                                    \
      "It was not certain that the loader's choice works, so cuarbiter tried it in a child "       \
      "process: it initialised.",                                                                  \
      "")                                                                                          \
    X(NEWER_CERTAIN, "newer-certain",                                                              \
      "A bundled newer driver that supports this kernel driver's branch, every GPU's brand and "   \
      "its compute capability.",                                                                   \
      "")                                                                                          \
    X(NEWER_TRIED, "newer-tried",                                                                  \
      "It was not certain that the newer driver works, so cuarbiter tried it in a child process: " \
      "it initialised.",                                                                           \
      "")                                                                                          \
    X(NEWER_MINOR, "newer-minor",                                                                  \
      "The host's driver works, but the program is of a later minor CUDA version. This bundled "   \
      "driver has that version, and initialised in a child process; every process of the "         \
      "container gets it.",                                                                        \
      "If the program fails with it, set CUARBITER_MINOR=no.")                                     \
    X(NEWER_BROUGHT, "newer-brought",                                                              \
      "No driver of the host or the image has the CUDA that is needed. One that 'cuarbiter "       \
      "driver "                                                                                    \
      "add' added has it: its note, a report or 'driver try' shows that it runs here, and it "     \
      "initialised in a child process.",                                                           \
      "If the program fails with it, set CUARBITER_DRIVERS=no, or run 'cuarbiter driver remove "   \
      "VERSION'.")                                                                                 \
    X(POLICY_HOST, "policy-host", "CUARBITER_POLICY=host: the host's own driver.",                 \
      "If the program fails with it, unset CUARBITER_POLICY.")                                     \
    X(POLICY_NEWEST, "policy-newest",                                                              \
      "CUARBITER_POLICY=newest: the driver with the latest CUDA that worked in a child process.",  \
      "")                                                                                          \
    X(POLICY_COMPAT, "policy-compat",                                                              \
      "CUARBITER_POLICY=compat: the newest driver that is newer than the kernel driver.",          \
      "If the program fails with it, unset CUARBITER_POLICY.")                                     \
    X(POLICY_FILE, "policy-file", "CUARBITER_LIBCUDA names this file.",                            \
      "If the program fails with it, unset CUARBITER_LIBCUDA.")

/* Codes for verdicts that choose no driver that is known to work. */
#define CUA_REASONS_FAILS(X)                                                                       \
    X(POLICY_OFF, "policy-off",                                                                    \
      "CUARBITER_POLICY is off or has no valid value, or a settings file switches cuarbiter off.", \
      "Unset CUARBITER_POLICY, or edit /etc/cuarbiter.conf or the node's "                         \
      "/etc/cuarbiter/site/cuarbiter.conf.")                                                       \
    X(RUNTIME_TOO_NEW, "runtime-too-new",                                                          \
      "The program's CUDA is of a later major version than any working driver here supports, so "  \
      "it fails with error 35. If only the image declares that CUDA, the program may need less.",  \
      "Update the host's driver, or use an image with an older CUDA. 'cuarbiter explain 35' "      \
      "shows whether you can add a driver instead.")                                               \
    X(NO_UMD, "no-umd", "There is a kernel driver, but no usable libcuda here.",                   \
      "Mount the compute libraries: NVIDIA_DRIVER_CAPABILITIES=compute,utility, --gpus or CDI.")   \
    X(NO_NATIVE, "no-native",                                                                      \
      "No libcuda of the kernel driver's version can be used here, and no other can work.",        \
      "Mount the host's compute libraries: NVIDIA_DRIVER_CAPABILITIES=compute,utility.")           \
    X(NOT_LOADABLE, "not-loadable",                                                                \
      "The driver that would work here cannot be loaded by this program, so cuarbiter keeps the "  \
      "loader's choice.",                                                                          \
      "Mount all of the driver's files, without noexec; a function that is missing needs a newer " \
      "driver.")                                                                                   \
    X(MODULE_STALE, "module-stale",                                                                \
      "The host's driver libraries were upgraded, but the old kernel module is still loaded.",     \
      "Reload the nvidia module or reboot the host.")                                              \
    X(KMD_UNKNOWN, "kmd-unknown",                                                                  \
      "There is a kernel driver, but its version cannot be read, so cuarbiter keeps the loader's " \
      "choice.",                                                                                   \
      "Check that /proc/driver/nvidia/version can be read; in a container, mount /proc and /sys.") \
    X(NO_DRIVER, "no-driver",                                                                      \
      "No NVIDIA kernel driver on this machine, so cuarbiter does nothing.",                       \
      "Start the container with the GPU: --gpus all, or a CDI device.")                            \
    X(FOREIGN, "foreign", "The libcuda here is not NVIDIA's, so cuarbiter leaves it alone.", "")   \
    X(UNDECIDED, "undecided",                                                                      \
      "It could not be found out which driver works, so cuarbiter keeps the loader's choice.",     \
      "'cuarbiter status' gives the reason for each driver; 'cuarbiter trial FILE' tries one.")

/* Codes for candidates. Some of the codes above, such as NATIVE and NOT_LOADABLE, are used for
 * candidates as well. TRIAL_FAILED is used for verdicts as well. */
#define CUA_REASONS_CANDIDATE(X)                                                                   \
    X(OLDER, "older", "Older than the kernel driver, which refuses it with 803.", "")              \
    X(LINK_STUB, "link-stub", "A link stub of the CUDA toolkit: every call fails with error 34.",  \
      "Take the stubs folder out of LD_LIBRARY_PATH.")                                             \
    X(DAMAGED, "damaged", "Not a libcuda that could be loaded.", "Replace the file.")              \
    X(WRONG_ARCH, "wrong-arch", "Built for another architecture.", "")                             \
    X(UNREADABLE, "unreadable", "The file cannot be read.", "Check owner and mode.")               \
    X(UNTRUSTED, "untrusted",                                                                      \
      "Other users could have put this file here, and the loader alone would not use it, so "      \
      "neither does cuarbiter.",                                                                   \
      "Make root or yourself the owner of the file and of every folder above it, and allow "       \
      "nobody else to write there.")                                                               \
    X(NO_VERSION, "no-version", "Neither its name nor its content shows its version.", "")         \
    X(NEWER_BRANCH, "newer-branch",                                                                \
      "Newer than the kernel driver, whose branch it does not support: cuInit answers 803.",       \
      "Update the host's driver to a branch that this file supports.")                             \
    X(NEWER_BRAND, "newer-brand",                                                                  \
      "Newer than the kernel driver, and a GPU is of a brand without forward compatibility: "      \
      "cuInit answers 804.",                                                                       \
      "If you do not need that GPU, hide it with CUDA_VISIBLE_DEVICES.")                           \
    X(NEWER_CC, "newer-cc",                                                                        \
      "Newer than the kernel driver, and no longer supports one of the GPUs: cuInit works, and "   \
      "later calls fail.",                                                                         \
      "")                                                                                          \
    X(NEWER_MPS, "newer-mps",                                                                      \
      "Newer than the kernel driver, and an MPS daemon is running: cuarbiter neither tries it "    \
      "nor switches to it.",                                                                       \
      "Stop MPS, or use the host's driver.")                                                       \
    X(BROUGHT_UNPROVEN, "brought-unproven",                                                        \
      "An added driver, but no note in it, no report and no 'driver try' shows that it runs "      \
      "here, so it is not used.",                                                                  \
      "'cuarbiter driver try' finds out whether it runs here; or name it in CUARBITER_LIBCUDA.")   \
    X(BROUGHT_PART, "brought-part",                                                                \
      "It is not known whether newer drivers work on a part of a GPU (MIG) or in a confidential "  \
      "VM, so an added one is not used there.",                                                    \
      "If you know that it runs here, name it in CUARBITER_LIBCUDA.")                              \
    X(NEWER_WSL, "newer-wsl", "A Linux driver cannot talk to the kernel side of WSL.", "")         \
    X(NEWER_UNKNOWN_BRANCH, "newer-unknown-branch",                                                \
      "Newer than the kernel driver, and it is not known whether it runs on that branch: it has "  \
      "no note, and cuarbiter's data do not show it.",                                             \
      "Update cuarbiter, or its data in /etc/cuarbiter/data.")                                     \
    X(NEWER_UNKNOWN_GPU, "newer-unknown-gpu",                                                      \
      "Newer than the kernel driver, and it is not known whether it supports every GPU.", "")      \
    X(NEWER_ORDINARY, "newer-ordinary",                                                            \
      "Newer than the kernel driver, and not marked as a forward-compatibility driver (no note, "  \
      "no compat folder): only trying it shows whether it works here.",                            \
      "Install the cuda-compat package, or mount the host's own driver.")                          \
    X(TRIAL_FAILED, "trial-failed", "Tried in a child process: it did not initialise.", "")        \
    X(TRIAL_SILENT, "trial-silent", "Tried in a child process, but it gave no usable answer.",     \
      "Raise CUARBITER_TRIAL_TIMEOUT if it was too slow.")                                         \
    X(TEGRA_NOT_HIGHER, "tegra-not-higher",                                                        \
      "On Tegra the CUDA versions are compared, and this file's is not higher than the host's.",   \
      "")                                                                                          \
    X(TEGRA_UNKNOWN, "tegra-unknown",                                                              \
      "On Tegra the CUDA versions are compared, and one of the two is not known.", "")             \
    X(TEGRA_FOREIGN, "tegra-foreign",                                                              \
      "Either this file or the kernel driver is for Tegra, but not both.", "")                     \
    X(KMD_MISSING, "kmd-missing",                                                                  \
      "Not checked, because the kernel driver's version is not known.", "")

#define CUA_REASONS(X) CUA_REASONS_WORKS(X) CUA_REASONS_FAILS(X) CUA_REASONS_CANDIDATE(X)

#define CUA_REASON_ENUM(name, code, meaning, help) CUA_REASON_##name,
enum cua_reason { CUA_REASONS(CUA_REASON_ENUM) CUA_REASON_COUNT };
#undef CUA_REASON_ENUM

#endif
