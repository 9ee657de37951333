/* SPDX-License-Identifier: Apache-2.0 */
/* Defines a function and looks for the next one of that name, as OpenMP's tools do. */
#include <dlfcn.h>

int answer(void);
int next_answer(void);

int answer(void)
{
    return VALUE;
}

int next_answer(void)
{
    int (*first)(void) = (int (*)(void))dlsym(RTLD_NEXT, "answer");
    int (*second)(void) = (int (*)(void))dlsym(RTLD_NEXT, "answer");

    return first && first == second && first != answer ? first() : -1;
}
