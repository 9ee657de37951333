/* SPDX-License-Identifier: Apache-2.0 */
/* callers WORD...: a:NAME, b:NAME and c:NAME (on behalf of libraries with other search paths),
 * open:NAME, for:LIBRARY=NAME (on behalf of a library that is opened and closed for it), close:
 * (all that were opened), move:FROM=TO; at the end the libcudas that are mapped. */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

void *open_a(const char *name);
void *open_b(const char *name);
void *open_c(const char *name);

/* The library's function is open_a. */
static void *open_for(const char *library, const char *name)
{
    void *caller = dlopen(library, RTLD_LAZY), *symbol = caller ? dlsym(caller, "open_a") : NULL;
    void *(*open)(const char *), *handle;

    memcpy(&open, &symbol, sizeof(open));
    handle = open ? open(name) : NULL;
    if (caller)
        dlclose(caller);
    return handle;
}

static int say_libcuda(struct dl_phdr_info *object, size_t size, void *arg)
{
    const char *file = strrchr(object->dlpi_name, '/');

    (void)size;
    (void)arg;
    if (file && !strncmp(file, "/libcuda.so", 11))
        printf(" %s", object->dlpi_name);
    return 0;
}

int main(int argc, char **argv)
{
    void *opened[16], *handle;
    char *name, *to;
    int i, count = 0;

    for (i = 1; i < argc; i++) {
        name = strchr(argv[i], ':');
        if (!name)
            return 99;
        *name++ = 0;
        if (!strcmp(argv[i], "close")) {
            while (count)
                dlclose(opened[--count]);
            continue;
        }
        if (!strcmp(argv[i], "move")) {
            to = strchr(name, '=');
            *to++ = 0;
            if (rename(name, to))
                return 98;
            continue;
        }
        to = strchr(name, '=');
        if (to)
            *to++ = 0;
        handle = !strcmp(argv[i], "a")   ? open_a(name)
                 : !strcmp(argv[i], "b") ? open_b(name)
                 : !strcmp(argv[i], "c") ? open_c(name)
                 : to                    ? open_for(name, to)
                                         : dlopen(name, RTLD_LAZY);
        if (!handle || count == 16)
            printf("%s ", dlerror());
        else
            opened[count++] = handle;
    }
    printf("libcuda:");
    dl_iterate_phdr(say_libcuda, NULL);
    puts("");
    return 0;
}
