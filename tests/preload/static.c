/* SPDX-License-Identifier: Apache-2.0 */
/* A static program has no ld.so that could preload anything. */
#include <stdio.h>

int main(void)
{
    puts("static");
    return 0;
}
