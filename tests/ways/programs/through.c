/* SPDX-License-Identifier: Apache-2.0 */
/* Linked with a library that answers ENTRY and is linked with -lcuda, directly or through others.
 */
#include <stddef.h>

#include "report.h"

int ENTRY(const void **address);

int main(void)
{
    const void *address = NULL;
    int code = ENTRY(&address);

    return cua_report("through", "cuInit", code, address);
}
