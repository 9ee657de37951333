/* SPDX-License-Identifier: Apache-2.0 */
/* RTLD_NEXT goes by the caller; asked twice it answers the same. */
#include "behaviour.h"

int answer(void);
int next_answer(void);

int main(void)
{
    void *(*next)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");

    printf("%d, next %d\n", answer(), next_answer());
    printf("dlopen itself: %s\n", next && next(NULL, RTLD_NOW) ? "opens" : "fails");
    return 0;
}
