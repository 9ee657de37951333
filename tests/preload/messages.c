/* SPDX-License-Identifier: Apache-2.0 */
/* dlerror speaks of the program's own last call, once, and errno is what dlopen leaves. */
#include "behaviour.h"

static void say_pending(const char *when)
{
    const char *message = dlerror();

    printf("%s: %s\n", when, message ? message : "none");
}

int main(int argc, char **argv)
{
    char *leaf = in_folder(argv, "libleaf.so");
    void *handle;

    (void)argc;
    say_pending("at start");
    dlopen("libnone.so.7", RTLD_NOW);
    handle = dlopen(leaf, RTLD_NOW);
    say_pending("failure, then success");
    if (dlsym(handle, "none"))
        return 1;
    dlopen(leaf, RTLD_NOW);
    say_pending("failed dlsym, then success");
    dlopen(leaf, RTLD_NOW);
    dlopen("libnone.so.7", RTLD_NOW);
    say_pending("success, then failure");
    if (dlsym(handle, "none"))
        return 1;
    dlopen(leaf, RTLD_NOLOAD | RTLD_NOW);
    say_pending("failed dlsym, then NOLOAD");
    dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_NOW);
    say_pending("NOLOAD of what is not there");
    open_and_tell(leaf, RTLD_NOW);
    open_and_tell("libm.so.6", RTLD_NOW);
    open_and_tell("libcuda-none.so.1", RTLD_NOW);
    printf("dlclose: %d\n", dlclose(handle));
    say_pending("after dlclose");
    return 0;
}
