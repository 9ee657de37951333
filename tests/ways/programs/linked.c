/* SPDX-License-Identifier: Apache-2.0 */
/* Linked with -lcuda. */
#include "report.h"

int cuInit(unsigned flags);

int main(void)
{
    return cua_report("linked", "cuInit", cuInit(0), (void *)cuInit);
}
