/* SPDX-License-Identifier: Apache-2.0 */
/* Opens libcuda, prints what cuInit answers, and gives no request to the shim:
 *   unreached libc         it calls the dlopen of libc's own handle
 *   unreached ucx FILE...  it loads these libraries of UCX and sets up their hooks, as
 *                          UCX_MEM_MMAP_HOOK_MODE asks, then calls dlopen as everybody does */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef void *opener(const char *, int);
typedef void callback(int event, void *what, void *arg);
typedef int set_handler(int events, int priority, callback *cb, void *arg);

#define VM_MAPPED   (1 << 16)
#define VM_UNMAPPED (1 << 17)

static void ignore(int event, void *what, void *arg)
{
    (void)event;
    (void)what;
    (void)arg;
}

static int set_up_ucx(char **files)
{
    void *last = NULL;

    for (; *files; files++)
        if (!(last = dlopen(*files, RTLD_NOW | RTLD_GLOBAL)))
            return -1;
    set_handler *set = last ? (set_handler *)dlsym(last, "ucm_set_event_handler") : NULL;
    if (!set)
        return -1;
    printf("hooks=%s\n", set(VM_MAPPED | VM_UNMAPPED, 0, ignore, NULL) == 0 ? "set" : "off");
    return 0;
}

int main(int argc, char **argv)
{
    void *libc = dlopen("libc.so.6", RTLD_NOW), *cuda;
    opener *theirs = libc ? (opener *)dlsym(libc, "dlopen") : NULL;

    if (argc > 1 && strcmp(argv[1], "ucx") == 0) {
        if (set_up_ucx(argv + 2)) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        cuda = dlopen("libcuda.so.1", RTLD_NOW);
    } else {
        cuda = theirs ? theirs("libcuda.so.1", RTLD_NOW) : NULL;
    }
    int (*init)(unsigned) = cuda ? (int (*)(unsigned))dlsym(cuda, "cuInit") : NULL;
    if (!init)
        return 1;
    printf("cuInit=%d\n", init(0));
    return 0;
}
