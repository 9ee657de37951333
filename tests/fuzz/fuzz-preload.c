/* SPDX-License-Identifier: Apache-2.0 */
/* The edit of /etc/ld.so.preload: made twice it is made once, and taken back nothing is left. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/install/rootfs.c"

/* The rest of the command is not linked. */
int cua_option(const struct cua_verb *verb, int argc, char **argv, bool strict, int *code)
{
    (void)verb, (void)argc, (void)argv, (void)strict, (void)code;
    return -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char entry[] = "/opt/cuarbiter/0.1.0/libcuarbiter.so";
    char *text = malloc(size + 1);

    memcpy(text, bytes, size);
    text[size] = '\0';
    char *with = cua_preload_edit(text, entry), *again = cua_preload_edit(with, entry);
    char *without = cua_preload_edit(with, NULL), *none = cua_preload_edit(text, NULL);
    if (strcmp(with, again) || !strstr(with, entry) ||
        (!strstr(text, entry) && strstr(without, entry)) ||
        (!strchr(text, '#') && strlen(none) > size + 1))
        abort();
    free(none);
    free(without);
    free(again);
    free(with);
    free(text);
    return 0;
}
