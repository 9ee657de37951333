/* SPDX-License-Identifier: Apache-2.0 */
/* Linked with libcuda and with libraries whose constructors run before the shim's. Says what became
 * of what they did. `environ` is in the program: libc uses this one, and its own stays empty. */
#include <stdio.h>
#include <stdlib.h>

extern char **environ;
int who(void);
int setting(void);
int first(void);

int main(void)
{
    const char *value = getenv("CUA_SETTING");

    printf("%s, %s\n", value ? value : "lost", *environ ? "environment" : "none");
    return who() > 2 || !setting() || !first();
}
