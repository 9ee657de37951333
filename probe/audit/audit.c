/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The LD_AUDIT module of `cuarbiter doctor`: watches which driver libraries a process maps and what
 * cuInit answers, and appends a line for each to the file that CUARBITER_DOCTOR_SEEN names:
 *
 *   PID start PPID PROGRAM     the process, or another program in it
 *   PID open FILE              one of the libraries of libraries.h
 *   PID init CODE FILE         cuInit of that file answered
 *
 * For glibc 2.35 and later: before, every audited call goes through a trampoline that loses
 * registers on aarch64.
 */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuarbiter/libraries.h"
#include "cuarbiter/names.h"

#define EXPORT __attribute__((visibility("default")))

/* How many libcudas of one process are told apart. */
#define INIT_COUNT 4

static const char *const stems[] = {
#define STEM(stem, kind) stem,
    CUA_LIBRARIES(STEM)
#undef STEM
};

static void say(const char *word, const char *text)
{
    const char *path = getenv("CUARBITER_DOCTOR_SEEN");
    char line[4600];
    int saved = errno;
    int fd = path ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    int length = snprintf(line, sizeof(line), "%ld %s %s\n", (long)getpid(), word, text);
    /* Nobody is there to be told that the file is full. */
    if (fd >= 0 && length > 0 && (size_t)length < sizeof(line) &&
        write(fd, line, (size_t)length) < 0)
        saved = errno;
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
    name = name ? name + 1 : file;
    for (size_t i = 0; i < sizeof(stems) / sizeof(*stems); i++)
        if (!strncmp(name, stems[i], strlen(stems[i])) &&
            !strncmp(name + strlen(stems[i]), ".so", 3))
            return 1;
    return !strcmp(name, CUA_FILE_SHIM);
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
    say("init", text);
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

/* The address to hand out for the cuInit at `real`. */
static void *wrap_init(void *real, const char *file)
{
    int (*wanted)(unsigned) = (int (*)(unsigned))real;
    for (size_t i = 0; i < INIT_COUNT; i++) {
        if (wanted == wrappers[i])
            return real;
        int (*none)(unsigned) = NULL;
        if (atomic_compare_exchange_strong(&inits[i].real, &none, wanted)) {
            snprintf(inits[i].file, sizeof(inits[i].file), "%s", file);
            return (void *)wrappers[i];
        }
        if (none == wanted)
            return (void *)wrappers[i];
    }
    return real;
}

/* Two shapes by now: four arguments, and five from CUDA 12 on. The fifth does no harm. */
typedef int get_address(const char *name, void **out, int version, unsigned long long flags,
                        void *status);
static get_address *_Atomic real_get_address;
static char get_address_file[4096];

static int get_address_seen(const char *name, void **out, int version, unsigned long long flags,
                            void *status)
{
    int code = real_get_address(name, out, version, flags, status);
    if (!code && name && out && *out && !strcmp(name, "cuInit"))
        *out = wrap_init(*out, get_address_file);
    return code;
}

EXPORT unsigned la_version(unsigned version)
{
    char text[4200];
    char program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    program[length < 0 ? 0 : length] = '\0';
    snprintf(text, sizeof(text), "%ld %s", (long)getppid(), program);
    say("start", text);
    /* 2.35 and later refuse a module that claims an older interface. */
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

EXPORT unsigned la_objopen(struct link_map *map, Lmid_t lmid, uintptr_t *cookie)
{
    (void)lmid;
    *cookie = (uintptr_t)map;
    if (is_known(map->l_name))
        say("open", map->l_name);
    return is_libcuda(map->l_name) ? LA_FLG_BINDTO | LA_FLG_BINDFROM : LA_FLG_BINDFROM;
}

EXPORT uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned index, uintptr_t *from, uintptr_t *to,
                              unsigned *flags, const char *name)
{
    (void)index;
    (void)from;
    (void)flags;
    const struct link_map *map = (const struct link_map *)*to;
    if (!strcmp(name, "cuInit"))
        return (uintptr_t)wrap_init((void *)symbol->st_value, map->l_name);
    if (!strcmp(name, "cuGetProcAddress") || !strcmp(name, "cuGetProcAddress_v2")) {
        get_address *none = NULL;
        get_address *wanted = (get_address *)symbol->st_value;
        if (atomic_compare_exchange_strong(&real_get_address, &none, wanted)) {
            snprintf(get_address_file, sizeof(get_address_file), "%s", map->l_name);
            return (uintptr_t)get_address_seen;
        }
        if (none == wanted)
            return (uintptr_t)get_address_seen;
    }
    return symbol->st_value;
}
