/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reason codes: why a verdict is what it is, and why a candidate is what it is. The code strings
 * are stable: scripts and alerts may match on them. `cuarbiter explain CODE` prints the rest.
 *
 * X(name, code, meaning, help): help says what the user can do, "" where nothing needs doing.
 */
#ifndef CUARBITER_REASONS_H
#define CUARBITER_REASONS_H

/* Verdicts that name a driver which works. */
#define CUA_REASONS_WORKS(X)                                                                       \
    X(NATIVE, "native", "The host's own driver: it has the version of the kernel driver.", "")     \
    X(KEPT, "kept",                                                                                \
      "What the loader takes by itself is newer than the kernel driver and works here.", "")       \
    X(KEPT_TRIED, "kept-tried",                                                                    \
      "The facts left it open whether what the loader takes by itself works; it was tried in a "   \
      "child process and initialised.",                                                            \
      "")                                                                                          \
    X(NEWER_CERTAIN, "newer-certain",                                                              \
      "A bundled newer driver that supports this kernel driver's branch, every GPU's brand and "   \
      "its compute capability.",                                                                   \
      "")                                                                                          \
    X(NEWER_TRIED, "newer-tried",                                                                  \
      "The facts left the newer driver open; it was tried in a child process and initialised.",    \
      "")                                                                                          \
    X(POLICY_HOST, "policy-host", "CUARBITER_POLICY=host: the host's own driver.", "")             \
    X(POLICY_NEWEST, "policy-newest",                                                              \
      "CUARBITER_POLICY=newest: the driver of the latest CUDA that a trial found to work.", "")    \
    X(POLICY_COMPAT, "policy-compat", "CUARBITER_POLICY=compat: the newest newer driver.", "")     \
    X(POLICY_FILE, "policy-file", "CUARBITER_LIBCUDA names this file.", "")

/* Verdicts that name no working driver, one that may not work, or none at all. */
#define CUA_REASONS_FAILS(X)                                                                       \
    X(POLICY_OFF, "policy-off",                                                                    \
      "CUARBITER_POLICY=off, a word that is none, or the site file: nothing is decided.",          \
      "Unset CUARBITER_POLICY, or see /etc/cuarbiter.conf, or the node's switch.")                 \
    X(RUNTIME_TOO_NEW, "runtime-too-new",                                                          \
      "The program's CUDA is of a later major version than any driver here that works: its "       \
      "runtime answers 35. Where only the image speaks of that CUDA, the program may need less.",  \
      "Update the host's driver to the version named, or use an image with an older CUDA.")        \
    X(NO_UMD, "no-umd", "There is a kernel driver, but no usable libcuda in this container.",      \
      "Mount the compute libraries: NVIDIA_DRIVER_CAPABILITIES=compute,utility, --gpus or CDI.")   \
    X(NO_NATIVE, "no-native",                                                                      \
      "No libcuda of the kernel driver's version is here, and none of the others can work.",       \
      "Mount the host's compute libraries: NVIDIA_DRIVER_CAPABILITIES=compute,utility.")           \
    X(NOT_LOADABLE, "not-loadable",                                                                \
      "What would work here does not load for this program: what the loader takes stays.",         \
      "Mount all of the driver's files, without noexec; a function that is missing needs a newer " \
      "driver.")                                                                                   \
    X(MODULE_STALE, "module-stale",                                                                \
      "The host's driver libraries were upgraded, but the old kernel module is still loaded.",     \
      "Reload the nvidia module or reboot the host.")                                              \
    X(KMD_UNKNOWN, "kmd-unknown",                                                                  \
      "There is a kernel driver, but its version cannot be read: what the loader takes stays.",    \
      "Look at /proc/driver/nvidia/version; mount /proc and /sys.")                                \
    X(NO_DRIVER, "no-driver", "No NVIDIA kernel driver on this machine: nothing is done.",         \
      "Start the container with the GPU: --gpus all, or a CDI device.")                            \
    X(FOREIGN, "foreign", "The libcuda here is of another maker: it is left alone.", "")           \
    X(UNDECIDED, "undecided",                                                                      \
      "Neither the facts nor a trial tell whether it works: what the loader takes stays.",         \
      "See the candidates' reasons; 'cuarbiter trial FILE' tries one.")

