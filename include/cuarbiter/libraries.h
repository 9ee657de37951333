/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The libraries that belong to a driver version, and whose file each of them must be. One table and
 * one matcher for shim, answerer and command.
 *
 * X(stem, kind, context): stem is the file name up to ".so".
 *
 * CUDA       libcuda itself: the verdict's file.
 * COMPANION  opened by libcuda by SONAME: from the verdict's folder, else left as it is.
 * EXACT      opened by libcuda with the exact version in the name: only found in the verdict's
 *            folder under that very name, never renamed.
 * BOUND      talks to the kernel driver on its own, refuses any other version than the KMD's:
 *            native, where what ld.so takes is sure to fail.
 *
 * SHARED     works in libcuda's contexts (CUcontext, graphics interop), so both must be of one
 *            version: where such a library is mapped or comes in, a native libcuda is not replaced.
 * OWN        uses no context of libcuda's.
 */
#ifndef CUARBITER_LIBRARIES_H
#define CUARBITER_LIBRARIES_H

#include <stdbool.h>
#include <stddef.h>

/* Sources: the lists that NVIDIA's container tools mount, libnvidia-container src/nvc_info.c
 * (utility_libs, compute_libs, video_libs, graphics_libs*), checked against the NEEDED and the
 * dlopen strings of real drivers 450 to 555. */
#define CUA_LIBRARIES(X)                                                                           \
    /* cuda.h; SONAME of every driver read: libcuda.so.1 */                                        \
    X("libcuda", CUDA, OWN)                                                                        \
    /* dlopen'd by SONAME, strings of libcuda.so.550.163.01 */                                     \
    X("libnvidia-ptxjitcompiler", COMPANION, OWN)                                                  \
    X("libnvidia-nvvm", COMPANION, OWN)                                                            \
    X("libcudadebugger", COMPANION, OWN)                                                           \
    /* cuda-compat 12.8 and newer: libnvidia-nvvm70.so.4, asked for by SONAME */                   \
    X("libnvidia-nvvm70", COMPANION, OWN)                                                          \
    /* NEEDED of libcuda 390 and 418 */                                                            \
    X("libnvidia-fatbinaryloader", COMPANION, OWN)                                                 \
    /* cuda-compat 12.8 and newer, 13.1 and newer; strings of libcuda 550 */                       \
    X("libnvidia-gpucomp", EXACT, OWN)                                                             \
    X("libnvidia-tileiras", EXACT, OWN)                                                            \
    X("libnvidia-pkcs11", EXACT, OWN)                                                              \
    X("libnvidia-pkcs11-openssl3", EXACT, OWN)                                                     \
    /* nvc_info.c utility_libs */                                                                  \
    X("libnvidia-ml", BOUND, OWN)                                                                  \
    X("libnvidia-cfg", BOUND, OWN)                                                                 \
    X("libnvidia-nscq", BOUND, OWN)                                                                \
    /* nvc_info.c compute_libs */                                                                  \
    X("libnvidia-opencl", BOUND, OWN)                                                              \
    /* nvc_info.c video_libs */                                                                    \
    X("libnvcuvid", BOUND, SHARED)                                                                 \
    X("libnvidia-encode", BOUND, SHARED)                                                           \
    X("libnvidia-opticalflow", BOUND, SHARED)                                                      \
    X("libvdpau_nvidia", BOUND, OWN)                                                               \
    /* nvc_info.c graphics_libs */                                                                 \
    X("libnvoptix", BOUND, SHARED)                                                                 \
    X("libnvidia-rtcore", BOUND, OWN)                                                              \
    X("libnvidia-glcore", BOUND, OWN)                                                              \
    X("libnvidia-eglcore", BOUND, OWN)                                                             \
    X("libnvidia-glsi", BOUND, OWN)                                                                \
    X("libnvidia-glvkspirv", BOUND, OWN)                                                           \
    X("libnvidia-tls", BOUND, OWN)                                                                 \
    X("libnvidia-cbl", BOUND, OWN)                                                                 \
    X("libnvidia-fbc", BOUND, OWN)                                                                 \
    X("libnvidia-ifr", BOUND, OWN)                                                                 \
    X("libnvidia-allocator", BOUND, OWN)                                                           \
    X("libnvidia-ngx", BOUND, OWN)                                                                 \
    X("libGLX_nvidia", BOUND, SHARED)                                                              \
    X("libEGL_nvidia", BOUND, SHARED)                                                              \
    X("libGLESv1_CM_nvidia", BOUND, OWN)                                                           \
    X("libGLESv2_nvidia", BOUND, OWN)

enum cua_library_kind {
    CUA_LIBRARY_CUDA,
    CUA_LIBRARY_COMPANION,
    CUA_LIBRARY_EXACT,
    CUA_LIBRARY_BOUND,
};

enum cua_library_context { CUA_CONTEXT_OWN, CUA_CONTEXT_SHARED };

/* The stem lies in the row: a pointer to it would be relocated in every process. */
struct cua_library {
    char stem[26];
    unsigned char kind;    /* enum cua_library_kind */
    unsigned char context; /* enum cua_library_context */
};

/* The row of a file name without folders: `stem.so`, alone or followed by a dot and more. NULL:
 * none. `tail`: what follows ".so". */
static inline const struct cua_library *cua_library_of(const char *file, const char **tail)
{
    static const struct cua_library rows[] = {
#define CUA_ROW(stem, kind, context) {stem, CUA_LIBRARY_##kind, CUA_CONTEXT_##context},
        CUA_LIBRARIES(CUA_ROW)
#undef CUA_ROW
    };
    size_t row, at;

    if (file[0] != 'l' || file[1] != 'i' || file[2] != 'b')
        return NULL;
    for (row = 0; row < sizeof(rows) / sizeof(*rows); row++) {
        for (at = 3; rows[row].stem[at] && rows[row].stem[at] == file[at];)
            at++;
        if (rows[row].stem[at] || file[at] != '.' || file[at + 1] != 's' || file[at + 2] != 'o' ||
            (file[at + 3] && file[at + 3] != '.'))
            continue;
        *tail = file + at + 3;
        return &rows[row];
    }
    return NULL;
}

/* Is such a tail one that a driver's own files and links have: "", ".1", ".550.54.14"? */
static inline bool cua_library_tail_plain(const char *tail)
{
    if (tail[0] == '.' && !tail[1])
        return false;
    while (*tail == '.' || (*tail >= '0' && *tail <= '9'))
        tail++;
    return !*tail;
}

#endif
