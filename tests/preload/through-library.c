/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

int needs_libcuda(void);

int main(void)
{
    printf("%d\n", needs_libcuda());
    return 0;
}
