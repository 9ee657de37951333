/* SPDX-License-Identifier: Apache-2.0 */
#include "command/code/runtime.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/version.h"
#include "command/fact_words.h"
#include "elf/file.h"
#include "facts/toolkit.h"

/* The CUDA version that a library's name shows, by sonames.tsv: 12000 for "libcufft.so.11"; 0: not
 * known. Before CUDA 10.1 the names had the toolkit's version: "libcufft.so.10.0" shows 10000. */
static unsigned cuda_of(const char *name)
{
    const char *number = strstr(name, ".so.");
    unsigned major = 0, minor;
    char more;
    const int parts = number ? sscanf(number, ".so.%3u.%3u%c", &major, &minor, &more) : 0;

    for (const struct cua_code_soname *row = cua_code_sonames; number && row->library; row++) {
        if (strlen(row->library) != (size_t)(number - name) || !cua_starts(name, row->library))
            continue;
        if (parts == 2)
            return major * 1000 + minor * 10;
        if (major == row->number)
            return row->cuda;
    }
    return 0;
}

/* Removes the hash that auditwheel puts into the names of libraries in a wheel:
 * "libcudart-80664282.so.12" becomes libcudart.so.12. */
static void drop_hash(char *name)
{
    char *tail = strstr(name, ".so.");
    const size_t hash = 8;

    if (tail && (size_t)(tail - name) > hash && tail[-(int)hash - 1] == '-' &&
        strspn(tail - hash, "0123456789abcdef") == hash)
        memmove(tail - hash - 1, tail, strlen(tail) + 1);
}

static void say(struct cua_code *code, unsigned cuda, const char *by)
{
    if (cuda <= code->runtime)
        return;
    code->runtime = cuda;
    snprintf(code->runtime_by, sizeof code->runtime_by, "%.60s", by);
}

void cua_code_runtime(struct cua_code *code, int fd, unsigned made_by)
{
    struct cua_elf elf;
    unsigned runtime = 0;
    char name[256], cudart[64] = "", by[48];

    if (cua_elf_open(&elf, fcntl(fd, F_DUPFD_CLOEXEC, 0), NULL, EM_NONE) != CUA_ELF_FINE)
        return;
    for (unsigned i = 0; i < elf.entries; i++) {
        const GElf_Dyn *entry = &elf.entry[i];
        const bool needed = entry->d_tag == DT_NEEDED;
        bool exact;
        if ((entry->d_tag != DT_NEEDED && entry->d_tag != DT_SONAME) ||
            !cua_elf_string(&elf, entry->d_un.d_val, name, sizeof name))
            continue;
        if (needed && code->needed)
            code->needed(name);
        drop_hash(name);
        if (!runtime)
            say(code, cuda_of(name), name);
        if (!runtime && needed && (runtime = cua_toolkit_file(name, &exact)))
            cua_copy(cudart, sizeof cudart, name);
    }
    cua_elf_close(&elf);
    if (runtime) {
        code->runtime = 0;
        say(code, runtime, cudart);
    } else if (made_by) {
        snprintf(by, sizeof by, "its GPU code is made by CUDA %s", cua_dotted(made_by));
        say(code, made_by < 11000 ? made_by : made_by / 1000 * 1000, by);
    }
}

unsigned cua_code_maker(unsigned ptx)
{
    const struct cua_code_ptx *row = cua_code_ptx;

    while (row->ptx < ptx)
        row++;
    return row->cuda == CUA_CODE_LATER ? row[-1].cuda : row->cuda;
}

bool cua_code_is_compiler(const char *name, bool *writes_ptx)
{
    static const char *const asked[] = {"libnvrtc.", "libnvvm.so", "libnvJitLink.so", "cicc"},
                             *const binaries[] = {"ptxas",
                                                  "nvlink",
                                                  "fatbinary",
                                                  "cuobjdump",
                                                  "nvdisasm",
                                                  "nvprune",
                                                  "libnvidia-ptxjitcompiler.so"};

    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (cua_starts(name, asked[i]))
            return *writes_ptx = true;
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
        if (cua_starts(name, binaries[i]))
            return true;
    return false;
}
