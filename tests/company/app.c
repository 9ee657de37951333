/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that comes to libcuda in one of several ways and says what it got: one line, and exit
 * status 0 wherever it could go on, with a GPU or without.
 *
 *   app-WAY NEED [FLAG]   NEED: the CUDA version that it needs, as cuDriverGetVersion counts.
 *
 * OPEN: dlopen by name; PLUGIN: by way of a plugin, which is opened lazily or with FLAG now;
 * otherwise the program itself is linked with it. NVML: NVML and no libcuda.
 */
#include "../fixtures/programs/floor.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

extern char **environ;

/* All of the environment but what brings the preloads, in its order. */
static unsigned long sum_of_environment(void)
{
    unsigned long sum = 5381;

    for (char **e = environ; e && *e; e++) {
        if (strncmp(*e, "LD_PRELOAD=", 11) == 0)
            continue;
        for (const char *c = *e; *c; c++)
            sum = sum * 33 + (unsigned char)*c;
    }
    return sum;
}

static int say(const struct work *got, int argc)
{
    void *meter = dlsym(got->from, "cua_quota_here");

    printf("init=%d cuda=%d context=%d meter=%d environ=%lx argc=%d file=%s\n", got->init,
           got->cuda, got->context, meter != NULL, sum_of_environment(), argc, got->file);
    fflush(stdout);
    return 0;
}

int main(int argc, char **argv)
{
    struct work got = {.init = -1, .need = argc > 1 ? atoi(argv[1]) : 0};
    char byte;
    int fd = openat(AT_FDCWD, "/etc/ld.so.cache", O_RDONLY);

    /* Whatever hooks these has been called, with the shim and without. */
    if (fd >= 0 && (read(fd, &byte, 1) < 0 || close(fd) < 0))
        return 1;
#if defined(OPEN)
    got.from = dlopen("libcuda.so.1", RTLD_NOW);
    if (!got.from)
        return printf("cannot open: %s\n", dlerror()) < 0;
    *(void **)&got.call.init = dlsym(got.from, "cuInit");
    *(void **)&got.call.version = dlsym(got.from, "cuDriverGetVersion");
    *(void **)&got.call.retain = dlsym(got.from, "cuDevicePrimaryCtxRetain");
    work(&got);
#elif defined(PLUGIN)
    void (*run)(struct work *);
    void *plugin = dlopen(PLUGIN, argc > 2 ? RTLD_NOW : RTLD_LAZY);

    if (!plugin)
        return printf("cannot open: %s\n", dlerror()) > 0;
    *(void **)&run = dlsym(plugin, "plugin_run");
    run(&got);
    got.from = plugin;
#elif defined(NVML)
    int (*init)(void) = NULL;

    got.from = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (got.from)
        *(void **)&init = dlsym(got.from, "nvmlInit_v2");
    if (!init)
        return printf("cannot open NVML\n") < 0;
    got.init = init();
    Dl_info info;
    got.file = dladdr(*(void **)&init, &info) ? info.dli_fname : "-";
#else
    linked_run(&got);
    got.from = RTLD_DEFAULT;
#endif
    return say(&got, argc);
}
