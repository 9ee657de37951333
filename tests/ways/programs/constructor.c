/* SPDX-License-Identifier: Apache-2.0 */
/* Linked with a library whose constructor opens libcuda. */
#include <stddef.h>

#include "report.h"

int plugin_init(const void **address);

int main(void)
{
    const void *address = NULL;
    int code = plugin_init(&address);

    return cua_report("constructor", "cuInit", code, address);
}
