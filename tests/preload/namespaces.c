/* SPDX-License-Identifier: Apache-2.0 */
/* dlmopen into the base and into a new namespace; a dlopen made in there stays in there. */
#include "behaviour.h"

static void *open_in(Lmid_t space, const char *name)
{
    void *handle;

    errno = 4711;
    handle = dlmopen(space, name, RTLD_NOW);
    return tell("dlmopen", name, handle, errno);
}

int main(int argc, char **argv)
{
    void *base = open_in(LM_ID_BASE, in_folder(argv, "libplugin.so"));
    void *other = open_in(LM_ID_NEWLM, in_folder(argv, "libplugin.so"));
    Lmid_t space = 4711;

    (void)argc;
    if (other && dlinfo(other, RTLD_DI_LMID, &space))
        return 1;
    printf("space %ld, handles %s\n", (long)space, base == other ? "same" : "differ");
    printf("in base: %d\n", call(base, "sibling"));
    printf("in the other: %d\n", call(other, "sibling"));
    printf("other's leaf in base: %s\n",
           dlopen(in_folder(argv, "libleaf.so"), RTLD_NOLOAD | RTLD_NOW) ? "loaded" : "not loaded");
    open_in(space, "libnone.so.7");
    open_in(LM_ID_BASE, NULL);
    open_in(4711, "libm.so.6");
    return 0;
}
