/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver's libraries, and which file a request for each of them gets. This table is shared by
 * the shim (the library that is preloaded into a program), the answerer (the program that the shim
 * asks) and the command `cuarbiter`.
 *
 * X(stem, kind, context): `stem` is the file name up to ".so".
 *
 * Kinds:
 * CUDA       libcuda itself. A request for it gets the file that the rules choose (probe/rules).
 * COMPANION  libcuda opens it by SONAME, or needs it. A request for it gets the file in the folder
 *            of the mapped libcuda; if none is mapped, of the chosen libcuda. The request stays
 *            as it is in three cases: that folder has no such file; the file that ld.so would
 *            take has this libcuda's version; or that file shows no version, so that it counts
 *            as another maker's, and this libcuda is the one that ld.so takes by itself.
 * EXACT      libcuda opens it by a name with the exact version. It is treated as a COMPANION, but
 *            in that folder only a file of exactly the requested name counts.
 * BOUND      It talks to the kernel driver itself, and refuses a kernel driver of another version.
 *            The host's file is opened instead if the file that ld.so would take is certain to
 *            fail, or if ld.so finds no file for a name without a folder.
 *
 * Contexts:
 * SHARED     It works in libcuda's contexts (CUcontext, graphics interop), so both must have the
 *            same version. If such a library is mapped or being loaded, a libcuda of the kernel
 *            driver's version is not replaced, unless a CUDA runtime shows that the program
 *            would get error 35 with it, or the policy is `compat` or names a file.
 * OWN        It uses none of libcuda's contexts.
 */
#ifndef CUARBITER_LIBRARIES_H
#define CUARBITER_LIBRARIES_H

#include <stdbool.h>
#include <stddef.h>

/* Sources: the lists of what NVIDIA's container tools mount (utility_libs, compute_libs, video_libs
 * and graphics_libs* in libnvidia-container's src/nvc_info.c). They were compared with the
 * DT_NEEDED entries and the dlopen names in real drivers, 450 to 555. */
#define CUA_LIBRARIES(X)                                                                           \
    /* SONAME libcuda.so.1 in every driver that was read */                                        \
    X("libcuda", CUDA, OWN)                                                                        \
    /* opened by SONAME, as strings in libcuda.so.550.163.01 show */                               \
    X("libnvidia-ptxjitcompiler", COMPANION, OWN)                                                  \
    X("libnvidia-nvvm", COMPANION, OWN)                                                            \
    X("libcudadebugger", COMPANION, OWN)                                                           \
    /* in cuda-compat 12.8 and newer, opened by SONAME: libnvidia-nvvm70.so.4 */                   \
    X("libnvidia-nvvm70", COMPANION, OWN)                                                          \
    /* DT_NEEDED in libcuda 390 and 418 */                                                         \
    X("libnvidia-fatbinaryloader", COMPANION, OWN)                                                 \
    /* gpucomp is in cuda-compat from 12.8 on, tileiras from 13.1 on. Strings in libcuda 550 show  \
     * the other two. */                                                                           \
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

/* The stem is an array in the row: a pointer to it would be relocated in every process. */
struct cua_library {
    char stem[26];
    unsigned char kind;    /* enum cua_library_kind */
    unsigned char context; /* enum cua_library_context */
};

/* Returns the table's row for `file`, a file name without folders; NULL if there is none. The name
 * must be a stem and ".so", or begin with a stem and ".so.". `tail` receives the part after
 * ".so". */
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

/* Whether a driver's own files and links can have this tail (the part after ".so"). They can if the
 * tail has only dots and digits, as in "", ".1" or ".550.54.14", and is not a single dot. */
static inline bool cua_library_tail_plain(const char *tail)
{
    if (tail[0] == '.' && !tail[1])
        return false;
    while (*tail == '.' || (*tail >= '0' && *tail <= '9'))
        tail++;
    return !*tail;
}

#endif
