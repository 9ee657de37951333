/* SPDX-License-Identifier: Apache-2.0 */
/* The LD_AUDIT module of `cuarbiter doctor`. It watches which libraries a process maps and what
 * cuInit returns, and appends lines to the file that CUARBITER_DOCTOR_SEEN names:
 *
 *   PID start PPID PROGRAM     the process has started, or has executed another program
 *   PID open FILE              it has mapped the shim (libcuarbiter.so), or one of the libraries of
 *                              libraries.h
 *   PID map FILE               it has mapped any other library
 *   PID watch FILE             calls of that file's cuInit will be reported
 *   PID init CODE FILE         cuInit of that file has returned CODE
 *
 * Requires glibc 2.35 or later: in older ones every audited call goes through a trampoline that
 * loses registers on aarch64. */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cuarbiter/libraries.h"
#include "cuarbiter/names.h"

#define EXPORT __attribute__((visibility("default")))

/* How many different cuInits can be watched in one process; any others are not watched. The same
 * limit applies to cuGetProcAddress and cuGetProcAddress_v2 together. */
#define INIT_COUNT 4

static void record(const char *word, const char *text)
{
    const char *path = getenv(CUA_ENV_DOCTOR_SEEN);
    char line[4600];
    int saved = errno;
    int fd = path ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    int length = snprintf(line, sizeof(line), "%ld %s %s", (long)getpid(), word, text);
    /* A newline in a path would begin another line. */
    for (int i = 0; i < length && (size_t)i < sizeof(line) - 2; i++)
        if (line[i] == '\n')
            line[i] = '?';
    if (length > 0 && (size_t)length < sizeof(line) - 2)
        line[length++] = '\n';
    /* If the write fails, the line is lost: the watched program must not be disturbed. */
    if (fd >= 0 && length > 0 && (size_t)length < sizeof(line)) {
        ssize_t written = write(fd, line, (size_t)length);
        (void)written;
    }
    if (fd >= 0)
        close(fd);
    errno = saved;
}

static int is_libcuda(const char *file)
{
    const char *name = strrchr(file, '/');
    return !strncmp(name ? name + 1 : file, "libcuda.so", 10);
}

static int is_known(const char *file)
{
    const char *name = strrchr(file, '/');
    const char *tail;
    name = name ? name + 1 : file;
    return cua_library_of(name, &tail) || !strcmp(name, CUA_FILE_SHIM);
}

struct init {
    int (*_Atomic real)(unsigned flags);
    char file[4096];
};

static struct init inits[INIT_COUNT];

static int call(size_t i, unsigned flags)
{
    int code = inits[i].real(flags);
    char text[4200];
    snprintf(text, sizeof(text), "%d %s", code, inits[i].file);
    record("init", text);
    return code;
}

#define INIT(i)                                                                                    \
    static int init_##i(unsigned flags)                                                            \
    {                                                                                              \
        return call(i, flags);                                                                     \
    }
INIT(0)
INIT(1)
INIT(2)
INIT(3)

static int (*const wrappers[INIT_COUNT])(unsigned flags) = {init_0, init_1, init_2, init_3};

/* Returns a wrapper that calls the cuInit at `real`. Returns `real` itself if it is a wrapper
 * already, or if all wrappers are in use. */
static void *wrap_init(void *real, const char *file)
{
    int (*original)(unsigned) = (int (*)(unsigned))real;
    for (size_t i = 0; i < INIT_COUNT; i++) {
        if (original == wrappers[i])
            return real;
        int (*none)(unsigned) = NULL;
        if (atomic_compare_exchange_strong(&inits[i].real, &none, original)) {
            snprintf(inits[i].file, sizeof(inits[i].file), "%s", file);
            return (void *)wrappers[i];
        }
        if (none == original)
            return (void *)wrappers[i];
    }
    return real;
}

/* The type of cuGetProcAddress_v2, which drivers have from CUDA 12 on. cuGetProcAddress has only
 * the first four arguments; passing it a fifth does no harm. */
typedef int get_address(const char *name, void **out, int version, unsigned long long flags,
                        void *status);

struct get {
    get_address *_Atomic real;
    char file[4096];
};

static struct get gets[INIT_COUNT];

static int get(size_t i, const char *name, void **out, int version, unsigned long long flags,
               void *status)
{
    int code = gets[i].real(name, out, version, flags, status);
    if (!code && name && out && *out && !strcmp(name, "cuInit"))
        *out = wrap_init(*out, gets[i].file);
    return code;
}

#define GET(i)                                                                                     \
    static int get_##i(const char *name, void **out, int version, unsigned long long flags,        \
                       void *status)                                                               \
    {                                                                                              \
        return get(i, name, out, version, flags, status);                                          \
    }
GET(0)
GET(1)
GET(2)
GET(3)