/* Candidates. NATIVE, NEWER_CERTAIN, KEPT_TRIED and NEWER_TRIED serve here too. */
#define CUA_REASONS_CANDIDATE(X)                                                                   \
    X(OLDER, "older", "Older than the kernel driver, which refuses it with 803.", "")              \
    X(LINK_STUB, "link-stub", "A link stub of the CUDA toolkit: every call answers 34.",           \
      "Take the stubs folder out of LD_LIBRARY_PATH.")                                             \
    X(DAMAGED, "damaged", "Not a libcuda that could be loaded.", "Replace the file.")              \
    X(WRONG_ARCH, "wrong-arch", "Built for another architecture.", "")                             \
    X(UNREADABLE, "unreadable", "The file cannot be read.", "Check owner and mode.")               \
    X(UNTRUSTED, "untrusted",                                                                      \
      "Others could have put this file here, and the loader itself would not open it.",            \
      "Make the file and every folder above it root's or your own, not writable by others.")       \
    X(NO_VERSION, "no-version", "Neither its name nor its content shows its version.", "")         \
    X(NEWER_BRANCH, "newer-branch",                                                                \
      "Newer than the kernel driver, whose branch is not in its list: it answers 803.",            \
      "Update the host's driver to a branch in the list.")                                         \
    X(NEWER_BRAND, "newer-brand",                                                                  \
      "Newer than the kernel driver, and a GPU is of a brand without forward compatibility: "      \
      "it answers 804.",                                                                           \
      "Hide that GPU by CUDA_VISIBLE_DEVICES if others will do.")                                  \
    X(NEWER_CC, "newer-cc",                                                                        \
      "Newer than the kernel driver, and its branch no longer supports a GPU: it initialises and " \
      "then fails.",                                                                               \
      "")                                                                                          \
    X(NEWER_MPS, "newer-mps",                                                                      \
      "Newer than the kernel driver, and an MPS daemon is running: it is not tried, and replaces " \
      "nothing.",                                                                                  \
      "Stop MPS, or use the host's driver.")                                                       \
    X(NEWER_WSL, "newer-wsl", "A Linux driver cannot talk to the kernel side of WSL.", "")         \
    X(NEWER_UNKNOWN_BRANCH, "newer-unknown-branch",                                                \
      "Newer than the kernel driver, and whether it runs on that one's branch is not known: it "   \
      "carries no note, and cuarbiter's data does not tell.",                                      \
      "Update the data: /etc/cuarbiter/data.")                                                     \
    X(NEWER_UNKNOWN_GPU, "newer-unknown-gpu",                                                      \
      "Newer than the kernel driver, and it is not known whether it supports every GPU.", "")      \
    X(NEWER_ORDINARY, "newer-ordinary",                                                            \
      "Newer than the kernel driver, without a note and in no compat folder: only a trial shows "  \
      "whether it works here.",                                                                    \
      "Install the cuda-compat package, or mount the host's own driver.")                          \
    X(TRIAL_FAILED, "trial-failed", "Tried in a child process: it did not initialise.", "")        \
    X(TRIAL_SILENT, "trial-silent", "Tried in a child process: no answer that could be used.",     \
      "Raise CUARBITER_TRIAL_TIMEOUT if it was too slow.")                                         \
    X(TEGRA_NOT_HIGHER, "tegra-not-higher",                                                        \
      "On Tegra the CUDA versions are compared, and its is not higher.", "")                       \
    X(TEGRA_UNKNOWN, "tegra-unknown",                                                              \
      "On Tegra the CUDA versions are compared, and one of the two is not known.", "")             \
    X(TEGRA_FOREIGN, "tegra-foreign",                                                              \
      "One of driver and kernel side is Tegra's and the other is not.", "")                        \
    X(KMD_MISSING, "kmd-missing", "Not judged: the kernel driver's version is not known.", "")

#define CUA_REASONS(X) CUA_REASONS_WORKS(X) CUA_REASONS_FAILS(X) CUA_REASONS_CANDIDATE(X)

#define CUA_REASON_ENUM(name, code, meaning, help) CUA_REASON_##name,
enum cua_reason { CUA_REASONS(CUA_REASON_ENUM) CUA_REASON_COUNT };
#undef CUA_REASON_ENUM

#endif
