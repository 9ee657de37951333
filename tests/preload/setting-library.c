/* SPDX-License-Identifier: Apache-2.0 */
/* Linked with the program: its constructor changes the environment. With FIRST it is nothing but a
 * library that has its constructors run before all others, as glibc's libpthread once did. */
#include <stdlib.h>

int setting(void);
int first(void);

#ifdef FIRST
int first(void)
{
    return 1;
}
#else
__attribute__((constructor)) static void begin(void)
{
    setenv("CUA_SETTING", "kept", 1);
}

int setting(void)
{
    return 1;
}
#endif