static get_address *const getters[INIT_COUNT] = {get_0, get_1, get_2, get_3};

static void *wrap_get_address(void *real, const char *file)
{
    get_address *original = (get_address *)real;
    for (size_t i = 0; i < INIT_COUNT; i++) {
        get_address *none = NULL;
        if (atomic_compare_exchange_strong(&gets[i].real, &none, original)) {
            snprintf(gets[i].file, sizeof(gets[i].file), "%s", file);
            return (void *)getters[i];
        }
        /* The libcuda was unloaded, and is loaded again at the same address. */
        if (none == original)
            return (void *)getters[i];
    }
    return real;
}

EXPORT unsigned la_version(unsigned version)
{
    char text[4200];
    char program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    program[length < 0 ? 0 : length] = '\0';
    snprintf(text, sizeof(text), "%ld %s", (long)getppid(), program);
    record("start", text);
    /* Claim the newest interface that both ld.so and this module know. On aarch64, glibc 2.35 and
     * later refuse a module that claims an older interface. */
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

/* Sets the protection of the one or two pages that a symbol's entry lies on. */
static int set_protection(const void *from, size_t size, int protection)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = (uintptr_t)from & ~(page - 1);
    uintptr_t end = ((uintptr_t)from + size + page - 1) & ~(page - 1);
    return mprotect((void *)start, end - start, protection);
}

static void replace(const struct link_map *map, ElfW(Sym) * symbol, const char *name)
{
    void *real = (void *)(map->l_addr + symbol->st_value);
    void *seen = real;
    if (symbol->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC)
        return;
    if (!strcmp(name, "cuInit"))
        seen = wrap_init(real, map->l_name);
    else if (!strcmp(name, "cuGetProcAddress") || !strcmp(name, "cuGetProcAddress_v2"))
        seen = wrap_get_address(real, map->l_name);
    /* In older drivers the symbol table lies in the same segment as the code, so its pages must
     * stay executable. */
    if (seen == real || set_protection(symbol, sizeof(*symbol), PROT_READ | PROT_WRITE | PROT_EXEC))
        return;
    symbol->st_value = (uintptr_t)seen - map->l_addr;
    if (!strcmp(name, "cuInit"))
        record("watch", map->l_name);
    set_protection(symbol, sizeof(*symbol), PROT_READ | PROT_EXEC);
}

/* Returns how many symbols a dynamic symbol table has; 0: not known. ELF does not record that
 * number, so it is computed from a hash table: DT_HASH (`hash`) or DT_GNU_HASH. */
static size_t count_symbols(const Elf32_Word *hash, const Elf32_Word *gnu_hash)
{
    if (hash)
        return hash[1];
    if (!gnu_hash)
        return 0;
    const Elf32_Word *buckets = gnu_hash + 4 + gnu_hash[2] * (sizeof(ElfW(Addr)) / 4);
    const Elf32_Word *chain = buckets + gnu_hash[0];
    size_t last = 0;
    for (size_t i = 0; i < gnu_hash[0]; i++)
        last = buckets[i] > last ? buckets[i] : last;
    if (last < gnu_hash[1])
        return 0;
    while (!(chain[last - gnu_hash[1]] & 1))
        last++;
    return last + 1;
}

/* Makes the symbols cuInit and cuGetProcAddress of a libcuda lead to the wrappers, by changing its
 * symbol table in this process's memory. la_objopen calls this before anything is bound to the
 * libcuda. la_symbind would not suffice: ld.so calls it for bindings by the PLT and dlsym, but not
 * for an address that a program takes from its GOT. */
static void watch(const struct link_map *map)
{
    ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    const Elf32_Word *hash = NULL, *gnu_hash = NULL;
    for (const ElfW(Dyn) *entry = map->l_ld; entry && entry->d_tag != DT_NULL; entry++) {
        void *address = (void *)entry->d_un.d_ptr;
        if (entry->d_tag == DT_SYMTAB)
            symbols = address;
        else if (entry->d_tag == DT_STRTAB)
            names = address;
        else if (entry->d_tag == DT_HASH)
            hash = address;
        else if (entry->d_tag == DT_GNU_HASH)
            gnu_hash = address;
    }
    size_t count = symbols && names ? count_symbols(hash, gnu_hash) : 0;
    for (size_t i = 1; i < count; i++)
        if (!strncmp(names + symbols[i].st_name, "cu", 2))
            replace(map, &symbols[i], names + symbols[i].st_name);
}

EXPORT unsigned la_objopen(struct link_map *map, Lmid_t lmid, uintptr_t *cookie)
{
    (void)lmid;
    (void)cookie;
    if (map->l_name[0])
        record(is_known(map->l_name) ? "open" : "map", map->l_name);
    if (is_libcuda(map->l_name))
        watch(map);
    return 0;
}
