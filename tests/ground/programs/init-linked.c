/* SPDX-License-Identifier: Apache-2.0 */
/* init-linked, init-rpath: linked with -lcuda; the latter with DT_RPATH $ORIGIN/bundled. */
#include "report.h"

int cuInit(unsigned flags);

int main(int argc, char **argv)
{
    const char *name = "init-linked";

    (void)argc;
    for (const char *c = argv[0]; *c; c++)
        if (*c == '/')
            argv[0] = (char *)c + 1;
    if (argv[0][0] == 'i')
        name = argv[0];
    return cua_report(name, "cuInit", cuInit(0), (void *)cuInit);
}
